package comch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// Dial connects to the server of that name on the DPU. The server must serve the function
// that dev is. Dial drives the engine until the connection is established or DOCA gives up.
//
// The server answers only while its engine is driven, for example by Accept or Recv. If the
// server exists but its program does not drive the engine, Dial waits until ctx ends.
//
// The device owns the connection: closing the device closes it. Errors: ErrNotConnected if no
// such server answers or it refuses the client; ErrNotSupported if clients cannot run on dev;
// ErrInvalidValue for an empty or too long name and for a Config that the device does not
// support; ctx.Err() if ctx ends first. Calls doca_comch_client_create and doca_ctx_start.
func Dial(ctx context.Context, dev *doca.Device, name string, cfg Config) (*Conn, error) {
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
		Endless:   true,
	})
	if err != nil {
		return nil, err
	}
	c := &Conn{obj: obj, dev: dev, eng: obj.Engine(), c: s.clientConn}
	err = obj.Start(ctx)
	s.link.LockAlways()
	up := s.clientConn.established // even if it has ended since
	s.link.Unlock()
	if up {
		return c, nil
	}
	if state := new(doca.StateError); errors.As(err, &state) && state.State == doca.StateIdle {
		err = &doca.OpError{Op: "dial", Object: obj.String(), Err: doca.ErrNotConnected,
			Advice: fmt.Sprintf("no server %q on the DPU answers for this function, or it refuses the client; both sides need the same MaxMessageSize; %s", name, seeLog)}
	} else if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = &doca.OpError{Op: "dial", Object: obj.String(), Err: ctx.Err(),
			Advice: fmt.Sprintf("no server %q on the DPU has answered for this function so far", name)}
	}
	return nil, errors.Join(err, obj.Close())
}

func (s *side) createClient(dev *common.Dev, link *bind.Link, cfg Config) (*common.Ctx, error) {
	s.link = link
	s.clientConn = s.newConn()
	if err := s.setup(dev, cfg, gen.CapClientIsSupported); err != nil {
		return nil, explain(err, doca.ErrNotSupported, "clients run on the host")
	}
	var err error
	if s.client, err = gen.ClientCreate(dev, s.name); err != nil {
		return nil, err
	}
	for _, err := range []error{
		gen.ClientSetMaxMsgSize(s.client, uint32(s.limits.MaxMessageSize)),
		gen.ClientSetRecvQueueSize(s.client, uint32(s.limits.RecvQueueSize)),
		gen.ClientTaskSendSetConfOnce(s.client, uint32(s.limits.MaxSendTasks)),
		gen.ClientEventMsgRecvRegister(s.client),
		gen.ClientEventConsumerRegister(s.client),
	} {
		if err != nil {
			return nil, errors.Join(err, s.destroy(nil))
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
			c.endLocked(io.EOF)
		}
	}
}
