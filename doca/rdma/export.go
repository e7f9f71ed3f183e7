package rdma

import (
	"bytes"
	"errors"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// Export makes a connection and returns its details, which the program brings to the peer by any
// means: a file, a socket, a Comch message. The peer does the same, and both call [Conn.Connect] with
// what they got. The details are secret: who has them can connect. Each pair of details makes one
// connection.
//
// Errors: ErrFull if the context has MaxConnections connections; a [*doca.StateError] if the context
// does not run. Calls doca_rdma_export.
func (r *RDMA) Export() (*Conn, []byte, error) {
	if r == nil || r.c == nil {
		return nil, nil, noRDMA("export")
	}
	in, details, err := r.c.export()
	if err != nil {
		return nil, nil, err
	}
	c, err := r.handleOf(in)
	if err != nil {
		return nil, nil, err
	}
	return c, details, nil
}

func (c *core) export() (*conn, []byte, error) {
	if err := c.link.Lock(bind.OpSubmit, "export"); err != nil {
		return nil, nil, err
	}
	defer c.link.Unlock()
	details, raw, err := gen.Export(c.raw)
	if errors.Is(err, doca.ErrFull) { // the end of another connection may be about to be reported
		c.catchUpLocked()
		details, raw, err = gen.Export(c.raw)
	}
	if err != nil {
		advice := ""
		if errors.Is(err, doca.ErrFull) {
			advice = "the context has its maximum number of connections: close one, or set Config.MaxConnections"
		}
		return nil, nil, c.fail("export", err, advice)
	}
	details = bytes.Clone(details) // DOCA's own bytes live as long as the connection
	in := c.newConnLocked(ConnExported)
	if err := in.knownLocked(raw); err != nil {
		in.disconnectLocked()
		in.forgetLocked()
		return nil, nil, c.fail("export", err, "")
	}
	return in, details, nil
}

// Connect connects with the peer whose details these are, from its [RDMA.Export]. Operations can
// begin when Connect has returned, and wait until the peer has connected as well. That is all that a
// return without error says: the peer may not have called Connect yet, and may have posted no
// receive. [Conn.Handshake] waits until it has.
//
// Errors: ErrInvalidValue for details that are damaged, or of another release or transport type;
// ErrBadState if the connection is connected; ErrConnectionAborted if the peer's process cannot be
// reached. Calls doca_rdma_connect.
func (c *Conn) Connect(details []byte) error {
	if c == nil || c.c == nil {
		return noConn("connect")
	}
	in := c.c
	in.r.link.LockAlways()
	defer in.r.link.Unlock()
	switch {
	case in.closing:
		return in.closedError("connect")
	case in.err != nil:
		return in.endErrorLocked("connect")
	}
	if err := in.r.link.Check(bind.OpSubmit, "connect"); err != nil {
		return err
	}
	if err := connect(in.name, in.r.raw, in.raw, in.state != ConnExported, details); err != nil {
		return err
	}
	in.state = ConnConnected
	return nil
}

// connect connects the connection with this name.
func connect(name string, rdma *gen.RDMA, raw *gen.Connection, isConnected bool, details []byte) error {
	err, advice := error(doca.ErrInvalidValue), "the details are empty"
	switch {
	case isConnected:
		err, advice = doca.ErrBadState, "it is connected already: each Export makes one connection"
	case len(details) > 0:
		err, advice = gen.Connect(rdma, details, raw), ""
		switch {
		case err == nil:
			return nil
		case errors.Is(err, doca.ErrInvalidValue):
			advice = "the details are damaged, or they are not those of the peer's Export"
		case errors.Is(err, doca.ErrConnectionAborted):
			advice = "the peer's process has ended, belongs to another user, or cannot be reached: DOCA's log has the reason"
		}
	}
	return &doca.OpError{Op: "connect", Object: name, Err: err, Advice: advice}
}
