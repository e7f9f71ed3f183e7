package comch

import (
	"context"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// Received is a message of a producer.
type Received struct {
	Buffer     *doca.Buffer // that was posted, the receiver's own again; nil if none was
	Data       []byte       // what was received, at the head of Buffer's region: see [doca.Buffer.Data]
	Imm        []byte       // the immediate data, a copy
	ProducerID uint32       // see [Producer.ID]
}

// taker is a goroutine that waits for messages.
type taker struct{ done bind.Completion }

// Recv waits for the next message and returns it; it drives the engine meanwhile. Messages
// come in the order in which their buffers were posted. The caller posts the buffer again when
// it is done with the data. What was received before the consumer stopped is still returned.
// Errors: ctx.Err() if ctx ends first; ErrNotConnected or ErrConnectionReset when the
// connection has ended; a [*doca.StateError] after Close; and the error of a receive that
// failed by itself, together with its buffer, which is the caller's again. Stands on
// doca_comch_consumer_task_post_recv_get_imm_data and its like.
func (c *Consumer) Recv(ctx context.Context) (Received, error) {
	var one [1]Received
	_, err := c.c.recv(ctx, one[:])
	return one[0], err
}

// RecvBatch waits until there are messages and fills out with as many as there are; it returns
// their number, which is 0 if there is an error or out is empty. It allocates nothing if the
// Imm fields of out have room, as after an earlier call. Otherwise it is like Recv: the buffer
// of a receive that failed by itself is in out[0].
func (c *Consumer) RecvBatch(ctx context.Context, out []Received) (int, error) {
	if len(out) == 0 {
		return 0, nil
	}
	return c.c.recv(ctx, out)
}

func (c *consumer) recv(ctx context.Context, out []Received) (int, error) {
	c.link.LockAlways()
	defer c.link.Unlock()
	for {
		if c.count-c.read < uint32(min(len(out), len(c.posts))) {
			c.link.Step()
		}
		if c.read != c.count {
			return c.take(out), nil
		}
		if len(c.failed) > 0 {
			return 0, c.takeFailed(&out[0])
		}
		if err := c.usable("receive"); err != nil {
			return 0, err
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := c.await(ctx); err != nil && c.read == c.count {
			return 0, err
		}
	}
}

// await waits until there may be something to take. The lock is not held meanwhile.
func (c *consumer) await(ctx context.Context) error {
	var r *taker
	if last := len(c.idle) - 1; last >= 0 {
		r, c.idle = c.idle[last], c.idle[:last]
	} else {
		r = new(taker)
	}
	r.done.Init(c.link)
	c.waiting = append(c.waiting, r)
	c.link.Unlock()
	err := r.done.Wait(ctx)
	c.link.LockAlways()
	if k := slices.Index(c.waiting, r); k >= 0 {
		c.waiting = slices.Delete(c.waiting, k, k+1)
	} else if err != nil {
		c.rouse() // it was meant for this one
	}
	c.idle = append(c.idle, r)
	return err
}

// take fills out with results that were not read. There is one.
func (c *consumer) take(out []Received) int {
	inbox := &c.inC.inbox[0]
	n := int(min(uint64(len(out)), uint64(c.count-c.read)))
	for k := range n {
		result := (*gen.ConsumerTaskPostRecvResult)(inbox.Result(c.read + uint32(k)))
		i := int32(result.User)
		p, to := &c.posts[i], &out[k]
		to.Buffer, to.Data = p.buf, nil
		if p.buf != nil {
			to.Data = c.posting.Filled(p.buf, int(result.BufLen))
			p.buf = nil
		}
		if to.Imm = to.Imm[:0]; result.ImmDataLen > 0 {
			to.Imm = append(to.Imm, result.ImmData()...)
		}
		to.ProducerID = result.ProducerID
		c.free.push(i)
	}
	c.posting.Unlock()
	c.read += uint32(n)
	c.rouse()
	return n
}

// takeFailed returns the error of a receive that failed, and its buffer.
func (c *consumer) takeFailed(to *Received) error {
	f := c.failed[0]
	c.failed = slices.Delete(c.failed, 0, 1)
	*to = Received{Buffer: c.posts[f.post].buf}
	c.giveBack(f.post)
	c.posting.Unlock()
	c.free.push(f.post)
	return f.err
}

// postFailed notes that post i has ended without data. If the consumer stops that is how posts
// end, and its buffer is given back.
func (c *consumer) postFailed(i int32, status abi.Error) {
	if c.link.Running() {
		c.failed = append(c.failed, failure{i, c.fail("receive", status, "the buffer is given back")})
		return
	}
	c.giveBack(i)
	c.posting.Unlock()
	c.free.push(i)
}

// rouse wakes one of those who wait, if there is something to take.
func (c *consumer) rouse() {
	if len(c.waiting) > 0 && (c.read != c.count || len(c.failed) > 0) {
		r := c.waiting[0]
		c.waiting = slices.Delete(c.waiting, 0, 1)
		r.done.Complete(nil)
	}
}

// rouseAll wakes all who wait.
func (c *consumer) rouseAll() {
	for _, r := range c.waiting {
		r.done.Complete(nil)
	}
	clear(c.waiting)
	c.waiting = c.waiting[:0]
}

// drop gives back the buffers of what was not read.
func (c *consumer) drop() {
	for i := range c.posts {
		c.giveBack(int32(i))
	}
	c.posting.Unlock()
	c.read, c.failed = c.count, nil
}
