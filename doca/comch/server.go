package comch

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// Server accepts the connections that programs on one function of the host make to its name.
// It owns them; the device and the representor own it. It may be used from any goroutine.
type Server struct {
	ctx *doca.Context
	rep *doca.Representor // keeps its handle as long as this one
	s   *side
}

// Listen starts a server on a DPU's device, for the host function that rep stands for.
// Several servers may share the two if their names differ. Errors: ErrAlreadyExist for a name
// that is taken; ErrNotSupported for a device that cannot have servers; ErrInvalidValue for a
// name that is empty or too long, and for what Config cannot have. ctx bounds the start.
// Stands on doca_comch_server_create and doca_ctx_start.
func Listen(ctx context.Context, dev *doca.Device, rep *doca.Representor, name string, cfg Config) (*Server, error) {
	s := &side{name: name, conns: map[*gen.Connection]*conn{}}
	if rep == nil {
		return nil, &doca.OpError{Op: "listen", Err: doca.ErrInvalidValue, Advice: "the representor is nil: open that of the host's function"}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	obj, err := bind.NewContext(bind.ContextConfig{
		Kind:      "comch server",
		Device:    dev,
		Engine:    cfg.Engine,
		OwnEngine: cfg.Engine == nil,
		Parent:    rep,
		Create: func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) {
			return s.createServer(dev, link, rep, cfg)
		},
		Destroy: s.destroy,
		Handle:  s.handle,
		Changed: s.serverChanged,
		Room:    s.room,
		Halt:    s.halt,
		Endless: true,
	})
	if err != nil {
		return nil, err
	}
	if err := obj.Start(ctx); err != nil {
		err = explain(err, doca.ErrAlreadyExist, "another server for this function has the name")
		err = explain(err, doca.ErrInitialization, seeLog)
		return nil, errors.Join(err, obj.Close())
	}
	return &Server{ctx: obj, rep: rep, s: s}, nil
}

func (s *side) createServer(dev *common.Dev, link *bind.Link, rep *doca.Representor, cfg Config) (*common.Ctx, error) {
	s.link = link
	if err := s.setup(dev, cfg, gen.CapServerIsSupported); err != nil {
		return nil, explain(err, doca.ErrNotSupported, "a server is on the DPU's side")
	}
	raw, err := bind.RawRepresentor(rep)
	if err != nil {
		return nil, err
	}
	if s.server, err = gen.ServerCreate(dev, raw, s.name); err != nil {
		return nil, explain(err, doca.ErrInvalidValue, "the representor must be one of this device, and the name have no NUL")
	}
	for _, err := range []error{
		gen.ServerSetMaxMsgSize(s.server, uint32(s.limits.MaxMessageSize)),
		gen.ServerSetRecvQueueSize(s.server, uint32(s.limits.RecvQueueSize)),
		gen.ServerTaskSendSetConfOnce(s.server, uint32(s.limits.MaxSendTasks)),
		gen.ServerEventMsgRecvRegister(s.server),
		gen.ServerEventConnectionStatusChangedRegister(s.server),
		gen.ServerEventConsumerRegister(s.server),
	} {
		if err != nil {
			return nil, errors.Join(err, s.destroy(nil))
		}
	}
	return gen.ServerAsCtx(s.server)
}

// Accept returns the next connection. It waits for one and drives the engine meanwhile. A
// connection that has ended before it was accepted is returned if it has messages to read.
// Errors: ctx.Err() if ctx ends first, and a [*doca.StateError] when the server is closed.
func (v *Server) Accept(ctx context.Context) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := v.s.accept(ctx)
	if err != nil {
		return nil, err
	}
	obj, err := bind.NewChild(bind.ChildConfig{
		Kind:   "comch connection",
		Detail: "of " + v.ctx.String(),
		Parent: v.ctx,
		Close:  c.close,
	})
	if err != nil {
		return nil, err
	}
	v.s.link.LockAlways()
	c.name = obj.String()
	v.s.link.Unlock()
	return &Conn{obj: obj, srv: v, dev: v.ctx.Device(), eng: v.ctx.Engine(), c: c}, nil
}

func (s *side) accept(ctx context.Context) (*conn, error) {
	s.link.LockAlways()
	defer s.link.Unlock()
	refused := func() error { return s.link.Check(bind.OpSubmit, "accept") }
	err := s.link.Await(ctx, func() bool { return len(s.arrived) > 0 || refused() != nil })
	if err := refused(); err != nil {
		return nil, err
	}
	if len(s.arrived) == 0 {
		return nil, err
	}
	c := s.arrived[0]
	s.arrived = slices.Delete(s.arrived, 0, 1)
	return c, nil
}

// connected takes a new connection.
func (s *side) connected(raw *gen.Connection) {
	c := s.newConn()
	c.establish(raw)
	s.conns[raw] = c
	if len(s.arrived) >= s.maxArrived {
		go c.close(context.Background()) // DOCA must not be called from here
		return
	}
	s.arrived = append(s.arrived, c)
	s.link.Wake()
}

// disconnected notes the end of a connection; the handle is no more than a number here.
func (s *side) disconnected(raw *gen.Connection, orderly bool) {
	c := s.conns[raw]
	if c == nil {
		return
	}
	delete(s.conns, raw)
	err := io.EOF
	if !orderly {
		err = c.fail("use", doca.ErrConnectionReset, "the peer is gone")
	}
	c.ended(err)
	if c.in.n == 0 { // nobody need accept it
		s.arrived = slices.DeleteFunc(s.arrived, func(x *conn) bool { return x == c })
	}
}

// serverChanged ends what DOCA has not told the end of.
func (s *side) serverChanged(state doca.State) {
	if state != doca.StateIdle {
		return
	}
	for raw := range s.conns {
		s.disconnected(raw, true)
	}
}

// halt says that the server is to stop: its connections are closed, those that nobody has
// accepted with it.
func (s *side) halt() {
	for _, c := range s.conns {
		c.shut()
	}
	s.link.Wake() // those in Accept
}

// close disconnects a server's connection and waits for its end.
func (c *conn) close(ctx context.Context) error {
	s := c.s
	s.link.LockAlways()
	defer s.link.Unlock()
	c.shut()
	if s.link.Check(bind.OpSubmit, "close") != nil { // the server is being closed, too
		s.disconnectAll()
	}
	for {
		err := c.disconnect()
		if err == nil {
			break
		}
		if !errors.Is(err, doca.ErrAgain) && !errors.Is(err, doca.ErrInUse) {
			return c.fail("close", err, "")
		}
		if err := c.pause(ctx); err != nil {
			return c.fail("close", err, "DOCA does not disconnect yet")
		}
	}
	err := s.link.AwaitDrained(ctx, func() bool { return c.raw == nil })
	return c.fail("close", err, "the connection is still ending")
}

// disconnect tells DOCA to, once.
func (c *conn) disconnect() error {
	if c.raw == nil || c.leaving {
		return nil
	}
	err := c.s.link.Call(func(ring *abi.Ring) error { return gen.ServerDisconnect(ring, c.s.server, c.raw) })
	c.leaving = err == nil
	return err
}

// disconnectAll begins to end all connections, so that those whose peers do not read take
// their time together. One that cannot be ended yet is told so when it is its turn.
func (s *side) disconnectAll() {
	for _, c := range slices.Collect(maps.Values(s.conns)) {
		c.shut()
		c.disconnect()
	}
}

// pause lets the engine do something before DOCA is asked once more.
func (c *conn) pause(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	c.s.link.AwaitDrained(short, func() bool { return c.raw == nil })
	return ctx.Err()
}

// Close closes the server and its connections, as [Conn.Close] does. Stands on doca_ctx_stop
// and doca_comch_server_destroy.
func (v *Server) Close() error { return v.ctx.Close() }

// Shutdown is Close that waits no longer than ctx. If ctx ends first it returns an error that
// wraps ctx.Err(), what is left takes no new work, and a later Close or Shutdown goes on.
func (v *Server) Shutdown(ctx context.Context) error { return v.ctx.Shutdown(ctx) }

// State returns the state of the server's context.
func (v *Server) State() doca.State { return v.ctx.State() }

// String names the server for messages and logs.
func (v *Server) String() string { return v.ctx.String() }

// Name returns the name that clients dial.
func (v *Server) Name() string { return v.s.name }

// Limits returns what the server was configured for, with the defaults filled in.
func (v *Server) Limits() Limits { return v.s.limits }

// Device returns the device that the server runs on.
func (v *Server) Device() *doca.Device { return v.ctx.Device() }

// Representor returns the representor of the host function whose clients are accepted.
func (v *Server) Representor() *doca.Representor { return v.rep }

// Engine returns the engine of the server and its connections.
func (v *Server) Engine() *doca.ProgressEngine { return v.ctx.Engine() }
