package doctest

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-doca/go-doca/emulator"
)

// Hold keeps the tasks that are submitted from now on in flight until release is called, or the test ends. The test cannot be
// parallel.
func Hold(t testing.TB) (release func()) {
	t.Helper()
	end, err := emulator.Faults{HoldTasks: true}.Add()
	Check(t, err)
	t.Cleanup(end)
	return end
}

// Deadline is a context that ends after d, or with the test.
func Deadline(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// Soon is a context that ends d after somebody has begun to wait for its end, not d after it was made: a call with it begins,
// however slow the machine is.
func Soon(t testing.TB, d time.Duration) context.Context {
	c := &soon{Context: context.Background(), d: d, done: make(chan struct{})}
	t.Cleanup(func() { c.start.Do(func() { close(c.done) }) }) // for who derives from it without waiting
	return c
}

type soon struct {
	context.Context
	d     time.Duration
	start sync.Once
	done  chan struct{}
	asked atomic.Int32
}

// pollings is how often somebody asks who waits by asking.
const pollings = 100

func (c *soon) Done() <-chan struct{} {
	c.start.Do(func() { time.AfterFunc(c.d, func() { close(c.done) }) })
	return c.done
}

func (c *soon) Err() error {
	if c.asked.Add(1) == pollings {
		c.Done()
	}
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// During calls f with a context, cancels that when begun says so, and returns the error of f: the call is cancelled in the
// middle and not before it has begun. What begun does must be allowed beside f.
func During(f func(context.Context) error, begun func() bool) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- f(ctx) }()
	for {
		select {
		case err := <-ended:
			return err
		default:
		}
		if begun() {
			cancel()
			return <-ended
		}
		time.Sleep(time.Millisecond)
	}
}

// Stays checks that the channel stays closed to receivers for a moment. A machine that is slow passes.
func Stays[T any](t testing.TB, c <-chan T, what string) {
	t.Helper()
	select {
	case v := <-c:
		t.Fatalf("%s: %v", what, v)
	case <-time.After(10 * time.Millisecond):
	}
}
