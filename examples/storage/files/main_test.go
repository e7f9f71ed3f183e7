package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/internal/selfexec"
)

// bench is where the three programs meet.
type bench struct{ dir, image string }

func newBench(t *testing.T) bench {
	b := bench{dir: t.TempDir()}
	b.image = filepath.Join(b.dir, "image")
	for _, build := range [][]string{{"go", "build", "-o", b.dir + "/"}, {"go", "build", "-C", "../../..", "-o", b.dir + "/", "./examples/storage/target_rdma", "./examples/storage/comch_to_rdma_zero_copy"}} {
		out, err := exec.Command(build[0], build[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return b
}

// start starts a command of files, and a target and a relay for it. Its end is wait, which returns what it has said: the others
// must have succeeded.
func (b bench) start(t *testing.T, args ...string) (host *os.Process, wait func() (string, error)) {
	start := func(side, name string, args ...string) (*exec.Cmd, *bytes.Buffer) {
		var out bytes.Buffer
		cmd := exec.CommandContext(t.Context(), filepath.Join(b.dir, name), args...)
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_RUNTIME_DIR="+b.dir+"/run", "DOCA_EMU_SIDE="+side)
		require.NoError(t, cmd.Start())
		return cmd, &out
	}
	port := strconv.Itoa(selfexec.Port(t))
	target, targetSays := start("dpu", "target_rdma", "-d", "03:00.1", "--cpu", "0", "--listen-port", port, "--file", b.image, "--block-count", "16384")
	relay, relaySays := start("dpu", "comch_to_rdma_zero_copy", "-d", "03:00.0", "-r", "b1:00.0", "--cpu", "0", "--storage-server", "127.0.0.1:"+port)
	cmd, says := start("host", "files", args...)
	return cmd.Process, func() (string, error) {
		err := cmd.Wait()
		assert.NoError(t, relay.Wait(), relaySays)
		assert.NoError(t, target.Wait(), targetSays)
		return says.String(), err
	}
}

func (b bench) files(t *testing.T, args ...string) (string, error) {
	_, wait := b.start(t, args...)
	return wait()
}

// Files go to the other machine and come back, and its image is a file system for others as well.
func TestFiles(t *testing.T) {
	b := newBench(t)
	dir, image := b.dir, b.image
	files := func(args ...string) (string, error) { return b.files(t, args...) }
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

// An interrupt ends a transfer, the session on all machines, and no file system.
func TestInterrupt(t *testing.T) {
	b := newBench(t)
	says, err := b.files(t, "format")
	require.NoError(t, err, says)
	data := bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16)
	require.NoError(t, os.WriteFile(b.dir+"/whole", data, 0o600))
	says, err = b.files(t, "put", b.dir+"/whole", "/WHOLE.BIN")
	require.NoError(t, err, says)
	pipe := b.dir + "/pipe"
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	f, err := os.OpenFile(pipe, os.O_RDWR, 0)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		args []string
		move func() error // until the transfer is under way
	}{
		"put": {[]string{pipe, "/PART.BIN"}, func() error { _, err := f.Write(data[:1<<20]); return err }},
		"get": {[]string{"/WHOLE.BIN", pipe}, func() error { _, err := io.ReadFull(f, make([]byte, 1<<20)); return err }},
	} {
		for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(fmt.Sprintf("%s %v", name, s), func(t *testing.T) {
				host, wait := b.start(t, append([]string{name}, c.args...)...)
				require.NoError(t, c.move())
				require.NoError(t, host.Signal(s))
				says, err := wait()
				assert.Error(t, err)
				assert.Contains(t, says, "files: "+name+" was interrupted")
				require.NoError(t, f.SetReadDeadline(time.Now()))
				_, _ = io.Copy(io.Discard, f)
				require.NoError(t, f.SetReadDeadline(time.Time{}))
			})
		}
	}
	require.NoError(t, f.Close())
	says, err = b.files(t, "ls", "/")
	require.NoError(t, err, says)
	assert.Contains(t, says, " WHOLE.BIN\n")
	assert.Contains(t, says, " PART.BIN\n")
	says, err = b.files(t, "get", "/WHOLE.BIN", b.dir+"/back")
	require.NoError(t, err, says)
	back, err := os.ReadFile(b.dir + "/back")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(data, back))
}

// An interrupt ends format and ls, which read and write without an end of their own.
func TestDiskEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := newDisk(ctx, nil)
	cancel()
	_, err := d.device.ReadAt(make([]byte, 1), 0)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = d.WriteAt(make([]byte, 1), 0)
	assert.ErrorIs(t, err, context.Canceled)
}
