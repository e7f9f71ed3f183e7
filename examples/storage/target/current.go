package target

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
)

// current serves the current variant of the messages.
type current struct {
	*session
	store     dataplane.Store
	blockSize uint32
	sync      func() error
	peer      *control.Peer
	request   control.Message // the last one
	response  control.Message
}

// newStore makes what the workers serve.
func newStore(dev *doca.Device, c Content) (dataplane.Store, error) {
	backend := c.Data == nil && c.Backend != nil
	if !backend {
		c.Size = int64(len(c.Data))
	}
	switch {
	case c.Size <= 0:
		return dataplane.Store{}, fmt.Errorf("%w: the contents have %d bytes: set Content.Data, or Backend and Size", doca.ErrInvalidValue, c.Size)
	case c.BlockSize == 0 || c.Size%int64(c.BlockSize) != 0:
		return dataplane.Store{}, fmt.Errorf("%w: the contents have %d bytes, which is no number of blocks of %d (Content.BlockSize)", doca.ErrInvalidValue, c.Size, c.BlockSize)
	case c.MaxIO < 0 || c.MaxIO > maxContent:
		return dataplane.Store{}, fmt.Errorf("%w: Content.MaxIO is %d: use 1 to %d, or 0 for 1 MiB", doca.ErrInvalidValue, c.MaxIO, maxContent)
	}
	if backend {
		if c.MaxIO == 0 {
			c.MaxIO = 1 << 20
		}
		return dataplane.Store{Size: c.Size, Backend: c.Backend, MaxIO: c.MaxIO}, nil
	}
	mem, err := memory(dev, c.Data)
	return dataplane.Store{Size: c.Size, Memory: mem, Written: c.Written}, err
}

func (c *current) serve(ctx context.Context) (done bool, err error) {
	if c.peer == nil {
		c.peer = control.NewPeer(c.session.peer, 0)
	}
	if c.request, err = c.peer.RecvMessage(ctx); err != nil {
		return false, errPeer{err}
	}
	c.response = c.request.Response()
	switch c.request.Type {
	case control.TypeQueryStorage:
		c.response.Storage = control.Storage{Size: uint64(c.store.Size), BlockSize: c.blockSize}
	case control.TypeInitStorage:
		err = c.init(c.request.Init)
	case control.TypeCreateRDMAConnection:
		c.response.Connection, err = c.connect(c.request.Connection)
	case control.TypeStartStorage:
		err = c.start()
	case control.TypeStopStorage:
		if err = c.stop(); err == nil && c.sync != nil {
			err = c.sync()
		}
	case control.TypeShutdown:
		err, done = c.stopped(), true
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
		return c.peer.SendMessage(ctx, c.request.ErrorResponse(err))
	}
	return c.peer.SendMessage(ctx, c.response)
}

// init makes the workers.
func (c *current) init(in control.Init) error {
	switch {
	case in.Cores == 0 || int64(in.Cores) > int64(len(c.cpus)):
		return fmt.Errorf("%w: the initiator wants %d cores, the target has %d: repeat --cpu there", doca.ErrInvalidValue, in.Cores, len(c.cpus))
	case in.Transactions == 0 || in.Transactions > maxTransactions:
		return fmt.Errorf("%w: the BlueField wants %d transactions, 1 to %d are possible", doca.ErrInvalidValue, in.Transactions, maxTransactions)
	}
	if err := c.importHost(in.Export); err != nil {
		return err
	}
	for range in.Cores {
		if _, err := c.newWorker(c.store, int(in.Transactions)); err != nil {
			return err
		}
	}
	slog.Info(fmt.Sprintf("The data path has %d cores with %d tasks each", in.Cores, in.Transactions))
	return nil
}

func (c *current) connect(to control.Connection) (control.Connection, error) {
	if int64(to.Index) >= int64(len(c.workers)) {
		return to, fmt.Errorf("%w: a connection for core %d, there are %d", doca.ErrInvalidValue, to.Index, len(c.workers))
	}
	if err := c.stopped(); err != nil { // the worker uses its connections
		return to, err
	}
	details, err := connect(c.workers[to.Index], to.Role, to.Details)
	return control.Connection{Index: to.Index, Role: to.Role, Details: details}, err
}
