package comch

import (
	"context"
	"slices"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
)

// sendTasks counts the send tasks of a server or client, which its connections share evenly. DOCA
// keeps them in a pool: each message allocates one, and its completion frees it.
type sendTasks struct {
	total, inflight int
	conns           []*conn // the user data of a task has the index of its connection; nil: a free place
	members         int
	waiting         []*conn // those with goroutines in Send that wait for a task; the first is next
	ended           uint64  // counts the completions of tasks
	lookout         lookout
	awaited         bool // lookAfterSends waits until no message is in flight
}

// joinLocked gives a connection a place and a share.
func (t *sendTasks) joinLocked(c *conn) {
	c.sends.place = slices.Index(t.conns, nil)
	if c.sends.place < 0 {
		c.sends.place = len(t.conns)
		t.conns = append(t.conns, nil)
	}
	t.conns[c.sends.place] = c
	t.members++
}

// hasRoomLocked reports whether a connection may take a task: one is free, and the connection has
// not used up its share.
func (t *sendTasks) hasRoomLocked(c *conn) bool {
	return t.inflight < t.total && c.sends.inflight < max(1, t.total/max(1, t.members))
}

func (t *sendTasks) takeLocked(c *conn) {
	t.inflight++
	c.sends.inflight++
}

// giveLocked takes a task back and gives it to a goroutine that waits for one.
func (t *sendTasks) giveLocked(c *conn) {
	t.inflight--
	c.sends.inflight--
	if c.err != nil && c.sends.inflight == 0 {
		t.leaveLocked(c)
	} else {
		t.grantLocked()
	}
}

// grantLocked gives free tasks to goroutines that wait for one, to the connections in turn.
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
			t.waiting = append(t.waiting, next) // behind the other connections
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
		if t.members--; t.members == 0 {
			c.s.unwatchSendsLocked()
		}
		t.grantLocked() // the others' shares have grown
	}
}

func (t *sendTasks) leaveQueueLocked(c *conn) {
	t.waiting = slices.DeleteFunc(t.waiting, func(x *conn) bool { return x == c })
}

// taskData returns the user data of a task: the place of its connection, and the bytes it sends.
func taskData(c *conn, n int) abi.Data { return abi.Data(c.sends.place) | abi.Data(n)<<32 }

// sentLocked handles the completion of a task.
func (s *side) sentLocked(data abi.Data, err error) {
	c := s.tasks.conns[uint32(data)]
	s.link.Finished(1)
	s.tasks.ended++
	if err == nil {
		c.sends.messages++
		c.sends.bytes += uint64(data >> 32)
	} else if c.sends.err == nil {
		c.sends.err = c.fail("send", err, "DOCA could not hand over a message that was sent before")
		c.backlog.tellLocked(c)
	}
	s.tasks.giveLocked(c)
	if c.sends.flushing > 0 && c.sends.inflight == 0 || s.tasks.inflight == 0 && s.tasks.awaited {
		s.link.Wake()
	}
}

// The time between two looks of lookAfterSends: the shorter one at first and after it had to drive.
const (
	minLook = time.Millisecond
	maxLook = 4 * time.Millisecond
)

// lookout is the state of lookAfterSends.
type lookout struct {
	on    bool        // the timer is set, or lookAfterSends runs
	timer *time.Timer // nil: it was never set
	look  time.Duration
	seen  uint64 // sendTasks.ended at the last look
	idle  int    // looks in a row that have found no message in flight
}

// watchSendsLocked sets the timer of lookAfterSends, unless it is set.
func (s *side) watchSendsLocked() {
	l := &s.tasks.lookout
	if l.on {
		return
	}
	l.on, l.look, l.seen, l.idle = true, minLook, s.tasks.ended, 0
	if l.timer == nil {
		l.timer = time.AfterFunc(l.look, s.lookAfterSends)
	} else {
		l.timer.Reset(l.look)
	}
}

// unwatchSendsLocked takes the timer back when no connection has messages in flight. If it has fired, lookAfterSends finds that out.
func (s *side) unwatchSendsLocked() {
	if l := &s.tasks.lookout; l.on && l.timer.Stop() {
		l.on = false
	}
}

// lookAfterSends drives the engine while messages are in flight, for a program that sends and then
// waits for something else. It looks now and then, so that it costs a busy exchange next to nothing: if messages have
// ended since the last look, the program drives the engine itself, and the next look is later. Looks end when ten in a row have found
// no message in flight, and with the last connection: one that lasts a millisecond has no goroutine for this.
func (s *side) lookAfterSends() {
	s.link.LockAlways()
	defer s.link.Unlock()
	t := &s.tasks
	l := &t.lookout
	if l.seen != t.ended {
		l.look = min(2*l.look, maxLook)
	} else if t.inflight > 0 {
		l.look = minLook
		t.awaited = true
		s.link.Await(context.Background(), func() bool { return t.inflight == 0 })
		t.awaited = false
	}
	l.seen = t.ended
	if l.idle++; t.inflight > 0 {
		l.idle = 0
	}
	if l.on = t.members > 0 && l.idle < 10; l.on {
		l.timer.Reset(l.look)
	}
}
