package comch

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// inbox is the received messages of a connection, and who waits for one.
type inbox struct {
	queue    [][]byte // a circle
	first, n int
	spare    [][]byte // memory of messages that were read
	waiting  []*receiver
	full     bool // until half of it has been read

	messages, bytes uint64 // received
}

// receiver is a goroutine that waits for a message.
type receiver struct {
	into bool
	buf  []byte // where to; what came if not into
	n    int
	done bind.Completion
}

var receivers = sync.Pool{New: func() any { return new(receiver) }}

// Recv returns the next message; the slice is the caller's own. It waits for one and drives
// the engine meanwhile.
//
// Messages that had arrived before the connection ended are still returned. Then the error is
// io.EOF if the peer closed the connection, ErrConnectionReset if it is gone without that,
// and a [*doca.StateError] after the connection's own Close. If ctx ends first it is
// ctx.Err(), and no message is lost. Several goroutines may call it: each message goes to one
// of them.
func (c *Conn) Recv(ctx context.Context) ([]byte, error) {
	msg, _, err := c.c.recv(ctx, nil, false)
	return msg, err
}

// RecvInto is Recv that copies the message into buf and returns its length. It allocates
// nothing. A message that is longer than buf is ErrTooBig and stays the next one.
func (c *Conn) RecvInto(ctx context.Context, buf []byte) (int, error) {
	_, n, err := c.c.recv(ctx, buf, true)
	return n, err
}

func (c *conn) recv(ctx context.Context, buf []byte, into bool) ([]byte, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	link := c.s.link
	link.LockAlways()
	if !c.closing && c.in.n > 0 {
		defer link.Unlock()
		if !into {
			msg := c.in.pop()
			c.in.room(c)
			return msg, len(msg), nil
		}
		msg := c.in.queue[c.in.first]
		if len(msg) > len(buf) {
			return nil, 0, c.tooBig(len(msg), len(buf))
		}
		c.in.spare = append(c.in.spare, c.in.pop())
		c.in.room(c)
		return nil, copy(buf, msg), nil
	}
	if err := c.readable("receive"); err != nil {
		link.Unlock()
		return nil, 0, err
	}
	r := receivers.Get().(*receiver)
	defer receivers.Put(r)
	r.into, r.buf, r.n = into, buf, 0
	r.done.Init(link)
	c.in.waiting = append(c.in.waiting, r)
	link.Unlock()
	err := r.done.Wait(ctx)
	if err != nil {
		link.LockAlways()
		if r.done.Completed() { // it may have been meanwhile
			err = r.done.Err()
		} else {
			c.in.waiting = slices.DeleteFunc(c.in.waiting, func(x *receiver) bool { return x == r })
		}
		link.Unlock()
	}
	msg, n := r.buf, r.n
	r.buf = nil
	if err != nil {
		return nil, 0, err
	}
	return msg, n, nil
}

// sizeError is that of a message of n bytes that cannot be sent.
func (c *conn) sizeError(n int) error {
	if n == 0 {
		return c.fail("send", doca.ErrInvalidValue, "the message is empty")
	}
	return c.fail("send", doca.ErrTooBig, fmt.Sprintf("the message has %d bytes, the connection takes %d", n, c.s.limits.MaxMessageSize))
}

func (c *conn) tooBig(n, room int) error {
	return c.fail("receive", doca.ErrTooBig, fmt.Sprintf("the message has %d bytes, the buffer %d; the message is still there", n, room))
}

// put takes a message from DOCA: to who waits for one, or into the queue.
func (in *inbox) put(c *conn, msg []byte) {
	if c.closing {
		return
	}
	in.messages++
	in.bytes += uint64(len(msg))
	for len(in.waiting) > 0 {
		r := in.waiting[0]
		in.waiting = slices.Delete(in.waiting, 0, 1)
		if r.into && len(msg) > len(r.buf) {
			r.done.Complete(c.tooBig(len(msg), len(r.buf)))
			continue
		}
		if r.into {
			r.n = copy(r.buf, msg)
		} else {
			r.buf = append([]byte(nil), msg...)
		}
		r.done.Complete(nil)
		return
	}
	in.push(append(in.memory(len(msg)), msg...))
	c.s.fullest = max(c.s.fullest, in.n)
	if in.n >= c.s.limits.Backlog && !in.full {
		in.full = true
		c.s.full++
	}
}

// memory returns an empty slice with room for n bytes.
func (in *inbox) memory(n int) []byte {
	if last := len(in.spare) - 1; last >= 0 {
		m := in.spare[last]
		in.spare = in.spare[:last]
		if cap(m) >= n {
			return m[:0]
		}
	}
	return make([]byte, 0, n)
}

func (in *inbox) push(msg []byte) {
	if in.n == len(in.queue) {
		grown := make([][]byte, max(8, 2*in.n))
		k := copy(grown, in.queue[in.first:])
		copy(grown[k:], in.queue[:in.first])
		in.queue, in.first = grown, 0
	}
	in.queue[(in.first+in.n)%len(in.queue)] = msg
	in.n++
}

func (in *inbox) pop() []byte {
	msg := in.queue[in.first]
	in.queue[in.first] = nil
	in.first = (in.first + 1) % len(in.queue)
	in.n--
	return msg
}

// room lets the engine go on when half of the backlog has been read.
func (in *inbox) room(c *conn) {
	if in.full && in.n <= c.s.limits.Backlog/2 {
		in.resume(c)
	}
}

func (in *inbox) resume(c *conn) {
	if in.full {
		in.full = false
		c.s.full--
		c.s.link.Resume()
	}
}

// end ends all waits: nothing more will come.
func (in *inbox) end(c *conn) {
	in.resume(c)
	for _, r := range in.waiting {
		r.done.Complete(c.readable("receive"))
	}
	in.waiting = nil
}

// drop forgets what nobody will read.
func (in *inbox) drop() { in.queue, in.first, in.n, in.spare = nil, 0, 0, nil }
