package rdma

import (
	"context"
	"errors"
	"net/netip"
	"strconv"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// AddrType is the type of an address, enum doca_rdma_addr_type.
type AddrType = gen.AddrType

// The types of addresses.
const (
	AddrIPv4 = gen.AddrTypeIPv4
	AddrIPv6 = gen.AddrTypeIPv6
	AddrGID  = gen.AddrTypeGID
)

// Addr is the address of a peer that listens.
type Addr struct {
	Type    AddrType
	Address string // an IPv4 or IPv6 address, or a GID, as text
	Port    uint16
}

// ParseAddr makes an Addr of an IPv4 or IPv6 address and a port, such as "192.0.2.1:13579" or
// "[2001:db8::1]:13579". It returns ErrInvalidValue for anything else; a GID looks like an IPv6 address,
// so write an Addr for it.
func ParseAddr(s string) (Addr, error) {
	ap, err := netip.ParseAddrPort(s)
	if err != nil {
		return Addr{}, &doca.OpError{Op: "parse address", Object: strconv.Quote(s), Err: doca.ErrInvalidValue, Advice: err.Error()}
	}
	a := Addr{Type: AddrIPv6, Address: ap.Addr().String(), Port: ap.Port()}
	if ap.Addr().Is4() {
		a.Type = AddrIPv4
	}
	return a, nil
}

// String returns the address and the port.
func (a Addr) String() string {
	if a.Type == AddrIPv4 {
		return a.Address + ":" + strconv.Itoa(int(a.Port))
	}
	return "[" + a.Address + "]:" + strconv.Itoa(int(a.Port))
}

// Dial connects to a peer that listens on an address (see [RDMA.Listen]), and waits until the
// connection is established. The peer may have ended it again by then: [Conn.Err] says so.
//
// If ctx ends first, DOCA's request goes on, because DOCA cannot withdraw it: it takes the place of a connection until
// the peer has answered or Config.RequestTimeout has ended. A connection that is established in that time is closed.
//
// Errors:
// ctx.Err() if ctx ends first; ErrRejected if the peer has refused, nobody listens there, or
// Config.RequestTimeout has ended; ErrInvalidValue for an address that is none; ErrConnectionAborted if the device cannot request it, or the context has MaxConnections
// connections; a [*doca.StateError] if the context does not run. Calls doca_rdma_addr_create and
// doca_rdma_connect_to_addr.
func (r *RDMA) Dial(ctx context.Context, addr Addr) (*Conn, error) {
	if r == nil || r.c == nil {
		return nil, noRDMA("dial")
	}
	if err := bind.NeedContext(ctx, "dial", r); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := r.newConn(ctx, "dial")
	if err != nil {
		return nil, err
	}
	if err := c.c.dial(addr); err != nil {
		return nil, c.abandon(err)
	}
	if err := c.established(ctx, "dial "+addr.String()); err != nil {
		return nil, err
	}
	return c, nil
}

// newConn makes a connection that is about to be requested or accepted. Its handle is there from the start, because a
// message of the peer may come before the call that makes the connection has returned.
func (r *RDMA) newConn(ctx context.Context, op string) (*Conn, error) {
	if err := r.c.link.LockFor(ctx, bind.OpSubmit, op); err != nil {
		return nil, err
	}
	in := r.c.newConnLocked(ConnConnecting)
	r.c.link.Unlock()
	return r.handleOf(in)
}

// abandon closes a connection that has failed with err, which it returns.
func (c *Conn) abandon(err error) error {
	link := c.c.r.link
	link.LockAlways()
	c.c.endLocked(err)
	link.Unlock()
	return errors.Join(err, c.obj.Close())
}

func (c *conn) dial(addr Addr) error {
	link, op := c.r.link, "dial "+addr.String()
	if err := link.Lock(bind.OpSubmit, "dial"); err != nil {
		return err
	}
	defer link.Unlock()
	raw, err := gen.AddrCreate(addr.Type, addr.Address, addr.Port)
	if err != nil {
		return c.fail(op, err, "Addr needs an address of its Type, as text, and a port")
	}
	c.r.catchUpLocked() // the end of another connection, whose place this one needs, may be about to be reported
	c.first = c.r.recv.written
	err = gen.ConnectToAddr(c.r.raw, raw, c.user)
	if link.Call(func(ring *abi.Ring) error { return gen.AddrDestroy(ring, raw) }) != nil {
		c.r.addrs = append(c.r.addrs, raw)
	}
	if err != nil {
		if c.err != nil { // the failure was reported as well
			err = errors.Join(err, c.err)
		}
		return c.fail(op, err, "DOCA's log has the reason; the context may have its maximum number of connections: close one, or set Config.MaxConnections")
	}
	return nil
}

// established waits until the connection is established. One that the peer has ended again in the meantime
// counts: what the peer has sent is there. After an error the connection is closed.
func (c *Conn) established(ctx context.Context, op string) error {
	in, link := c.c, c.c.r.link
	link.LockAlways()
	err := link.Await(ctx, func() bool { return in.state != ConnConnecting || link.Check(bind.OpSubmit, op) != nil })
	if peer := new(PeerError); in.state == ConnConnected || in.wasConnected && errors.As(in.err, &peer) {
		link.Unlock()
		return nil
	}
	if in.err != nil {
		err = in.endErrorLocked(op)
	} else if state := link.Check(bind.OpSubmit, op); state != nil {
		err = state
	}
	link.Unlock()
	return c.abandon(err)
}
