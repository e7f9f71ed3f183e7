package comch

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// backlog holds the received messages of a connection that nobody has read, and the goroutines
// that wait for one. The engine's lock guards it.
type backlog struct {
	queue    [][]byte // a circular buffer
	first, n int
	spare    [][]byte // memory of messages that were read
	waiting  []*recvWaiter
	full     bool // Config.Backlog was reached; false again when half of it has been read

	messages, bytes uint64 // received
}

// recvWaiter is a goroutine in Recv or RecvInto that waits for a message.
type recvWaiter struct {
	into   bool   // RecvInto
	buf    []byte // of RecvInto: the caller's buffer; of Recv: the message
	n      int    // of RecvInto: the length of the message
	unsent bool   // it has ended because of a message that was not handed over
	done   bind.Completion
}

var recvWaiters = sync.Pool{New: func() any { return new(recvWaiter) }}

// Recv waits for the next message and returns it. The slice belongs to the caller. Recv drives
// the engine while it waits.
//
// Messages that arrived before the connection ended are still returned. After them the error is a
// [*PeerError], which is ErrPeerGone to errors.Is, and also io.EOF if it is known that the peer has
// closed the connection. After the connection's own Close it is a [*doca.StateError]. If ctx ends
// first, Recv returns ctx.Err(), and no message is lost. A message that has arrived comes before that: Recv
// returns it also if ctx has ended, so a loop that is to end with ctx has to look at ctx itself.
//
// If a message that was sent before was not handed over, see [Conn.Send], a Recv that waits returns that error, once:
// what it waits for may be the answer. If the connection has ended, Recv returns that instead. If several goroutines call Recv, each
// message goes to one of them. The messages are those of
// doca_comch_server_event_msg_recv_register and doca_comch_client_event_msg_recv_register.
func (c *Conn) Recv(ctx context.Context) ([]byte, error) {
	if c == nil || c.c == nil {
		return nil, noConn("receive")
	}
	if err := bind.NeedContext(ctx, "receive", c); err != nil {
		return nil, err
	}
	msg, _, err := c.c.recv(ctx, nil, false)
	return msg, err
}

// RecvInto is like Recv but copies the message into buf and returns its length. It allocates
// nothing. If the message is longer than buf, RecvInto returns ErrTooBig, and the message stays
// the next one.
func (c *Conn) RecvInto(ctx context.Context, buf []byte) (int, error) {
	if c == nil || c.c == nil {
		return 0, noConn("receive")
	}
	if err := bind.NeedContext(ctx, "receive", c); err != nil {
		return 0, err
	}
	_, n, err := c.c.recv(ctx, buf, true)
	return n, err
}

func (c *conn) recv(ctx context.Context, buf []byte, into bool) ([]byte, int, error) {
	link := c.s.link
	if err := link.LockAlwaysFor(ctx); err != nil {
		return nil, 0, err
	}
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
	if c.sends.err != nil && !c.sends.told {
		c.sends.told = true
		return c.recvAfterUnsentLocked(ctx, buf, into, c.sends.err)
	}
	r := recvWaiters.Get().(*recvWaiter)
	defer recvWaiters.Put(r)
	r.into, r.buf, r.n, r.unsent = into, buf, 0, false
	r.done.Init(link)
	c.backlog.waiting = append(c.backlog.waiting, r)
	link.Unlock()
	err := r.done.Wait(ctx)
	if err != nil {
		link.LockAlways()
		if r.done.Completed() { // since Wait returned
			err = r.done.Err()
		} else {
			c.backlog.waiting = slices.DeleteFunc(c.backlog.waiting, func(x *recvWaiter) bool { return x == r })
		}
		if r.unsent {
			r.buf = nil
			return c.recvAfterUnsentLocked(ctx, buf, into, err)
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

// recvAfterUnsentLocked returns err, that of a message that was not handed over, from a receive. If the end of the connection may be
// behind it, it waits for that first, and receives again if it comes, or a message does. It releases the lock.
func (c *conn) recvAfterUnsentLocked(ctx context.Context, buf []byte, into bool, err error) ([]byte, int, error) {
	has := func() bool { return c.backlog.n > 0 }
	again := saysEnd(err) && (c.awaitEndLocked(ctx, endLimit, has) || has())
	c.s.link.Unlock()
	if again {
		return c.recv(ctx, buf, into)
	}
	return nil, 0, err
}

// tooBig returns the error of RecvInto for a buffer that is too small.
func (c *conn) tooBig(n, room int) error {
	return c.fail("receive", doca.ErrTooBig, fmt.Sprintf("the message has %d bytes, the buffer only %d: call RecvInto with a larger one, the message is kept", n, room))
}

// putLocked hands a message from DOCA to a goroutine that waits for one, or queues it.
func (b *backlog) putLocked(c *conn, msg []byte) {
	b.messages++ // those that the program does not see, too, as DOCA does
	b.bytes += uint64(len(msg))
	if c.closing || c.err != nil {
		return
	}
	c.hear()
	if c.s.isFarewell(msg) {
		c.parted = true
		return
	}
	if c.s.isAnnouncement(msg) {
		c.names.heardLocked(c, msg)
		return
	}
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

// makeRoomLocked lets the engine receive again when half of a full backlog has been read.
func (b *backlog) makeRoomLocked(c *conn) {
	if b.full && b.n <= c.s.limits.Backlog/2 {
		b.resumeLocked(c)
	}
}

// resumeLocked lets the engine receive again, if this backlog has kept it from that.
func (b *backlog) resumeLocked(c *conn) {
	if b.full {
		b.full = false
		c.s.full--
		c.s.link.Resume()
	}
}

// endWaitsLocked ends all waits: nothing more will be received.
func (b *backlog) endWaitsLocked(c *conn) {
	b.resumeLocked(c)
	for _, r := range b.waiting {
		r.done.Complete(c.readableLocked("receive"))
	}
	b.waiting = nil
}

// tellLocked tells a goroutine that waits of a message that was not handed over.
func (b *backlog) tellLocked(c *conn) {
	if len(b.waiting) > 0 {
		b.waiting[0].unsent = true
		b.waiting[0].done.Complete(c.sends.err)
		b.waiting = slices.Delete(b.waiting, 0, 1)
		c.sends.told = true
	}
}

// drop drops the messages that nobody has read.
func (b *backlog) drop() { b.queue, b.first, b.n, b.spare = nil, 0, 0, nil }
