package dma_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// Through memories of any size comes what was read.
func TestCopyThrough(t *testing.T) {
	b := newBench(t, 8)
	for _, size := range []int{1, 2, 3, 100, 8 << 20} {
		mem := must(doca.NewMemory(size, doca.MemoryConfig{Devices: []*doca.Device{b.dev}}))(t)
		for _, n := range []int{0, 1, 2, 333, 3*dma.DefaultStreamBufferSize + 1} {
			t.Run(fmt.Sprintf("%d bytes through %d", n, size), func(t *testing.T) {
				if n > 1000*size {
					return
				}
				var out bytes.Buffer
				got, err := b.dma.CopyThrough(t.Context(), &out, mem, bytes.NewReader(content(n)))
				if err != nil || got != int64(n) || !bytes.Equal(out.Bytes(), content(n)) {
					t.Errorf("%d bytes through %d: %d, %v", n, size, got, err)
				}
			})
		}
		check(t, mem.Close())
		_, err := b.dma.CopyThrough(t.Context(), io.Discard, mem, bytes.NewReader(nil))
		wantErr(t, err, doca.ErrClosed, "copy through memory on memory#")
	}
	_, err := b.dma.CopyThrough(t.Context(), io.Discard, nil, bytes.NewReader(nil))
	wantErr(t, err, doca.ErrInvalidValue, "the memory is nil")
	_, err = b.dma.CopyThrough(t.Context(), io.Discard, new(doca.Memory), bytes.NewReader(nil))
	wantErr(t, err, doca.ErrInvalidValue, "copy through memory on memory", "it is nil or a zero value")
	_, err = b.dma.CopyThrough(t.Context(), nil, b.mem, bytes.NewReader(nil))
	wantErr(t, err, doca.ErrInvalidValue, "the writer or the reader is nil")
	_, err = b.dma.CopyThrough(t.Context(), io.Discard, b.mem, nil)
	wantErr(t, err, doca.ErrInvalidValue, "the writer or the reader is nil")
}

// If somebody closes the memory when CopyThrough has begun, it says that it is closed.
func TestCopyThroughMemoryThatIsClosed(t *testing.T) {
	b := newBench(t, 8)
	for range 300 {
		mem := must(doca.NewMemory(100, doca.MemoryConfig{Devices: []*doca.Device{b.dev}}))(t)
		var closing sync.WaitGroup
		closing.Go(func() { check(t, mem.Close()) })
		if _, err := b.dma.CopyThrough(t.Context(), io.Discard, mem, strings.NewReader("text")); err != nil {
			wantErr(t, err, doca.ErrClosed)
		}
		closing.Wait()
	}
}

// failures is an error that cannot be compared.
type failures []error

func (f failures) Error() string { return "failures" }

func (f failures) Unwrap() []error { return f }

// Whatever fails, it ends with that error, and the next one works.
func TestCopyThroughErrors(t *testing.T) {
	b := newBench(t, 8)
	mem := must(doca.NewMemory(1000, doca.MemoryConfig{Devices: []*doca.Device{b.dev}}))(t)
	boom := errors.New("boom")
	endless := func() io.Reader { return io.MultiReader(bytes.NewReader(content(5000)), iotest.ErrReader(boom)) }
	var out bytes.Buffer
	_, err := b.dma.CopyThrough(t.Context(), &out, mem, endless())
	wantErr(t, err, boom)
	if !bytes.Equal(out.Bytes(), content(5000)) {
		t.Errorf("%d bytes were written of those that came before the error", out.Len())
	}
	_, err = b.dma.CopyThrough(t.Context(), io.Discard, mem, iotest.ErrReader(failures{boom}))
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

// The garbage collector has nothing to complain of while a copy is on its way.
func TestCopyThroughLosesNothing(t *testing.T) {
	b := newBench(t, 8)
	var lost atomic.Int32
	doca.SetLeakReporter(func(o doca.Object) { lost.Add(1); t.Errorf("lost: %s", o.Name) })
	t.Cleanup(func() { doca.SetLeakReporter(nil) })
	ended := make(chan struct{})
	r := io.MultiReader(bytes.NewReader(content(10)), readerFunc(func([]byte) (int, error) { close(ended); return 0, io.EOF }))
	n, err := b.dma.CopyThrough(t.Context(), writerFunc(func(p []byte) (int, error) {
		<-ended
		for i := 0; i < 20 && lost.Load() == 0; i++ {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		return len(p), nil
	}), b.mem, r)
	if check(t, err); n != 10 {
		t.Errorf("%d bytes", n)
	}
}

// What CopyThrough cannot close, closing the DMA or the device closes.
func TestCopyThroughThatCannotClose(t *testing.T) {
	for _, call := range []string{"doca_buf_inventory_destroy:1", "doca_buf_inventory_destroy:2", "doca_buf_inventory_destroy:3",
		"doca_buf_dec_refcount:1", "doca_buf_dec_refcount:9", "doca_mmap_destroy:1", "doca_mmap_destroy:2"} {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprint(call, whole), func(t *testing.T) {
				open := len(doca.OpenObjects())
				b := newBench(t, 4)
				faults(t, "fail-call="+call)
				var out bytes.Buffer
				n, err := b.dma.CopyThrough(t.Context(), &out, b.mem, strings.NewReader("text"))
				assert.EqualValues(t, 4, n)
				wantErr(t, err, doca.ErrDriver)
				faults(t, "")
				mine := []interface{ Close() error }{b.dma, b.pe, b.inv, b.mem}
				if whole {
					mine = nil
				}
				for _, c := range mine {
					check(t, c.Close())
				}
				if !whole {
					assert.Len(t, doca.OpenObjects(), open+1, "the device")
				}
				check(t, b.dev.Close())
				check(t, b.pe.Close())
				check(t, b.inv.Close())
				assert.Len(t, doca.OpenObjects(), open)
			})
		}
	}
}
