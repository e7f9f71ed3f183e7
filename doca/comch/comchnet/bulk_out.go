package comchnet

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// bulkOut is the sending side of the bulk data. wmu guards it, unless it says otherwise.
type bulkOut struct {
	size  int    // of the buffers that the device can send; 0: it cannot send any; constant
	large int    // how much was written more than a message at a time; up to bulkAfter of each write count
	asked bool   // OPEN has been sent
	bytes uint32 // data that was sent as messages, modulo 2³²
	count uint32 // buffers that were sent, modulo 2³²
	after bool   // buffers were sent since the last message with data, so AFTER must precede the next

	watched bool // lookAtBulk is about to run

	offered  bool        // the peer can receive buffers; guarded by mu
	answered bool        // the peer has answered OPEN; guarded by mu
	sender   *bulkSender // nil: none yet; guarded by mu, its contents by wmu
}

// bulkSender is what exists when the peer has a consumer for the stream.
type bulkSender struct {
	*bulkMemory
	producer *comch.Producer
	consumer uint32
	sent     [bulkBuffers]*comch.Future // nil: the buffer has not been used
	lent     [bulkBuffers]bool          // a ReadFrom reads into the buffer
	next     int
	imm      [bulkImmLen]byte
}

// bulkLocked returns the way for bulk data, or nil if there is none. If there may be one later, it asks
// the peer for it. The caller holds wmu.
func (c *Conn) bulkLocked(ctx context.Context) (*bulkSender, error) {
	if c.out.size == 0 || c.out.large < bulkAfter {
		return nil, nil
	}
	c.mu.Lock()
	sender, offered, err := c.out.sender, c.out.offered, c.sendableLocked(ctx)
	c.mu.Unlock()
	switch {
	case err != nil || c.ended || !offered:
		return nil, err
	case sender != nil || c.out.asked:
		return sender, nil
	}
	c.out.asked = true
	if err := c.send(ctx, []byte{frameOpen}); err != nil {
		c.out.asked = false
		return nil, err
	}
	return nil, nil
}

// freeLocked returns the next buffer that no ReadFrom has, or -1. The caller holds wmu.
func (s *bulkSender) freeLocked() int {
	for k := range bulkBuffers {
		if i := (s.next + k) % bulkBuffers; !s.lent[i] {
			return i
		}
	}
	return -1
}

// busyLocked reports whether buffer i is still on its way. The caller holds wmu.
func (s *bulkSender) busyLocked(i int) bool {
	f := s.sent[i]
	if f == nil || f.Ended() {
		return false
	}
	_, _ = s.producer.Engine().Progress() // a later call returns its error
	return !f.Ended()
}

// borrow returns a buffer to read into, for giveBack to give back. The sender is nil if there is none, or if the stream
// cannot be written to: then a write finds out why.
func (c *Conn) borrow() (*bulkSender, int) {
	ctx := c.wdeadline.context()
	c.wmu.Lock()
	defer c.wmu.Unlock()
	s, err := c.bulkLocked(ctx)
	if s == nil || err != nil {
		return nil, 0
	}
	i := s.freeLocked()
	if i < 0 || c.sentLocked(ctx, s, i) != nil {
		return nil, 0
	}
	s.next, s.lent[i] = (i+1)%bulkBuffers, true
	return s, i
}

func (c *Conn) giveBack(s *bulkSender, i int) {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	s.lent[i] = false
}

// writeBorrowed writes the first n bytes of a borrowed buffer, as Write does.
func (c *Conn) writeBorrowed(s *bulkSender, i, n int) (int, error) {
	ctx := c.wdeadline.context()
	c.wmu.Lock()
	defer c.wmu.Unlock()
	var sent int
	way, err := c.bulkLocked(ctx)
	if err == nil && way != nil && c.inBuffersLocked(n) {
		sent, err = c.sendBulkLocked(ctx, s, i, n)
	}
	if err == nil && sent == 0 {
		sent, err = c.writeLocked(ctx, s.region(i)[:n])
	}
	return sent, c.opError("write", c.whyLocked(ctx, err))
}

// inBuffersLocked reports whether n bytes should go through a buffer: many, or few that follow others in a buffer, for
// then they need neither AFTER nor the peer's receiver of messages. The caller holds wmu.
func (c *Conn) inBuffersLocked(n int) bool { return n >= bulkLeast || c.out.after }

// writeBulkLocked sends the first bytes of p in a buffer and returns how many. It waits for a buffer that it can use and
// for one that the peer has for it; a short p waits for neither. 0 means that p goes as a message. The caller holds wmu.
func (c *Conn) writeBulkLocked(ctx context.Context, s *bulkSender, p []byte) (int, error) {
	c.mu.Lock()
	err := c.sendableLocked(ctx)
	c.mu.Unlock()
	i := s.freeLocked()
	if err != nil || i < 0 || !c.inBuffersLocked(len(p)) || len(p) < bulkLeast && s.busyLocked(i) {
		return 0, err
	}
	if err := c.sentLocked(ctx, s, i); err != nil {
		return 0, err
	}
	n, err := c.sendBulkLocked(ctx, s, i, copy(s.region(i), p))
	if n > 0 {
		s.next = (i + 1) % bulkBuffers
	}
	return n, err
}

// sendBulkLocked sends the first n bytes of a buffer and returns n, or 0 if they are few and the peer has no buffer for them.
// The caller holds wmu.
func (c *Conn) sendBulkLocked(ctx context.Context, s *bulkSender, i, n int) (int, error) {
	if err := s.bufs[i].SetData(0, n); err != nil {
		return 0, c.sendFailed(err)
	}
	binary.BigEndian.PutUint32(s.imm[:], c.out.bytes)
	send := s.producer.SendAsync
	if n < bulkLeast {
		send = s.producer.TrySendAsync
	}
	f, err := send(ctx, s.bufs[i], s.imm[:], s.consumer)
	switch {
	case err == nil:
	case errors.Is(err, doca.ErrAgain):
		return 0, nil
	case ctx.Err() != nil && !errors.Is(err, comch.ErrPeerGone):
		return 0, context.Cause(ctx)
	default:
		return 0, c.sendFailed(err)
	}
	s.sent[i] = f
	c.out.count++
	c.out.after = true
	if !c.out.watched {
		c.out.watched = true
		time.AfterFunc(bulkLook, c.lookAtBulk)
	}
	return n, nil
}

// bulkLook is how long after a write a stream looks what has become of its buffers.
const bulkLook = 50 * time.Millisecond

// lookAtBulk waits for the buffers that are under way, and ends the stream if one is lost. A program that writes nothing
// more would not notice, and both sides might wait for data that does not come.
func (c *Conn) lookAtBulk() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.helpLocked(func() {
		c.wmu.Lock()
		c.out.watched = false
		c.mu.Lock()
		sent := c.out.sender.sent
		c.mu.Unlock()
		c.wmu.Unlock()
		for _, f := range sent {
			if f == nil {
				continue
			}
			err := f.Wait(c.life)
			if err == nil || c.life.Err() != nil {
				continue
			}
			if !errors.Is(err, comch.ErrPeerGone) && !errors.Is(err, doca.ErrClosed) { // else receiving finds out how it has ended
				c.fail(c.sendFailed(err))
				_ = c.raw.Close() // the peer must not wait either
			}
			return
		}
	})
}

// sentLocked waits until buffer i has arrived, and returns an error if it has not. The caller holds
// wmu.
func (c *Conn) sentLocked(ctx context.Context, s *bulkSender, i int) error {
	f := s.sent[i]
	if f == nil {
		return nil
	}
	err := c.arrived(ctx, f)
	if err == nil {
		s.sent[i] = nil
	}
	return err
}

// arrival is a buffer that is on its way: a [comch.Future].
type arrival interface {
	Wait(ctx context.Context) error
	Err() error
}

// arrived waits until a buffer has arrived, and returns an error if it has not.
func (c *Conn) arrived(ctx context.Context, f arrival) error {
	err := f.Wait(ctx)
	switch end := f.Err(); { // it may have come to its end right after ctx
	case !errors.Is(end, doca.ErrInProgress):
		err = end
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	if err == nil {
		return nil
	}
	return c.sendFailed(err)
}

// drainLocked waits until all buffers have arrived. The caller holds wmu.
func (c *Conn) drainLocked(ctx context.Context) error {
	c.mu.Lock()
	s := c.out.sender
	c.mu.Unlock()
	if s == nil {
		return nil
	}
	for i := range s.sent {
		if err := c.sentLocked(ctx, s, i); err != nil {
			return err
		}
	}
	return nil
}

// orderLocked sends AFTER, if the next message must not be read before the buffers that were sent. The
// caller holds wmu.
func (c *Conn) orderLocked(ctx context.Context) error {
	if !c.out.after {
		return nil
	}
	if err := c.send(ctx, numberFrame(&c.wframe, frameAfter, c.out.count)); err != nil {
		return err
	}
	c.out.after = false
	return nil
}

// openSender makes what sends to the peer's consumer. If it cannot, the stream goes on with messages.
func (c *Conn) openSender(consumer uint32, size int) {
	m, err := newBulkMemory(c.raw, size, doca.AccessLocalReadWrite)
	if err != nil {
		return
	}
	producer, err := c.raw.NewProducer(comch.ProducerConfig{MaxTasks: bulkBuffers})
	if err != nil {
		m.close()
		return
	}
	createdFor(c.raw, producer, producer.Engine())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.sender = &bulkSender{bulkMemory: m, producer: producer, consumer: consumer}
}
