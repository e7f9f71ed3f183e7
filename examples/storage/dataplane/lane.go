package dataplane

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/examples/internal/buffers"
	"github.com/go-doca/go-doca/examples/storage/iomsg"
)

// Completion says that the request in a slot has ended.
type Completion struct {
	Slot int
	Code doca.Error // 0 for success
}

// slot is the place of one request. It ends when the message is sent and the result is there, in whichever order.
type slot struct {
	busy, sent, answered bool
	code                 doca.Error
}

// Lane is the initiator's end of one core. It has slots, each for one request in flight. The goroutine that uses it drives its
// engine, with Poll.
type Lane struct {
	*engine
	Older    bool          // number the messages, as the older variant does
	Timeout  time.Duration // an error if requests are in flight and none ends for so long; 0 for no limit
	silence  silence
	number   uint32
	index    int // of the core
	consumer *comch.Consumer
	producer *comch.Producer
	to       uint32 // the BlueField's consumer

	requests, results *buffers.Set
	slots             []slot
	out               groups // requests on their way
	pending           []int32
	arrived           []comch.Received
	repost            []*doca.Buffer
	ended             []Completion
}

// NewLane makes a lane with a number of slots. The BlueField learns of its consumer. index tells the lanes of a connection
// apart.
func NewLane(dev *doca.Device, conn *comch.Conn, index, slots int) (l *Lane, err error) {
	l = &Lane{
		index: index, slots: make([]slot, slots), pending: make([]int32, 0, slots), ended: make([]Completion, 0, slots+groupSize),
		arrived: make([]comch.Received, groupSize), repost: make([]*doca.Buffer, 0, groupSize),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.engine, err = newEngine(); err != nil {
		return l, err
	}
	if l.requests, err = newMessages(dev, slots); err != nil {
		return l, err
	}
	for _, b := range l.requests.List {
		if err := b.SetData(0, iomsg.Size); err != nil {
			return l, err
		}
	}
	if l.results, err = newMessages(dev, 2*slots); err != nil {
		return l, err
	}
	if l.producer, err = conn.NewProducer(comch.ProducerConfig{Engine: l.ProgressEngine, MaxTasks: slots}); err != nil {
		return l, err
	}
	if l.consumer, err = conn.NewConsumer(l.results.Memory, comch.ConsumerConfig{Engine: l.ProgressEngine, MaxTasks: 2 * slots}); err != nil {
		return l, err
	}
	if l.out, err = newGroups(slots, nil); err != nil {
		return l, err
	}
	_, err = l.consumer.PostBatch(l.results.List)
	return l, err
}

// SetPeer says to which consumer of the BlueField requests go.
func (l *Lane) SetPeer(consumer uint32) { l.to = consumer }

// Message returns the message of a slot, to fill in before Start. The user data is the lane's.
func (l *Lane) Message(slot int) iomsg.Message { return l.requests.List[slot].Bytes() }

// Start queues the message of a slot, which must be free. Poll sends it.
func (l *Lane) Start(index int) {
	l.Message(index).SetUser(uint64(l.index)<<32 | uint64(index))
	if l.Older {
		l.Message(index).SetCorrelation(l.number)
		l.number++
	}
	l.slots[index] = slot{busy: true}
	l.pending = append(l.pending, int32(index))
}

// Poll sends what Start has queued, drives the engine once, and returns the requests that have ended. The slice is valid until
// the next call. Call it while requests are in flight. An error means that the lane is of no use any more.
func (l *Lane) Poll() ([]Completion, error) {
	l.ended = l.ended[:0]
	err := l.flush()
	if err == nil {
		err = l.step()
	}
	if err == nil {
		err = l.takeResults()
	}
	if err == nil {
		err = l.takeSent()
	}
	if len(l.ended) > 0 {
		l.silence = silence{}
	} else if err == nil && l.silence.longer(l.Timeout) {
		err = fmt.Errorf("%w: core %d has requests in flight, and none has ended in %v: do the BlueField's program and the target still run?", doca.ErrTimeOut, l.index, l.Timeout)
	}
	return l.ended, err
}

// SendStop sends a stop message, in the first slot. No request may be in flight. It waits until the message is sent, and then no
// longer than limit until it has come back.
func (l *Lane) SendStop(limit time.Duration) error {
	l.Message(0).SetRequest(iomsg.Stop, 0, 0, 0)
	l.Start(0)
	end := time.Time{}
	for l.slots[0].busy {
		if _, err := l.Poll(); err != nil {
			if l.slots[0].sent && (errors.Is(err, comch.ErrPeerGone) || errors.Is(err, comch.ErrConsumerGone)) {
				return nil
			}
			return err
		}
		switch now := time.Now(); {
		case !l.slots[0].sent:
		case end.IsZero():
			end = now.Add(limit)
		case now.After(end):
			l.slots[0] = slot{}
		}
	}
	return nil
}

func (l *Lane) flush() error {
	for len(l.pending) > 0 {
		g := l.out.free()
		if g == nil {
			return nil
		}
		n := min(len(l.pending), groupSize)
		for _, s := range l.pending[:n] {
			buf := l.requests.List[s]
			g.bufs = append(g.bufs, buf)
			g.msgs = append(g.msgs, comch.Message{Buffer: buf, Consumer: l.to})
		}
		if err := l.producer.StartBatch(g.msgs, &g.sent); err != nil {
			return err
		}
		l.out.launched()
		l.pending = l.pending[:copy(l.pending, l.pending[n:])]
	}
	return nil
}

func (l *Lane) takeResults() error {
	n, err := l.consumer.TryRecvBatch(l.arrived)
	if n == 0 {
		return err
	}
	l.repost = l.repost[:0]
	for i := range n {
		m := &l.arrived[i]
		if err := l.result(m.Data); err != nil {
			return err
		}
		l.repost = append(l.repost, m.Buffer)
	}
	_, err = l.consumer.PostBatch(l.repost)
	return err
}

// result handles the message that has come back for a request.
func (l *Lane) result(data []byte) error {
	if len(data) != iomsg.Size {
		return fmt.Errorf("%w: the BlueField has sent an IO message of %d bytes", doca.ErrUnexpected, len(data))
	}
	m := iomsg.Message(data)
	if m.Type() != iomsg.Result && m.Type() != iomsg.Stop {
		return fmt.Errorf("%w: the BlueField has sent an IO message that is no result: %v", doca.ErrUnexpected, m.Type())
	}
	lane, index := int(m.User()>>32), int(uint32(m.User()))
	if lane != l.index || index >= len(l.slots) || !l.slots[index].busy || l.slots[index].answered {
		return fmt.Errorf("%w: core %d got a result for request %d of core %d, which it has not sent", doca.ErrUnexpected, l.index, index, lane)
	}
	s := &l.slots[index]
	s.answered, s.code = true, m.Code()
	l.end(index)
	return nil
}

// takeSent handles the requests that Comch has handed over.
func (l *Lane) takeSent() error {
	for g := l.out.oldest(); g != nil && g.sent.Ended(); g = l.out.oldest() {
		if err := g.sent.Err(); err != nil {
			return err
		}
		for _, b := range g.bufs {
			index := b.Offset() / iomsg.Size
			l.slots[index].sent = true
			l.end(index)
		}
		l.out.drop()
	}
	return nil
}

func (l *Lane) end(index int) {
	if s := &l.slots[index]; s.sent && s.answered {
		s.busy = false
		if l.Message(index).Type() == iomsg.Stop {
			return
		}
		l.stats.Operations++
		l.ended = append(l.ended, Completion{Slot: index, Code: s.code})
	}
}

// Stats returns what the lane has done. Nobody uses it at the time.
func (l *Lane) Stats() Stats { return l.stats }

// Close closes all that the lane has.
func (l *Lane) Close() error {
	var err error
	if l.consumer != nil {
		err = l.consumer.Close()
	}
	if l.producer != nil {
		err = errors.Join(err, l.producer.Close())
	}
	for _, s := range []*buffers.Set{l.requests, l.results} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	if l.engine != nil {
		err = errors.Join(err, l.ProgressEngine.Close())
	}
	return err
}
