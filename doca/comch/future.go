package comch

import (
	"context"
	"sync"

	"github.com/go-doca/go-doca/doca/bind"
)

// Future is a message that [Producer.SendAsync] or [Producer.TrySendAsync] has started, or those that [Producer.StartBatch]
// has. Any goroutine may use it. A program may also drop it: the messages go on.
type Future struct {
	end      bind.Completion
	async    bool            // a program has it: it is not of Send and its like
	waits    bool            // SendAsync waits for what follows
	accepted bind.Completion // the messages are submitted, or have failed
	batch    *sendBatch      // nil when it has ended; guarded by the engine's lock
	n        int             // messages that were sent
}

// futures holds futures for Send, TrySend and SendBatch.
var futures = sync.Pool{New: func() any { return new(Future) }}

// beginLocked ties the future to a batch that was launched.
func (f *Future) beginLocked(s *sendBatch) {
	s.future = f
	f.batch, f.n = s, 0
	f.end.Init(s.p.link)
	if f.waits {
		f.accepted.Init(s.p.link)
		if !s.batch[0].Waits() {
			f.accepted.Complete(nil)
		}
	}
}

// acceptLocked records that the whole batch was submitted.
func (f *Future) acceptLocked() {
	if f.waits && !f.accepted.Completed() {
		f.accepted.Complete(nil)
	}
}

// finishLocked records the end of the batch.
func (f *Future) finishLocked(s *sendBatch) {
	n, err := s.resultLocked()
	f.batch, f.n = nil, n
	f.acceptLocked()
	f.end.Complete(err)
}

// Wait waits until the message is there or has failed, and returns its error. It drives the
// engine while it waits. If ctx ends first, Wait returns ctx.Err() and may be called again.
func (f *Future) Wait(ctx context.Context) error {
	if f == nil || !f.async {
		return noFuture("wait")
	}
	return f.end.Wait(ctx)
}

// Done returns a channel that is closed when the message is there or has failed. Until then a
// goroutine drives the engine, so the program need not call Wait.
func (f *Future) Done() <-chan struct{} {
	if f == nil || !f.async {
		return nil
	}
	return f.end.Done()
}

// Ended reports whether the message is there or has failed. It does not drive the engine, and is cheap: it is for programs
// that drive it by [doca.ProgressEngine.Progress]. It returns false for a future that was never started.
func (f *Future) Ended() bool { return f != nil && f.async && f.end.Completed() }

// Err returns nil if the message is there and its error if it has failed. Before that it returns
// an error that wraps ErrInProgress.
func (f *Future) Err() error {
	if f == nil || !f.async {
		return noFuture("err")
	}
	return f.end.Err()
}
