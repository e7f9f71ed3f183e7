package dma_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// Through memories of any size comes what was read.
func TestCopyThrough(t *testing.T) {
	b := newBench(t, 8)
	for _, size := range []int{1, 2, 3, 100, 8 << 20} {
		mem := must(doca.NewMemory(size, doca.MemoryConfig{Devices: []*doca.Device{b.dev}}))(t)
		for _, n := range []int{0, 1, 2, 333, 3*dma.DefaultStreamBufferSize + 1} {
			if n > 1000*size {
				continue
			}
			var out bytes.Buffer
			got, err := b.dma.CopyThrough(t.Context(), &out, mem, bytes.NewReader(content(n)))
			if err != nil || got != int64(n) || !bytes.Equal(out.Bytes(), content(n)) {
				t.Errorf("%d bytes through %d: %d, %v", n, size, got, err)
			}
		}
		check(t, mem.Close())
		_, err := b.dma.CopyThrough(t.Context(), io.Discard, mem, bytes.NewReader(nil))
		wantErr(t, err, doca.ErrBadState, "the memory is closed")
	}
	_, err := b.dma.CopyThrough(t.Context(), io.Discard, nil, bytes.NewReader(nil))
	wantErr(t, err, doca.ErrInvalidValue, "the memory is nil")
}

// Whatever fails, it ends with that error, and the next one works.
func TestCopyThroughErrors(t *testing.T) {
	b := newBench(t, 8)
	mem := must(doca.NewMemory(1000, doca.MemoryConfig{Devices: []*doca.Device{b.dev}}))(t)
	boom := errors.New("boom")
	endless := func() io.Reader { return io.MultiReader(bytes.NewReader(content(5000)), iotest.ErrReader(boom)) }
	_, err := b.dma.CopyThrough(t.Context(), io.Discard, mem, endless())
	wantErr(t, err, boom)
	n, err := b.dma.CopyThrough(t.Context(), &limited{left: 700, err: io.ErrNoProgress}, mem, bytes.NewReader(content(1<<20)))
	if wantErr(t, err, io.ErrNoProgress); n != 700 {
		t.Errorf("%d bytes", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.dma.CopyThrough(ctx, io.Discard, mem, bytes.NewReader(content(10)))
	wantErr(t, err, context.Canceled)
	faults(t, "fail-task=5")
	_, err = b.dma.CopyThrough(soonish(t), io.Discard, mem, bytes.NewReader(content(100000)))
	wantErr(t, err, doca.ErrIOFailed)
	check(t, b.dma.Start(t.Context()))
	n, err = b.dma.CopyThrough(t.Context(), io.Discard, mem, bytes.NewReader(content(5000)))
	if err != nil || n != 5000 {
		t.Errorf("afterwards: %d, %v", n, err)
	}
}

func TestCopyFile(t *testing.T) {
	b := newBench(t, 8)
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	for _, n := range []int{0, 1, 4096, 5<<20 + 3} {
		check(t, os.WriteFile(src, content(n), 0o600))
		check(t, os.Chmod(src, 0o751))
		got, err := b.dma.CopyFile(t.Context(), dst, src)
		if err != nil || got != int64(n) || !bytes.Equal(must(os.ReadFile(dst))(t), content(n)) {
			t.Fatalf("%d bytes: %d, %v", n, got, err)
		}
		if mode := must(os.Stat(dst))(t).Mode(); mode != 0o751 {
			t.Errorf("the mode is %v", mode)
		}
	}
	// A copy that fails leaves the destination as it is, and nothing else.
	check(t, os.WriteFile(dst, []byte("old"), 0o600))
	faults(t, "fail-task=3")
	_, err := b.dma.CopyFile(t.Context(), dst, src)
	wantErr(t, err, doca.ErrIOFailed)
	if got := string(must(os.ReadFile(dst))(t)); got != "old" {
		t.Errorf("the destination is %q", got)
	}
	check(t, b.dma.Start(t.Context()))
	_, err = b.dma.CopyFile(t.Context(), dst, dir)
	wantErr(t, err, doca.ErrInvalidValue, "is not a regular file")
	_, err = b.dma.CopyFile(t.Context(), dst, filepath.Join(dir, "none"))
	wantErr(t, err, os.ErrNotExist)
	_, err = b.dma.CopyFile(t.Context(), filepath.Join(dir, "none", "dst"), src)
	wantErr(t, err, os.ErrNotExist)
	if left := must(os.ReadDir(dir))(t); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}
