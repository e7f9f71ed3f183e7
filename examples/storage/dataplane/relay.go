package dataplane

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/examples/internal/buffers"
	"github.com/go-doca/go-doca/examples/storage/iomsg"
)

// Relay is the worker of one core of the BlueField. It passes requests from a consumer of Comch to RDMA, and results from RDMA
// to a producer. The blocks do not pass it: the target moves them between its memory and the host's.
type Relay struct {
	*engine
	links
	consumer *comch.Consumer
	producer *comch.Producer
	to       uint32 // the initiator's consumer

	requests, results *buffers.Set // the messages
	forward           groups       // requests on their way to the target
	back              groups       // results on their way to the initiator
	fromHost          []comch.Received
	fromTarget        []rdma.Received

	stopPassed bool // a stop message has gone to the target
}

// NewRelay makes a worker that can have tasks messages in flight in each direction. It drives the connection's engine
// meanwhile. The initiator learns of the worker's consumer.
func NewRelay(dev *doca.Device, conn *comch.Conn, tasks int) (r *Relay, err error) {
	r = &Relay{fromHost: make([]comch.Received, groupSize), fromTarget: make([]rdma.Received, groupSize)}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	if r.engine, err = newEngine(); err != nil {
		return r, err
	}
	if r.requests, err = newMessages(dev, tasks); err != nil {
		return r, err
	}
	if r.results, err = newMessages(dev, tasks); err != nil {
		return r, err
	}
	pe := r.ProgressEngine
	if r.consumer, err = conn.NewConsumer(r.requests.Memory, comch.ConsumerConfig{Engine: pe, MaxTasks: tasks}); err != nil {
		return r, err
	}
	if r.producer, err = conn.NewProducer(comch.ProducerConfig{Engine: pe, MaxTasks: tasks}); err != nil {
		return r, err
	}
	return r, r.open(dev, pe, tasks)
}

// Prepare posts the receives. Results go to the initiator's consumer of this number.
func (r *Relay) Prepare(consumer uint32) (err error) {
	if !r.Connected() {
		return fmt.Errorf("%w: the worker has no RDMA connection", doca.ErrNotConnected)
	}
	r.to = consumer
	if r.forward, err = newGroups(len(r.requests.List), r.messages()); err != nil {
		return err
	}
	if r.back, err = newGroups(len(r.results.List), nil); err != nil {
		return err
	}
	if _, err = r.messages().RDMA().Post(r.results.List...); err != nil {
		return err
	}
	_, err = r.consumer.PostBatch(r.requests.List)
	return err
}

// Run passes messages on until stop is true and none is on its way, or a connection ends, which is an error. What has arrived when
// stop becomes true is passed on as well: it may be the initiator's stop message.
func (r *Relay) Run(stop *atomic.Bool) error {
	for {
		last := stop.Load()
		err := r.turn()
		if r.stopPassed && (errors.Is(err, comch.ErrPeerGone) || errors.Is(err, comch.ErrConsumerGone) || errors.Is(err, rdma.ErrPeerGone)) {
			return nil
		}
		if err != nil {
			return err
		}
		if last && r.forward.empty() && r.back.empty() {
			return nil
		}
	}
}

// turn is one pass through the loop.
func (r *Relay) turn() error {
	err := r.step()
	if err == nil && !r.drained.Load() {
		err = r.takeRequests()
	}
	if err == nil {
		err = r.takeResults()
	}
	if err == nil {
		err = r.repost()
	}
	return err
}

// takeRequests sends what has arrived from the initiator to the target.
func (r *Relay) takeRequests() error {
	g := r.forward.free()
	if g == nil {
		return nil
	}
	n, err := r.consumer.TryRecvBatch(r.fromHost)
	if n == 0 {
		return err
	}
	if err := g.batch.Reset(); err != nil {
		return err
	}
	for i := range n {
		m := &r.fromHost[i]
		if len(m.Data) != iomsg.Size {
			return fmt.Errorf("%w: the initiator has sent an IO message of %d bytes", doca.ErrUnexpected, len(m.Data))
		}
		if iomsg.Message(m.Data).Type() == iomsg.Stop {
			r.stopPassed = true
		}
		g.bufs = append(g.bufs, m.Buffer)
		if err := g.batch.Send(r.requests.Memory, m.Buffer.Offset(), len(m.Data)); err != nil {
			return err
		}
	}
	if err := g.batch.Submit(background); err != nil {
		return err
	}
	r.forward.launched()
	return nil
}

// takeResults sends what has arrived from the target to the initiator.
func (r *Relay) takeResults() error {
	g := r.back.free()
	if g == nil {
		return nil
	}
	n, err := r.messages().RDMA().TryRecvBatch(r.fromTarget)
	if n == 0 {
		return err
	}
	for i := range n {
		m := &r.fromTarget[i]
		if len(m.Data) != iomsg.Size {
			return fmt.Errorf("%w: the target has sent an IO message of %d bytes", doca.ErrUnexpected, len(m.Data))
		}
		msg := iomsg.Message(m.Data)
		if kind := msg.Type(); kind != iomsg.Result && kind != iomsg.Stop { // a result keeps its code: an IO that failed is not a success
			msg.SetResult(0)
		}
		if msg.Type() == iomsg.Result {
			r.stats.Operations++
		}
		g.bufs = append(g.bufs, m.Buffer)
		g.msgs = append(g.msgs, comch.Message{Buffer: m.Buffer, Consumer: r.to})
	}
	if err := r.producer.StartBatch(g.msgs, &g.sent); err != nil {
		return err
	}
	r.back.launched()
	return nil
}

// repost posts the buffers of messages that have been passed on.
func (r *Relay) repost() error {
	for g := r.forward.oldest(); g != nil && g.batch.Ended(); g = r.forward.oldest() {
		if err := g.batch.Wait(background); err != nil {
			return err
		}
		if _, err := r.consumer.PostBatch(g.bufs); err != nil {
			return err
		}
		r.forward.drop()
	}
	for g := r.back.oldest(); g != nil && g.sent.Ended(); g = r.back.oldest() {
		if err := g.sent.Err(); err != nil {
			return err
		}
		if _, err := r.messages().RDMA().Post(g.bufs...); err != nil {
			return err
		}
		r.back.drop()
	}
	return nil
}

// Stats returns what the worker has done. Its thread has ended.
func (r *Relay) Stats() Stats { return r.stats }

// CloseComch closes consumer and producer, so that the initiator learns that the worker has ended.
func (r *Relay) CloseComch() error {
	var err error
	if r.consumer != nil {
		err = r.consumer.Close()
	}
	if r.producer != nil {
		err = errors.Join(err, r.producer.Close())
	}
	return err
}

// Close closes all that the worker has. Its thread has ended.
func (r *Relay) Close() error {
	err := errors.Join(r.CloseComch(), r.links.close())
	for _, s := range []*buffers.Set{r.requests, r.results} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	if r.engine != nil {
		err = errors.Join(err, r.ProgressEngine.Close())
	}
	return err
}
