package rdma_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCapabilities(t *testing.T) {
	dev := must(doca.OpenDevice(doctest.DPU0))(t)
	t.Cleanup(func() { check(t, dev.Close()) })
	require.NoError(t, rdma.Supported(dev.Info()))
	c := must(rdma.CapabilitiesOf(dev.Info()))(t)
	assert.True(t, c.Send && c.SendImm && c.Receive && c.Read && c.Write && c.WriteImm && c.CompareAndSwap && c.FetchAdd && c.RC)
	assert.Positive(t, c.MaxMessageSize)
	assert.Positive(t, c.MaxListLen)
	assert.Positive(t, c.MaxReceiveListLen)
	gids := must(rdma.GIDs(dev.Info()))(t)
	assert.Len(t, gids, int(c.GIDTableSize))
	assert.Contains(t, gids[0].String(), "fe80::")
	assert.Error(t, rdma.Supported(doca.DeviceInfo{}))
	s := newSide(t, rdma.Config{})
	assert.Equal(t, c, s.rdma.Capabilities())
}
