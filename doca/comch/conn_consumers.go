package comch

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-doca/go-doca/doca/bind"
)

// ConsumerEvent reports that a consumer of the peer has started, or that it has expired.
type ConsumerEvent struct {
	ID      uint32 // the consumer's number: see [Consumer.ID]
	Expired bool
}

// peerConsumers holds the consumers of a connection's peer. The engine's lock guards it.
type peerConsumers struct {
	present []uint32 // the oldest first
	left    map[uint32]departure
	changes atomic.Uint32   // counts starts and ends; read without the lock
	events  []ConsumerEvent // not read yet
}

// departure is the last end of a consumer.
type departure struct {
	at    time.Time
	again bool   // one of the same number has started since
	start uint32 // the change that this was
}

func (p *peerConsumers) addLocked(c *conn, id uint32) {
	c.hear()
	p.present = append(p.present, id)
	now := p.changes.Add(1)
	if d, ok := p.left[id]; ok && !d.again {
		d.start, d.again = now, true
		p.left[id] = d
	}
	p.noteLocked(c, ConsumerEvent{ID: id})
}

func (p *peerConsumers) removeLocked(c *conn, id uint32) {
	p.present = slices.DeleteFunc(p.present, func(x uint32) bool { return x == id })
	if len(p.left) >= manyEvents {
		maps.DeleteFunc(p.left, func(_ uint32, d departure) bool { return time.Since(d.at) > endLimit })
	}
	if p.left == nil {
		p.left = map[uint32]departure{}
	}
	p.left[id] = departure{at: time.Now()}
	p.changes.Add(1)
	c.names.forgetLocked(peerID{namedConsumer, id})
	if len(p.events) >= manyEvents {
		if i := slices.Index(p.events, ConsumerEvent{ID: id}); i >= 0 {
			p.events = slices.Delete(p.events, i, i+1)
			return
		}
	}
	p.noteLocked(c, ConsumerEvent{ID: id, Expired: true})
}

// has reports whether the peer has a consumer of this number.
func (p *peerConsumers) has(id uint32) bool { return slices.Contains(p.present, id) }

// gone returns the end of a consumer that was to receive a message, which was submitted when so many changes were known. A consumer
// of the same number may have started since. ok is false if it has not ended.
func (p *peerConsumers) gone(id, changes uint32) (d departure, ok bool) {
	d, ok = p.left[id]
	return d, ok && (!d.again || int32(d.start-changes) > 0)
}

// manyEvents bounds the memory of a program that never reads events. When that many are unread,
// the events of a consumer that has expired before anybody read of its start are dropped.
const manyEvents = 1024

func (p *peerConsumers) noteLocked(c *conn, e ConsumerEvent) {
	p.events = append(p.events, e)
	c.s.link.Wake()
}

// ConsumerEvent waits for the start or the end of a consumer of the peer and returns it. Each
// event is returned once, in order. ConsumerEvent drives the engine while it waits. When the
// connection has ended and all events are read, it returns the errors of Recv. A program that
// leaves 1024 events unread misses later consumers that start and end before it reads. The
// events are those of doca_comch_server_event_consumer_register and
// doca_comch_client_event_consumer_register.
func (c *Conn) ConsumerEvent(ctx context.Context) (ConsumerEvent, error) {
	if c == nil || c.c == nil {
		return ConsumerEvent{}, noConn("wait for a consumer")
	}
	if err := bind.NeedContext(ctx, "wait for a consumer event", c); err != nil {
		return ConsumerEvent{}, err
	}
	in := c.c
	if err := in.s.link.LockAlwaysFor(ctx); err != nil {
		return ConsumerEvent{}, err
	}
	defer in.s.link.Unlock()
	p := &in.peers
	err := in.awaitLocked(ctx, "wait for a consumer event", func() bool { return len(p.events) > 0 })
	if err != nil {
		return ConsumerEvent{}, err
	}
	e := p.events[0]
	p.events = slices.Delete(p.events, 0, 1)
	return e, nil
}

// Consumers returns the numbers of the peer's consumers, the oldest first. It does not drive the
// engine, so it knows of those that the engine has reported so far.
func (c *Conn) Consumers() []uint32 {
	if c == nil || c.c == nil {
		return nil
	}
	c.c.s.link.LockAlways()
	defer c.c.s.link.Unlock()
	return slices.Clone(c.c.peers.present)
}

// WaitConsumer waits until the peer has a consumer and returns the number of the oldest. It
// drives the engine while it waits. It reads no events. It returns the errors of Recv.
func (c *Conn) WaitConsumer(ctx context.Context) (uint32, error) {
	if c == nil || c.c == nil {
		return 0, noConn("wait for a consumer")
	}
	if err := bind.NeedContext(ctx, "wait for a consumer", c); err != nil {
		return 0, err
	}
	in := c.c
	if err := in.s.link.LockAlwaysFor(ctx); err != nil {
		return 0, err
	}
	defer in.s.link.Unlock()
	const op = "wait for a consumer"
	if err := in.awaitLocked(ctx, op, func() bool { return len(in.peers.present) > 0 }); err != nil {
		return 0, err
	}
	if in.err != nil { // it has consumers no more
		return 0, in.readableLocked(op)
	}
	return in.peers.present[0], nil
}
