package comch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// Dial connects to the server with a name that runs on the DPU for the function that dev is.
// It returns when the connection is established or DOCA gives up, and drives the engine
// meanwhile. The server does its part while its engine is driven, as by Accept or Recv on
// the other side; a server that is there and does nothing is waited for as long as ctx says.
// The device owns the connection. Errors: ErrNotConnected when no such server
// answers or it turns the client away; ErrNotSupported for a device that cannot have clients;
// ErrInvalidValue for a name that is empty or too long, and for what Config cannot have;
// ctx.Err() if ctx ends first. Stands on doca_comch_client_create and doca_ctx_start.
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
		Handle:    s.handle,
		Changed:   s.clientChanged,
		Room:      s.room,
		Halt:      func() { s.only.shut() },
		Endless:   true,
	})
	if err != nil {
		return nil, err
	}
	c := &Conn{obj: obj, dev: dev, eng: obj.Engine(), c: s.only}
	err = obj.Start(ctx)
	s.link.LockAlways()
	up := s.only.up // it may have ended again
	s.link.Unlock()
	if up {
		return c, nil
	}
	if state := new(doca.StateError); errors.As(err, &state) && state.State == doca.StateIdle {
		err = &doca.OpError{Op: "dial", Object: obj.String(), Err: doca.ErrNotConnected,
			Advice: fmt.Sprintf("no server %q on the DPU answers for this function, or it turns clients away; it must have the same MaxMessageSize; %s", name, seeLog)}
	} else if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = &doca.OpError{Op: "dial", Object: obj.String(), Err: ctx.Err(),
			Advice: fmt.Sprintf("no server %q on the DPU has answered for this function so far", name)}
	}
	return nil, errors.Join(err, obj.Close())
}

func (s *side) createClient(dev *common.Dev, link *bind.Link, cfg Config) (*common.Ctx, error) {
	s.link = link
	s.only = s.newConn()
	if err := s.setup(dev, cfg, gen.CapClientIsSupported); err != nil {
		return nil, explain(err, doca.ErrNotSupported, "a client is on the host's side")
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

// clientChanged follows the client's context: its life is that of the connection.
func (s *side) clientChanged(state doca.State) {
	c := s.only
	switch state {
	case doca.StateRunning:
		raw, err := gen.ClientGetConnection(s.client)
		c.establish(raw)
		if err != nil { // it has ended again; what came is about to be handed over
			c.raw = nil
		}
	case doca.StateStopping, doca.StateIdle:
		if c.up {
			c.ended(io.EOF)
		}
	}
}

// destroy destroys the server or client.
func (s *side) destroy(ring *abi.Ring) error {
	if s.server != nil {
		if err := gen.ServerDestroy(ring, s.server); err != nil {
			return err
		}
		s.server = nil
	}
	if s.client != nil {
		if err := gen.ClientDestroy(ring, s.client); err != nil {
			return err
		}
		s.client = nil
	}
	return nil
}
