package relay

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/control"
)

// current serves the current variant of the messages.
type current struct {
	*relay
	from, to *control.Peer
	request  control.Message // the last one
	response control.Message
}

func newCurrent(r *relay) *current {
	return &current{relay: r, from: control.NewPeer(r.initiator, r.cfg.Timeout), to: control.NewPeer(r.target, r.cfg.Timeout)}
}

func (c *current) serve(ctx context.Context) (done bool, err error) {
	if c.request, err = c.from.RecvMessage(ctx); err != nil {
		return false, errPeer{err}
	}
	c.to.Until = c.limit()
	c.response = c.request.Response()
	switch c.request.Type {
	case control.TypeQueryStorage:
		var answer control.Message
		answer, err = c.to.Request(ctx, c.request)
		c.response.Storage = answer.Storage
	case control.TypeInitStorage:
		err = c.init(ctx)
	case control.TypeStartStorage:
		err = c.startStorage(ctx)
	case control.TypeStopStorage:
		err = c.stopStorage(ctx)
	case control.TypeShutdown:
		err, done = c.shutdown(ctx), true
	default:
		err = fmt.Errorf("%w: this program does not serve it", doca.ErrNotSupported)
	}
	if err != nil {
		err = fmt.Errorf("%v request: %w", c.request.Type, err)
	}
	return done, err
}

func (c *current) answer(ctx context.Context, err error) error {
	if err != nil {
		return c.from.SendMessage(ctx, c.request.ErrorResponse(err))
	}
	return c.from.SendMessage(ctx, c.response)
}

// init makes the host's memory available to the target, and the workers.
func (c *current) init(ctx context.Context) error {
	in := c.request.Init
	switch {
	case in.Cores == 0 || int64(in.Cores) > int64(len(c.cfg.CPUs)):
		return fmt.Errorf("%w: the initiator wants %d cores, the BlueField's program has %d: repeat --cpu there", doca.ErrInvalidValue, in.Cores, len(c.cfg.CPUs))
	case in.Transactions == 0 || in.Transactions > maxTransactions:
		return fmt.Errorf("%w: the initiator wants %d transactions, 1 to %d are possible", doca.ErrInvalidValue, in.Transactions, maxTransactions)
	}
	c.tasks = 2 * int(in.Transactions)
	export, err := c.passOn(in.Export)
	if err != nil {
		return err
	}
	forward := c.request // each hop numbers its messages, and passes the correlation id on
	forward.Init = control.Init{Transactions: uint32(c.tasks), Cores: in.Cores, Export: export}
	if _, err := c.to.Request(ctx, forward); err != nil {
		return err
	}
	for i := range in.Cores {
		w, err := c.newWorker()
		if err != nil {
			return err
		}
		err = c.connect(w, func(role control.Role, details []byte) ([]byte, error) {
			answer, err := c.to.Request(ctx, control.Message{
				Type: control.TypeCreateRDMAConnection, Correlation: c.request.Correlation,
				Connection: control.Connection{Index: i, Role: role, Details: details},
			})
			return answer.Connection.Details, err
		})
		if err != nil {
			return err
		}
	}
	slog.Info(fmt.Sprintf("Stage 1: the data path has %d cores with %d tasks each", in.Cores, c.tasks))
	return nil
}

func (c *current) startStorage(ctx context.Context) error {
	if err := c.startable(); err != nil {
		return err
	}
	if _, err := c.to.Request(ctx, c.request); err != nil {
		return err
	}
	if err := c.waitConsumers(ctx); err != nil {
		return err
	}
	return c.start()
}

func (c *current) stopStorage(ctx context.Context) error {
	if len(c.threads) == 0 {
		return fmt.Errorf("%w: the storage is not started", doca.ErrBadState)
	}
	if _, err := c.to.Request(ctx, c.request); err != nil {
		return err
	}
	return c.stop()
}

func (c *current) shutdown(ctx context.Context) error {
	if len(c.threads) > 0 {
		return fmt.Errorf("%w: the storage is started: stop it first", doca.ErrBadState)
	}
	_, err := c.to.Request(ctx, c.request)
	return err
}
