package comchnet

import (
	"context"
	"net"
	"os"
	"sync"
	"time"
)

// deadline bounds the calls of one direction with a context, whose cause is
// os.ErrDeadlineExceeded or net.ErrClosed.
type deadline struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	closed bool
}

func (d *deadline) init() { d.ctx, d.cancel = context.WithCancelCause(context.Background()) }

// context returns what bounds a call.
func (d *deadline) context() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ctx
}

// set moves the deadline, for waiting calls as well; the zero time is none.
func (d *deadline) set(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return net.ErrClosed
	}
	fired := d.timer != nil && !d.timer.Stop() // calls that wait have run into it
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

// close ends all calls.
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
