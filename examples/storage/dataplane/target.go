package dataplane

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/examples/internal/buffers"
	"github.com/go-doca/go-doca/examples/storage/iomsg"
)

// Backend is contents that a target serves and that are not memory of a device. Workers call it from several goroutines.
type Backend interface {
	io.ReaderAt
	io.WriterAt
}

// Store is what a target's workers serve.
type Store struct {
	Size int64 // bytes

	// Memory has the contents, if they are memory. It must be open to the device.
	Memory *doca.Memory
	// Written, if it is not nil, is called when bytes of Memory have been written, before the initiator is told so. It is called once
	// for writes that have arrived together, with a range that has them all. If it returns an error, the initiator is told that they
	// have failed.
	Written func(off int64, n int) error
	// Backend has them otherwise. Blocks then go through memory of the worker.
	Backend Backend
	// MaxIO is the size of the largest transfer with a Backend, in bytes.
	MaxIO int
}

// Target is the worker of one core of the target. A request to read makes it write the blocks to the host's memory, by RDMA
// through the BlueField; a request to write makes it read them from there. Then it sends the message back as the result.
type Target struct {
	*engine
	links
	store   Store
	host    *doca.Memory    // the host's memory, which the BlueField has passed on
	staging *doca.Memory    // for a Backend: a place for each message
	msgs    *buffers.Set    // the messages
	codes   []doca.Error    // results that are known before blocks move, by message
	arrived []rdma.Received // requests

	reads, writes groups // blocks on their way
	results       groups // results on their way
	dataErr       error  // why the data connection has ended
}

// NewTarget makes a worker that can have tasks messages in flight.
func NewTarget(dev *doca.Device, host *doca.Memory, store Store, tasks int) (t *Target, err error) {
	t = &Target{store: store, host: host, arrived: make([]rdma.Received, groupSize), codes: make([]doca.Error, tasks)}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	if t.engine, err = newEngine(); err != nil {
		return t, err
	}
	if t.msgs, err = newMessages(dev, tasks); err != nil {
		return t, err
	}
	if store.Backend != nil {
		if t.staging, err = doca.NewMemory(tasks*store.MaxIO, doca.MemoryConfig{Devices: []*doca.Device{dev}}); err != nil {
			return t, err
		}
	}
	return t, t.open(dev, t.ProgressEngine, tasks)
}

// Prepare posts the receives.
func (t *Target) Prepare() (err error) {
	if !t.Connected() {
		return fmt.Errorf("%w: the worker has no RDMA connection", doca.ErrNotConnected)
	}
	n := len(t.msgs.List)
	if t.reads, err = newGroups(n, t.data()); err != nil {
		return err
	}
	if t.writes, err = newGroups(n, t.data()); err != nil {
		return err
	}
	if t.results, err = newGroups(n, t.messages()); err != nil {
		return err
	}
	_, err = t.messages().RDMA().Post(t.msgs.List...)
	return err
}

// Run serves requests until stop is true and none is in work, or the connection for messages ends, which is an error. What has arrived
// when stop becomes true is served as well.
func (t *Target) Run(stop *atomic.Bool) error {
	for {
		last := stop.Load()
		if err := t.turn(); err != nil {
			return err
		}
		if last && t.reads.empty() && t.writes.empty() && t.results.empty() {
			return nil
		}
	}
}

// turn is one pass through the loop.
func (t *Target) turn() error {
	err := t.step()
	if err == nil && !t.drained.Load() {
		err = t.takeRequests()
	}
	if err == nil {
		err = t.answer(&t.reads)
	}
	if err == nil {
		err = t.answer(&t.writes)
	}
	if err == nil {
		err = t.repost()
	}
	return err
}

// takeRequests starts the transfers that the initiator asks for.
func (t *Target) takeRequests() error {
	reads, writes, refused := t.reads.free(), t.writes.free(), t.results.free()
	if reads == nil || writes == nil || refused == nil {
		return nil
	}
	n, err := t.messages().RDMA().TryRecvBatch(t.arrived)
	if n == 0 {
		return err
	}
	for _, g := range []*group{reads, writes} {
		if err := g.batch.Reset(); err != nil {
			return err
		}
	}
	for i := range n {
		m := &t.arrived[i]
		if len(m.Data) != iomsg.Size {
			return fmt.Errorf("%w: the BlueField has sent an IO message of %d bytes", doca.ErrUnexpected, len(m.Data))
		}
		msg, slot := iomsg.Message(m.Data), m.Buffer.Offset()/iomsg.Size
		g := refused
		if t.codes[slot] = t.check(msg); t.codes[slot] == 0 && msg.Type() != iomsg.Stop {
			g = t.begin(msg, slot, reads, writes, refused)
		}
		g.bufs = append(g.bufs, m.Buffer)
	}
	if err := t.launch(reads, &t.reads); err != nil {
		return err
	}
	if err := t.launch(writes, &t.writes); err != nil {
		return err
	}
	if len(refused.bufs) > 0 {
		return t.send(refused)
	}
	return nil
}

// check returns why a request cannot be carried out, 0 if it can.
func (t *Target) check(m iomsg.Message) doca.Error {
	n := uint64(m.Len())
	within := func(off uint64, size uint64) bool { return n <= size && off <= size-n }
	switch {
	case m.Type() == iomsg.Stop:
		return 0
	case m.Type() != iomsg.Read && m.Type() != iomsg.Write || n == 0:
		return doca.ErrInvalidValue
	case t.dataErr != nil, !within(m.Storage(), uint64(t.store.Size)), !within(m.Requester(), uint64(t.host.Len())),
		t.store.Backend != nil && n > uint64(t.store.MaxIO):
		return doca.ErrIOFailed
	}
	return 0
}

// begin adds the transfer to the group of its kind, which it returns, or if that fails the one of requests that are refused.
func (t *Target) begin(m iomsg.Message, slot int, reads, writes, refused *group) *group {
	mem, off, n := t.store.Memory, int(m.Storage()), int(m.Len())
	if t.staging != nil {
		mem, off = t.staging, slot*t.store.MaxIO
	}
	g := writes
	var err error
	if m.Type() == iomsg.Read {
		g = reads
		if t.staging != nil {
			var k int
			k, err = t.store.Backend.ReadAt(mem.Bytes()[off:][:n], int64(m.Storage()))
			if k == n {
				err = nil // it may be io.EOF
			} else if err == nil {
				err = io.ErrUnexpectedEOF
			}
		}
		if err == nil {
			err = g.batch.Write(t.host, int(m.Requester()), mem, off, n)
		}
	} else {
		err = g.batch.Read(mem, off, t.host, int(m.Requester()), n)
	}
	if err != nil {
		t.codes[slot] = doca.ErrIOFailed
		return refused
	}
	return g
}

// launch starts the transfers of a group. If DOCA does not take them, answer says so.
func (t *Target) launch(g *group, q *groups) error {
	if len(g.bufs) == 0 {
		return nil
	}
	q.launched()
	if err := g.batch.Submit(background); err != nil {
		t.fail(err)
		for _, b := range g.bufs {
			t.codes[b.Offset()/iomsg.Size] = doca.ErrIOFailed
		}
		return g.batch.Reset()
	}
	return nil
}

// fail keeps the first error of the data connection.
func (t *Target) fail(err error) {
	if t.dataErr == nil {
		t.dataErr = err
	}
}

// answer sends the results of transfers that have ended.
func (t *Target) answer(q *groups) error {
	for g := q.oldest(); g != nil && (g.batch.Ended() || g.batch.Len() == 0); g = q.oldest() {
		to := t.results.free()
		if to == nil {
			return nil
		}
		if g.batch.Len() > 0 {
			t.end(g)
		}
		to.bufs = append(to.bufs, g.bufs...)
		q.drop()
		if err := t.send(to); err != nil {
			return err
		}
	}
	return nil
}

// end finds out how the transfers of a group have ended.
func (t *Target) end(g *group) {
	if err := g.batch.Wait(background); err != nil {
		t.fail(err)
		for i, b := range g.bufs {
			if g.batch.Err(i) != nil {
				t.codes[b.Offset()/iomsg.Size] = doca.ErrIOFailed
			}
		}
	}
	switch {
	case t.staging != nil:
		t.writeBack(g)
	case t.store.Written != nil:
		t.keep(g)
	}
}

// written calls f for the writes of a group whose bytes have arrived.
func (t *Target) written(g *group, f func(m iomsg.Message, slot int)) {
	for _, b := range g.bufs {
		m, slot := iomsg.Message(b.Bytes()), b.Offset()/iomsg.Size
		if m.Type() == iomsg.Write && t.codes[slot] == 0 {
			f(m, slot)
		}
	}
}

// writeBack brings what has arrived to the backend.
func (t *Target) writeBack(g *group) {
	t.written(g, func(m iomsg.Message, slot int) {
		n, err := t.store.Backend.WriteAt(t.staging.Bytes()[slot*t.store.MaxIO:][:m.Len()], int64(m.Storage()))
		if err != nil || n < int(m.Len()) {
			t.codes[slot] = doca.ErrIOFailed
		}
	})
}

// keep makes what has arrived last, in one call for all: a disk takes as long for one write as for many.
func (t *Target) keep(g *group) {
	from, to := uint64(math.MaxUint64), uint64(0)
	t.written(g, func(m iomsg.Message, _ int) {
		from, to = min(from, m.Storage()), max(to, m.Storage()+uint64(m.Len()))
	})
	if from < to && t.store.Written(int64(from), int(to-from)) != nil {
		t.written(g, func(_ iomsg.Message, slot int) { t.codes[slot] = doca.ErrIOFailed })
	}
}

// send sends the messages of a group back.
func (t *Target) send(g *group) error {
	if err := g.batch.Reset(); err != nil {
		return err
	}
	for _, b := range g.bufs {
		if m := iomsg.Message(b.Bytes()); m.Type() != iomsg.Stop {
			m.SetResult(t.codes[b.Offset()/iomsg.Size])
			t.stats.Operations++
		}
		if err := g.batch.Send(t.msgs.Memory, b.Offset(), iomsg.Size); err != nil {
			return err
		}
	}
	t.results.launched()
	return g.batch.Submit(background)
}

// repost posts the buffers of results that have been sent.
func (t *Target) repost() error {
	for g := t.results.oldest(); g != nil && g.batch.Ended(); g = t.results.oldest() {
		if err := g.batch.Wait(background); err != nil {
			return err
		}
		if _, err := t.messages().RDMA().Post(g.bufs...); err != nil {
			return err
		}
		t.results.drop()
	}
	return nil
}

// Stats returns what the worker has done. Its thread has ended.
func (t *Target) Stats() Stats { return t.stats }

// DataErr returns why transfers have failed, if any has in a way that ended the data connection. Its thread has ended.
func (t *Target) DataErr() error { return t.dataErr }

// Close closes all that the worker has. Its thread has ended.
func (t *Target) Close() error {
	err := t.links.close()
	if t.msgs != nil {
		err = errors.Join(err, t.msgs.Close())
	}
	if t.staging != nil {
		err = errors.Join(err, t.staging.Close())
	}
	if t.engine != nil {
		err = errors.Join(err, t.ProgressEngine.Close())
	}
	return err
}
