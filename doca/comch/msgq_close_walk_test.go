package comch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/msgqtest"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/assert"
)

// walkMsgQClose sends messages to a thread and back, with contexts that end at any moment, while goroutines close everything in any order.
// The thread may find what is closed, which is a fatal error of the DPA.
func walkMsgQClose(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 6))
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	cfg := comch.ConsumerConfig{MaxTasks: 1 << r.IntN(6), AutoPost: r.IntN(3) > 0}
	if r.IntN(2) == 0 {
		cfg.Engine = pe
	}
	q := newQueuesWith(t, msgqtest.FuncEcho(), cfg)
	q.makeRoom(q.window)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var users, closers sync.WaitGroup
	use := func(seed2 uint64, call func(ctx context.Context, r *rand.Rand) error) {
		r := rand.New(rand.NewPCG(seed, seed2))
		users.Go(func() {
			for ctx.Err() == nil {
				short, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(300))*time.Microsecond)
				err := call(short, r)
				cancel()
				if !mayEnd(err) {
					t.Errorf("%T %v", err, err)
					return
				}
			}
		})
	}
	to := q.onDPA.ID()
	for i := range uint64(2) {
		use(10+i, func(ctx context.Context, r *rand.Rand) error {
			switch r.IntN(4) {
			case 0:
				return q.producer.Send(ctx, nil, number(1), to)
			case 1:
				return q.producer.TrySend(ctx, nil, number(1), to)
			case 2:
				f, err := q.producer.SendAsync(ctx, nil, number(1), to)
				if err == nil {
					err = f.Wait(ctx)
				}
				return err
			default:
				_, err := q.producer.SendBatch(ctx, []comch.Message{{Imm: number(1), Consumer: to}, {Imm: number(2), Consumer: to}})
				return err
			}
		})
		use(20+i, func(ctx context.Context, r *rand.Rand) error {
			var err error
			switch n := 0; r.IntN(3) {
			case 0:
				n, err = q.consumer.RecvBatch(ctx, make([]comch.Received, 1+r.IntN(q.window)))
				if err == nil && !q.autoPost {
					_, err = q.consumer.PostBatch(make([]*doca.Buffer, n))
				}
			case 1:
				if _, err = q.consumer.Recv(ctx); err == nil && !q.autoPost {
					err = q.consumer.Post(nil)
				}
			default:
				_, err = msgqtest.CallMakeRoom(ctx, q.d, q.args.Addr(), 1)
			}
			return err
		})
	}
	time.Sleep(time.Duration(r.IntN(10000)) * time.Microsecond)
	all := []interface{ Close() error }{q.producer, q.consumer, q.onDPA, q.fromDPA, q.arrivals, q.sends, q.thread, q.to, q.from, q.args, q.d, q.dev, pe}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for k := range 3 {
		closers.Go(func() {
			for i := k; i < len(all); i += 3 {
				assert.NoError(t, all[i].Close())
			}
		})
	}
	closed := make(chan struct{})
	go func() {
		closers.Wait()
		cancel()
		users.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		panic("a call or a Close hangs") // with all stacks
	}
}

// mayEnd reports whether a call may return an error while everything is being closed.
func mayEnd(err error) bool {
	state := new(doca.StateError)
	return err == nil || errors.As(err, &state) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, doca.ErrInvalidValue) || // the consumer on the DPA is closed
		errors.Is(err, doca.ErrIOFailed) || // a fault
		errors.Is(err, doca.ErrAgain) || errors.Is(err, doca.ErrFull) || errors.Is(err, dpa.ErrFatal) || errors.Is(err, comch.ErrConsumerGone)
}

// TestMsgQCloseWalk: everything is closed while it is used.
func TestMsgQCloseWalk(t *testing.T) {
	t.Parallel()
	walks(t, 12, walkMsgQClose)
}

// TestMsgQCloseWalkFaults: as well on a device that takes its time, and where tasks fail.
func TestMsgQCloseWalkFaults(t *testing.T) {
	for _, spec := range []string{"delay=20us,rate=2e5", "fail-task=40", "refuse-task=20"} {
		t.Run(spec, func(t *testing.T) {
			doctest.Faults(t, spec)
			defer emulator.ClearFaults()
			walks(t, 2, walkMsgQClose)
		})
	}
}
