package selfexec

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
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

func TestStop(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	Stop(t, cmd.Process)
	assert.True(t, stopped(t, cmd.Process))
	_, err = io.WriteString(in, "x")
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))
	_, err = io.ReadFull(out, make([]byte, 1))
	require.NoError(t, err)
	assert.False(t, stopped(t, cmd.Process))
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
}

func TestDeadPort(t *testing.T) {
	_, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", DeadPort(t)))
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

func TestPort(t *testing.T) {
	port := Port(t)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer syscall.Close(fd)
	require.ErrorIs(t, syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}), syscall.EADDRINUSE, "others do not get it")
	for range 2 {
		_, err = net.Dial("tcp4", address)
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		for _, at := range []string{address, fmt.Sprint(":", port)} {
			l, err := net.Listen("tcp", at)
			require.NoError(t, err)
			conn, err := net.Dial("tcp4", address)
			require.NoError(t, err)
			require.NoError(t, conn.Close())
			require.NoError(t, l.Close())
		}
	}
}
