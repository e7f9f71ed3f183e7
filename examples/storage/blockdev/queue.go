package blockdev

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-doca/go-doca/examples/storage/dataplane"
	"github.com/go-doca/go-doca/examples/storage/iomsg"
)

// part is as much of a request as goes over the chain at once.
type part struct {
	request *Request
	at, n   int // of its data
	wait    *sync.WaitGroup
	err     error
}

func (p *part) end(err error) {
	p.err = err
	p.wait.Done()
}

func (p *part) data() []byte { return p.request.Data[p.at:][:p.n] }

// queue is what a thread has.
type queue struct {
	d      *Device
	lane   *dataplane.Lane
	first  int     // where its part of the memory begins
	parts  []*part // in flight, by slot
	active int
	failed error // why nothing works any more
}

// run takes requests until the device closes. While none is in flight it sleeps.
func (q *queue) run(*atomic.Bool) error {
	free := make([]int, len(q.parts))
	for i := range free {
		free[i] = i
	}
	for {
		for len(free) > 0 {
			p := q.next()
			if p == nil {
				break
			}
			if failed := q.d.failed.Load(); failed != nil { // of this queue or another one
				p.end(*failed)
				continue
			}
			slot := free[len(free)-1]
			free = free[:len(free)-1]
			q.start(slot, p)
		}
		if q.active == 0 {
			return q.failed // next has waited, and the device closes
		}
		ended, err := q.lane.Poll()
		for _, e := range ended {
			free = append(free, e.Slot)
			q.finish(e)
		}
		if err != nil {
			q.fail(err)
			free = free[:0]
			for i := range q.parts {
				free = append(free, i)
			}
		}
	}
}

// next returns a request, nil if there is none. If none is in flight it waits for one, until the device closes.
func (q *queue) next() *part {
	if q.active == 0 {
		select {
		case p := <-q.d.requests:
			return p
		case <-q.d.closing:
			return nil
		}
	}
	select {
	case p := <-q.d.requests:
		return p
	default:
		return nil
	}
}

func (q *queue) memory(slot, n int) (off int, b []byte) {
	off = q.first + slot*q.d.cfg.MaxIO
	return off, q.d.session.Region.Bytes()[off:][:n]
}

func (q *queue) start(slot int, p *part) {
	q.parts[slot] = p
	q.active++
	off, b := q.memory(slot, p.n)
	kind := iomsg.Read
	if p.request.Write {
		kind = iomsg.Write
		copy(b, p.data())
	}
	q.lane.Message(slot).SetRequest(kind, uint64(off), uint64(p.request.Offset)+uint64(p.at), uint32(p.n))
	q.lane.Start(slot)
}

func (q *queue) finish(e dataplane.Completion) {
	p := q.parts[e.Slot]
	q.parts[e.Slot] = nil
	q.active--
	var err error
	switch {
	case e.Code != 0 && p.request.Write:
		err = fmt.Errorf("%w: the storage could not write %d bytes at %d", e.Code, p.n, p.request.Offset+int64(p.at))
	case e.Code != 0:
		err = fmt.Errorf("%w: the storage could not read %d bytes at %d", e.Code, p.n, p.request.Offset+int64(p.at))
	case !p.request.Write:
		_, b := q.memory(e.Slot, p.n)
		copy(p.data(), b)
	}
	p.end(err)
}

// fail ends all that is in flight. What the requests in flight have done is not known, and they may do it yet. So no queue begins
// another one: a late write must not follow one that has succeeded.
func (q *queue) fail(err error) {
	q.failed = fmt.Errorf("the connection with the storage has ended: %w", err)
	q.d.failed.CompareAndSwap(nil, &q.failed)
	for slot, p := range q.parts {
		if p != nil {
			q.parts[slot] = nil
			q.active--
			p.end(q.failed)
		}
	}
}
