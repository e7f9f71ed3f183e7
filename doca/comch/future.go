package comch

import (
	"context"
	"sync"

	"github.com/go-doca/go-doca/doca"
)

// Future is a message that was started. It may be used from any goroutine, and dropped: the
// message goes on regardless.
type Future struct {
	end      doca.Completion
	accepted doca.Completion // of SendAsync
	async    bool
	batch    *sendBatch // nil when it has ended; guarded by the engine's lock
	n        int        // messages that were sent
}

// futures are those of Send and its like, which nobody else sees.
var futures = sync.Pool{New: func() any { return new(Future) }}

// beginLocked ties the future to a send that was launched.
func (f *Future) beginLocked(s *sendBatch) {
	f.batch, f.n = s, 0
	f.end.Init(s.p.link)
	if f.async {
		f.accepted.Init(s.p.link)
		if !s.batch[0].Waits() {
			f.accepted.Complete(nil)
		}
	}
}

// acceptLocked notes that all of the send was submitted.
func (f *Future) acceptLocked() {
	if f.async && !f.accepted.Completed() {
		f.accepted.Complete(nil)
	}
}

// finishLocked notes the end of the send.
func (f *Future) finishLocked(s *sendBatch) {
	f.batch, f.n = nil, s.n
	if s.err != nil {
		f.n = s.first
	}
	f.acceptLocked()
	f.end.Complete(s.err)
}

// Wait waits until the message is there, and drives the engine meanwhile. If ctx ends first it
// returns ctx.Err(), and Wait may be called again.
func (f *Future) Wait(ctx context.Context) error { return f.end.Wait(ctx) }

// Done returns a channel that is closed when the message is there or has failed. As long as it
// is open a goroutine drives the engine, so nobody has to call Wait.
func (f *Future) Done() <-chan struct{} { return f.end.Done() }

// Err returns the error of a message that has ended; nil is success. Before that it returns an
// error that is ErrInProgress.
func (f *Future) Err() error { return f.end.Err() }
