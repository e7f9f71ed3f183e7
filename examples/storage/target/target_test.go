package target

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/examples/storage/blockdev"
)

// backend is contents of a program's own. One place cannot be read or written.
type backend struct {
	mu   sync.Mutex
	data []byte
}

const bad = 50_000

func (b *backend) ReadAt(p []byte, off int64) (int, error) { return b.move(p, off, false) }

func (b *backend) WriteAt(p []byte, off int64) (int, error) { return b.move(p, off, true) }

func (b *backend) move(p []byte, off int64, write bool) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case off <= bad && bad < off+int64(len(p)):
		return 0, io.ErrUnexpectedEOF
	case write:
		return copy(b.data[off:], p), nil
	}
	return copy(p, b.data[off:]), nil
}

// A program serves contents of its own, through a relay that is another process.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", dir+"/run")
	relay := filepath.Join(dir, "relay")
	out, err := exec.Command("go", "build", "-o", relay, "../comch_to_rdma_zero_copy").CombinedOutput()
	require.NoError(t, err, string(out))
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())

	b := &backend{data: make([]byte, 128<<10)}
	cfg := Config{Device: "03:00.1", CPUs: []int{0}, Port: port}
	served := make(chan error)
	go func() {
		served <- Serve(context.Background(), cfg, Content{BlockSize: 512, Backend: b, Size: int64(len(b.data)), MaxIO: 4096}, io.Discard)
	}()
	cmd := exec.CommandContext(t.Context(), relay, "-d", "03:00.0", "-r", "b1:00.0", "--cpu", "0", "--storage-server", fmt.Sprintf("127.0.0.1:%d", port))
	require.NoError(t, cmd.Start())
	d, err := blockdev.Open(t.Context(), blockdev.Config{Device: "b1:00.0", MaxIO: 4096})
	require.NoError(t, err)
	assert.Equal(t, 512, d.BlockSize())
	assert.Equal(t, int64(len(b.data)), d.Size())
	data := bytes.Repeat([]byte("0123456789abcde"), 3000)
	_, err = d.WriteAt(data, 100)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(data, b.data[100:][:len(data)]))
	got := make([]byte, len(data))
	_, err = d.ReadAt(got, 100)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(data, got))
	n, err := d.ReadAt(got[:10000], 44000)
	assert.ErrorIs(t, err, doca.ErrIOFailed)
	assert.Equal(t, 4096, n, "what comes before the place that cannot be read")
	_, err = d.WriteAt([]byte{1}, bad)
	assert.ErrorIs(t, err, doca.ErrIOFailed)
	_, err = d.WriteAt([]byte{1}, bad+1)
	assert.NoError(t, err, "an error harms no other request")
	require.NoError(t, d.Close())
	assert.NoError(t, cmd.Wait())
	assert.NoError(t, <-served)
}

func TestOpenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := OpenFile(dir+"/new", 3, 1000, SyncWrite)
	require.NoError(t, err)
	require.Len(t, f.Data, 3000)
	copy(f.Data[1500:], "text")
	require.NoError(t, f.Written(1500, 4))
	require.NoError(t, f.sync())
	require.NoError(t, f.Close())
	f, err = OpenFile(dir+"/new", 77, 500, SyncStop)
	require.NoError(t, err)
	assert.Len(t, f.Data, 3000, "an existing file says how many blocks there are")
	assert.Equal(t, "text", string(f.Data[1500:1504]))
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
	_, err = OpenFile(dir+"/new", 1, 999, SyncNever)
	require.ErrorIs(t, err, doca.ErrInvalidValue)
	assert.ErrorContains(t, err, "no number of blocks of 999 bytes")
	_, err = OpenFile(dir+"/none", 0, 999, SyncNever)
	require.ErrorIs(t, err, doca.ErrInvalidValue)
	_, err = OpenFile(dir+"/no/directory", 1, 1, SyncNever)
	require.ErrorIs(t, err, os.ErrNotExist)
	t.Run("full disk", func(t *testing.T) {
		full := t.TempDir()
		if err := syscall.Mount("none", full, "tmpfs", 0, "size=1m"); err != nil {
			t.Skipf("no disk that is full: mounting a tmpfs of 1 MiB needs root: %v", err)
		}
		defer func() { assert.NoError(t, syscall.Unmount(full, 0)) }()
		_, err := OpenFile(full+"/storage", 1024, 4096, SyncNever)
		require.ErrorIs(t, err, syscall.ENOSPC)
		assert.ErrorContains(t, err, full+"/storage")
	})
}
