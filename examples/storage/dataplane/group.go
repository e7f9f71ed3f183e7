package dataplane

import (
	"context"
	"errors"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/examples/internal/buffers"
	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/examples/storage/iomsg"
)

const (
	groupSize = 32  // messages that go on together
	maxGroups = 256 // in flight, of one kind
)

// group is messages that arrived together and go on together. What arrives is never kept waiting for a group to fill.
type group struct {
	bufs  []*doca.Buffer // of the messages
	batch *rdma.Batch    // if they go on by RDMA
	sent  comch.Future   // if they go on by Comch
	msgs  []comch.Message
}

func (g *group) reset() {
	g.bufs, g.msgs = g.bufs[:0], g.msgs[:0]
}

// groups is a queue of groups in flight. Those of one kind end in the order in which they began.
type groups struct {
	list       []group
	head, tail int // ever increasing
}

// newGroups makes room for n messages in the worst case, each in a group of its own. With conn the groups go on by RDMA.
func newGroups(n int, conn *rdma.Conn) (groups, error) {
	g := groups{list: make([]group, min(n, maxGroups))}
	for i := range g.list {
		g.list[i].bufs = make([]*doca.Buffer, 0, groupSize)
		if conn == nil {
			g.list[i].msgs = make([]comch.Message, 0, groupSize)
			continue
		}
		var err error
		if g.list[i].batch, err = conn.NewBatch(groupSize); err != nil {
			return g, err
		}
	}
	return g, nil
}

// free returns an empty group, or nil if all are in flight.
func (q *groups) free() *group {
	if q.tail-q.head == len(q.list) {
		return nil
	}
	g := &q.list[q.tail%len(q.list)]
	g.reset()
	return g
}

// launched puts the group that free has returned into the queue.
func (q *groups) launched() { q.tail++ }

// oldest returns the group that has been in flight longest, or nil.
func (q *groups) oldest() *group {
	if q.head == q.tail {
		return nil
	}
	return &q.list[q.head%len(q.list)]
}

// drop takes the oldest group out.
func (q *groups) drop() { q.head++ }

func (q *groups) empty() bool { return q.head == q.tail }

// background is a context that never ends.
var background = context.Background()

// newMessages makes n messages that DOCA Comch may fill as well as RDMA.
func newMessages(dev *doca.Device, n int) (*buffers.Set, error) {
	return buffers.New(dev, n, iomsg.Size, doca.AccessLocalReadWrite|doca.AccessPCIReadWrite)
}

// links are a worker's two RDMA connections, each in a context of its own. Where a peer makes do with one, it serves for both.
type links struct {
	contexts [2]*rdma.RDMA // by role
	conns    [2]*rdma.Conn
}

// open makes both contexts. tasks is the number of messages in flight.
func (l *links) open(dev *doca.Device, pe *doca.ProgressEngine, tasks int) (err error) {
	for role := range l.contexts {
		cfg := rdma.Config{MaxConnections: 1, MaxTasks: tasks, MaxReceives: tasks}
		if l.contexts[role], err = rdma.New(dev, pe, cfg); err != nil {
			return err
		}
	}
	return nil
}

// Export begins a connection and returns what the peer needs to connect. It returns doca.ErrAlreadyExist if there is one
// of this role, and doca.ErrInvalidValue if there is no such role.
func (l *links) Export(role control.Role) ([]byte, error) {
	if role > control.RoleControl {
		return nil, errors.Join(doca.ErrInvalidValue, errors.New("there is no "+role.String()+" of a connection"))
	}
	if l.conns[role] != nil {
		return nil, errors.Join(doca.ErrAlreadyExist, errors.New("this core has its "+role.String()+" connection"))
	}
	conn, details, err := l.contexts[role].Export()
	l.conns[role] = conn
	return details, err
}

// Connect ends what Export began, with what the peer has exported.
func (l *links) Connect(role control.Role, details []byte) error {
	return l.conns[role].Connect(details)
}

// Connected reports whether the worker has the connections that it needs.
func (l *links) Connected() bool { return l.messages() != nil && l.data() != nil }

// messages returns the connection for IO messages.
func (l *links) messages() *rdma.Conn { return l.either(control.RoleControl) }

// data returns the connection for blocks.
func (l *links) data() *rdma.Conn { return l.either(control.RoleData) }

func (l *links) either(role control.Role) *rdma.Conn {
	if c := l.conns[role]; c != nil {
		return c
	}
	return l.conns[1-role]
}

// close closes both contexts, with what is in flight.
func (l *links) close() error {
	var err error
	for _, r := range l.contexts {
		if r != nil {
			err = errors.Join(err, r.Close())
		}
	}
	return err
}
