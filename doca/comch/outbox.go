package comch

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// tasks are the send tasks of a server or client, which its connections share evenly. DOCA
// has a pool of them: one is allocated for each message and freed when that is handed over.
type tasks struct {
	total, inflight int
	conns           []*conn // a connection's place is the user data of its tasks; nil if free
	members         int
	waiting         []*conn // that have senders, the next one first
	tending         bool    // a goroutine sees to it that messages get on their way
}

// outbox is a connection's part of the tasks.
type outbox struct {
	place    int
	inflight int
	senders  []*sender // that wait for a task
	err      error     // of a message that was not handed over, for who sends next
	flushing int       // goroutines in Flush

	messages, bytes uint64 // that were handed over
}

// sender is a goroutine that waits for a task.
type sender struct {
	done bind.Completion
	has  bool // a task
}

var senders = sync.Pool{New: func() any { return new(sender) }}

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
	err := in.send(ctx, msg)
	in.s.link.Unlock()
	return err
}

// Flush waits until the messages that were sent on the connection have been handed over. Its
// error is that of one that could not be, or those of Send.
func (c *Conn) Flush(ctx context.Context) error {
	in := c.c
	in.s.link.LockAlways()
	defer in.s.link.Unlock()
	in.out.flushing++
	err := in.s.link.Await(ctx, func() bool { return in.out.inflight == 0 || in.closing })
	in.out.flushing--
	if err == nil {
		err = in.sendable("flush")
	}
	return err
}

// sendable is usable for what sends: it also tells, once, of a message that was lost.
func (c *conn) sendable(op string) error {
	if err := c.usable(op); err != nil {
		return err
	}
	err := c.out.err
	c.out.err = nil
	return err
}

// send takes a task and submits it. The lock is held; while it waits it is not.
func (c *conn) send(ctx context.Context, msg []byte) error {
	if err := c.sendable("send"); err != nil {
		return err
	}
	s := c.s
	if len(c.out.senders) == 0 && s.tasks.room(c) {
		s.tasks.take(c)
	} else if err := c.waitTask(ctx); err != nil {
		return err
	}
	err := c.usable("send")
	if err == nil {
		if s.server != nil {
			err = gen.ServerTaskSendSubmit(s.server, c.raw, msg, taskData(c, len(msg)))
		} else {
			err = gen.ClientTaskSendSubmit(s.client, c.raw, msg, taskData(c, len(msg)))
		}
		err = c.fail("send", err, "")
	}
	if err != nil {
		s.tasks.give(c)
		return err
	}
	s.link.Submitted(1)
	if !s.tasks.tending {
		s.tasks.tending = true
		go s.tend()
	}
	return nil
}

// waitTask waits for a task. The lock is held at the call and at the return.
func (c *conn) waitTask(ctx context.Context) error {
	link := c.s.link
	w := senders.Get().(*sender)
	defer senders.Put(w)
	w.has = false
	w.done.Init(link)
	if len(c.out.senders) == 0 {
		c.s.tasks.waiting = append(c.s.tasks.waiting, c)
	}
	c.out.senders = append(c.out.senders, w)
	link.Unlock()
	err := w.done.Wait(ctx)
	link.LockAlways()
	if w.has {
		return nil
	}
	if !w.done.Completed() {
		c.out.senders = slices.DeleteFunc(c.out.senders, func(x *sender) bool { return x == w })
		if len(c.out.senders) == 0 {
			c.s.tasks.leaveQueue(c)
		}
	}
	return err
}

// refuse ends the waits of a connection's senders.
func (c *conn) refuse() {
	if len(c.out.senders) == 0 {
		return
	}
	err := c.usable("send")
	for _, w := range c.out.senders {
		w.done.Complete(err)
	}
	c.out.senders = nil
	c.s.tasks.leaveQueue(c)
}

// tend drives the engine while messages are on their way that nobody else may see through:
// a program may send and then wait for something else altogether. It looks now and then, so
// that in a busy exchange it costs nothing.
func (s *side) tend() {
	for idle := 0; idle < 10; idle++ {
		time.Sleep(time.Millisecond)
		s.link.LockAlways()
		if s.tasks.inflight > 0 {
			idle = 0
			s.link.Await(context.Background(), func() bool { return s.tasks.inflight == 0 })
		}
		s.link.Unlock()
	}
	s.link.LockAlways()
	defer s.link.Unlock()
	s.tasks.tending = s.tasks.inflight > 0
	if s.tasks.tending {
		go s.tend()
	}
}

// join gives a connection its place.
func (t *tasks) join(c *conn) {
	c.out.place = slices.Index(t.conns, nil)
	if c.out.place < 0 {
		c.out.place = len(t.conns)
		t.conns = append(t.conns, nil)
	}
	t.conns[c.out.place] = c
	t.members++
}

// room tells whether a connection may take a task: there is one, and it has not had its share.
func (t *tasks) room(c *conn) bool {
	return t.inflight < t.total && c.out.inflight < max(1, t.total/max(1, t.members))
}

func (t *tasks) take(c *conn) {
	t.inflight++
	c.out.inflight++
}

// give takes a task back and hands it on.
func (t *tasks) give(c *conn) {
	t.inflight--
	c.out.inflight--
	if c.err != nil && c.out.inflight == 0 {
		t.leave(c)
	} else {
		t.grant()
	}
}

// grant gives tasks to those who wait for one.
func (t *tasks) grant() {
	for len(t.waiting) > 0 {
		i := slices.IndexFunc(t.waiting, t.room)
		if i < 0 {
			return
		}
		next := t.waiting[i]
		t.waiting = slices.Delete(t.waiting, i, i+1)
		w := next.out.senders[0]
		next.out.senders = slices.Delete(next.out.senders, 0, 1)
		if len(next.out.senders) > 0 {
			t.waiting = append(t.waiting, next) // the others first
		}
		t.take(next)
		w.has = true
		w.done.Complete(nil)
	}
}

// leave takes back the place of a connection that has ended and has no task in flight.
func (t *tasks) leave(c *conn) {
	if t.conns[c.out.place] == c {
		t.conns[c.out.place] = nil
		t.members--
		t.grant() // the others' shares have grown
	}
}

func (t *tasks) leaveQueue(c *conn) {
	t.waiting = slices.DeleteFunc(t.waiting, func(x *conn) bool { return x == c })
}

// taskData is the user data of a task: whose it is, and how many bytes it sends.
func taskData(c *conn, n int) abi.Data { return abi.Data(c.out.place) | abi.Data(n)<<32 }

// sent notes the end of a task.
func (s *side) sent(data abi.Data, err error) {
	c := s.tasks.conns[uint32(data)]
	s.link.Finished(1)
	if err == nil {
		c.out.messages++
		c.out.bytes += uint64(data >> 32)
	} else if c.out.err == nil {
		c.out.err = c.fail("send", err, "a message that was sent before could not be handed over")
	}
	s.tasks.give(c)
	if c.out.flushing > 0 && c.out.inflight == 0 || s.tasks.inflight == 0 && s.tasks.tending {
		s.link.Wake()
	}
}
