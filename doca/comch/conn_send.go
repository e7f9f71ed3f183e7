package comch

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// sendShare is a connection's share of the send tasks.
type sendShare struct {
	place    int           // in sendTasks.conns
	inflight int           // tasks
	waiting  []*sendWaiter // the first one gets the next task
	err      error         // of a message that was not handed over: the next Send returns it
	told     bool          // a Recv has returned err
	flushing int           // goroutines in Flush

	messages, bytes uint64 // handed over
}

// sendWaiter is a goroutine in Send that waits for a task.
type sendWaiter struct {
	done bind.Completion
	has  bool // it has been given a task
}

var sendWaiters = sync.Pool{New: func() any { return new(sendWaiter) }}

// Send copies a message to DOCA and returns. If all send tasks are busy, as they are when the
// peer does not read, Send first waits for one and drives the engine. Messages that one
// goroutine sends arrive in order.
//
// While any connection of the engine has a full backlog, the engine receives nothing and does
// not notice that a peer is gone, so Send may wait for as long as ctx allows. A program that
// sends many messages and gets answers should read them on another goroutine.
//
// If DOCA fails to hand a message over after Send has returned, the next Send or Flush returns
// the error, and so does a Recv that waits before that. Errors: ErrTooBig for more than MaxMessageSize bytes; ErrInvalidValue for an empty
// message; ErrPeerGone if the peer has ended the connection; a [*doca.StateError] after Close;
// ctx.Err() if ctx ends first, and then the message is not sent. Calls doca_comch_server_task_send_alloc_init or
// doca_comch_client_task_send_alloc_init, and doca_task_submit.
func (c *Conn) Send(ctx context.Context, msg []byte) error {
	if c == nil || c.c == nil {
		return noConn("send")
	}
	if err := bind.NeedContext(ctx, "send", c); err != nil {
		return err
	}
	in := c.c
	if n := len(msg); n == 0 || n > in.s.limits.MaxMessageSize {
		return in.sizeError(n)
	}
	if in.s.isFarewell(msg) || in.s.isAnnouncement(msg) {
		return in.fail("send", doca.ErrInvalidValue, "with Config.Farewell or Config.Names, this message is reserved")
	}
	return in.send(ctx, msg)
}

func (c *conn) send(ctx context.Context, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.s.link.LockAlwaysFor(ctx); err != nil {
		return err
	}
	err := c.sendLocked(ctx, msg)
	if err != nil && saysEnd(err) {
		err = c.whyRefusedLocked(ctx, "send", err)
	}
	c.s.link.Unlock()
	return err
}

// sizeError returns the error of Send for a message of n bytes that it does not accept.
func (c *conn) sizeError(n int) error {
	if n == 0 {
		return c.fail("send", doca.ErrInvalidValue, "the message is empty")
	}
	return c.fail("send", doca.ErrTooBig, fmt.Sprintf("the message has %d bytes, the connection accepts at most %d", n, c.s.limits.MaxMessageSize))
}

// Flush waits until DOCA has handed over all messages that were sent on the connection. It
// drives the engine while it waits. If DOCA failed to hand one over, Flush returns that error.
// Otherwise it returns the errors of Send.
func (c *Conn) Flush(ctx context.Context) error {
	if c == nil || c.c == nil {
		return noConn("flush")
	}
	if err := bind.NeedContext(ctx, "flush", c); err != nil {
		return err
	}
	in := c.c
	if err := in.s.link.LockAlwaysFor(ctx); err != nil {
		return err
	}
	defer in.s.link.Unlock()
	in.sends.flushing++
	err := in.s.link.Await(ctx, func() bool { return in.sends.inflight == 0 || in.closing })
	in.sends.flushing--
	if err == nil {
		err = in.sendableLocked("flush")
	}
	if err != nil && saysEnd(err) {
		err = in.whyRefusedLocked(ctx, "flush", err)
	}
	return err
}

// sendableLocked is like usableLocked, but also returns the error of a message that was lost, once.
func (c *conn) sendableLocked(op string) error {
	if err := c.usableLocked(op); err != nil {
		return err
	}
	err := c.sends.err
	c.sends.err, c.sends.told = nil, false
	return err
}

// sendLocked takes a task and submits it. It releases the lock while it waits for the task.
func (c *conn) sendLocked(ctx context.Context, msg []byte) error {
	if err := c.sendableLocked("send"); err != nil {
		return err
	}
	s := c.s
	if len(c.sends.waiting) == 0 && s.tasks.hasRoomLocked(c) {
		s.tasks.takeLocked(c)
	} else if err := c.waitTaskLocked(ctx); err != nil {
		return err
	}
	err := c.usableLocked("send")
	if err == nil {
		err = c.fail("send", c.submitLocked(msg), "")
	}
	if err != nil {
		s.tasks.giveLocked(c)
		return err
	}
	s.watchSendsLocked()
	return nil
}

// waitTaskLocked waits for a task. It releases the lock while it waits.
func (c *conn) waitTaskLocked(ctx context.Context) error {
	link := c.s.link
	w := sendWaiters.Get().(*sendWaiter)
	defer sendWaiters.Put(w)
	w.has = false
	w.done.Init(link)
	if len(c.sends.waiting) == 0 {
		c.s.tasks.waiting = append(c.s.tasks.waiting, c)
	}
	c.sends.waiting = append(c.sends.waiting, w)
	link.Unlock()
	err := w.done.Wait(ctx)
	link.LockAlways()
	if w.has {
		return nil
	}
	if !w.done.Completed() {
		c.sends.waiting = slices.DeleteFunc(c.sends.waiting, func(x *sendWaiter) bool { return x == w })
		if len(c.sends.waiting) == 0 {
			c.s.tasks.leaveQueueLocked(c)
		}
	}
	return err
}

// endSendWaitsLocked ends the waits of the goroutines in Send.
func (c *conn) endSendWaitsLocked() {
	if len(c.sends.waiting) == 0 {
		return
	}
	err := c.usableLocked("send")
	for _, w := range c.sends.waiting {
		w.done.Complete(err)
	}
	c.sends.waiting = nil
	c.s.tasks.leaveQueueLocked(c)
}
