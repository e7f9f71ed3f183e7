package doca_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// permutations calls f with every order of n things.
func permutations(n int, f func([]int)) {
	order := make([]int, 0, n)
	used := make([]bool, n)
	var next func()
	next = func() {
		if len(order) == n {
			f(order)
			return
		}
		for i := range n {
			if !used[i] {
				used[i] = true
				order = append(order, i)
				next()
				order = order[:len(order)-1]
				used[i] = false
			}
		}
	}
	next()
}

// Device, engine, context, memory, inventory and buffer close in every order, with a
// copy in flight.
func TestCloseInEveryOrder(t *testing.T) {
	t.Parallel()
	orders := 0
	permutations(6, func(order []int) {
		orders++
		r := newRig(t)
		f := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
		objects := []closer{r.Dev, r.PE, r.DMA, r.Mem, r.Inv, r.Dst}
		for _, i := range order {
			if err := objects[i].Close(); err != nil {
				t.Fatalf("order %v: Close of %v: %v", order, objects[i], err)
			}
		}
		if n, err := f.Wait(t.Context()); err != nil || n != 64 {
			t.Fatalf("order %v: the copy ended with %d, %v", order, n, err)
		}
		for _, c := range objects {
			check(t, c.Close())
		}
		check(t, r.Src.Close())
	})
	if orders != 720 {
		t.Errorf("%d orders", orders)
	}
}

// A Shutdown whose context has ended closes what needs no waiting.
func TestShutdownWithoutWaiting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		r := newRig(t)
		r.Copy(t)
		for _, c := range r.Closers() {
			check(t, c.Shutdown(ctx))
		}
	}
}

// Everything is closed at once from many goroutines while others use it.
func TestCloseConcurrently(t *testing.T) {
	t.Parallel()
	for round := range 100 {
		r := newRig(t)
		var users, closers sync.WaitGroup
		for i := range 3 {
			src := must(r.Inv.Buffer(r.Mem, i*64, 64))(t)
			dst := must(r.Inv.Buffer(r.Mem, 2048+i*64, 64))(t)
			check(t, src.SetData(0, 64))
			users.Go(func() {
				for {
					if _, err := r.DMA.Copy(t.Context(), dst, src); err != nil {
						if !errors.Is(err, doca.ErrClosed) {
							t.Errorf("round %d: copy: %v", round, err)
						}
						return
					}
				}
			})
		}
		users.Go(func() {
			for {
				b, err := r.Inv.Buffer(r.Mem, 0, 64)
				if err == nil {
					err = b.Close()
				}
				if err != nil {
					if !errors.Is(err, doca.ErrClosed) {
						t.Errorf("round %d: buffer: %v", round, err)
					}
					return
				}
			}
		})
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
		for _, c := range append(r.Closers(), r.Dev, r.Inv, r.DMA) {
			closers.Go(func() {
				if err := c.Close(); err != nil {
					t.Errorf("round %d: Close of %v: %v", round, c, err)
				}
			})
		}
		closers.Wait()
		users.Wait()
	}
}

// A failing DOCA call while closing leaves the object open, and Close can be repeated.
func TestCloseFaults(t *testing.T) {
	for _, f := range []string{
		"doca_ctx_stop", "doca_dma_destroy", "doca_pe_destroy", "doca_buf_dec_refcount",
		"doca_buf_inventory_destroy", "doca_mmap_destroy", "doca_dev_close",
	} {
		t.Run(f, func(t *testing.T) {
			r := newRig(t)
			r.Copy(t)
			faults(t, "fail-call="+f+":1")
			var failed error
			for _, c := range []closer{r.Dev, r.PE, r.Inv} {
				if err := c.Close(); err != nil {
					failed = errors.Join(failed, err)
				}
			}
			wantErr(t, failed, doca.ErrDriver, f)
			for _, c := range r.Closers() {
				check(t, c.Close())
			}
		})
	}
}

// Failing DOCA calls while objects are made leave nothing behind.
func TestCreateFaults(t *testing.T) {
	for _, f := range []string{
		"doca_pe_create", "doca_dma_create", "doca_dma_task_memcpy_set_conf", "doca_ctx_set_user_data",
		"doca_ctx_set_state_changed_cb", "doca_pe_connect_ctx", "doca_ctx_start", "doca_dma_cap_get_max_num_tasks",
		"doca_dma_cap_task_memcpy_is_supported", "doca_dma_cap_task_memcpy_get_max_buf_size",
		"doca_dma_cap_task_memcpy_get_max_buf_list_len",
		"doca_buf_inventory_create", "doca_buf_inventory_start", "doca_buf_inventory_buf_get_by_args",
	} {
		t.Run(f, func(t *testing.T) {
			open := len(doca.OpenObjects())
			dev := must(doca.OpenDevice(dpu0))(t)
			defer dev.Close()
			mem := must(doca.NewMemory(64, on(dev)))(t)
			make := func() error {
				pe, err := doca.NewProgressEngine(doca.EngineConfig{})
				if err != nil {
					return err
				}
				defer pe.Close()
				d, err := dma.New(dev, pe, dma.Config{})
				if err != nil {
					return err
				}
				defer d.Close()
				inv, err := doca.NewInventory(1)
				if err != nil {
					return err
				}
				defer inv.Close()
				_, err = inv.Buffer(mem, 0, 64)
				return err
			}
			faults(t, "fail-call="+f+":1")
			wantErr(t, make(), doca.ErrDriver, f)
			check(t, make())
			check(t, dev.Close())
			if n := len(doca.OpenObjects()); n != open {
				t.Errorf("%d objects are open, %d before", n, open)
			}
		})
	}
}

// Shutdown waits no longer than its context, and what is left can be closed later.
func TestShutdownDeadline(t *testing.T) {
	r := newRig(t)
	release := hold(t)
	f := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	for _, c := range []closer{r.Dst, r.Mem, r.Inv, r.DMA, r.PE, r.Dev} {
		err := c.Shutdown(deadline(t, 10*time.Millisecond))
		wantErr(t, err, context.DeadlineExceeded)
	}
	_, err := r.DMA.Copy(t.Context(), r.Dst, r.Src)
	wantErr(t, err, doca.ErrClosed)
	closed := make(chan error, 1)
	go func() { closed <- r.Dev.Close() }()
	doctest.Stays(t, closed, "everything was closed before the copy had ended")
	release()
	check(t, <-closed)
	if n, err := f.Wait(t.Context()); n != 64 || err != nil {
		t.Errorf("the copy ended with %d, %v", n, err)
	}
}

// Closing a buffer in use waits for the device, as does its memory; others do not.
func TestCloseWaitsForDevice(t *testing.T) {
	r := newRig(t)
	release := hold(t)
	other := must(r.Inv.Buffer(r.Mem, 3000, 10))(t)
	f := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	check(t, other.Close()) // while the copy is in flight
	wantErr(t, f.Err(), doca.ErrInProgress)
	closed := make(chan error, 1)
	go func() { closed <- r.Src.Close() }()
	doctest.Stays(t, closed, "the source of a copy in flight was closed")
	release()
	check(t, <-closed)
	check(t, f.Err())
}
