package target

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/examples/storage/blockdev"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
	"github.com/go-doca/go-doca/examples/storage/initiator"
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

// serve serves contents, with a relay that is another process and gets these arguments, too.
func serve(t *testing.T, ctx context.Context, c Content, args ...string) (served chan error, relay *exec.Cmd) {
	path := filepath.Join(t.TempDir(), "relay")
	out, err := exec.Command("go", "build", "-o", path, "../comch_to_rdma_zero_copy").CombinedOutput()
	require.NoError(t, err, string(out))
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	served = make(chan error, 1)
	go func() {
		cfg := Config{Device: "03:00.1", CPUs: []int{dataplane.AnyCPU}, Listener: l, Older: slices.Contains(args, "--older-messages")}
		served <- Serve(ctx, cfg, c, nil)
	}()
	relay = exec.Command(path, append([]string{"-d", "03:00.0", "-r", "b1:00.0", "--cpu", "0", "--storage-server", l.Addr().String()}, args...)...)
	require.NoError(t, relay.Start())
	t.Cleanup(func() { _ = relay.Process.Kill() })
	return served, relay
}

// A program serves contents of its own, through a relay that is another process.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", dir+"/run")
	b := &backend{data: make([]byte, 128<<10)}
	served, cmd := serve(t, t.Context(), Content{BlockSize: 512, Backend: b, Size: int64(len(b.data)), MaxIO: 4096})
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

// endless is a backend that is as large as one can be, and has bytes that somebody has written at one place alone.
type endless struct {
	mu   sync.Mutex
	data []byte
	at   int64
}

func (e *endless) ReadAt(p []byte, off int64) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if clear(p); off == e.at {
		copy(p, e.data)
	}
	return len(p), nil
}

func (e *endless) WriteAt(p []byte, off int64) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.data, e.at = bytes.Clone(p), off
	return len(p), nil
}

// The checksums of a device need memory for what was written, not for all blocks that the target says that it has.
func TestChecksumsOfHugeStorage(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", t.TempDir()+"/run")
	const size, at = 1 << 62, 1 << 61
	b := &endless{}
	served, relay := serve(t, t.Context(), Content{BlockSize: 512, Backend: b, Size: size})
	d, err := blockdev.Open(t.Context(), blockdev.Config{Device: "b1:00.0", Checksums: true})
	require.NoError(t, err)
	data, got := bytes.Repeat([]byte("ab"), 512), make([]byte, 1024)
	_, err = d.ReadAt(got, size-1024)
	require.NoError(t, err)
	_, err = d.WriteAt(data, at)
	require.NoError(t, err)
	_, err = d.ReadAt(got, at)
	require.NoError(t, err)
	assert.Equal(t, data, got)
	b.mu.Lock()
	b.data[700]++
	b.mu.Unlock()
	_, err = d.ReadAt(got, at)
	assert.ErrorIs(t, err, blockdev.ErrData)
	require.NoError(t, d.Close())
	assert.NoError(t, relay.Wait())
	assert.NoError(t, <-served)
}

// With the older messages, the storage is as large as the memory that the initiator has exported, which may be more than it says.
func TestOlderMemoryIsTooLarge(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", t.TempDir()+"/run")
	served, relay := serve(t, t.Context(), Content{}, "--older-messages")
	dev, err := doca.OpenDevice("b1:00.0")
	require.NoError(t, err)
	defer dev.Close()
	s, err := initiator.DialOlder(t.Context(), dev, "storage_zero_copy_comch", 5*time.Second, 1, 4096, 1)
	require.NoError(t, err)
	err = s.Init(t.Context(), maxContent+4096, []int{1})
	assert.ErrorIs(t, err, doca.ErrInvalidValue)
	assert.ErrorContains(t, err, "wants to store 2147487744 bytes")
	require.NoError(t, s.Close())
	assert.Error(t, relay.Wait())
	assert.ErrorIs(t, <-served, doca.ErrInvalidValue)
}

// blocking is a backend whose calls wait until they are let go.
type blocking struct {
	called chan struct{}
	let    chan struct{}
	n      int // bytes that a call moves
}

func (b *blocking) ReadAt([]byte, int64) (int, error) {
	b.called <- struct{}{}
	<-b.let
	return b.n, nil
}

func (b *blocking) WriteAt(p []byte, off int64) (int, error) { return b.ReadAt(p, off) }

// If the context ends while a backend is at work, Serve waits for the backend, which may use what it was given until then.
func TestServeIsCancelled(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", t.TempDir()+"/run")
	b := &blocking{called: make(chan struct{}), let: make(chan struct{}), n: 100}
	ctx, cancel := context.WithCancel(t.Context())
	served, relay := serve(t, ctx, Content{BlockSize: 512, Backend: b, Size: 1 << 20})
	d, err := blockdev.Open(t.Context(), blockdev.Config{Device: "b1:00.0"})
	require.NoError(t, err)
	ended := make(chan error)
	for range 40 {
		go func() {
			_, err := d.ReadAt(make([]byte, 100), 0)
			ended <- err
		}()
	}
	<-b.called
	cancel()
	time.Sleep(dataplane.StopTime + time.Second/2) // longer than a worker may take
	select {
	case err := <-served:
		require.Fail(t, "Serve does not wait", "%v", err)
	default:
	}
	go func() {
		for range b.called {
		}
	}()
	close(b.let)
	assert.ErrorIs(t, <-served, context.Canceled)
	for range 40 {
		<-ended // with an error or without
	}
	assert.Error(t, d.Close())
	assert.Error(t, relay.Wait())
	close(b.called)
}

// A backend that moves too little, without an error, has failed all the same.
func TestShortBackend(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", t.TempDir()+"/run")
	b := &blocking{called: make(chan struct{}, 10), let: make(chan struct{}), n: 99}
	close(b.let)
	served, relay := serve(t, t.Context(), Content{BlockSize: 512, Backend: b, Size: 1 << 20})
	d, err := blockdev.Open(t.Context(), blockdev.Config{Device: "b1:00.0"})
	require.NoError(t, err)
	_, err = d.ReadAt(make([]byte, 100), 0)
	assert.ErrorIs(t, err, doca.ErrIOFailed)
	_, err = d.WriteAt(make([]byte, 100), 0)
	assert.ErrorIs(t, err, doca.ErrIOFailed)
	n, err := d.ReadAt(make([]byte, 99), 0)
	assert.Equal(t, 99, n)
	assert.NoError(t, err)
	require.NoError(t, d.Close())
	assert.NoError(t, <-served)
	assert.NoError(t, relay.Wait())
}

// What Written says of a write, the initiator is told.
func TestWritten(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", t.TempDir()+"/run")
	data, kept := make([]byte, 64<<10), make([]byte, 64<<10)
	served, relay := serve(t, t.Context(), Content{BlockSize: 512, Data: data, Written: func(off int64, n int) error {
		if off <= bad && bad < off+int64(n) {
			return io.ErrShortWrite
		}
		copy(kept[off:][:n], data[off:])
		return nil
	}})
	d, err := blockdev.Open(t.Context(), blockdev.Config{Device: "b1:00.0", MaxIO: 512})
	require.NoError(t, err)
	text := bytes.Repeat([]byte("0123456789abcde"), 3000)
	_, err = d.WriteAt(text, 100)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(text, kept[100:][:len(text)]), "it was told of all before the write has ended")
	_, err = d.WriteAt([]byte{1}, bad)
	assert.ErrorIs(t, err, doca.ErrIOFailed)
	require.NoError(t, d.Close())
	assert.NoError(t, <-served)
	assert.NoError(t, relay.Wait())
}

// Contents that are none are an error at once.
func TestServeNothing(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", t.TempDir()+"/run")
	cfg := Config{Device: "03:00.1", CPUs: []int{dataplane.AnyCPU}}
	data := make([]byte, 1024)
	for _, c := range []Content{{}, {Data: data}, {Data: data, BlockSize: 1000}, {Backend: &backend{}, BlockSize: 512},
		{Backend: &backend{}, Size: -512, BlockSize: 512}, {Backend: &backend{}, Size: 512, BlockSize: 512, MaxIO: -1}} {
		assert.ErrorIs(t, Serve(t.Context(), cfg, c, nil), doca.ErrInvalidValue, "%+v", c)
	}
	cfg.CPUs = nil
	assert.ErrorIs(t, Serve(t.Context(), cfg, Content{Data: data, BlockSize: 512}, nil), doca.ErrInvalidValue)
	cfg.CPUs = []int{1000}
	assert.ErrorIs(t, Serve(t.Context(), cfg, Content{Data: data, BlockSize: 512}, nil), doca.ErrInvalidValue)
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
	_, err = OpenFile(dir+"/new", 77, 500, SyncStop)
	require.ErrorIs(t, err, doca.ErrInvalidValue)
	assert.ErrorContains(t, err, "has 3000 bytes; 77 blocks of 500 bytes are 38500: leave out the number")
	f, err = OpenFile(dir+"/new", 0, 500, SyncStop)
	require.NoError(t, err)
	assert.Len(t, f.Data, 3000, "an existing file says how many blocks there are")
	assert.Equal(t, "text", string(f.Data[1500:1504]))
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
	_, err = OpenFile(dir+"/new", 1, 999, SyncNever)
	require.ErrorIs(t, err, doca.ErrInvalidValue)
	assert.ErrorContains(t, err, "no number of blocks of 999 bytes")
	_, err = OpenFile(dir+"/none", 1, 0, SyncNever)
	require.ErrorIs(t, err, doca.ErrInvalidValue)
	assert.NoFileExists(t, dir+"/none")
	_, err = OpenFile(dir+"/no/directory", 1, 1, SyncNever)
	require.ErrorIs(t, err, os.ErrNotExist)
	f, err = OpenFile(dir+"/default", 0, 100, SyncNever)
	require.NoError(t, err)
	assert.Len(t, f.Data, DefaultBlockCount*100)
	require.NoError(t, f.Close())
	t.Run("read-only disk", func(t *testing.T) {
		only := t.TempDir()
		require.NoError(t, os.WriteFile(only+"/storage", make([]byte, 512), 0o600))
		if err := syscall.Mount(only, only, "", syscall.MS_BIND, ""); err != nil {
			t.Skipf("no disk that is read-only: mounting one needs root: %v", err)
		}
		defer func() { assert.NoError(t, syscall.Unmount(only, 0)) }()
		require.NoError(t, syscall.Mount("", only, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
		for _, name := range []string{"storage", "new"} {
			_, err := OpenFile(only+"/"+name, 1, 512, SyncNever)
			require.ErrorIs(t, err, syscall.EROFS)
			assert.ErrorContains(t, err, only+"/"+name)
		}
	})
	t.Run("full disk", func(t *testing.T) {
		full := t.TempDir()
		if err := syscall.Mount("none", full, "tmpfs", 0, "size=1m"); err != nil {
			t.Skipf("no disk that is full: mounting a tmpfs of 1 MiB needs root: %v", err)
		}
		defer func() { assert.NoError(t, syscall.Unmount(full, 0)) }()
		_, err := OpenFile(full+"/storage", 1024, 4096, SyncNever)
		require.ErrorIs(t, err, syscall.ENOSPC)
		assert.ErrorContains(t, err, full+"/storage")
		assert.NoFileExists(t, full+"/storage", "what cannot be made is not left behind")
	})
}
