package comch

import (
	"context"
	"slices"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
)

// sendTasks are the send tasks of a server or client, which its connections share evenly. DOCA
// has a pool of them: one is allocated for each message and freed when that is handed over.
type sendTasks struct {
	total, inflight int
	conns           []*conn // a connection's place is the user data of its tasks; nil if free
	members         int
	waiting         []*conn // that have senders, the next one first
	driven          bool    // a goroutine sees to it that messages get on their way
}

// joinLocked gives a connection its place.
func (t *sendTasks) joinLocked(c *conn) {
	c.sends.place = slices.Index(t.conns, nil)
	if c.sends.place < 0 {
		c.sends.place = len(t.conns)
		t.conns = append(t.conns, nil)
	}
	t.conns[c.sends.place] = c
	t.members++
}

// hasRoomLocked tells whether a connection may take a task: there is one, and it has not had its share.
func (t *sendTasks) hasRoomLocked(c *conn) bool {
	return t.inflight < t.total && c.sends.inflight < max(1, t.total/max(1, t.members))
}

func (t *sendTasks) takeLocked(c *conn) {
	t.inflight++
	c.sends.inflight++
}

// giveLocked takes a task back and hands it on.
func (t *sendTasks) giveLocked(c *conn) {
	t.inflight--
	c.sends.inflight--
	if c.err != nil && c.sends.inflight == 0 {
		t.leaveLocked(c)
	} else {
		t.grantLocked()
	}
}

// grantLocked gives tasks to those who wait for one.
func (t *sendTasks) grantLocked() {
	for len(t.waiting) > 0 {
		i := slices.IndexFunc(t.waiting, t.hasRoomLocked)
		if i < 0 {
			return
		}
		next := t.waiting[i]
		t.waiting = slices.Delete(t.waiting, i, i+1)
		w := next.sends.waiting[0]
		next.sends.waiting = slices.Delete(next.sends.waiting, 0, 1)
		if len(next.sends.waiting) > 0 {
			t.waiting = append(t.waiting, next) // the others first
		}
		t.takeLocked(next)
		w.has = true
		w.done.Complete(nil)
	}
}

// leaveLocked takes back the place of a connection that has ended and has no task in flight.
func (t *sendTasks) leaveLocked(c *conn) {
	if t.conns[c.sends.place] == c {
		t.conns[c.sends.place] = nil
		t.members--
		t.grantLocked() // the others' shares have grown
	}
}

func (t *sendTasks) leaveQueueLocked(c *conn) {
	t.waiting = slices.DeleteFunc(t.waiting, func(x *conn) bool { return x == c })
}

// taskData is the user data of a task: whose it is, and how many bytes it sends.
func taskData(c *conn, n int) abi.Data { return abi.Data(c.sends.place) | abi.Data(n)<<32 }

// sentLocked notes the end of a task.
func (s *side) sentLocked(data abi.Data, err error) {
	c := s.tasks.conns[uint32(data)]
	s.link.Finished(1)
	if err == nil {
		c.sends.messages++
		c.sends.bytes += uint64(data >> 32)
	} else if c.sends.err == nil {
		c.sends.err = c.fail("send", err, "a message that was sent before could not be handed over")
	}
	s.tasks.giveLocked(c)
	if c.sends.flushing > 0 && c.sends.inflight == 0 || s.tasks.inflight == 0 && s.tasks.driven {
		s.link.Wake()
	}
}

// driveSends drives the engine while messages are on their way that nobody else may see through:
// a program may send and then wait for something else altogether. It looks now and then, so
// that in a busy exchange it costs nothing.
func (s *side) driveSends() {
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
	s.tasks.driven = s.tasks.inflight > 0
	if s.tasks.driven {
		go s.driveSends()
	}
}
