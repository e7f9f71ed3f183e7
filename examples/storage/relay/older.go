package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/control"
)

// older serves the older variant of the messages.
type older struct {
	*relay
	from, to *control.OlderPeer
	request  control.OlderMessage // the last one
	prefixed bool                 // the initiator's form of messages, which the target gets as well
}

func newOlder(r *relay) *older {
	return &older{relay: r, from: control.NewOlderPeer(r.initiator, r.cfg.Timeout), to: control.NewOlderPeer(r.target, r.cfg.Timeout)}
}

func (o *older) serve(ctx context.Context) (done bool, err error) {
	if o.request, err = o.from.RecvMessage(ctx); err != nil {
		return false, errPeer{err}
	}
	o.to.Until = o.limit()
	switch o.request.Type {
	case control.OlderConfigureDataPath:
		err = o.configure(ctx)
	case control.OlderStartDataPathConnections:
		err = o.connections(ctx)
	case control.OlderStartStorage:
		err = o.startStorage(ctx)
	case control.OlderDestroyObjects:
		err = o.destroy(ctx)
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
	sendErr := o.from.SendMessage(ctx, o.request.Response(err))
	if o.request.Type == control.OlderDestroyObjects && errors.Is(sendErr, control.ErrPeerGone) {
		return nil // not every initiator waits for this response
	}
	return sendErr
}

// configure makes the host's memory available to the target.
func (o *older) configure(ctx context.Context) error {
	if n := o.request.Buffers; n == 0 || n > maxTransactions {
		return fmt.Errorf("%w: the initiator wants %d buffers, 1 to %d are possible", doca.ErrInvalidValue, n, maxTransactions)
	}
	o.tasks, o.prefixed = 2*int(o.request.Buffers), o.request.Prefixed
	export, err := o.passOn(o.request.Blob)
	if err != nil {
		return err
	}
	forward := o.request
	forward.Blob = export
	if _, err = o.to.Request(ctx, forward); err == nil {
		slog.Info(fmt.Sprintf("Stage 1: the data path is configured: %d buffers of %d bytes", forward.Buffers, forward.BufferSize))
	}
	return err
}

// connections makes the workers and connects them with the target's.
func (o *older) connections(ctx context.Context) error {
	if o.host == nil || len(o.workers) > 0 {
		return fmt.Errorf("%w: the data path is not configured, or connected already", doca.ErrBadState)
	}
	for range o.cfg.CPUs {
		w, err := o.newWorker()
		if err != nil {
			return err
		}
		err = o.connect(w, func(role control.Role, details []byte) ([]byte, error) {
			answer, err := o.to.Request(ctx, control.OlderMessage{
				Type: control.OlderCreateRDMAConnection, Correlation: o.request.Correlation, Role: uint8(role), Blob: details, Prefixed: o.prefixed,
			})
			return answer.Blob, err
		})
		if err != nil {
			return err
		}
	}
	_, err := o.to.Request(ctx, o.request)
	if err == nil {
		slog.Info(fmt.Sprintf("Stage 1: the data path has %d cores", len(o.workers)))
	}
	return err
}

func (o *older) startStorage(ctx context.Context) error {
	if err := o.startable(); err != nil {
		return err
	}
	if err := o.waitConsumers(ctx); err != nil {
		return err
	}
	if _, err := o.to.Request(ctx, o.request); err != nil {
		return err
	}
	return o.start()
}

// destroy ends the data path. The initiator's stop messages have passed it.
func (o *older) destroy(ctx context.Context) error {
	err := o.stop()
	if _, forwardErr := o.to.Request(ctx, o.request); !errors.Is(forwardErr, control.ErrPeerGone) {
		err = errors.Join(err, forwardErr) // not every target answers before it leaves
	}
	return err
}
