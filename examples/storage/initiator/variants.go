package initiator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/control"
)

// current speaks the current variant of the messages.
type current struct {
	peer        *control.Peer
	correlation uint32 // of the next request
}

func (c *current) request(ctx context.Context, m control.Message) (control.Message, error) {
	m.Correlation = c.correlation
	c.correlation++
	return c.peer.Request(ctx, m)
}

func (c *current) query(ctx context.Context) (control.Storage, error) {
	answer, err := c.request(ctx, control.Message{Type: control.TypeQueryStorage})
	s := answer.Storage
	if err == nil && (s.BlockSize == 0 || s.Size == 0 || s.Size > math.MaxInt64 || s.Size%uint64(s.BlockSize) != 0) {
		err = fmt.Errorf("%w: the storage says that it has %d bytes in blocks of %d", doca.ErrUnexpected, s.Size, s.BlockSize)
	}
	return s, err
}

func (c *current) init(ctx context.Context, in control.Init) error {
	_, err := c.request(ctx, control.Message{Type: control.TypeInitStorage, Init: in})
	return err
}

func (c *current) start(ctx context.Context) error {
	_, err := c.request(ctx, control.Message{Type: control.TypeStartStorage})
	return err
}

func (c *current) stop(ctx context.Context) error {
	_, err := c.request(ctx, control.Message{Type: control.TypeStopStorage})
	return err
}

func (c *current) shutdown(ctx context.Context) error {
	_, err := c.request(ctx, control.Message{Type: control.TypeShutdown})
	return err
}

// older speaks the older variant of the messages.
type older struct {
	s                        *Session
	peer                     *control.OlderPeer
	correlation              uint32 // of the next request
	buffers, size, batchSize int
}

func (o *older) request(ctx context.Context, m control.OlderMessage) error {
	m.Correlation = o.correlation
	o.correlation++
	_, err := o.peer.Request(ctx, m)
	return err
}

func (o *older) init(ctx context.Context, in control.Init) error {
	err := o.request(ctx, control.OlderMessage{
		Type: control.OlderConfigureDataPath, Buffers: uint32(o.buffers), BufferSize: uint32(o.size), BatchSize: uint32(o.batchSize), Blob: in.Export,
	})
	if err != nil {
		return err
	}
	return o.request(ctx, control.OlderMessage{Type: control.OlderStartDataPathConnections})
}

func (o *older) start(ctx context.Context) error {
	return o.request(ctx, control.OlderMessage{Type: control.OlderStartStorage})
}

// stopTime limits the wait for what comes back of a stop message. Not every peer sends it back.
const stopTime = 100 * time.Millisecond

// stop ends the threads of the others by messages that pass them.
func (o *older) stop(context.Context) error {
	for _, lane := range o.s.Lanes {
		if err := lane.SendStop(stopTime); err != nil {
			return err
		}
	}
	return nil
}

func (o *older) shutdown(ctx context.Context) error {
	err := o.request(ctx, control.OlderMessage{Type: control.OlderDestroyObjects})
	if errors.Is(err, control.ErrPeerGone) {
		return nil // not every peer answers before it leaves
	}
	return err
}
