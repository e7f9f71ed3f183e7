package selfexec

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommand(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(Runner, "")
	assert.Equal(t, []string{self, "-x", "y z"}, Command(t, "-x", "y z").Args)
	t.Setenv(Runner, "qemu-aarch64 -L /usr/aarch64-linux-gnu")
	assert.Equal(t, []string{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", self, "-x"}, Command(t, "-x").Args)
}
