package comch

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// Dial connects to the server of that name on the DPU. The server must serve the function
// that dev is. Dial drives the engine until the connection is established or DOCA gives up.
// Where the list of devices has several entries at one PCI address, dev must be the one that
// [ClientSupported] accepts.
//
// If there is no such server, Dial gives up when DOCA does, and does not try again. The emulator looks for a server for 2 seconds, so
// that two programs may start in any order; the environment variable DOCA_EMU_COMCH_CONNECT_TIMEOUT changes that, and a ctx that ends before
// ends Dial. A card need not look for a server that comes later: a client that may start first calls Dial again after ErrNoServer.
//
// The server answers only while its engine is driven, for example by Accept or Recv. If the
// server exists but its program does not drive the engine, Dial waits until ctx ends.
//
// The device owns the connection: closing the device closes it. Errors: ErrNoServer if DOCA says
// that there is no such server: its name or its representor is another one, or it is not started;
// [doca.ErrFull] and [doca.ErrTooBig] if DOCA says that the server has no room or another
// MaxMessageSize, as the emulator does; [doca.ErrNotConnected] if DOCA gives up without saying why,
// where the server may also have refused the client; ErrNotSupported if clients cannot run on
// dev; ErrInvalidValue for an empty or too long name and for a Config that the device does not
// support; ctx.Err() if ctx ends first. Where DOCA gives another code, the error wraps that. Calls
// doca_comch_client_create and doca_ctx_start.
func Dial(ctx context.Context, dev *doca.Device, name string, cfg Config) (*Conn, error) {
	if err := bind.NeedContext(ctx, "dial", nil); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &side{name: name}
	obj, err := bind.NewContext(bind.ContextConfig{
		Kind:      "comch client",
		Device:    dev,
		Engine:    cfg.Engine,
		OwnEngine: cfg.Engine == nil,
		Create:    func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) { return s.createClient(dev, link, cfg) },
		Destroy:   s.destroy,
		Handle:    s.handleLocked,
		Changed:   s.clientChangedLocked,
		Room:      s.roomLocked,
		Halt:      func() { s.clientConn.beginCloseLocked() },
		Failed:    s.failedLocked,
		Owns:      s.ownsLocked,
		Endless:   true,
		StopLimit: closeLimit,
	})
	if err != nil {
		return nil, s.explainDevice(err, dev, "ClientSupported", ClientSupported, "clients run on the host")
	}
	c := &Conn{place: obj, obj: obj, dev: dev, eng: obj.Engine(), c: s.clientConn}
	err = obj.Start(ctx)
	s.link.LockAlways()
	up := s.clientConn.established // even if it has ended since
	s.link.Unlock()
	if up {
		return c, nil
	}
	return nil, errors.Join(s.dialError(ctx, obj.String(), err), obj.Close())
}

// dialError returns why a client is not connected. err is the error of its start.
func (s *side) dialError(ctx context.Context, object string, err error) error {
	fail := func(cause error, advice string) error {
		return &doca.OpError{Op: "dial", Object: object, Err: cause, Advice: advice}
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return fail(ctx.Err(), fmt.Sprintf("no server %q on the DPU has answered for this function so far: if there is one, it must be in Accept or drive its engine otherwise", s.name))
	}
	state := new(doca.StateError)
	idle := errors.As(err, &state) && state.State == doca.StateIdle
	if idle {
		err = s.whyIdle() // DOCA has given up
	}
	switch {
	case errors.Is(err, doca.ErrConnectionAborted), errors.Is(err, doca.ErrNotFound):
		return fail(fmt.Errorf("%w: %w", ErrNoServer, err), fmt.Sprintf("%q has another name, serves another function (see the representor of its Listen), or is not started", s.name))
	case errors.Is(err, doca.ErrFull):
		return fail(err, fmt.Sprintf("server %q has as many clients as its device supports", s.name))
	case errors.Is(err, doca.ErrTooBig):
		return fail(err, s.sizes())
	case errors.Is(err, doca.ErrNotConnected):
		return fail(err, fmt.Sprintf("no server %q on the DPU answers for this function, or it refuses this client: it has no room, or another size. %s; %s", s.name, s.sizes(), seeLog))
	case idle:
		return fail(err, seeLog)
	}
	return err
}

func (s *side) sizes() string {
	return fmt.Sprintf("both sides need the same MaxMessageSize, which is %d on this one", s.limits.MaxMessageSize)
}

// whyIdle asks DOCA why the start of the client has failed. Where it does not say, the answer is
// ErrNotConnected.
func (s *side) whyIdle() error {
	s.link.LockAlways()
	defer s.link.Unlock()
	_, err := gen.ClientGetConnection(s.client)
	if err == nil || errors.Is(err, doca.ErrBadState) || errors.Is(err, doca.ErrInvalidValue) {
		return doca.ErrNotConnected
	}
	return err
}

func (s *side) createClient(dev *common.Dev, link *bind.Link, cfg Config) (*common.Ctx, error) {
	s.link = link
	s.clientConn = s.newConn()
	if err := s.setup(dev, cfg, gen.CapClientIsSupported); err != nil {
		return nil, err
	}
	var err error
	if s.client, err = gen.ClientCreate(dev, s.name); err != nil {
		return nil, err
	}
	for _, err := range []error{
		gen.ClientSetMaxMsgSize(s.client, uint32(s.limits.MaxMessageSize)),
		gen.ClientSetRecvQueueSize(s.client, uint32(s.limits.RecvQueueSize)),
		gen.ClientTaskSendSetConfOnce(s.client, uint32(s.sendTasks)),
		gen.ClientEventMsgRecvRegister(s.client),
		gen.ClientEventConsumerRegister(s.client),
	} {
		if err != nil {
			return nil, err
		}
	}
	return gen.ClientAsCtx(s.client)
}

// clientChangedLocked is called when the state of the client's context changes. The connection
// exists while the context runs.
func (s *side) clientChangedLocked(state doca.State) {
	c := s.clientConn
	switch state {
	case doca.StateRunning:
		raw, err := gen.ClientGetConnection(s.client)
		c.establishLocked(raw)
		if err != nil { // it has ended again; its messages are still to be handled
			c.raw = nil
		}
	case doca.StateStopping, doca.StateIdle:
		if c.established {
			c.peerEndedLocked(EndUnknown)
		}
	}
}
