package sha_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/sha"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	infos, err := doca.Devices()
	require.NoError(t, err)
	require.NotEmpty(t, infos)
	for _, info := range infos {
		assert.NoError(t, sha.Supported(info, sha.SHA256))
		assert.NoError(t, sha.Supported(info, sha.SHA1))
		assert.ErrorIs(t, sha.Supported(info, 7), doca.ErrInvalidValue)
		l, err := sha.LimitsOf(info)
		assert.NoError(t, err)
		assert.Equal(t, sha.Limits{MaxSourceSize: 64 << 20, MaxListLen: 16}, l)
	}
	_, err = sha.LimitsOf(doca.DeviceInfo{PCIAddr: "0000:99:00.0"})
	assert.ErrorIs(t, err, doca.ErrNotFound)
	assert.Equal(t, "SHA-256 SHA-1 Algorithm(9)", sha.SHA256.String()+" "+sha.SHA1.String()+" "+sha.Algorithm(9).String())
}
