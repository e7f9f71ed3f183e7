package comch

import (
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// side is the inner part of a server or client: this program's side of the connections. It
// holds the context and what the connections share. The engine's lock guards it.
type side struct {
	link   *bind.Link
	name   string
	limits Limits
	caps   Capabilities // of the device

	farewell  bool // Config.Farewell
	names     bool // Config.Names
	sendTasks int  // DOCA's, those for farewells included
	failed    bool // failedLocked was called

	unsupported bool // the device does not support this side

	stops bool // the server's context does not run any more

	server *gen.Server // either this
	client *gen.Client // or this

	conns      map[*gen.Connection]*conn // a server's connections that have not ended
	clientConn *conn                     // a client's connection
	tasks      sendTasks

	full    int // how many connections have a full backlog
	fullest int // no connection has more messages in its backlog

	arrived    []*conn // a server's connections that nobody has accepted yet
	maxArrived int
}

// setup checks the device and fills in the limits, before Create makes DOCA's object.
func (s *side) setup(dev *common.Dev, cfg Config, supported func(*common.Devinfo) error) error {
	info, err := common.DevAsDevinfo(dev)
	if err != nil {
		return err
	}
	if err := supported(info); err != nil {
		s.unsupported = errors.Is(err, doca.ErrNotSupported)
		return err
	}
	if s.caps, err = capabilities(info); err != nil {
		return err
	}
	c := &s.caps
	if n := len(s.name); n == 0 || uint64(n) >= uint64(c.MaxNameLen) {
		return fmt.Errorf("%w: the name has %d bytes, the device supports 1 to %d", doca.ErrInvalidValue, n, int(c.MaxNameLen)-1)
	}
	if s.limits, err = cfg.limits(*c); err != nil {
		return err
	}
	s.farewell, s.names, s.maxArrived = cfg.Farewell, cfg.Names, int(c.MaxClients)
	connections := 1
	if s.clientConn == nil {
		connections = s.maxArrived
	}
	s.sendTasks, s.tasks.total = tasksFor(s.limits, int(c.MaxSendTasks), connections, s.farewell)
	return nil
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

// seeLog is the advice for failures whose reason DOCA writes only to its log.
const seeLog = "DOCA's log has the reason: see doca.LogSDK"

// explain adds the advice to err if err has the code.
func explain(err error, code doca.Error, advice string) error {
	if !errors.Is(err, code) {
		return err
	}
	return fmt.Errorf("%w: %s", err, advice)
}

// explainDevice adds advice to the error of a device that does not support this side: where such a side runs, or
// which other entry at the same PCI address supports it.
func (s *side) explainDevice(err error, dev *doca.Device, query string, supported func(doca.DeviceInfo) error, where string) error {
	if !s.unsupported {
		return err
	}
	infos, listErr := doca.Devices()
	if listErr != nil {
		return fmt.Errorf("%w: %s", err, where)
	}
	this := dev.Info()
	for _, other := range infos {
		if other.PCIAddr == this.PCIAddr && other.Ibdev != this.Ibdev && supported(other) == nil {
			return fmt.Errorf("%w: this device is %s; another entry at the same PCI address supports it, %s: open that one with "+
				"doca.OpenDeviceFunc(func(i doca.DeviceInfo) bool { return i.PCIAddr == %q && comch.%s(i) == nil })",
				err, this.Ibdev, other.Ibdev, this.PCIAddr, query)
		}
	}
	return fmt.Errorf("%w: %s", err, where)
}

// roomLocked returns how many messages the engine may receive before some connection has more
// than its backlog.
func (s *side) roomLocked() int {
	if s.full > 0 {
		return 0
	}
	if room := s.limits.Backlog - s.fullest; room >= roomForAStep {
		return room
	}
	s.fullest = 0
	if s.clientConn != nil {
		s.fullest = s.clientConn.backlog.n
	}
	for _, c := range s.conns {
		s.fullest = max(s.fullest, c.backlog.n)
	}
	return max(1, s.limits.Backlog-s.fullest)
}

// roomForAStep is at least what one step of the engine can receive. While there is that much
// room, roomLocked need not look at all connections.
const roomForAStep = 256

// findLocked returns the connection that a record belongs to, or nil.
func (s *side) findLocked(r *abi.Record) *conn {
	if s.clientConn != nil {
		return s.clientConn
	}
	return s.conns[(*gen.Connection)(r.Object)]
}

// ownsLocked reports whether a record without a context is of this side.
func (s *side) ownsLocked(r *abi.Record) bool {
	switch r.Kind {
	case gen.KindServerEventConnectionStatusChangedConnect: // nobody knows the connection yet
		return s.server != nil
	case gen.KindServerEventMsgRecv, gen.KindServerEventConnectionStatusChangedDisconnect,
		gen.KindServerEventConsumerNewConsumer, gen.KindServerEventConsumerExpiredConsumer:
		return s.server != nil && (s.failed || s.conns[(*gen.Connection)(r.Object)] != nil)
	case gen.KindClientEventMsgRecv, gen.KindClientEventConsumerNewConsumer, gen.KindClientEventConsumerExpiredConsumer:
		return s.client != nil && (s.clientConn.raw == nil || s.clientConn.raw == (*gen.Connection)(r.Object))
	}
	return false
}

// failedLocked ends all connections, whose messages are no longer complete.
func (s *side) failedLocked(err error) {
	s.failed = true
	if s.clientConn != nil {
		s.clientConn.endLocked(err)
	}
	for raw, c := range s.conns {
		delete(s.conns, raw)
		c.endLocked(err)
	}
}

// handleLocked handles records of one kind from a step of the engine.
func (s *side) handleLocked(recs []abi.Record) {
	for i := range recs {
		r := &recs[i]
		switch r.Kind {
		case gen.KindServerTaskSendCompletion, gen.KindClientTaskSendCompletion:
			s.sentLocked(r.User, nil)
		case gen.KindServerTaskSendError, gen.KindClientTaskSendError:
			s.sentLocked(r.User, r.Status)
		case gen.KindServerEventMsgRecv, gen.KindClientEventMsgRecv:
			if c := s.findLocked(r); c != nil {
				c.backlog.putLocked(c, s.link.Payload(r))
			}
		case gen.KindServerEventConnectionStatusChangedConnect:
			if r.Args[0] != 0 { // not a client that DOCA has refused
				s.connectedLocked((*gen.Connection)(r.Object))
			}
		case gen.KindServerEventConnectionStatusChangedDisconnect:
			s.disconnectedLocked((*gen.Connection)(r.Object), r.Args[0] != 0)
		case gen.KindServerEventConsumerNewConsumer, gen.KindClientEventConsumerNewConsumer:
			if c := s.findLocked(r); c != nil {
				c.peers.addLocked(c, uint32(r.Args[0]))
			}
		case gen.KindServerEventConsumerExpiredConsumer, gen.KindClientEventConsumerExpiredConsumer:
			if c := s.findLocked(r); c != nil {
				c.peers.removeLocked(c, uint32(r.Args[0]))
			}
		}
	}
}
