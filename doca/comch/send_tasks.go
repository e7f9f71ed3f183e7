package comch

import (
	"context"
	"slices"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
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
