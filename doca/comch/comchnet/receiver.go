package comchnet

import (
	"context"
	"errors"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/internal/stream"
)

// idleTime is how long nobody receives before a goroutine in the background does.
const idleTime = time.Millisecond

// receiver says who receives the peer's messages. A Read that waits receives by itself, which spares a
// switch of goroutines. When no Read has waited for a while, or buffers are in use, which a Read waits for
// as well, or a Write waits for the window, a goroutine in the background receives. It ends when a Read can
// take over. The Conn's mu guards the fields.
type receiver struct {
	busy    bool        // somebody receives
	reading bool        // a Read waits for the one in the background
	turns   uint        // how often somebody has begun to receive
	armed   bool        // the timer runs
	seen    uint        // turns when the timer was set
	timer   *time.Timer // calls Conn.watch
}

// greet sends HELLO, and leaves it to a goroutine only if it would have to wait. Nobody else knows the Conn yet. A Read that comes soon
// receives what the peer has sent, or else the timer has it received.
func (c *Conn) greet() {
	sent, err := stream.TrySend(c.raw, helloFrame(c.receiveWindow))
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !sent:
		c.greeting, c.receiver.busy = true, true
		c.helpLocked(c.greetLater)
	case err != nil:
		c.sendErr = c.failure("send", err)
		c.controlFailedLocked(c.sendErr)
	default:
		c.armLocked()
	}
}

// greetLater sends HELLO and then receives in the background.
func (c *Conn) greetLater() {
	c.sendControl(c.life, helloFrame(c.receiveWindow))
	c.mu.Lock()
	c.greeting = false
	c.writable.notifyLocked()
	c.mu.Unlock()
	c.receive()
}

// receive receives in the background. The caller has set busy.
func (c *Conn) receive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if c.receiveLocked(context.Background()) != nil {
			c.receiver.busy = false
			return
		}
		if c.receiver.reading && !c.bulk.running && !c.writable.waited {
			c.readable.notifyLocked()
			c.receiver.busy = false
			c.armLocked()
			return
		}
	}
}

// receiveLocked receives one message. An error other than that of ctx is the end of the connection, which
// it records. The caller holds mu, which it releases meanwhile, and has set busy.
func (c *Conn) receiveLocked(ctx context.Context) error {
	room := c.in.room(c.maxMessage)
	c.mu.Unlock()
	n, err := c.raw.RecvInto(ctx, room)
	c.mu.Lock()
	if err == nil {
		if err = c.takeLocked(room[:n]); err == nil {
			return nil
		}
		c.helpLocked(func() { c.expel(err) })
	} else if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	} else if !isEnd(err) { // a message was lost that the peer waits for
		c.helpLocked(func() { _ = c.raw.Close() })
	}
	c.failLocked(err)
	return err
}

// isEnd reports whether an error says that the connection has ended, on whichever side.
func isEnd(err error) bool {
	return errors.Is(err, comch.ErrPeerGone) || errors.Is(err, doca.ErrClosed)
}

// receiveHereLocked receives one message for a Read. Its error is that of ctx. The caller holds mu, which
// it releases meanwhile, and rmu.
func (c *Conn) receiveHereLocked(ctx context.Context) error {
	c.receiver.busy = true
	c.receiver.turns++
	err := c.receiveLocked(ctx)
	c.receiver.busy = false
	if c.err != nil {
		return nil // the caller finds it
	}
	if c.writable.waited {
		c.receiveInBackgroundLocked()
	} else {
		c.armLocked()
	}
	return err
}

// receiveInBackgroundLocked makes a goroutine receive, unless somebody does. The caller holds mu.
func (c *Conn) receiveInBackgroundLocked() {
	if !c.receiver.busy && !c.closed && c.err == nil {
		c.receiver.busy = true
		c.receiver.turns++
		c.helpLocked(c.receive)
	}
}

// armLocked sets the timer, so that nobody receives for no longer than twice idleTime. The caller holds mu.
func (c *Conn) armLocked() {
	r := &c.receiver
	if r.armed || c.closed {
		return
	}
	r.armed, r.seen = true, r.turns
	if r.timer == nil {
		r.timer = time.AfterFunc(idleTime, c.watch)
	} else {
		r.timer.Reset(idleTime)
	}
}

// watch is what the timer calls.
func (c *Conn) watch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.receiver.armed = false
	switch {
	case c.receiver.busy: // who leaves sets the timer
	case c.receiver.turns != c.receiver.seen:
		c.armLocked()
	default:
		c.receiveInBackgroundLocked()
	}
}

// sendControl sends a message without which the peer waits for ever. If this side cannot send it, it ends
// the connection; what has been received can still be read.
func (c *Conn) sendControl(ctx context.Context, msg []byte) error {
	err := c.send(ctx, msg)
	if err == nil || ctx.Err() != nil || isEnd(err) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.controlFailedLocked(err)
	return err
}

// controlFailedLocked ends the connection because a message could not be sent that the peer waits for. The caller holds mu.
func (c *Conn) controlFailedLocked(err error) {
	c.failLocked(err)
	c.helpLocked(func() { _ = c.raw.Close() })
}
