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

// side is the inner part of a server or client: its context, and what its connections
// share. It is guarded by the engine's lock.
type side struct {
	link   *bind.Link
	name   string
	limits Limits
	server *gen.Server // one of the two
	client *gen.Client

	conns map[*gen.Connection]*conn // of a server, that are connected
	only  *conn                     // of a client
	tasks tasks

	full    int // inboxes that take no more
	fullest int // no inbox has more messages than this

	arrived    []*conn // at a server, that nobody has accepted
	maxArrived int
}

// setup is what Create does first: it checks the device and fills in the limits.
func (s *side) setup(dev *common.Dev, cfg Config, supported func(*common.Devinfo) error) error {
	info, err := common.DevAsDevinfo(dev)
	if err != nil {
		return err
	}
	if err := supported(info); err != nil {
		return err
	}
	c, err := capabilities(info)
	if err != nil {
		return err
	}
	if n := len(s.name); n == 0 || uint64(n) >= uint64(c.MaxNameLen) {
		return fmt.Errorf("%w: the name has %d bytes, it can have 1 to %d", doca.ErrInvalidValue, n, int(c.MaxNameLen)-1)
	}
	if s.limits, err = cfg.limits(c); err != nil {
		return err
	}
	s.tasks.total, s.maxArrived = s.limits.MaxSendTasks, int(c.MaxClients)
	return nil
}

// seeLog is for what only DOCA knows.
const seeLog = "DOCA's log has the reason, see doca.LogSDK"

// explain adds what to do about an error of one code.
func explain(err error, code doca.Error, advice string) error {
	if !errors.Is(err, code) {
		return err
	}
	return fmt.Errorf("%w: %s", err, advice)
}

// room is how many messages can come without any inbox getting more than its backlog.
func (s *side) room() int {
	if s.full > 0 {
		return 0
	}
	if room := s.limits.Backlog - s.fullest; room >= roomForAStep {
		return room
	}
	s.fullest = 0
	if s.only != nil {
		s.fullest = s.only.in.n
	}
	for _, c := range s.conns {
		s.fullest = max(s.fullest, c.in.n)
	}
	return max(1, s.limits.Backlog-s.fullest)
}

// roomForAStep is more than a step of the engine needs.
const roomForAStep = 256

// find returns the connection that a record is about, or nil.
func (s *side) find(r *abi.Record) *conn {
	if s.only != nil {
		return s.only
	}
	return s.conns[(*gen.Connection)(r.Object)]
}

// handle takes the records of one step of the engine, all of one kind.
func (s *side) handle(recs []abi.Record) {
	for i := range recs {
		r := &recs[i]
		switch r.Kind {
		case gen.KindServerTaskSendCompletion, gen.KindClientTaskSendCompletion:
			s.sent(r.User, nil)
		case gen.KindServerTaskSendError, gen.KindClientTaskSendError:
			s.sent(r.User, r.Status)
		case gen.KindServerEventMsgRecv, gen.KindClientEventMsgRecv:
			if c := s.find(r); c != nil {
				c.in.put(c, s.link.Payload(r))
			}
		case gen.KindServerEventConnectionStatusChangedConnect:
			if r.Args[0] != 0 { // a client that DOCA has turned away is none
				s.connected((*gen.Connection)(r.Object))
			}
		case gen.KindServerEventConnectionStatusChangedDisconnect:
			s.disconnected((*gen.Connection)(r.Object), r.Args[0] != 0)
		case gen.KindServerEventConsumerNewConsumer, gen.KindClientEventConsumerNewConsumer:
			if c := s.find(r); c != nil {
				c.peers.came(c, uint32(r.Args[0]))
			}
		case gen.KindServerEventConsumerExpiredConsumer, gen.KindClientEventConsumerExpiredConsumer:
			if c := s.find(r); c != nil {
				c.peers.went(c, uint32(r.Args[0]))
			}
		}
	}
}
