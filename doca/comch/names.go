package comch

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// announcement begins the messages that carry a name. The kind, the number as 4 bytes, big-endian, and the
// name follow. With Config.Names, no program can send such a message of its own.
const announcement = "\xa3\x07\xd4\x91go-doca\x00\x52\xee\x0b\x68\xc7"

// The kinds of what has a name.
const (
	namedConsumer = 1
	namedProducer = 2
)

// maxNames is how many names a side remembers of its peer. Further ones are not found.
const maxNames = 16384

// peerNames holds the names that a connection's peer has announced. The engine's lock guards it.
type peerNames struct {
	ids   map[peerName]uint32
	names map[peerID]string
}

type peerName struct {
	kind byte
	name string
}

type peerID struct {
	kind byte
	id   uint32
}

// Announce tells the peer the consumer's name, by which [Conn.ConsumerNamed] finds it there. Both sides must
// have Config.Names. The name lasts until the consumer stops or is announced by another name, or another one has
// the same name. Name a consumer again after [Consumer.Start]. Announce returns when DOCA has the message, as Send does. Any
// goroutine may call it. Errors: ErrInvalidValue for an empty name and without Config.Names; ErrTooBig for a
// name that is longer than MaxMessageSize less 22 bytes; a [*doca.StateError] if the consumer does not run; those
// of [Conn.Send]. Calls doca_comch_server_task_send_alloc_init or doca_comch_client_task_send_alloc_init, and
// doca_task_submit.
func (c *Consumer) Announce(ctx context.Context, name string) error {
	if c == nil || c.c == nil {
		return noConsumer("announce")
	}
	if err := bind.NeedContext(ctx, "announce", c); err != nil {
		return err
	}
	if c.conn == nil {
		return c.c.fail("announce", doca.ErrInvalidValue, noNamesAdvice)
	}
	return c.conn.c.announce(ctx, &c.c.endpoint, namedConsumer, c.c.id, name)
}

// Announce tells the peer the producer's name, by which [Conn.ProducerNamed] finds its number there. The name
// lasts until a producer with the same name or the same number is announced: DOCA gives the number of a
// producer that is closed to the next one. Otherwise it is as [Consumer.Announce].
func (p *Producer) Announce(ctx context.Context, name string) error {
	if p == nil || p.p == nil {
		return noProducer("announce")
	}
	if err := bind.NeedContext(ctx, "announce", p); err != nil {
		return err
	}
	if p.conn == nil {
		return p.p.fail("announce", doca.ErrInvalidValue, noNamesAdvice)
	}
	return p.conn.c.announce(ctx, &p.p.endpoint, namedProducer, p.p.id, name)
}

func (c *conn) announce(ctx context.Context, e *endpoint, kind byte, id uint32, name string) error {
	if err := c.checkName("announce", name); err != nil {
		return err
	}
	if err := e.usable(ctx, "announce"); err != nil { // its number may be that of another one by now
		return err
	}
	msg := binary.BigEndian.AppendUint32(append([]byte(announcement), kind), id)
	return withOp(c.send(ctx, append(msg, name...)), "announce")
}

// withOp returns the error of another operation that a send is a part of.
func withOp(err error, op string) error {
	switch e := err.(type) {
	case *PeerError:
		return e.of(op, e.Object, e.receives)
	case *doca.StateError:
		with := *e
		with.Op = op
		return &with
	case *doca.OpError:
		with := *e
		with.Op = op
		return &with
	}
	return err
}

// checkName returns an error for a name that nothing can have.
func (c *conn) checkName(op, name string) error {
	most := c.s.limits.MaxMessageSize - len(announcement) - 5
	switch {
	case !c.s.names:
		return c.fail(op, doca.ErrInvalidValue, "set Config.Names on both sides")
	case name == "":
		return c.fail(op, doca.ErrInvalidValue, "the name is empty")
	case len(name) > most:
		return c.fail(op, doca.ErrTooBig, fmt.Sprintf("the name has %d bytes, the connection accepts at most %d", len(name), max(most, 0)))
	}
	return nil
}

// isAnnouncement reports whether a message is one that Announce sends.
func (s *side) isAnnouncement(msg []byte) bool {
	return s.names && len(msg) > len(announcement)+5 && string(msg[:len(announcement)]) == announcement
}

// heardLocked remembers what the peer has announced.
func (n *peerNames) heardLocked(c *conn, msg []byte) {
	body := msg[len(announcement):]
	id, name := peerID{body[0], binary.BigEndian.Uint32(body[1:])}, peerName{body[0], string(body[5:])}
	n.forgetLocked(id)
	if old, known := n.ids[name]; known {
		delete(n.names, peerID{id.kind, old})
	}
	if n.ids == nil {
		n.ids, n.names = map[peerName]uint32{}, map[peerID]string{}
	}
	if len(n.names) < maxNames {
		n.ids[name], n.names[id] = id.id, name.name
	}
	c.s.link.Wake()
}

// forgetLocked drops a name.
func (n *peerNames) forgetLocked(id peerID) {
	if name, known := n.names[id]; known {
		delete(n.ids, peerName{id.kind, name})
		delete(n.names, id)
	}
}

// ConsumerNamed waits until the peer has a consumer that it has announced by this name (see
// [Consumer.Announce]), and returns its number, for [Producer.Send]. It drives the engine while it waits. Any
// goroutine may call it. Errors: ErrInvalidValue for an empty name and without Config.Names; ErrTooBig for a name
// that is longer than MaxMessageSize less 22 bytes; those of Recv.
//
// The peer may stop the consumer at any time, also just before ConsumerNamed returns. A send to it then returns
// ErrConsumerGone: call ConsumerNamed again.
func (c *Conn) ConsumerNamed(ctx context.Context, name string) (uint32, error) {
	if c == nil || c.c == nil {
		return 0, noConn("wait for a consumer")
	}
	if err := bind.NeedContext(ctx, "wait for a consumer", c); err != nil {
		return 0, err
	}
	return c.c.named(ctx, peerName{namedConsumer, name})
}

// ProducerNamed waits until the peer has announced a producer by this name (see [Producer.Announce]), and
// returns its number, which [Received.ProducerID] has. Otherwise it is as [Conn.ConsumerNamed].
func (c *Conn) ProducerNamed(ctx context.Context, name string) (uint32, error) {
	if c == nil || c.c == nil {
		return 0, noConn("wait for a producer")
	}
	if err := bind.NeedContext(ctx, "wait for a producer", c); err != nil {
		return 0, err
	}
	return c.c.named(ctx, peerName{namedProducer, name})
}

func (c *conn) named(ctx context.Context, name peerName) (uint32, error) {
	op := fmt.Sprintf("wait for a consumer named %q", name.name)
	if name.kind == namedProducer {
		op = strings.Replace(op, "consumer", "producer", 1)
	}
	if err := c.checkName(op, name.name); err != nil {
		return 0, err
	}
	if err := c.s.link.LockAlwaysFor(ctx); err != nil {
		return 0, err
	}
	defer c.s.link.Unlock()
	var id uint32
	err := c.awaitLocked(ctx, op, func() (known bool) {
		id, known = c.names.ids[name]
		return known && (name.kind == namedProducer || c.peers.has(id))
	})
	if err == nil {
		err = c.readableLocked(op)
	}
	return id, err
}

// ConsumerNames returns the numbers of the peer's consumers that it has announced, by name. It does not drive the
// engine, so it knows of those that the engine has reported so far. The map belongs to the caller. Any goroutine
// may call it.
func (c *Conn) ConsumerNames() map[string]uint32 { return c.listNames(namedConsumer) }

// ProducerNames returns the numbers of the producers that the peer has announced, by name. Otherwise it is as
// [Conn.ConsumerNames].
func (c *Conn) ProducerNames() map[string]uint32 { return c.listNames(namedProducer) }

func (c *Conn) listNames(kind byte) map[string]uint32 {
	if c == nil || c.c == nil {
		return nil
	}
	in := c.c
	in.s.link.LockAlways()
	defer in.s.link.Unlock()
	names := map[string]uint32{}
	for name, id := range in.names.ids {
		if name.kind == kind && (kind == namedProducer || in.peers.has(id)) {
			names[name.name] = id
		}
	}
	return names
}
