package dma_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

func TestCopy(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	if n := b.dma.MaxTasks(); n != dma.DefaultMaxTasks {
		t.Errorf("MaxTasks() = %d", n)
	}
	src, dst := b.pair(t, 0, 1000)
	for _, data := range [][2]int{{0, 1000}, {10, 1}, {999, 1}, {3, 500}, {3, 500}} {
		t.Run(fmt.Sprintf("%d bytes at %d", data[1], data[0]), func(t *testing.T) {
			check(t, src.SetData(data[0], data[1]))
			check(t, dst.SetData(5, 5)) // replaced
			n, err := b.dma.Copy(t.Context(), dst, src)
			if n != data[1] || err != nil {
				t.Fatalf("Copy = %d, %v", n, err)
			}
			if string(dst.Data()) != string(src.Data()) || string(dst.Bytes()[:n]) != string(src.Data()) {
				t.Errorf("data at %d: the copy differs", data[0])
			}
		})
	}
	// What was copied is a source as it is.
	third := must(b.inv.Buffer(b.mem, 5000, 600))(t)
	if n, err := b.dma.Copy(t.Context(), third, dst); n != 500 || err != nil || string(third.Data()) != string(src.Data()) {
		t.Errorf("copy of the copy: %d, %v", n, err)
	}
}

func TestCopyErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4)
	src, dst := b.pair(t, 0, 100)
	copyErr := func(dst, src *doca.Buffer, want error, words ...string) {
		t.Helper()
		n, err := b.dma.Copy(t.Context(), dst, src)
		if n != 0 {
			t.Errorf("Copy = %d bytes", n)
		}
		wantErr(t, err, want, words...)
		_, err = b.dma.CopyAsync(t.Context(), dst, src)
		wantErr(t, err, want, words...)
	}
	copyErr(nil, src, doca.ErrInvalidValue, "copy on dma#", "destination is nil")
	copyErr(dst, nil, doca.ErrInvalidValue, "copy on dma#", "source is nil")
	copyErr(src, src, doca.ErrInUse, "twice")
	empty := must(b.inv.Buffer(b.mem, 0, 100))(t)
	copyErr(dst, empty, doca.ErrInvalidValue, "SetData")
	small := must(b.inv.Buffer(b.mem, 1000, 99))(t)
	copyErr(small, src, doca.ErrInvalidValue, "100", "99")
	copyErr(must(b.inv.Buffer(b.mem, 99, 100))(t), src, doca.ErrInvalidValue, "overlap")
	list := must(b.inv.List(doca.Range{Memory: b.mem, Offset: 4000, Len: 100}, doca.Range{Memory: b.mem, Offset: 4200, Len: 100}))(t)
	copyErr(dst, list.Elements()[1], doca.ErrNotPermitted, "copy on buffer#", "inside a list")
	copyErr(list.Elements()[1], src, doca.ErrNotPermitted, "copy on buffer#", "inside a list")
	closed := must(b.inv.Buffer(b.mem, 0, 100))(t)
	check(t, closed.Close())
	copyErr(closed, src, doca.ErrClosed, "100 bytes at 0")
	copyErr(dst, closed, doca.ErrClosed)

	far := must(doca.OpenDevice("03:00.1"))(t)
	defer far.Close()
	farMem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{far}}))(t)
	copyErr(must(b.inv.Buffer(farMem, 0, 100))(t), src, doca.ErrInvalidValue, "not registered", "MemoryConfig.Devices")

	// After all that the buffers and the tasks are free.
	for range 5 {
		must(b.dma.Copy(t.Context(), dst, src))(t)
	}
	check(t, dst.SetData(0, 0))
	check(t, b.dma.Close())
	copyErr(dst, src, doca.ErrClosed, "dma#")

	_, err := dma.New(b.dev, b.pe, dma.Config{MaxTasks: -1})
	wantErr(t, err, doca.ErrInvalidValue, "MaxTasks")
	_, err = dma.New(b.dev, b.pe, dma.Config{MaxTasks: 1 << 30})
	wantErr(t, err, doca.ErrInvalidValue, "MaxTasks", "65536")
}

// A source may be read by many copies at once; a destination in flight is nobody
// else's, and nothing in use can be changed.
func TestBuffersInUse(t *testing.T) {
	b := newBench(t, 8)
	faults(t, "delay=100ms")
	src, dst := b.pair(t, 0, 64)
	_, dst2 := b.pair(t, 1, 64)
	other, _ := b.pair(t, 2, 64)
	ctx := t.Context()
	f1 := must(b.dma.CopyAsync(ctx, dst, src))(t)
	f2 := must(b.dma.CopyAsync(ctx, dst2, src))(t)
	for _, pair := range [][2]*doca.Buffer{{dst, other}, {other, dst}, {src, other}} {
		_, err := b.dma.CopyAsync(ctx, pair[0], pair[1])
		wantErr(t, err, doca.ErrInUse, "wait")
	}
	for _, x := range []*doca.Buffer{src, dst, dst2} {
		wantErr(t, x.SetData(0, 1), doca.ErrInUse)
		wantErr(t, x.Chain(other), doca.ErrInUse)
		wantErr(t, other.Chain(x), doca.ErrInUse)
	}
	if dst.DataLen() != 0 {
		t.Error("the destination has data before the copy has ended")
	}
	for _, f := range []*dma.Future{f1, f2} {
		if n, err := f.Wait(ctx); n != 64 || err != nil {
			t.Errorf("Wait = %d, %v", n, err)
		}
	}
	check(t, src.SetData(0, 1))
	check(t, dst.SetData(0, 1))
	check(t, src.Chain(other))
	wantErr(t, other.SetData(0, 65), doca.ErrInvalidValue)

	// The elements of a list are in use with its head.
	check(t, other.SetData(0, 1))
	f1 = must(b.dma.CopyAsync(ctx, dst2, src))(t)
	wantErr(t, other.SetData(0, 1), doca.ErrInUse)
	wantErr(t, src.Unchain(other), doca.ErrInUse)
	check(t, other.Close()) // waits
	check(t, f1.Err())
	if src.ListLen() != 1 {
		t.Error("the closed element is still in the list")
	}
}

// A cancelled copy returns at once and goes on.
//
//doca:ignore ctxabort what the library says of such a program is what is tested
func TestCancel(t *testing.T) {
	b := newBench(t, 2)
	release := hold(t)
	src, dst := b.pair(t, 0, 64)
	err := doctest.During(func(ctx context.Context) error {
		n, err := b.dma.Copy(ctx, dst, src)
		assert.Zero(t, n)
		return err
	}, func() bool { return errors.Is(dst.SetData(0, 0), doca.ErrInUse) })
	if err != context.Canceled {
		t.Errorf("Copy = %v", err)
	}
	wantErr(t, dst.SetData(0, 0), doca.ErrInUse)
	_, err = b.dma.Copy(t.Context(), dst, src)
	wantErr(t, err, doca.ErrInUse)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.dma.Copy(done, src, dst); err != context.Canceled {
		t.Errorf("Copy = %v", err)
	}
	closed := make(chan error, 1)
	go func() { closed <- dst.Close() }()
	doctest.Stays(t, closed, "Close returned before the copy had ended")
	release()
	check(t, <-closed)
	if string(b.mem.Bytes()[64:128]) != string(src.Data()) {
		t.Error("the cancelled copy was not done")
	}
}

// Cancelling at any moment loses neither a task nor a result.
//
//doca:ignore ctxabort the copies that go on are what is tested
func TestCancelStress(t *testing.T) {
	b := newBench(t, 2)
	var src, dst [6]*doca.Buffer
	for i := range src {
		src[i], dst[i] = b.pair(t, i, 64)
	}
	faults(t, "delay=100us")
	var work sync.WaitGroup
	for i := range src {
		work.Go(func() {
			for round := range 300 {
				n := 1 + (round+i)%64
				if src[i].SetData(0, n) != nil {
					continue // the copy before is still in flight
				}
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(round)*2*time.Microsecond)
				got, err := b.dma.Copy(ctx, dst[i], src[i])
				cancel()
				if err == nil && got != n || err != nil && (got != 0 || !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, doca.ErrInUse)) {
					t.Errorf("Copy = %d of %d, %v", got, n, err)
				}
			}
		})
	}
	work.Wait()
	all := must(b.dma.NewBatch(2))(t) // needs every task
	check(t, all.Add(must(b.inv.Buffer(b.mem, 9000, 64))(t), b.source(t, 9100, 64, 0)))
	check(t, all.Add(must(b.inv.Buffer(b.mem, 9200, 64))(t), b.source(t, 9300, 64, 0)))
	check(t, all.Run(soonish(t)))
}

// With a context that has ended nothing begins.
func TestCancelledBeforehand(t *testing.T) {
	t.Parallel()
	b := newBench(t, 2)
	src, dst := b.pair(t, 0, 64)
	batch, _, to := b.batch(t, 1, 1, 64)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.dma.Copy(ctx, dst, src)
	wantErr(t, err, context.Canceled)
	_, err = b.dma.CopyAsync(ctx, dst, src)
	wantErr(t, err, context.Canceled)
	wantErr(t, batch.Run(ctx), context.Canceled)
	if dst.DataLen() != 0 || to[0].DataLen() != 0 {
		t.Error("something was copied")
	}
}

// Copies beyond the number of tasks wait for one, no longer than their context.
//
//doca:ignore inflight the copy has not begun
func TestMoreCopiesThanTasks(t *testing.T) {
	b := newBench(t, 2)
	hold(t)
	ctx := t.Context()
	var bufs [][2]*doca.Buffer
	for i := range 8 {
		src, dst := b.pair(t, i, 64)
		bufs = append(bufs, [2]*doca.Buffer{src, dst})
	}
	f0 := must(b.dma.CopyAsync(ctx, bufs[0][1], bufs[0][0]))(t)
	f1 := must(b.dma.CopyAsync(ctx, bufs[1][1], bufs[1][0]))(t)
	_, err := b.dma.CopyAsync(soon(t), bufs[2][1], bufs[2][0])
	if err != context.DeadlineExceeded {
		t.Errorf("no task is free: %v", err)
	}
	check(t, bufs[2][1].SetData(0, 0)) // it has not begun
	faults(t, "delay=50ms")
	start := time.Now()
	var copies sync.WaitGroup
	for _, p := range bufs[2:] {
		copies.Go(func() {
			if n, err := b.dma.Copy(ctx, p[1], p[0]); n != 64 || err != nil {
				t.Errorf("Copy = %d, %v", n, err)
			}
		})
	}
	copies.Wait()
	if d := time.Since(start); d < 150*time.Millisecond {
		t.Errorf("six copies on two tasks of 50 ms took %v", d)
	}
	check(t, f0.Err())
	check(t, f1.Err())
}

func TestCopyAllocations(t *testing.T) {
	b := newBench(t, 4)
	src, dst := b.pair(t, 0, 64)
	ctx := context.Background()
	allocs := testing.AllocsPerRun(1000, func() {
		if _, err := b.dma.Copy(ctx, dst, src); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 0 && !raceEnabled {
		t.Errorf("%v allocations per copy", allocs)
	}
}
