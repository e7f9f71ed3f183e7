package comch

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-doca/go-doca/doca"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// sendShare is a connection's part of the tasks.
type sendShare struct {
	place    int
	inflight int
	waiting  []*sendWaiter // that wait for a task
	err      error         // of a message that was not handed over, for who sends next
	flushing int           // goroutines in Flush

	messages, bytes uint64 // that were handed over
}

// sendWaiter is a goroutine that waits for a task.
type sendWaiter struct {
	done doca.Completion
	has  bool // a task
}

var sendWaiters = sync.Pool{New: func() any { return new(sendWaiter) }}

// Send sends a message and returns when DOCA has it: the bytes are copied, and the caller may
// change them. While all tasks are busy it waits, and drives the engine meanwhile; that is
// how a receiver that does not read is felt. Messages of one goroutine arrive in order.
//
// While a connection of the same engine has a full backlog, nothing is received and so nothing
// is noticed, not even that the peer is gone: who sends much and may get answers reads them on
// another goroutine, or gives ctx an end.
//
// A message that DOCA could not hand over after Send had returned is an error of the next
// Send, or of Flush. Errors: ErrTooBig for more than MaxMessageSize bytes; ErrInvalidValue
// for an empty message; ErrNotConnected when the peer has closed the connection and
// ErrConnectionReset when it is gone without that; a [*doca.StateError] after Close; ctx.Err()
// if ctx ends first, and then the message is not sent. Stands on
// doca_comch_server_task_send_alloc_init, doca_comch_client_task_send_alloc_init and
// doca_task_submit.
func (c *Conn) Send(ctx context.Context, msg []byte) error {
	in := c.c
	if n := len(msg); n == 0 || n > in.s.limits.MaxMessageSize {
		return in.sizeError(n)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	in.s.link.LockAlways()
	err := in.sendLocked(ctx, msg)
	in.s.link.Unlock()
	return err
}

// sizeError is that of a message of n bytes that cannot be sent.
func (c *conn) sizeError(n int) error {
	if n == 0 {
		return c.fail("send", doca.ErrInvalidValue, "the message is empty")
	}
	return c.fail("send", doca.ErrTooBig, fmt.Sprintf("the message has %d bytes, the connection takes %d", n, c.s.limits.MaxMessageSize))
}

// Flush waits until the messages that were sent on the connection have been handed over. Its
// error is that of one that could not be, or those of Send.
func (c *Conn) Flush(ctx context.Context) error {
	in := c.c
	in.s.link.LockAlways()
	defer in.s.link.Unlock()
	in.sends.flushing++
	err := in.s.link.Await(ctx, func() bool { return in.sends.inflight == 0 || in.closing })
	in.sends.flushing--
	if err == nil {
		err = in.sendableLocked("flush")
	}
	return err
}

// sendableLocked is usable for what sends: it also tells, once, of a message that was lost.
func (c *conn) sendableLocked(op string) error {
	if err := c.usableLocked(op); err != nil {
		return err
	}
	err := c.sends.err
	c.sends.err = nil
	return err
}

// sendLocked takes a task and submits it. The lock is held; while it waits it is not.
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
		if s.server != nil {
			err = gen.ServerTaskSendSubmit(s.server, c.raw, msg, taskData(c, len(msg)))
		} else {
			err = gen.ClientTaskSendSubmit(s.client, c.raw, msg, taskData(c, len(msg)))
		}
		err = c.fail("send", err, "")
	}
	if err != nil {
		s.tasks.giveLocked(c)
		return err
	}
	s.link.Submitted(1)
	if !s.tasks.driven {
		s.tasks.driven = true
		go s.driveSends()
	}
	return nil
}

// waitTaskLocked waits for a task. The lock is held at the call and at the return.
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

// endSendWaitsLocked ends the waits of a connection's senders.
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
