package comchnet

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// bulkIn is the receiving side of the bulk data, and the order of messages and buffers. The Conn's mu
// guards it, unless it says otherwise.
type bulkIn struct {
	size int // of the buffers that the device can receive into; 0: it cannot; constant

	opened   bool // the peer has asked for a consumer
	running  bool // a goroutine receives buffers
	memory   *bulkMemory
	consumer *comch.Consumer

	filled []filled // buffers with unread data, in order
	got    uint32   // data that came as messages, in bytes, modulo 2³²
	read   uint32   // how much of it was read
	count  uint32   // buffers that were read, modulo 2³²
	marks  []mark

	atBulk bool           // the data that nextLocked has returned is of the first buffer; guarded by rmu
	empty  []*doca.Buffer // buffers that were read and not posted again; guarded by rmu
}

// filled is a buffer with unread data.
type filled struct {
	buf   *doca.Buffer
	data  []byte
	after uint32 // how many bytes of data in messages come before
}

// mark is a place between two messages that buffers belong to.
type mark struct {
	at    uint32 // how many bytes of data in messages come before
	count uint32 // how many buffers come before
}

// frontLocked returns the first data of the stream, as much as is in one piece, or nil if there is
// none. The caller holds mu and rmu.
func (c *Conn) frontLocked() []byte {
	in := &c.bulk
	for {
		if len(in.filled) > 0 && in.filled[0].after == in.read {
			in.atBulk = true
			return in.filled[0].data
		}
		in.atBulk = false
		data := c.in.front()
		if len(in.marks) == 0 {
			return data
		}
		next := in.marks[0]
		if next.at != in.read {
			return data[:min(len(data), int(next.at-in.read))]
		}
		if int32(next.count-in.count) > 0 {
			return nil // a buffer is on its way
		}
		in.marks = in.marks[1:]
	}
}

// dropLocked removes the first n bytes of what frontLocked has returned. The caller holds mu and rmu.
func (c *Conn) dropLocked(n int) {
	in := &c.bulk
	if !in.atBulk {
		c.in.drop(n)
		c.owed += n
		in.read += uint32(n)
		return
	}
	first := &in.filled[0]
	first.data = first.data[n:]
	if len(first.data) == 0 {
		in.empty = append(in.empty, first.buf)
		in.filled = append(in.filled[:0], in.filled[1:]...)
		in.count++
	}
}

// repostLocked gives the consumer the buffers that were read. If it fails, the connection has ended, and
// whoever receives finds out why. The caller holds rmu.
func (c *Conn) repostLocked() {
	if len(c.bulk.empty) == 0 {
		return
	}
	c.mu.Lock()
	consumer := c.bulk.consumer
	c.mu.Unlock()
	consumer.PostBatch(c.bulk.empty)
	c.bulk.empty = c.bulk.empty[:0]
}

// takeMarkLocked handles AFTER. More buffers than it says may have been read: those that were sent after it may be faster, if
// the data that it was for was not sent in the end. The caller holds mu.
func (c *Conn) takeMarkLocked(count uint32) error {
	in := &c.bulk
	if !in.opened || int32(count-in.count) > bulkBuffers {
		return fmt.Errorf("%w: the peer has announced buffer %d, %d were read", doca.ErrUnexpected, count, in.count)
	}
	if n := len(in.marks); n > 0 && in.marks[n-1].at == in.got {
		in.marks[n-1].count = count
	} else {
		in.marks = append(in.marks, mark{in.got, count})
	}
	c.readable.notifyLocked()
	return nil
}

// takeConsumerLocked handles CONSUMER, the answer to OPEN. The caller holds mu.
func (c *Conn) takeConsumerLocked(body []byte) error {
	id, log := binary.BigEndian.Uint32(body), int(body[4])
	if c.out.answered || id != 0 && (log < bits.Len(bulkLeast)-1 || log > 30) {
		return fmt.Errorf("%w: the peer has offered consumer %d with buffers of 2^%d bytes", doca.ErrUnexpected, id, log)
	}
	c.out.answered = true
	if id != 0 && c.out.size > 0 {
		c.helpLocked(func() { c.openSender(id, min(c.out.size, 1<<log)) })
	}
	return nil
}

// receiveBulk makes a consumer, tells the peer of it, and receives buffers until the connection ends.
func (c *Conn) receiveBulk() {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bulk.running = false
		c.readable.notifyLocked()
	}()
	var frame [maxFrame]byte
	consumer, err := c.openConsumer()
	if err != nil { // the peer goes on with messages
		c.sendControl(c.life, consumerFrame(&frame, 0, 0))
		return
	}
	if c.sendControl(c.life, consumerFrame(&frame, consumer.ID(), c.bulk.size)) != nil {
		return
	}
	var received [bulkBuffers]comch.Received
	for {
		n, err := consumer.RecvBatch(context.Background(), received[:])
		if err != nil {
			if !errors.Is(err, comch.ErrPeerGone) && !errors.Is(err, doca.ErrClosed) {
				c.fail(err)
				c.expel(err)
			}
			return
		}
		c.mu.Lock()
		err = c.takeBulkLocked(received[:n])
		c.mu.Unlock()
		if err != nil {
			c.fail(err)
			c.expel(err)
			return
		}
	}
}

// takeBulkLocked adds received buffers to the stream. The caller holds mu.
func (c *Conn) takeBulkLocked(received []comch.Received) error {
	in := &c.bulk
	for i := range received {
		r := &received[i]
		if len(r.Imm) != bulkImmLen || len(r.Data) == 0 {
			return fmt.Errorf("%w: the peer has sent a buffer with %d bytes of data and %d of immediate data", doca.ErrUnexpected, len(r.Data), len(r.Imm))
		}
		after := binary.BigEndian.Uint32(r.Imm)
		if uint64(after-in.read) > uint64(c.receiveWindow)+1 {
			return fmt.Errorf("%w: the peer has sent a buffer for byte %d of the messages, %d were read", doca.ErrUnexpected, after, in.read)
		}
		in.filled = append(in.filled, filled{r.Buffer, r.Data, after})
	}
	c.readable.notifyLocked()
	return nil
}

func (c *Conn) openConsumer() (*comch.Consumer, error) {
	m, err := newBulkMemory(c.raw, c.bulk.size, doca.AccessPCIReadWrite)
	if err != nil {
		return nil, err
	}
	consumer, err := c.raw.NewConsumer(m.mem, comch.ConsumerConfig{MaxTasks: bulkBuffers, ImmDataLen: bulkImmLen})
	if err == nil {
		createdFor(c.raw, consumer, consumer.Engine())
		if _, err = consumer.PostBatch(m.bufs); err != nil {
			err = errors.Join(err, consumer.Close())
		}
	}
	if err != nil {
		return nil, errors.Join(err, m.discard())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bulk.memory, c.bulk.consumer = m, consumer
	return consumer, nil
}
