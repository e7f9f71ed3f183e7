package comch

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
)

// Message is a message from a producer to a consumer.
type Message struct {
	Buffer   *doca.Buffer // its data segment is sent; nil: only immediate data is sent
	Imm      []byte       // immediate data, which arrives beside the data; it is copied
	Consumer uint32       // the number of the peer's consumer: see [Conn.WaitConsumer]
}

// maxBatch is the number of messages that go to C at once.
const maxBatch = 1024

// Send sends the data of buf and the immediate data imm to a consumer of the peer, and waits
// until they are there. Either may be nil. If the consumer has no buffer posted, Send waits for
// one, without using a core. It drives the engine while it waits. Messages that one goroutine
// sends to a consumer arrive in order.
//
// Until Send returns, the buffer is in use: several sends may share it, but nothing may write
// to it. If ctx ends first, Send returns ctx.Err(). A message that was not submitted by then is
// not sent. One that was submitted still arrives, and the buffer stays in use until then, and until a
// later call drives the engine.
//
// Errors: ErrPeerGone if the peer has ended the connection; ErrConsumerGone if the consumer has
// stopped and the connection goes on; ErrInvalidValue if the consumer does not exist, the data does
// not fit into the posted buffer, or there is too much immediate data; ErrInUse if something
// writes to the buffer; a [*doca.StateError] if the producer does not run or the buffer is closed.
// To tell these apart, Send may wait for up to a second after DOCA has refused a message; if ctx ends
// meanwhile, the error wraps ctx.Err(). Calls
// doca_comch_producer_task_send_alloc_init and doca_task_submit.
func (p *Producer) Send(ctx context.Context, buf *doca.Buffer, imm []byte, consumer uint32) error {
	if p == nil || p.p == nil {
		return noProducer("send")
	}
	if err := bind.NeedContext(ctx, "send", p); err != nil {
		return err
	}
	one := [1]Message{{Buffer: buf, Imm: imm, Consumer: consumer}}
	_, err := p.p.send(ctx, one[:], true, nil)
	return err
}

// TrySend is like Send but does not wait for the consumer: it returns ErrAgain if the consumer
// has no buffer posted, other messages wait for it, or all tasks of the producer are in use. It then drives
// the engine a step, so a loop of TrySend needs nobody else to drive it.
func (p *Producer) TrySend(ctx context.Context, buf *doca.Buffer, imm []byte, consumer uint32) error {
	if p == nil || p.p == nil {
		return noProducer("send")
	}
	if err := bind.NeedContext(ctx, "send", p); err != nil {
		return err
	}
	one := [1]Message{{Buffer: buf, Imm: imm, Consumer: consumer}}
	_, err := p.p.send(ctx, one[:], false, nil)
	return err
}

// SendBatch sends messages in order, many with one call into DOCA, and waits until all are
// there. It allocates nothing. It is fastest when it sends the same buffers again, with the same
// data segments.
//
// SendBatch returns the number of messages that were sent: all of them, unless there is an
// error. The error is that of the first message that was not sent; some of those after it may
// have been sent. If ctx ends first, the number is that of the messages that were submitted,
// which still arrive, up to the first that is known to have failed. Messages go to DOCA by the 1024: if one has a
// buffer that cannot be sent or too much immediate data, none of its 1024 are sent. Otherwise SendBatch is like Send.
func (p *Producer) SendBatch(ctx context.Context, msgs []Message) (int, error) {
	if p == nil || p.p == nil {
		return 0, noProducer("send")
	}
	if err := bind.NeedContext(ctx, "send", p); err != nil {
		return 0, err
	}
	sent := 0
	for sent < len(msgs) {
		n, err := p.p.send(ctx, msgs[sent:min(len(msgs), sent+maxBatch)], true, nil)
		sent += n
		if err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// SendAsync is like Send but returns as soon as the consumer has a buffer for the message. ctx
// limits only that wait. Messages that one goroutine starts arrive in order. SendAsync returns
// the errors that it finds before the message is submitted; the future returns the others.
func (p *Producer) SendAsync(ctx context.Context, buf *doca.Buffer, imm []byte, consumer uint32) (*Future, error) {
	return p.sendAsync(ctx, Message{Buffer: buf, Imm: imm, Consumer: consumer}, true)
}

// TrySendAsync is like SendAsync but does not wait for the consumer: it returns ErrAgain where [Producer.TrySend] does, and
// then drives the engine a step, too.
func (p *Producer) TrySendAsync(ctx context.Context, buf *doca.Buffer, imm []byte, consumer uint32) (*Future, error) {
	return p.sendAsync(ctx, Message{Buffer: buf, Imm: imm, Consumer: consumer}, false)
}

// sendAsync starts a message. With wait, it waits until the consumer has a buffer for it.
func (p *Producer) sendAsync(ctx context.Context, msg Message, wait bool) (*Future, error) {
	if p == nil || p.p == nil {
		return nil, noProducer("send")
	}
	if err := bind.NeedContext(ctx, "send", p); err != nil {
		return nil, err
	}
	one := [1]Message{msg}
	f := &Future{async: true, waits: wait}
	if _, err := p.p.start(ctx, one[:], f, wait); err != nil {
		return nil, p.p.resolve(ctx, "send", err)
	}
	p.p.link.Unlock()
	if wait {
		if err := f.accepted.Wait(ctx); err != nil {
			p.p.giveUp(f, err)
		}
	}
	if f.end.Completed() && f.end.Err() != nil {
		return nil, f.end.Err()
	}
	return f, nil
}

// StartBatch starts messages as SendBatch does, and returns at once. Those for which the consumer has no buffer, or the
// producer no task, wait in C. f ends when all are there, or those that were submitted are and one has failed: then its
// error is that of the first that failed. It may be the zero Future, or one that has ended. The slice msgs is not used after the
// return. StartBatch does not drive the engine and allocates nothing: it is for programs that call
// [doca.ProgressEngine.Progress] in a loop of their own, see [Future.Ended].
//
// Errors: ErrInvalidValue if f is nil, or for no or more than 1024 messages; ErrInUse if f has not ended; else those of
// [Producer.Send]. Calls doca_comch_producer_task_send_alloc_init and doca_task_submit.
func (p *Producer) StartBatch(msgs []Message, f *Future) error {
	if p == nil || p.p == nil {
		return noProducer("send")
	}
	if f == nil {
		return p.p.fail("send", doca.ErrInvalidValue, "the future is nil: StartBatch(msgs, new(comch.Future))")
	}
	if len(msgs) == 0 || len(msgs) > maxBatch {
		return p.p.fail("send", doca.ErrInvalidValue, fmt.Sprintf("a batch of %d messages: it has 1 to %d", len(msgs), maxBatch))
	}
	if err := p.p.startBatch(msgs, f); err != nil {
		return p.p.resolve(context.Background(), "send", err)
	}
	return nil
}

func (p *producer) startBatch(msgs []Message, f *Future) error {
	p.link.LockAlways()
	defer p.link.Unlock()
	started := f.async
	if started && !f.end.Completed() {
		return p.fail("send", doca.ErrInUse, "the future's messages have not ended: Wait for it, or take another one")
	}
	f.async = true
	_, err := p.beginLocked(msgs, f, true, nil)
	if err != nil {
		f.async = started
	}
	return err
}

// send sends messages, waits for them, and returns how many were sent. They have the producer's own buffer spare, if that is
// not nil; after an error it is no longer the caller's either.
func (p *producer) send(ctx context.Context, msgs []Message, wait bool, spare *doca.Buffer) (int, error) {
	s, err := p.start(ctx, msgs, nil, wait)
	if err != nil { // start has not locked
		if spare != nil {
			p.giveSpare(spare)
		}
		return 0, p.resolve(ctx, "send", err)
	}
	if !s.running { // all is over, as most often
		if spare != nil {
			p.giveSpareLocked(spare)
		}
		n, err := s.resultLocked()
		p.link.Unlock()
		return n, err
	}
	f := futures.Get().(*Future)
	defer futures.Put(f)
	f.beginLocked(s)
	s.spare = spare
	p.link.Unlock()
	return p.await(ctx, f)
}

// await waits for messages that were started, and returns how many were sent.
func (p *producer) await(ctx context.Context, f *Future) (int, error) {
	if err := f.end.Wait(ctx); err != nil && !f.end.Completed() {
		if n, left := p.giveUp(f, err); left {
			return n, err
		}
	}
	return f.n, f.end.Err()
}

// giveUp is called when the caller waits no longer. It withdraws the messages that were not
// submitted. If others were submitted, they go on without the future: left is true, and n is
// their number, up to the first that is known to have failed.
func (p *producer) giveUp(f *Future, cause error) (n int, left bool) {
	p.link.LockAlways()
	defer p.link.Unlock()
	if f.batch != nil {
		f.batch.withdrawLocked(cause)
	}
	if f.batch == nil || f.async {
		return 0, false
	}
	if n = int(f.batch.batch[0].Taken); f.batch.err != nil {
		n = min(n, f.batch.first)
	}
	f.batch.future, f.batch = nil, nil
	return n, true
}

// start submits messages and makes a step of the engine. With wait, those that DOCA does not accept yet wait in C. f may be
// nil. start takes the lock, and keeps it if there is no error.
func (p *producer) start(ctx context.Context, msgs []Message, f *Future, wait bool) (*sendBatch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := p.link.LockAlwaysFor(ctx); err != nil {
		return nil, err
	}
	step := p.link.BeginLocalStep() // where the consumer has posted buffers
	s, err := p.beginLocked(msgs, f, wait, step)
	if err != nil {
		if !wait && errors.Is(err, doca.ErrAgain) {
			p.link.Step() // what keeps the message may end now: the program may try again and again and do nothing else
		}
		p.link.Unlock()
		return nil, err
	}
	b := &s.batch[0]
	switch {
	case step != nil:
		if b.Quiet == abi.QuietlyEnded {
			s.endLocked()
		}
		p.link.EndStep()
	case b.Waits():
		p.link.Step()
	default:
		p.link.StepFor(len(p.tasks) - p.inC.queue[0].Free()) // a task completes once
	}
	return s, nil
}

// beginLocked submits messages. The submission makes step, if there is one.
func (p *producer) beginLocked(msgs []Message, f *Future, wait bool, step *abi.Step) (*sendBatch, error) {
	err := p.usableLocked("send")
	if err == nil && !p.prepared {
		err = p.prepareLocked()
	}
	if err != nil {
		return nil, err
	}
	s, err := p.newBatchLocked(len(msgs))
	if err != nil {
		return nil, p.fail("send", err, "")
	}
	if err := s.launchLocked(msgs, wait, step); err != nil {
		p.idle = append(p.idle, s)
		return nil, err
	}
	if f != nil {
		f.beginLocked(s)
	}
	return s, nil
}

// sendErrorLocked returns the error of a message to a consumer, with advice. It may be a suspicion. changes
// are those of the path when the message was submitted.
func (p *producer) sendErrorLocked(err error, consumer, changes uint32) error {
	if stopped := p.usableLocked("send"); stopped != nil {
		return stopped
	}
	switch {
	case errors.Is(err, doca.ErrAgain):
		if p.again == nil {
			p.again = p.fail("send", err, p.noRoom())
		}
		return p.again
	case errors.Is(err, doca.ErrInvalidValue):
		return &suspicion{consumer: consumer, changes: changes, partial: true,
			error: p.fail("send", err, p.notFor(consumer))}
	}
	return &suspicion{consumer: consumer, changes: changes, partial: !saysEnd(err), error: p.fail("send", err, fmt.Sprintf("to consumer %d", consumer))}
}

// noRoom says why a message must wait.
func (p *producer) noRoom() string {
	if p.immOnly {
		return "device code has not made room at the consumer, with doca_dpa_dev_comch_consumer_ack, or all tasks are in use: try again"
	}
	return "the consumer has no buffer posted, or all tasks are in use: try again"
}

// notFor says what is wrong with a message for a consumer.
func (p *producer) notFor(consumer uint32) string {
	if p.immOnly {
		return fmt.Sprintf("the queue has no consumer %d on the DPA, or the message is longer than its DPAConsumerConfig.ImmDataLen", consumer)
	}
	return fmt.Sprintf("the peer's consumer %d does not exist, or the data or the immediate data does not fit the buffer that it has posted", consumer)
}
