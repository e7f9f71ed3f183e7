package dpa_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/generated/dpadev"
	"github.com/stretchr/testify/assert"
)

// walkClose launches and calls kernels, with contexts that end at any moment, while goroutines close everything in any order. Kernels may
// find what is closed, which is a fatal error of the DPA; some crash.
func walkClose(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	dev := open(t)
	d := must(dpa.New(dev, config(t)))(t)
	extended := must(d.Extend(dev))(t)
	m, list := numbers(t, d, 8)
	done, start := toHost(t, d), toDPA(t, d)
	handle := must(done.DPAHandle(d))(t)
	thread := must(d.NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake()}))(t)
	completion := must(d.NewCompletion(dpa.CompletionConfig{QueueSize: 4}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var users, closers sync.WaitGroup
	crashes := r.IntN(3) == 0
	for i := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 2+i))
		users.Go(func() {
			for ctx.Err() == nil {
				short, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(300))*time.Microsecond)
				err := walkStep(short, r, d, m, list, done, start, handle, crashes)
				cancel()
				if !mayEnd(err) {
					t.Errorf("%T %v", err, err)
					return
				}
			}
		})
	}
	time.Sleep(time.Duration(r.IntN(10000)) * time.Microsecond)
	all := []interface{ Close() error }{m, done, start, thread, completion, extended, d, dev}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for k := range 3 {
		closers.Go(func() {
			for i := k; i < len(all); i += 3 {
				assert.NoError(t, all[i].Close())
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		closers.Wait()
		cancel()
		users.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		panic("a call or a Close hangs") // with all stacks
	}
}

// walkStep does one thing.
func walkStep(ctx context.Context, r *rand.Rand, d *dpa.DPA, m *dpa.Memory, list dpatest.Numbers, done, start *syncevent.Event, handle dpadev.SyncEvent,
	crashes bool) error {
	wait := func(l *dpa.Launch, err error) error {
		if err == nil && r.IntN(2) == 0 {
			err = l.Wait(ctx)
		}
		return err
	}
	switch k := r.IntN(200); {
	case k == 0 && crashes:
		return wait(dpatest.LaunchCrash(d, dpa.LaunchOptions{}))
	case k < 40:
		return wait(dpatest.LaunchAdd(d, dpa.LaunchOptions{Threads: 1 + r.IntN(4)}, list, 1))
	case k < 80:
		return wait(dpatest.LaunchSignalEvent(d, dpa.LaunchOptions{}, handle, 1))
	case k < 110:
		return second(dpatest.CallSum(ctx, d, list))
	case k < 130:
		return second(done.WaitGreater(ctx, uint64(r.IntN(20)), syncevent.AllBits))
	case k < 150:
		return second(dpa.Get[uint64](m, 8*r.IntN(8)))
	case k < 170:
		return wait(dpatest.LaunchNothing(d, dpa.LaunchOptions{Wait: start, WaitThreshold: 3}))
	case k < 180:
		return second(start.Add(ctx, 1))
	}
	return m.Fill(0, 8, 0)
}

// mayEnd reports whether a call may return an error while everything is being closed.
func mayEnd(err error) bool {
	state := new(doca.StateError)
	return err == nil || errors.As(err, &state) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, dpa.ErrFatal)
}

// Everything is closed while it is used. DOCA_DPA_SEEDS is a number of random walks.
func TestCloseWalk(t *testing.T) {
	t.Parallel()
	n, _ := strconv.Atoi(os.Getenv("DOCA_DPA_SEEDS"))
	for i := range max(n, 12) {
		t.Run(fmt.Sprint(i), func(t *testing.T) { walkClose(t, uint64(i)) })
	}
}
