package comch

import (
	"context"
	"slices"
)

// ConsumerEvent is a consumer of the peer that came or went.
type ConsumerEvent struct {
	ID      uint32
	Expired bool
}

// peerConsumers are the consumers that the peer has on a connection.
type peerConsumers struct {
	present []uint32 // the oldest first
	events  []ConsumerEvent
}

func (p *peerConsumers) addLocked(c *conn, id uint32) {
	p.present = append(p.present, id)
	p.noteLocked(c, ConsumerEvent{ID: id})
}

func (p *peerConsumers) removeLocked(c *conn, id uint32) {
	p.present = slices.DeleteFunc(p.present, func(x uint32) bool { return x == id })
	if len(p.events) >= manyEvents {
		if i := slices.Index(p.events, ConsumerEvent{ID: id}); i >= 0 {
			p.events = slices.Delete(p.events, i, i+1)
			return
		}
	}
	p.noteLocked(c, ConsumerEvent{ID: id, Expired: true})
}

// manyEvents is how many events may be unread before a consumer that nobody has seen comes and
// goes without them: a program that does not ask for events is no place to collect them.
const manyEvents = 1024

func (p *peerConsumers) noteLocked(c *conn, e ConsumerEvent) {
	p.events = append(p.events, e)
	c.s.link.Wake()
}

// ConsumerEvent returns the next event that nobody has read: a consumer of the peer has
// started to run, or has ended. It waits for one and drives the engine meanwhile. When the
// connection has ended and all events are read, its errors are those of Recv. Stands on
// doca_comch_server_event_consumer_register and doca_comch_client_event_consumer_register.
func (c *Conn) ConsumerEvent(ctx context.Context) (ConsumerEvent, error) {
	in := c.c
	in.s.link.LockAlways()
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

// Consumers returns the numbers of the consumers that the peer has now, as far as the engine
// has been driven, the oldest first.
func (c *Conn) Consumers() []uint32 {
	c.c.s.link.LockAlways()
	defer c.c.s.link.Unlock()
	return slices.Clone(c.c.peers.present)
}

// WaitConsumer returns the number of the oldest consumer that the peer has. It waits for one
// and drives the engine meanwhile. Events stay unread. Its errors are those of Recv.
func (c *Conn) WaitConsumer(ctx context.Context) (uint32, error) {
	in := c.c
	in.s.link.LockAlways()
	defer in.s.link.Unlock()
	if err := in.awaitLocked(ctx, "wait for a consumer", func() bool { return len(in.peers.present) > 0 }); err != nil {
		return 0, err
	}
	return in.peers.present[0], nil
}
