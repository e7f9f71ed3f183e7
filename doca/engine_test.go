package doca_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// Run drives the engine for those who do not wait, and those who wait need not drive.
func TestRunServesOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { wantErrLater(t, r.PE.Run(ctx), context.Canceled) })
	for range 50 {
		r.Copy(t)
		time.Sleep(time.Millisecond) // Run falls asleep meanwhile
	}
	f := must(r.DMA.CopyAsync(ctx, r.Dst, r.Src))(t)
	require.Eventually(t, func() bool { return !errors.Is(f.Err(), doca.ErrInProgress) }, 20*time.Second, time.Millisecond, "Run does not complete the copy")
	check(t, f.Err())
	cancel()
	run.Wait()
}

func wantErrLater(t testing.TB, err, want error) {
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// Closing the engine ends Run.
func TestCloseEndsRun(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{0, 10 * time.Millisecond} {
		r := newRig(t)
		var run sync.WaitGroup
		for range 3 {
			run.Go(func() { wantErrLater(t, r.PE.Run(context.Background()), doca.ErrClosed) })
		}
		time.Sleep(wait)
		check(t, r.PE.Close())
		run.Wait()
	}
}

// When the one who drives the engine leaves, another one takes over.
func TestDriversTakeTurns(t *testing.T) {
	r := newRig(t)
	release := hold(t)
	var bufs []*doca.Buffer
	for i := range 4 {
		bufs = append(bufs, must(r.Inv.Buffer(r.Mem, 2000+i*64, 64))(t))
	}
	var waits, leave sync.WaitGroup
	leave.Add(2)
	for i, b := range bufs {
		f := must(r.DMA.CopyAsync(t.Context(), b, r.Src))(t)
		waits.Go(func() {
			if i%2 == 0 { // some give up early, whether they drive or not
				_, err := f.Wait(soon(t, time.Duration(i+1)*5*time.Millisecond))
				wantErrLater(t, err, context.DeadlineExceeded)
				leave.Done()
			}
			n, err := f.Wait(context.Background())
			if n != 64 || err != nil {
				t.Errorf("copy %d ended with %d, %v", i, n, err)
			}
		})
	}
	leave.Wait()
	release()
	waits.Wait()
}

// Several goroutines may wait for one copy.
func TestManyWaitForOne(t *testing.T) {
	r := newRig(t)
	faults(t, "delay=20ms")
	f := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	var waits sync.WaitGroup
	for range 5 {
		waits.Go(func() {
			if n, err := f.Wait(context.Background()); n != 64 || err != nil {
				t.Errorf("Wait = %d, %v", n, err)
			}
		})
	}
	waits.Wait()
}

// Progress beside a goroutine that sleeps takes its notification away: it must ask anew.
func TestProgressBesideWait(t *testing.T) {
	r := newRig(t)
	faults(t, "delay=100ms")
	f := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	var wait sync.WaitGroup
	wait.Go(func() {
		if n, err := f.Wait(deadline(t, 20*time.Second)); n != 64 || err != nil {
			t.Errorf("Wait = %d, %v", n, err)
		}
	})
	for range 5 {
		time.Sleep(5 * time.Millisecond)
		must(r.PE.Progress())(t)
	}
	wait.Wait()
}

// The goroutine behind Done ends with the last operation that is awaited that way.
func TestDoneLeavesNoGoroutine(t *testing.T) {
	r := newRig(t)
	faults(t, "delay=5ms")
	before := runtime.NumGoroutine()
	for range 3 {
		f := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
		<-f.Done()
		for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
			}
		}
	}
}

// A program's own event loop on the notification handle.
func TestNotificationHandle(t *testing.T) {
	r := newRig(t)
	release := hold(t)
	fd := must(r.PE.NotificationHandle())(t)
	epfd, err := syscall.EpollCreate1(0)
	check(t, err)
	defer syscall.Close(epfd)
	check(t, syscall.EpollCtl(epfd, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}))
	ready := func(timeout time.Duration) bool {
		for end := time.Now().Add(timeout); ; {
			n, err := syscall.EpollWait(epfd, make([]syscall.EpollEvent, 1), int(time.Until(end).Milliseconds()))
			if err == nil || time.Now().After(end) {
				return n > 0
			}
		}
	}
	f := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
	wakeups := 0
	for errors.Is(f.Err(), doca.ErrInProgress) {
		for {
			n, err := r.PE.Progress()
			check(t, err)
			if n == 0 {
				break
			}
		}
		if f.Err() == nil {
			break
		}
		check(t, r.PE.Arm())
		release()
		if !ready(20 * time.Second) {
			t.Fatal("no notification")
		}
		check(t, r.PE.ClearNotification())
		wakeups++
	}
	check(t, f.Err())
	if wakeups == 0 || wakeups > 10 {
		t.Errorf("%d notifications for one copy", wakeups)
	}
	check(t, r.PE.Arm()) // Progress clears it if the program does not
	if n, err := r.PE.Progress(); n != 0 || err != nil {
		t.Errorf("Progress = %d, %v", n, err)
	}
	check(t, r.PE.Arm())
	r.Copy(t)
	if ready(0) {
		t.Error("a blocking call has left something to do")
	}
}

// Contexts of several goroutines share an engine, engines run in parallel.
func TestManyContextsAndGoroutines(t *testing.T) {
	t.Parallel()
	dev := must(doca.OpenDevice(dpu0))(t)
	defer dev.Close()
	var workers sync.WaitGroup
	var open []doctest.Closer // handles that are kept until the end
	for range 2 {
		pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
		defer pe.Close()
		for range 2 {
			d := must(dma.New(dev, pe, dma.Config{MaxTasks: 3}))(t)
			mem := must(doca.NewMemory(1<<16, doca.MemoryConfig{Devices: []*doca.Device{dev}}))(t)
			inv := must(doca.NewInventory(64))(t)
			open = append(open, d, inv, mem)
			for w := range 8 {
				src := must(inv.Buffer(mem, w*128, 64))(t)
				dst := must(inv.Buffer(mem, w*128+64, 64))(t)
				open = append(open, src, dst)
				workers.Go(func() {
					for i := range 300 {
						for k := range src.Bytes() {
							src.Bytes()[k] = byte(i + k + w)
						}
						n := 1 + (i+w)%64
						if err := src.SetData(0, n); err != nil {
							t.Error(err)
							return
						}
						got, err := d.Copy(context.Background(), dst, src)
						if got != n || err != nil || dst.DataLen() != n || string(dst.Data()) != string(src.Data()) {
							t.Errorf("worker %d, copy %d: %d of %d, %v", w, i, got, n, err)
							return
						}
					}
				})
			}
		}
	}
	workers.Wait()
	for _, c := range open {
		check(t, c.Close())
	}
}
