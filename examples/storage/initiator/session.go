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

	dev         *doca.Device
	conn        *comch.Conn
	peer        *control.Peer
	timeout     time.Duration
	correlation uint32
	consumers   []uint32 // of the BlueField, in the order of its cores
}

// Dial connects to the BlueField's program by the name of its server, and asks for the size of the storage. It tries again
// until timeout has passed, which also limits each later step of the session. The device owns the session's objects.
func Dial(ctx context.Context, dev *doca.Device, name string, timeout time.Duration) (*Session, error) {
	conn, err := dial(ctx, dev, name, timeout)
	if err != nil {
		return nil, err
	}
	s := &Session{dev: dev, conn: conn, timeout: timeout, peer: control.NewPeer(control.OverComch(conn, "the BlueField", control.Frames), timeout)}
	answer, err := s.request(ctx, control.Message{Type: control.TypeQueryStorage})
	if err != nil {
		return nil, errors.Join(err, s.peer.Close())
	}
	s.Storage = answer.Storage
	if s.Storage.BlockSize == 0 || s.Storage.Size == 0 || s.Storage.Size%uint64(s.Storage.BlockSize) != 0 {
		err := fmt.Errorf("%w: the storage says that it has %d bytes in blocks of %d", doca.ErrUnexpected, s.Storage.Size, s.Storage.BlockSize)
		return nil, errors.Join(err, s.peer.Close())
	}
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

func (s *Session) request(ctx context.Context, m control.Message) (control.Message, error) {
	m.Correlation = s.correlation
	s.correlation++
	return s.peer.Request(ctx, m)
}

// Ended returns a channel that is closed when the BlueField's program has ended the session, and Err says why.
func (s *Session) Ended() <-chan struct{} { return s.peer.Ended() }

// Err returns why the session has ended.
func (s *Session) Err() error { return s.peer.Err() }

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
	_, err = s.request(ctx, control.Message{Type: control.TypeInitStorage, Init: control.Init{
		Transactions: uint32(most), Cores: uint32(len(slots)), Export: export,
	}})
	if err != nil {
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
func (s *Session) Start(ctx context.Context) error {
	_, err := s.request(ctx, control.Message{Type: control.TypeStartStorage})
	return err
}

// Stop ends what Start has begun. No request may be in flight.
func (s *Session) Stop(ctx context.Context) error {
	_, err := s.request(ctx, control.Message{Type: control.TypeStopStorage})
	return err
}

// Shutdown closes the lanes, ends the session on all sides and closes it.
func (s *Session) Shutdown(ctx context.Context) error {
	if err := s.closeLanes(); err != nil {
		return err
	}
	if _, err := s.request(ctx, control.Message{Type: control.TypeShutdown}); err != nil {
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
	err := errors.Join(s.closeLanes(), s.peer.Close())
	if s.Region != nil {
		err = errors.Join(err, s.Region.Close())
	}
	return err
}
