package comch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// path is what consumers and producers belong to: a connection or a MsgQ.
type path interface {
	// newConsumer creates DOCA's consumer. If it succeeds, detach takes the endpoint back.
	newConsumer(e *endpoint, mem *doca.Memory) (*gen.Consumer, error)

	// newProducer creates DOCA's producer. If it succeeds, detach takes the endpoint back.
	newProducer(e *endpoint) (*gen.Producer, error)

	// maxImm returns the limit of immediate data in bytes, where the device has a limit of most.
	maxImm(most uint32) int

	// detach is called when DOCA's object is destroyed. The caller may hold the lock of the endpoint's
	// engine.
	detach(e *endpoint)

	// drive calls f, which waits for the start of a consumer, and lets DOCA work meanwhile. f must not
	// last longer than ctx.
	drive(ctx context.Context, f func() error) error

	// refused returns the true cause of an error with which DOCA has refused to start something.
	refused(ctx context.Context, op string, err error) error

	// end returns the error of an operation if the path has ended, else nil. It needs no lock.
	end(op string, e *endpoint) error

	// cause returns why the path has ended; nil: it has not, or this side has ended it.
	cause() error

	// suspects reports whether an error of DOCA may have the end of the path as its cause, which verdict
	// finds out.
	suspects(err error) bool

	// verdict returns the true cause of an error on a consumer or producer. It may wait for it. The
	// caller must not hold a lock.
	verdict(ctx context.Context, op, object string, s *suspicion) error

	// changes returns the number of consumers of the peer that are known to have started and ended. It needs no lock.
	changes() *atomic.Uint32

	// hear is called when something has arrived.
	hear()
}

// The methods of a connection as a path; those that it has for itself as well are elsewhere.
var _ path = (*conn)(nil)

func (c *conn) newConsumer(e *endpoint, mem *doca.Memory) (*gen.Consumer, error) {
	mmap, err := bind.RawMemory(mem)
	if err != nil {
		return nil, err
	}
	var raw *gen.Consumer
	err = c.attachEndpoint(e, func(conn *gen.Connection) (err error) {
		raw, err = gen.ConsumerCreate(conn, mmap)
		return err
	})
	return raw, withAccess(err)
}

func (c *conn) newProducer(e *endpoint) (*gen.Producer, error) {
	var raw *gen.Producer
	err := c.attachEndpoint(e, func(conn *gen.Connection) (err error) {
		raw, err = gen.ProducerCreate(conn)
		return err
	})
	return raw, err
}

// attachEndpoint creates DOCA's object on the connection. Until detach a goroutine drives the
// connection's engine, because that engine reports the end of the connection.
func (c *conn) attachEndpoint(e *endpoint, create func(*gen.Connection) error) error {
	err := c.attach("create "+e.kind, &e.att, create)
	if err == nil && e.otherEngine {
		c.s.link.LockAlways()
		c.s.link.Watch()
		c.s.link.Unlock()
	}
	return err
}

func (c *conn) maxImm(most uint32) int { return int(most) }

func (c *conn) detach(e *endpoint) {
	c.detachAttachment(&e.att)
	if e.otherEngine {
		go func(link *bind.Link) { // the caller may hold the lock of an engine
			link.LockAlways()
			defer link.Unlock()
			link.Unwatch()
		}(c.s.link)
	}
}

func (c *conn) drive(ctx context.Context, f func() error) error { return c.whileDriving(ctx, f) }

func (c *conn) refused(ctx context.Context, op string, err error) error {
	if c.s.link.LockAlwaysFor(ctx) != nil {
		return err
	}
	defer c.s.link.Unlock()
	return c.whyRefusedLocked(ctx, op, err)
}

func (c *conn) end(op string, e *endpoint) error {
	over := c.over.Load()
	if over == nil {
		return nil
	}
	if peer := new(PeerError); errors.As(*over, &peer) {
		return c.gone(peer, op, e.link.String(), op == opReceive)
	}
	if errors.Is(*over, doca.ErrClosed) {
		return c.closedError(op)
	}
	return e.fail(op, *over, "")
}

func (c *conn) cause() error { return c.peerEnd() }

func (c *conn) changes() *atomic.Uint32 { return &c.peers.changes }

func (c *conn) suspects(err error) bool { return saysEnd(err) }

// withAccess adds to the refusal of a consumer what may be wrong with its memory.
func withAccess(err error) error {
	if errors.Is(err, doca.ErrInvalidValue) || errors.Is(err, doca.ErrNotPermitted) {
		return fmt.Errorf("%w: the memory must grant AccessPCIReadWrite", err)
	}
	return err
}
