package comch

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-doca/go-doca/doca"
)

// backlog is the received messages of a connection, and who waits for one.
type backlog struct {
	queue    [][]byte // a circle
	first, n int
	spare    [][]byte // memory of messages that were read
	waiting  []*recvWaiter
	full     bool // until half of it has been read

	messages, bytes uint64 // received
}

// recvWaiter is a goroutine that waits for a message.
type recvWaiter struct {
	into bool
	buf  []byte // where to; what came if not into
	n    int
	done doca.Completion
}

var recvWaiters = sync.Pool{New: func() any { return new(recvWaiter) }}

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
	if !c.closing && c.backlog.n > 0 {
		defer link.Unlock()
		if !into {
			msg := c.backlog.pop()
			c.backlog.makeRoomLocked(c)
			return msg, len(msg), nil
		}
		msg := c.backlog.queue[c.backlog.first]
		if len(msg) > len(buf) {
			return nil, 0, c.tooBig(len(msg), len(buf))
		}
		c.backlog.spare = append(c.backlog.spare, c.backlog.pop())
		c.backlog.makeRoomLocked(c)
		return nil, copy(buf, msg), nil
	}
	if err := c.readableLocked("receive"); err != nil {
		link.Unlock()
		return nil, 0, err
	}
	r := recvWaiters.Get().(*recvWaiter)
	defer recvWaiters.Put(r)
	r.into, r.buf, r.n = into, buf, 0
	r.done.Init(link)
	c.backlog.waiting = append(c.backlog.waiting, r)
	link.Unlock()
	err := r.done.Wait(ctx)
	if err != nil {
		link.LockAlways()
		if r.done.Completed() { // it may have been meanwhile
			err = r.done.Err()
		} else {
			c.backlog.waiting = slices.DeleteFunc(c.backlog.waiting, func(x *recvWaiter) bool { return x == r })
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

func (c *conn) tooBig(n, room int) error {
	return c.fail("receive", doca.ErrTooBig, fmt.Sprintf("the message has %d bytes, the buffer %d; the message is still there", n, room))
}

// putLocked takes a message from DOCA: to who waits for one, or into the queue.
func (b *backlog) putLocked(c *conn, msg []byte) {
	if c.closing {
		return
	}
	b.messages++
	b.bytes += uint64(len(msg))
	for len(b.waiting) > 0 {
		r := b.waiting[0]
		b.waiting = slices.Delete(b.waiting, 0, 1)
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
	b.push(append(b.memory(len(msg)), msg...))
	c.s.fullest = max(c.s.fullest, b.n)
	if b.n >= c.s.limits.Backlog && !b.full {
		b.full = true
		c.s.full++
	}
}

// memory returns an empty slice with room for n bytes.
func (b *backlog) memory(n int) []byte {
	if last := len(b.spare) - 1; last >= 0 {
		m := b.spare[last]
		b.spare = b.spare[:last]
		if cap(m) >= n {
			return m[:0]
		}
	}
	return make([]byte, 0, n)
}

func (b *backlog) push(msg []byte) {
	if b.n == len(b.queue) {
		grown := make([][]byte, max(8, 2*b.n))
		k := copy(grown, b.queue[b.first:])
		copy(grown[k:], b.queue[:b.first])
		b.queue, b.first = grown, 0
	}
	b.queue[(b.first+b.n)%len(b.queue)] = msg
	b.n++
}

func (b *backlog) pop() []byte {
	msg := b.queue[b.first]
	b.queue[b.first] = nil
	b.first = (b.first + 1) % len(b.queue)
	b.n--
	return msg
}

// makeRoomLocked lets the engine go on when half of the backlog has been read.
func (b *backlog) makeRoomLocked(c *conn) {
	if b.full && b.n <= c.s.limits.Backlog/2 {
		b.resumeLocked(c)
	}
}

func (b *backlog) resumeLocked(c *conn) {
	if b.full {
		b.full = false
		c.s.full--
		c.s.link.Resume()
	}
}

// endWaitsLocked ends all waits: nothing more will come.
func (b *backlog) endWaitsLocked(c *conn) {
	b.resumeLocked(c)
	for _, r := range b.waiting {
		r.done.Complete(c.readableLocked("receive"))
	}
	b.waiting = nil
}

// drop forgets what nobody will read.
func (b *backlog) drop() { b.queue, b.first, b.n, b.spare = nil, 0, 0, nil }
