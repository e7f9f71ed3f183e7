package rdma

import (
	"bytes"
	"context"
	"errors"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// DPAConn is one end of a connection of a [DPARDMA], which owns it. Device code uses it by its ID. How it fares is in the completions
// that device code gets: the program does not hear of its end. Any goroutine may use it.
type DPAConn struct {
	*child
	c *dpaConn
	r *DPARDMA // so that its handle lives as long as this one
}

// dpaConn is the inner part of a DPAConn. The context's lock guards it.
type dpaConn struct {
	r           *dpaCore
	name        string
	raw         *gen.Connection // nil: closed
	id          uint32
	isConnected bool
}

// Export makes a connection and returns its details for the peer, as [RDMA.Export] does. The peer's are for [DPAConn.Connect].
//
// Errors: ErrFull if the context has MaxConnections connections; dpa.ErrFatal; a [*doca.StateError] if r is closed. Calls
// doca_rdma_export and doca_rdma_connection_get_id.
func (r *DPARDMA) Export() (*DPAConn, []byte, error) {
	if r == nil || r.c == nil {
		return nil, nil, noDPARDMA("export")
	}
	in, details, err := r.c.export()
	if err != nil {
		return nil, nil, err
	}
	obj, err := bind.NewChild(bind.ChildConfig{Kind: "rdma connection", Detail: "of " + r.String(), Parent: r, Close: in.close})
	if err != nil {
		return nil, nil, errors.Join(err, in.close(context.Background()))
	}
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	in.name = obj.String()
	return &DPAConn{child: obj, c: in, r: r}, details, nil
}

func (c *dpaCore) export() (*dpaConn, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.openLocked("export"); err != nil {
		return nil, nil, err
	}
	details, raw, err := gen.Export(c.raw)
	if err != nil {
		advice := ""
		if errors.Is(err, doca.ErrFull) {
			advice = "the context has its maximum number of connections: close one, or set DPAConfig.MaxConnections"
		}
		return nil, nil, c.why("export", c.name, err, advice)
	}
	in := &dpaConn{r: c, name: "connection of " + c.name, raw: raw}
	details = bytes.Clone(details) // DOCA's own bytes live as long as the connection
	if in.id, err = gen.ConnectionGetID(raw); err != nil {
		in.disconnectLocked()
		return nil, nil, c.why("export", c.name, err, "")
	}
	return in, details, nil
}

// disconnectLocked tells DOCA to end the connection, and ignores that it may have ended.
func (c *dpaConn) disconnectLocked() {
	if c.raw != nil && c.r.raw != nil {
		_ = gen.ConnectionDisconnect(nil, c.raw)
	}
	c.raw = nil
}

func (c *dpaConn) close(context.Context) error {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	c.disconnectLocked()
	return nil
}

// Connect connects with the peer whose details these are, from its [RDMA.Export] or [DPARDMA.Export]. Device code can post when Connect has
// returned, and what it posts waits until the peer has connected as well.
//
// Errors: as [Conn.Connect]; dpa.ErrFatal. Calls doca_rdma_connect.
func (c *DPAConn) Connect(details []byte) error {
	const op = "connect"
	if c == nil || c.c == nil {
		return noDPAConn(op)
	}
	in := c.c
	in.r.mu.Lock()
	defer in.r.mu.Unlock()
	if in.raw == nil {
		return &doca.StateError{Object: in.name, State: doca.StateClosed, Op: op}
	}
	if err := in.r.openLocked(op); err != nil {
		return err
	}
	if err := connect(in.name, in.r.raw, in.raw, in.isConnected, details); err != nil {
		return in.r.why(op, in.name, err, "")
	}
	in.isConnected = true
	return nil
}

// ID returns the number by which device code knows the connection: its functions take it, and it is the user data of the completions. The
// first connection of a context has 0. A later one may have the number of one that was closed. Calls doca_rdma_connection_get_id.
func (c *DPAConn) ID() uint32 {
	if c == nil || c.c == nil {
		return 0
	}
	return c.c.id
}

// RDMA returns the context of the connection.
func (c *DPAConn) RDMA() *DPARDMA {
	if c == nil {
		return nil
	}
	return c.r
}

// Close ends the connection. What device code has in flight on it fails. Closing a closed one is no error. Calls
// doca_rdma_connection_disconnect.
func (c *DPAConn) Close() error { return c.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx.
func (c *DPAConn) Shutdown(ctx context.Context) error {
	if c == nil || c.c == nil {
		return noDPAConn("close")
	}
	return c.child.Shutdown(ctx)
}

// String names the connection for messages and logs.
func (c *DPAConn) String() string {
	if c == nil || c.c == nil {
		return "no connection"
	}
	return c.child.String()
}
