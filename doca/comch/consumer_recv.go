package comch

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// Received is a message from a producer.
type Received struct {
	Buffer     *doca.Buffer // the posted buffer, which belongs to the program until it posts it; may be nil
	Data       []byte       // the data, at the head of Buffer's region: see [doca.Buffer.Data]
	Imm        []byte       // the immediate data, a copy
	ProducerID uint32       // the number of the producer: see [Producer.ID]
}

// Messages returns the messages that come, for a loop:
//
//	for r, err := range consumer.Messages(ctx) {
//		if err != nil {
//			return err
//		}
//		use(r.Data)
//	}
//
// It receives each message as [Consumer.Recv] does, and posts the buffer again when the body of the
// loop has ended, also by break or return. Until then r and what it refers to are valid. The body may
// send r.Buffer on with [Producer.Send]; nothing may use it after the body. If it is in use, it cannot
// be posted again, and the loop ends with ErrInUse. If DOCA refuses it for the moment (ErrAgain), the loop tries again for
// a second.
//
// The loop ends without an error when it is known that the peer has closed the connection. Every other
// end is an error, the last thing that the loop gets: those of Recv and of Post. A buffer that could not
// be posted again comes with it, as r.Buffer, and belongs to the program. Messages allocates
// nothing for a message. Several loops, in any goroutines, may share a consumer; each message goes to
// one of them. The calls of DOCA are those of Recv and Post.
func (c *Consumer) Messages(ctx context.Context) iter.Seq2[Received, error] {
	return func(yield func(Received, error) bool) {
		var one [1]Received
		for {
			_, err := c.RecvBatch(ctx, one[:])
			back := one[0].Buffer
			if err == nil {
				goesOn := yield(one[0], nil)
				if !c.c.autoPost {
					err = c.postBack(back)
				}
				if !goesOn {
					return
				}
				if errors.Is(err, ErrPeerGone) { // another goroutine has been told, this one will be
					err = nil
				}
			} else if errors.Is(err, io.EOF) {
				return
			} else if back != nil { // of a receive that failed
				refused := c.postBack(back)
				if refused == nil {
					back = nil
				}
				err = errors.Join(err, refused)
			}
			if err != nil {
				yield(Received{Buffer: back}, err)
				return
			}
			one[0].Buffer = nil
		}
	}
}

// postBack posts the buffer of a message again.
func (c *Consumer) postBack(buf *doca.Buffer) error {
	err := c.Post(buf)
	if errors.Is(err, doca.ErrAgain) {
		_, err = c.postAll(context.Background(), []*doca.Buffer{buf})
	}
	return err
}

// consumerWaiter is a goroutine in Recv or RecvBatch that waits for a message.
type consumerWaiter struct{ done bind.Completion }

// Recv waits for the next message and returns it. It drives the engine while it waits. Messages
// come in the order in which their buffers were posted. When the program is done with the data,
// it posts the buffer again. What was received before the consumer stopped is still returned.
//
// Errors: ctx.Err() if ctx ends first, where a message that has arrived comes first, as for [Conn.Recv]; a [*PeerError] if the peer has ended the connection, which is
// also io.EOF to errors.Is if it is known that the peer has closed it; a [*doca.StateError] if the
// consumer does not run. If a single receive fails, Recv returns its error
// together with its buffer, which belongs to the program again. The message is that of
// doca_comch_consumer_task_post_recv_get_buf, doca_comch_consumer_task_post_recv_get_imm_data
// and doca_comch_consumer_task_post_recv_get_producer_id.
func (c *Consumer) Recv(ctx context.Context) (Received, error) {
	if c == nil || c.c == nil {
		return Received{}, noConsumer("receive")
	}
	if err := bind.NeedContext(ctx, "receive", c); err != nil {
		return Received{}, err
	}
	var one [1]Received
	_, err := c.RecvBatch(ctx, one[:])
	return one[0], err
}

// RecvBatch waits until there is a message, fills out with those that there are, and returns
// their number. The number is 0 if there is an error or out is empty. RecvBatch reuses the Imm
// slices of out, and allocates nothing if they have room. Otherwise it is like Recv. The buffer
// of a receive that failed is in out[0].
func (c *Consumer) RecvBatch(ctx context.Context, out []Received) (int, error) {
	if c == nil || c.c == nil {
		return 0, noConsumer("receive")
	}
	if err := bind.NeedContext(ctx, "receive", c); err != nil {
		return 0, err
	}
	if len(out) == 0 {
		return 0, nil
	}
	n, err := c.c.recv(ctx, out)
	return n, c.c.receiveError(ctx, err)
}

// TryRecvBatch fills out with messages that have arrived and returns their number, 0 if there are none. It neither waits nor
// drives the engine, but for a step before it reports the end: it is for programs that call
// [doca.ProgressEngine.Progress] in a loop of their own. Otherwise it is like RecvBatch.
func (c *Consumer) TryRecvBatch(out []Received) (int, error) {
	if c == nil || c.c == nil {
		return 0, noConsumer("receive")
	}
	if len(out) == 0 {
		return 0, nil
	}
	n, err := c.c.tryRecv(out)
	return n, c.c.receiveError(context.Background(), err)
}

// receiveError returns the true cause of an error of a receive. If that is the end of the connection, Post may
// say it from now on, too.
func (c *consumer) receiveError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	err = c.resolve(ctx, opReceive, err)
	if errors.Is(err, ErrPeerGone) {
		c.toldEnd.Store(true)
	}
	return err
}

func (c *consumer) tryRecv(out []Received) (int, error) {
	c.link.LockAlways()
	defer c.link.Unlock()
	err := c.postFreeLocked()
	if errors.Is(err, doca.ErrAgain) {
		err = nil // the next call tries it again
	}
	if c.read == c.written {
		if usable := c.usableLocked(opReceive); usable != nil {
			c.link.Step() // what has arrived before the end
			err = c.usableLocked(opReceive)
		}
	}
	switch {
	case c.read != c.written:
		return c.takeLocked(out), nil
	case len(c.failed) > 0:
		return 0, c.takeFailedLocked(&out[0])
	}
	return 0, err
}

func (c *consumer) recv(ctx context.Context, out []Received) (int, error) {
	if err := c.link.LockAlwaysFor(ctx); err != nil {
		return 0, err
	}
	defer c.link.Unlock()
	for {
		postErr := c.postFreeLocked()
		if missing := min(len(out), c.maxPosts) - int(c.written-c.read); missing > 0 {
			c.stepLocked(missing)
		}
		if c.read != c.written {
			return c.takeLocked(out), nil
		}
		if len(c.failed) > 0 {
			return 0, c.takeFailedLocked(&out[0])
		}
		if postErr != nil && !errors.Is(postErr, doca.ErrAgain) {
			return 0, postErr
		}
		if err := c.usableLocked(opReceive); err != nil {
			c.link.Step() // the last messages and the end may have come since the step above
			if c.read == c.written && len(c.failed) == 0 {
				return 0, err
			}
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if postErr != nil && c.outLocked() == 0 { // no message can come before something is posted
			c.pauseLocked()
			continue
		}
		if err := c.awaitLocked(ctx); err != nil && c.read == c.written {
			return 0, err
		}
	}
}

// enoughForAStep is the number of messages that are worth a step of their own. Looking for more would cost another
// call of DOCA, most often in vain.
const enoughForAStep = 32

// looks is how often a receive has found one message alone before the next ones end when they have one. To look for more in vain
// would keep the message from the program. One in so many still looks.
const looks = 8

// stepLocked drives the engine one step for a receive of up to n messages. A receive of few finds more than
// it takes, so that the next ones need no step. If none has come, a receive from the DPA waits for one in C.
func (c *consumer) stepLocked(n int) {
	if c.immOnly && c.read == c.written {
		handled := 0
		if c.singles > looks && c.singles%looks != 0 {
			handled = c.link.LocalStepFor(1)
		} else {
			handled = c.link.LocalStep()
		}
		if handled > 0 && c.read == c.written { // a send has ended, to which the message is the answer
			c.link.LocalStep()
		}
		return
	}
	if c.raw == nil { // it is closed
		c.link.Step()
		return
	}
	c.inC.inbox[0].Expect() // a record would say what is found out here anyway
	if n >= enoughForAStep {
		c.link.StepFor(n)
	} else {
		c.link.Step()
	}
	c.countLocked()
}

// awaitLocked waits until there may be something to take. It releases the lock meanwhile.
func (c *consumer) awaitLocked(ctx context.Context) error {
	var r *consumerWaiter
	if last := len(c.idle) - 1; last >= 0 {
		r, c.idle = c.idle[last], c.idle[:last]
	} else {
		r = new(consumerWaiter)
	}
	r.done.Init(c.link)
	c.waiting = append(c.waiting, r)
	c.link.Unlock()
	err := r.done.Wait(ctx)
	c.link.LockAlways()
	if k := slices.Index(c.waiting, r); k >= 0 {
		c.waiting = slices.Delete(c.waiting, k, k+1)
	} else if err != nil {
		c.wakeOneLocked() // this one was woken and gives up: wake another one
	}
	c.idle = append(c.idle, r)
	return err
}

// takeLocked fills out with results that nobody has read. There must be at least one.
func (c *consumer) takeLocked(out []Received) int {
	out = out[:min(uint64(len(out)), uint64(c.written-c.read))]
	rest := out
	if c.ahead { // C has posted the task of the first one again
		c.ahead = false
		c.takeOneLocked(&rest[0])
		rest = rest[1:]
	}
	for len(rest) > 0 {
		n := c.takeFilledLocked(rest)
		if n == 0 {
			n = c.takeOthersLocked(rest)
		}
		rest = rest[n:]
	}
	c.posting.Unlock()
	if c.singles++; len(out) > 1 || c.read != c.written {
		c.singles = 0
	}
	if c.autoPost {
		c.postAgainLocked()
		c.inC.inbox[0].PostNext(c.singles > 0)
	}
	if c.autoPost && c.free.len() > 0 && len(c.waiting) > 0 { // DOCA has refused them: who waits tries again
		c.wakeFirstLocked()
	} else {
		c.wakeOneLocked()
	}
	return len(out)
}

// takeFilledLocked takes the first results as far as they are the most common ones: without immediate data, in buffers of one
// inventory that nobody closes. It returns their number. It is a loop for each message: it calls nothing.
func (c *consumer) takeFilledLocked(out []Received) int {
	inbox, posts, next := &c.inC.inbox[0], c.posts, c.read
	c.posting.Reach(&posts[resultAt(inbox, next).User].place)
	room := c.free.room()
	n := min(len(out), len(room))
	out, room = out[:n], room[:n]
	for k := range room {
		result, to := resultAt(inbox, next), &out[k]
		p, filled := &posts[result.User], int(result.BufLen)
		if result.ImmDataLen > 0 || !c.posting.Fill(&p.place, filled) {
			n = k
			break
		}
		to.Buffer, to.Data, p.buf, room[k] = p.buf, p.place.Data(filled), nil, p.inC
		to.Imm, to.ProducerID = to.Imm[:0], result.ProducerID
		next++
	}
	c.free.grow(n)
	c.read = next
	return n
}

// takeOthersLocked takes the first result, and those behind it that have immediate data, too.
func (c *consumer) takeOthersLocked(out []Received) (n int) {
	for n < len(out) && (n == 0 || resultAt(&c.inC.inbox[0], c.read).ImmDataLen > 0) {
		c.free.push(c.takeOneLocked(&out[n]))
		n++
	}
	return n
}

// takeOneLocked takes the first result, and returns its post.
func (c *consumer) takeOneLocked(to *Received) *abi.Post {
	result := resultAt(&c.inC.inbox[0], c.read)
	p, filled := &c.posts[result.User], int(result.BufLen)
	if !c.posting.Fill(&p.place, filled) {
		c.posting.FilledAt(&p.place, filled)
	}
	to.Buffer, to.Data, p.buf = p.buf, p.place.Data(filled), nil
	to.Imm, to.ProducerID = append(to.Imm[:0], result.ImmData()...), result.ProducerID
	c.read++
	return p.inC
}

// resultAt returns a result by its number.
func resultAt(inbox *abi.Inbox, number uint32) *gen.ConsumerTaskPostRecvResult {
	return (*gen.ConsumerTaskPostRecvResult)(inbox.Result(number))
}

// takeFailedLocked returns the error of a receive that failed, and puts its buffer into to.
func (c *consumer) takeFailedLocked(to *Received) error {
	f := c.failed[0]
	c.failed = slices.Delete(c.failed, 0, 1)
	*to = Received{Buffer: c.posts[f.post].buf}
	c.giveBackLocked(f.post)
	c.posting.Unlock()
	c.free.push(c.posts[f.post].inC)
	return f.err
}

// postFailedLocked handles the end of post i without data. While the consumer runs that is an
// error for Recv. When the consumer stops, all posts end like this.
func (c *consumer) postFailedLocked(i int32, status abi.Error) {
	if c.link.Running() {
		c.failed = append(c.failed, failedPost{i, c.suspectLocked(opReceive, status, "the buffer is given back")})
		return
	}
	if buf := c.posts[i].buf; c.own && buf != nil {
		c.toPost = append(c.toPost, buf)
	}
	c.giveBackLocked(i)
	c.posting.Unlock()
	c.free.push(c.posts[i].inC)
}

// wakeOneLocked wakes one goroutine that waits, if there is something to take.
func (c *consumer) wakeOneLocked() {
	if len(c.waiting) > 0 && (c.read != c.written || len(c.failed) > 0) {
		c.wakeFirstLocked()
	}
}

func (c *consumer) wakeFirstLocked() {
	r := c.waiting[0]
	c.waiting = slices.Delete(c.waiting, 0, 1)
	r.done.Complete(nil)
}

// wakeAllLocked wakes all goroutines that wait.
func (c *consumer) wakeAllLocked() {
	for _, r := range c.waiting {
		r.done.Complete(nil)
	}
	clear(c.waiting)
	c.waiting = c.waiting[:0]
}

// dropLocked gives back the buffers of the messages that nobody has read.
func (c *consumer) dropLocked() {
	for i := range c.posts {
		c.giveBackLocked(int32(i))
	}
	c.posting.Unlock()
	c.read, c.failed = c.written, nil
}
