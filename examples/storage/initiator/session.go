// Package initiator is the host's part of the storage applications: it asks for blocks over DOCA Comch, and the target moves
// them between its storage and this host's memory.
package initiator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
)

// regionAccess is what the BlueField and the target may do with the initiator's memory.
const regionAccess = doca.AccessLocalReadWrite | doca.AccessPCIReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite

// Session is a connection to a storage. Its methods are for one goroutine, in the order Dial, Init, Start, Stop, Shutdown.
type Session struct {
	Storage control.Storage
	Region  *doca.Memory // blocks are read into it and written from it
	Lanes   []*dataplane.Lane

	dev       *doca.Device
	conn      *comch.Conn
	channel   *control.Channel
	variant   variant
	timeout   time.Duration
	consumers []uint32 // of the BlueField, in the order of its cores
}

// variant is one of the two sets of control messages.
type variant interface {
	init(ctx context.Context, in control.Init) error
	start(ctx context.Context) error
	stop(ctx context.Context) error
	shutdown(ctx context.Context) error
}

// Dial connects to the BlueField's program by the name of its server, and asks for the size of the storage. It tries again
// until timeout has passed, which also limits each later step of the session. The device owns the session's objects.
func Dial(ctx context.Context, dev *doca.Device, name string, timeout time.Duration) (*Session, error) {
	conn, err := dial(ctx, dev, name, timeout)
	if err != nil {
		return nil, err
	}
	s := &Session{dev: dev, conn: conn, timeout: timeout, channel: control.OverComch(conn, "the BlueField", control.Frames)}
	c := &current{peer: control.NewPeer(s.channel, timeout)}
	s.variant = c
	if s.Storage, err = c.query(ctx); err != nil {
		return nil, errors.Join(err, s.channel.Close())
	}
	return s, nil
}

// DialOlder is Dial for the older variant of the messages. The storage then has a number of buffers, as the initiator's memory has.
// BatchSize is passed on to the target.
func DialOlder(ctx context.Context, dev *doca.Device, name string, timeout time.Duration, buffers, size, batchSize int) (*Session, error) {
	conn, err := dial(ctx, dev, name, timeout)
	if err != nil {
		return nil, err
	}
	s := &Session{dev: dev, conn: conn, timeout: timeout, channel: control.OverComch(conn, "the BlueField", control.OlderFrames)}
	s.Storage = control.Storage{Size: uint64(buffers) * uint64(size), BlockSize: uint32(size)}
	s.variant = &older{s: s, peer: control.NewOlderPeer(s.channel, timeout), buffers: buffers, size: size, batchSize: batchSize}
	return s, nil
}

// dial tries until there is a server.
func dial(ctx context.Context, dev *doca.Device, name string, timeout time.Duration) (*comch.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var last error
	for {
		conn, err := comch.Dial(limited, dev, name, comch.Config{MaxSendTasks: 8})
		switch {
		case err == nil:
			return conn, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case limited.Err() != nil:
			if last == nil {
				last = err
			}
			return nil, fmt.Errorf("%w: no program on the BlueField serves %q after %v: %w", doca.ErrTimeOut, name, timeout, last)
		case !errors.Is(err, comch.ErrNoServer) && !errors.Is(err, doca.ErrNotConnected) && !errors.Is(err, doca.ErrConnectionAborted):
			return nil, err
		}
		last = err
		select {
		case <-time.After(100 * time.Millisecond):
		case <-limited.Done():
		}
	}
}

// Ended returns a channel that is closed when the BlueField's program has ended the session, and Err says why.
func (s *Session) Ended() <-chan struct{} { return s.channel.Ended() }

// Err returns why the session has ended.
func (s *Session) Err() error { return s.channel.Err() }

// Init makes the region and a lane for each element of slots, with as many slots, and waits until the BlueField is ready to
// receive.
func (s *Session) Init(ctx context.Context, region int, slots []int) error {
	var err error
	if s.Region, err = doca.NewMemory(region, doca.MemoryConfig{Devices: []*doca.Device{s.dev}, Access: regionAccess}); err != nil {
		return err
	}
	export, err := s.Region.ExportPCI(s.dev)
	if err != nil {
		return err
	}
	most := 0
	for _, n := range slots {
		most = max(most, n)
	}
	if err := s.variant.init(ctx, control.Init{Transactions: uint32(most), Cores: uint32(len(slots)), Export: export}); err != nil {
		return err
	}
	return s.makeLanes(ctx, slots)
}

// makeLanes makes the lanes and pairs them with the BlueField's consumers, in the order in which those have started.
func (s *Session) makeLanes(ctx context.Context, slots []int) error {
	for i, n := range slots {
		lane, err := dataplane.NewLane(s.dev, s.conn, i, n)
		if err != nil {
			return err
		}
		_, lane.Older = s.variant.(*older)
		lane.Timeout = s.timeout
		s.Lanes = append(s.Lanes, lane)
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	for len(s.consumers) < len(slots) {
		e, err := s.conn.ConsumerEvent(ctx)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("%w: the BlueField has %d of %d consumers after %v", doca.ErrTimeOut, len(s.consumers), len(slots), s.timeout)
		case err != nil:
			return err
		case !e.Expired:
			s.consumers = append(s.consumers, e.ID)
		}
	}
	for i, lane := range s.Lanes {
		lane.SetPeer(s.consumers[i])
	}
	return nil
}

// Start makes the storage serve the lanes.
func (s *Session) Start(ctx context.Context) error { return s.variant.start(ctx) }

// Stop ends what Start has begun. No request may be in flight.
func (s *Session) Stop(ctx context.Context) error { return s.variant.stop(ctx) }

// Shutdown closes the lanes, ends the session on all sides and closes it.
func (s *Session) Shutdown(ctx context.Context) error {
	if err := s.closeLanes(); err != nil {
		return err
	}
	if err := s.variant.shutdown(ctx); err != nil {
		return err
	}
	return errors.Join(s.waitExpired(ctx), s.Close())
}

// waitExpired waits until the BlueField has closed its consumers.
func (s *Session) waitExpired(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	for len(s.conn.Consumers()) > 0 {
		if _, err := s.conn.ConsumerEvent(ctx); err != nil {
			if errors.Is(err, comch.ErrPeerGone) {
				return nil
			}
			return fmt.Errorf("waiting for the BlueField to close its consumers: %w", err)
		}
	}
	return nil
}

func (s *Session) closeLanes() error {
	var err error
	for _, lane := range s.Lanes {
		err = errors.Join(err, lane.Close())
	}
	s.Lanes = nil
	return err
}

// Close closes the session, whatever its state.
func (s *Session) Close() error {
	err := errors.Join(s.closeLanes(), s.channel.Close())
	if s.Region != nil {
		err = errors.Join(err, s.Region.Close())
	}
	return err
}
