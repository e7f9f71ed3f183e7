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
// connection is established. The peer may have ended it again by then: [Conn.Err] says so. Errors:
// ctx.Err() if ctx ends first; ErrRejected if the peer has refused, nobody listens there, or
// Config.RequestTimeout has ended; ErrInvalidValue for an address that is none; ErrFull if the context
// has MaxConnections connections; ErrConnectionAborted if the device cannot request it; a
// [*doca.StateError] if the context does not run. Calls doca_rdma_addr_create and
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
	in, err := r.c.dial(addr)
	if err != nil {
		return nil, err
	}
	return r.established(ctx, in, "dial "+addr.String())
}

func (c *core) dial(addr Addr) (*conn, error) {
	if err := c.link.Lock(bind.OpSubmit, "dial"); err != nil {
		return nil, err
	}
	defer c.link.Unlock()
	op := "dial " + addr.String()
	raw, err := gen.AddrCreate(addr.Type, addr.Address, addr.Port)
	if err != nil {
		return nil, c.fail(op, err, "Addr needs an address of its Type, as text, and a port")
	}
	in := c.newConnLocked(ConnConnecting)
	if err = gen.ConnectToAddr(c.raw, raw, in.user); errors.Is(err, doca.ErrFull) { // see export
		c.link.Step()
		err = gen.ConnectToAddr(c.raw, raw, in.user)
	}
	err = errors.Join(err, c.link.Call(func(ring *abi.Ring) error { return gen.AddrDestroy(ring, raw) }))
	if err != nil {
		in.forgetLocked()
		if in.err != nil { // the failure was reported as well
			err = errors.Join(err, in.err)
		}
		return nil, c.fail(op, err, "DOCA's log has the reason")
	}
	return in, nil
}

// established waits until a connection is established, and makes its handle. One that the peer has ended again in the meantime counts:
// what the peer has sent is there.
func (r *RDMA) established(ctx context.Context, in *conn, op string) (*Conn, error) {
	c := r.c
	c.link.LockAlways()
	err := c.link.Await(ctx, func() bool { return in.state != ConnConnecting || c.link.Check(bind.OpSubmit, op) != nil })
	if peer := new(PeerError); in.state != ConnConnected && !(in.wasConnected && errors.As(in.err, &peer)) {
		if in.err != nil {
			err = in.endErrorLocked(op)
		} else if state := c.link.Check(bind.OpSubmit, op); state != nil {
			err = state
		}
		if in.raw != nil && c.link.Running() {
			in.disconnectLocked()
		}
		in.endLocked(err)
		in.forgetLocked()
		c.link.Unlock()
		return nil, err
	}
	c.link.Unlock()
	return r.handleOf(in)
}
