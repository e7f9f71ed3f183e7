package comchnet

import (
	"context"
	"net"
	"os"
	"sync"
	"time"
)

// deadline limits the calls of one direction with a context. The cause of the context's end is
// os.ErrDeadlineExceeded or net.ErrClosed.
type deadline struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	closed bool
}

func (d *deadline) init() { d.ctx, d.cancel = context.WithCancelCause(context.Background()) }

// context returns the context for a call.
func (d *deadline) context() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ctx
}

// set moves the deadline, also for calls that wait. The zero time is no deadline.
func (d *deadline) set(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return net.ErrClosed
	}
	fired := d.timer != nil && !d.timer.Stop() // it has ended the calls that waited: begin anew
	d.timer = nil
	if fired || d.ctx.Err() != nil {
		d.init()
	}
	if t.IsZero() {
		return nil
	}
	cancel := d.cancel
	if left := time.Until(t); left > 0 {
		d.timer = time.AfterFunc(left, func() { cancel(os.ErrDeadlineExceeded) })
	} else {
		cancel(os.ErrDeadlineExceeded)
	}
	return nil
}

// close ends all calls, now and later.
func (d *deadline) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.timer != nil {
		d.timer.Stop()
	}
	if d.ctx.Err() != nil {
		d.init()
	}
	d.cancel(net.ErrClosed)
}
