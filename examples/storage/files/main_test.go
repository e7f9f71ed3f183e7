package main

import (
	"bytes"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Files go to the other machine and come back, and its image is a file system for others as well.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, build := range [][]string{{"go", "build", "-o", dir + "/"}, {"go", "build", "-C", "../../..", "-o", dir + "/", "./examples/storage/target_rdma", "./examples/storage/comch_to_rdma_zero_copy"}} {
		out, err := exec.Command(build[0], build[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	image := filepath.Join(dir, "image")
	start := func(side, name string, args ...string) (*exec.Cmd, *bytes.Buffer) {
		var out bytes.Buffer
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, name), args...)
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_RUNTIME_DIR="+dir+"/run", "DOCA_EMU_SIDE="+side)
		require.NoError(t, cmd.Start())
		return cmd, &out
	}
	files := func(args ...string) (string, error) {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		require.NoError(t, err)
		port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
		require.NoError(t, l.Close())
		target, targetSays := start("dpu", "target_rdma", "-d", "03:00.1", "--cpu", "0", "--listen-port", port, "--file", image, "--block-count", "16384")
		relay, relaySays := start("dpu", "comch_to_rdma_zero_copy", "-d", "03:00.0", "-r", "b1:00.0", "--cpu", "0", "--storage-server", "127.0.0.1:"+port)
		host, says := start("host", "files", args...)
		err = host.Wait()
		assert.NoError(t, relay.Wait(), relaySays)
		assert.NoError(t, target.Wait(), targetSays)
		return says.String(), err
	}
	says, err := files("format")
	require.NoError(t, err, says)
	data := make([]byte, 3_000_001)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	require.NoError(t, os.WriteFile(dir+"/local", data, 0o600))
	says, err = files("put", dir+"/local", "/REMOTE.BIN")
	require.NoError(t, err, says)
	says, err = files("ls", "/")
	require.NoError(t, err, says)
	assert.Contains(t, says, "     3000001 REMOTE.BIN\n")
	says, err = files("get", "/REMOTE.BIN", dir+"/back")
	require.NoError(t, err, says)
	back, err := os.ReadFile(dir + "/back")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(data, back))
	says, err = files("get", "/NOTHING", dir+"/none")
	assert.Error(t, err)
	assert.Contains(t, says, "NOTHING")
	boot, err := os.ReadFile(image)
	require.NoError(t, err)
	assert.Equal(t, []byte{0x55, 0xaa}, boot[510:512], "the image has a boot sector")
	assert.Equal(t, "FAT32", string(boot[82:87]))
}
