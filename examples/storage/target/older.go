package target

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
)

// older serves the older variant of the messages. Its storage is memory that begins as zeroes, as large as the initiator's.
type older struct {
	*session
	store   dataplane.Store
	tasks   int
	peer    *control.OlderPeer
	request control.OlderMessage // the last one
	details []byte               // for the response to it
	roles   [2]int               // connections that there are, by role
}

func (o *older) serve(ctx context.Context) (done bool, err error) {
	if o.peer == nil {
		o.peer = control.NewOlderPeer(o.session.peer, 0)
	}
	if o.request, err = o.peer.RecvMessage(ctx); err != nil {
		return false, errPeer{err}
	}
	o.details = nil
	switch o.request.Type {
	case control.OlderConfigureDataPath:
		err = o.configure()
	case control.OlderCreateRDMAConnection:
		err = o.connect()
	case control.OlderStartDataPathConnections:
		err = o.connected()
	case control.OlderStartStorage:
		err = o.start()
	case control.OlderDestroyObjects:
		err = o.stop()
		done = true
	default:
		err = fmt.Errorf("%w: this program does not serve it", doca.ErrNotSupported)
	}
	if err != nil {
		err = fmt.Errorf("%v request: %w", o.request.Type, err)
	}
	return done, err
}

func (o *older) answer(ctx context.Context, err error) error {
	answer := o.request.Response(err)
	if o.details != nil && err == nil {
		answer.Type, answer.Role, answer.Blob = control.OlderCreateRDMAConnectionResponse, o.request.Role, o.details
	}
	err = o.peer.SendMessage(ctx, answer)
	if o.request.Type == control.OlderDestroyObjects && errors.Is(err, control.ErrPeerGone) {
		return nil // not every relay waits for this response
	}
	return err
}

func (o *older) configure() error {
	r := &o.request
	if r.Buffers == 0 || r.Buffers > maxTransactions {
		return fmt.Errorf("%w: the initiator wants %d buffers, 1 to %d are possible", doca.ErrInvalidValue, r.Buffers, maxTransactions)
	}
	if r.BufferSize == 0 {
		return fmt.Errorf("%w: the initiator wants buffers of 0 bytes", doca.ErrInvalidValue)
	}
	if err := o.importHost(r.Blob); err != nil {
		return err
	}
	size := max(uint64(r.Buffers)*uint64(r.BufferSize), uint64(o.host.Len())) // the number of buffers may be that of each core
	if size > maxContent {
		return fmt.Errorf("%w: the initiator wants to store %d bytes, 1 to %d are possible", doca.ErrInvalidValue, size, maxContent)
	}
	mem, err := memory(o.dev, make([]byte, size))
	if err != nil {
		return err
	}
	o.own = mem
	o.store, o.tasks = dataplane.Store{Size: int64(size), Memory: mem}, 2*int(r.Buffers)
	slog.Info(fmt.Sprintf("The data path is configured: %d buffers of %d bytes", r.Buffers, r.BufferSize))
	return nil
}

// connect makes a connection. The connections of each role come in the order of the cores.
func (o *older) connect() error {
	role := control.Role(o.request.Role)
	if o.store.Memory == nil {
		return fmt.Errorf("%w: the data path is not configured", doca.ErrBadState)
	}
	if role > control.RoleControl {
		return fmt.Errorf("%w: a connection of %v", doca.ErrInvalidValue, role)
	}
	core := o.roles[role]
	if err := o.stopped(); err != nil { // a worker uses its connections
		return err
	}
	if core == len(o.cpus) {
		return fmt.Errorf("%w: the BlueField's program has more cores than the %d of the target: repeat --cpu there", doca.ErrInvalidValue, core)
	}
	if core == len(o.workers) {
		if _, err := o.newWorker(o.store, o.tasks); err != nil {
			return err
		}
	}
	var err error
	o.details, err = connect(o.workers[core], role, o.request.Blob)
	o.roles[role]++
	return err
}

func (o *older) connected() error {
	if len(o.workers) == 0 {
		return fmt.Errorf("%w: there are no connections", doca.ErrBadState)
	}
	slog.Info(fmt.Sprintf("The data path has %d cores with %d tasks each", len(o.workers), o.tasks))
	return nil
}
