package comch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// Server accepts connections from the programs on one function of the host. The device and the
// representor own the server, and the server owns its connections: closing the owner closes
// what it owns. Any goroutine may use it.
type Server struct {
	place
	ctx *doca.Context
	rep *doca.Representor // so that its handle lives as long as this one
	s   *side
}

// Listen starts a server on a device of the DPU, for the host function that rep stands for.
// Servers with different names may share a device and a representor. ctx limits the start.
// Where the list of devices has several entries at one PCI address, dev must be the one that
// [ServerSupported] accepts.
// Errors: ErrAlreadyExist if the name is taken; ErrNotSupported if servers cannot run on dev;
// ErrInvalidValue for an empty or too long name, for a nil rep, and for a Config that the
// device does not support. Calls doca_comch_server_create and doca_ctx_start.
func Listen(ctx context.Context, dev *doca.Device, rep *doca.Representor, name string, cfg Config) (*Server, error) {
	s := &side{name: name, conns: map[*gen.Connection]*conn{}}
	if rep == nil {
		return nil, &doca.OpError{Op: "listen", Err: doca.ErrInvalidValue, Advice: "the representor is nil: open the one of the host's function"}
	}
	if err := bind.NeedContext(ctx, "listen", nil); err != nil {
		return nil, err
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
		Handle:  s.handleLocked,
		Changed: s.serverChangedLocked,
		Room:    s.roomLocked,
		Halt:    s.haltLocked,
		Failed:  s.failedLocked,
		Owns:    s.ownsLocked,
		Endless: true,

		StopLimit: closeLimit,
	})
	if err != nil {
		return nil, s.explainDevice(err, dev, "ServerSupported", ServerSupported, "servers run on the DPU")
	}
	if err := obj.Start(ctx); err != nil {
		err = explain(err, doca.ErrAlreadyExist, "another server for this function has this name")
		err = explain(err, doca.ErrInitialization, seeLog)
		return nil, errors.Join(err, obj.Close())
	}
	return &Server{place: obj, ctx: obj, rep: rep, s: s}, nil
}

func (s *side) createServer(dev *common.Dev, link *bind.Link, rep *doca.Representor, cfg Config) (*common.Ctx, error) {
	s.link = link
	if err := s.setup(dev, cfg, gen.CapServerIsSupported); err != nil {
		return nil, err
	}
	raw, err := bind.RawRepresentor(rep)
	if err != nil {
		return nil, err
	}
	if s.server, err = gen.ServerCreate(dev, raw, s.name); err != nil {
		return nil, explain(err, doca.ErrInvalidValue, "the representor must be one of this device, and the name must not contain NUL")
	}
	for _, err := range []error{
		gen.ServerSetMaxMsgSize(s.server, uint32(s.limits.MaxMessageSize)),
		gen.ServerSetRecvQueueSize(s.server, uint32(s.limits.RecvQueueSize)),
		gen.ServerTaskSendSetConfOnce(s.server, uint32(s.sendTasks)),
		gen.ServerEventMsgRecvRegister(s.server),
		gen.ServerEventConnectionStatusChangedRegister(s.server),
		gen.ServerEventConsumerRegister(s.server),
	} {
		if err != nil {
			return nil, err
		}
	}
	return gen.ServerAsCtx(s.server)
}

// Accept waits for a connection and returns it. It drives the engine while it waits. A
// connection that ended before it was accepted is returned only if it has messages to read.
// Errors: ctx.Err() if ctx ends first; a [*doca.StateError] when the server is closed.
func (v *Server) Accept(ctx context.Context) (*Conn, error) {
	if v == nil || v.s == nil {
		return nil, noServer("accept")
	}
	if err := bind.NeedContext(ctx, "accept", v); err != nil {
		return nil, err
	}
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
	return &Conn{place: obj, obj: obj, srv: v, dev: v.ctx.Device(), eng: v.ctx.Engine(), c: c}, nil
}

func (s *side) accept(ctx context.Context) (*conn, error) {
	if err := s.link.LockAlwaysFor(ctx); err != nil {
		return nil, err
	}
	defer s.link.Unlock()
	refused := func() error { return s.link.Check(bind.OpSubmit, "accept") }
	err := s.link.AwaitPatiently(ctx, func() bool { return len(s.arrived) > 0 || refused() != nil })
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

// connectedLocked adds a new connection to those that wait for Accept.
func (s *side) connectedLocked(raw *gen.Connection) {
	c := s.newConn()
	c.establishLocked(raw)
	s.conns[raw] = c
	if len(s.arrived) >= s.maxArrived {
		go c.close(context.Background()) // here DOCA must not be asked to disconnect
		return
	}
	s.arrived = append(s.arrived, c)
	s.link.Wake()
}

// disconnectedLocked records the end of a connection. The handle is no longer valid: here it
// only identifies the connection.
func (s *side) disconnectedLocked(raw *gen.Connection, orderly bool) {
	c := s.conns[raw]
	if c == nil {
		return
	}
	delete(s.conns, raw)
	switch {
	case s.stops:
		c.endLocked(s.stoppedError())
	case orderly:
		c.peerEndedLocked(EndOrderly)
	default:
		c.peerEndedLocked(EndBroken)
	}
	if c.backlog.n == 0 { // there is nothing to accept it for
		s.arrived = slices.DeleteFunc(s.arrived, func(x *conn) bool { return x == c })
	}
}

// serverChangedLocked is called when the state of the server's context changes. When the
// context is idle, it ends the connections whose end DOCA has not reported.
func (s *side) serverChangedLocked(state doca.State) {
	s.stops = state != doca.StateRunning
	if state != doca.StateIdle {
		return
	}
	for raw, c := range s.conns {
		delete(s.conns, raw)
		c.endLocked(s.stoppedError())
	}
}

// stoppedError returns why a connection has ended that this side's server had when it stopped and
// nobody had closed it.
func (s *side) stoppedError() error {
	return fmt.Errorf("%w: the server on this side has stopped by itself: its device may be lost", doca.ErrConnectionAborted)
}

// haltLocked is called when the server is to stop. It closes the connections, accepted or not.
func (s *side) haltLocked() {
	for _, c := range s.conns {
		c.beginCloseLocked()
	}
	s.link.Wake() // those in Accept
}

// disconnectAllLocked begins to disconnect all connections, so that those whose peers do not
// read time out together and not one after another. It ignores errors: the close of each
// connection tries again.
func (s *side) disconnectAllLocked() {
	for _, c := range slices.Collect(maps.Values(s.conns)) {
		c.beginCloseLocked()
		c.disconnectLocked()
	}
}

// Close closes the server's connections, as [Conn.Close] does, and then the server. If DOCA has not
// stopped it after 30 seconds, Close returns ErrTimeOut and can be called again. Calls
// doca_comch_server_disconnect, doca_ctx_stop and doca_comch_server_destroy.
func (v *Server) Close() error {
	if v == nil || v.s == nil {
		return noServer("close")
	}
	return v.ctx.Close()
}

// Shutdown is like Close but waits no longer than ctx. If ctx ends first, Shutdown returns an
// error that wraps ctx.Err(). What is still open then accepts no new work, and a later Close or
// Shutdown continues.
func (v *Server) Shutdown(ctx context.Context) error {
	if v == nil || v.s == nil {
		return noServer("shutdown")
	}
	if err := bind.NeedContext(ctx, "shutdown", v); err != nil {
		return err
	}
	return v.ctx.Shutdown(ctx)
}

// State returns the state of the server's context.
func (v *Server) State() doca.State {
	if v == nil || v.s == nil {
		return doca.StateClosed
	}
	return v.ctx.State()
}

// String names the server for messages and logs.
func (v *Server) String() string {
	if v == nil || v.s == nil {
		return ""
	}
	return v.ctx.String()
}

// Name returns the name by which clients dial the server.
func (v *Server) Name() string {
	if v == nil || v.s == nil {
		return ""
	}
	return v.s.name
}

// Limits returns the configuration of the server, with the defaults filled in.
func (v *Server) Limits() Limits {
	if v == nil || v.s == nil {
		return Limits{}
	}
	return v.s.limits
}

// Device returns the device on which the server runs.
func (v *Server) Device() *doca.Device {
	if v == nil || v.s == nil {
		return nil
	}
	return v.ctx.Device()
}

// Representor returns the representor of the host function that the server serves.
func (v *Server) Representor() *doca.Representor {
	if v == nil || v.s == nil {
		return nil
	}
	return v.rep
}

// Engine returns the engine of the server and its connections.
func (v *Server) Engine() *doca.ProgressEngine {
	if v == nil || v.s == nil {
		return nil
	}
	return v.ctx.Engine()
}
