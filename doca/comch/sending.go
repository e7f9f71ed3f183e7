package comch

import (
	"context"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// maxBatch is how many messages go to C at once.
const maxBatch = 1024

// Send sends the data of buf, with or without immediate data, to a consumer of the peer, and
// waits until it is there; nil sends the immediate data alone. While the consumer has no
// buffer posted it waits for that, without using a core. It drives the engine meanwhile. The
// buffer is in use until then: any number of sends may have it, but nobody may write to it.
// Messages that are sent one after another arrive in that order.
//
// If ctx ends first it returns ctx.Err(): the message is then not sent, or if it was submitted
// it goes on, and the buffer stays in use. Errors: ErrInvalidValue for a consumer that does not
// exist, for data that does not fit the buffer that is posted, and for too much immediate data;
// ErrInUse for a buffer that is written to; ErrNotConnected or ErrConnectionReset when the
// connection has ended; a [*doca.StateError] for a producer that does not run. Stands on
// doca_comch_producer_task_send_alloc_init and doca_task_submit.
func (p *Producer) Send(ctx context.Context, buf *doca.Buffer, imm []byte, consumer uint32) error {
	one := [1]Message{{Buffer: buf, Imm: imm, Consumer: consumer}}
	_, err := p.p.send(ctx, one[:], true)
	return err
}

// TrySend is Send that does not wait for the consumer: ErrAgain if that has no buffer posted,
// or all tasks are in use.
func (p *Producer) TrySend(ctx context.Context, buf *doca.Buffer, imm []byte, consumer uint32) error {
	one := [1]Message{{Buffer: buf, Imm: imm, Consumer: consumer}}
	_, err := p.p.send(ctx, one[:], false)
	return err
}

// SendBatch sends messages in their order, many with one call into DOCA, and waits until all
// are there. It allocates nothing, and is fastest if the same buffers are sent again with the
// same data segments. It returns how many were sent, which is all unless there is an error; the error
// is that of the first that was not, and of the ones behind that some may have been sent
// nevertheless. If ctx ends first, the number is how many were submitted, and go on. Otherwise
// it is like Send.
func (p *Producer) SendBatch(ctx context.Context, msgs []Message) (int, error) {
	sent := 0
	for sent < len(msgs) {
		n, err := p.p.send(ctx, msgs[sent:min(len(msgs), sent+maxBatch)], true)
		sent += n
		if err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// SendAsync starts a message like Send and returns when the consumer has a place for it; ctx
// bounds that wait alone. Messages that are started one after another arrive in that order.
// The errors that are found until then are returned here, the others by the future.
func (p *Producer) SendAsync(ctx context.Context, buf *doca.Buffer, imm []byte, consumer uint32) (*Future, error) {
	one := [1]Message{{Buffer: buf, Imm: imm, Consumer: consumer}}
	f := &Future{async: true}
	if err := p.p.start(ctx, one[:], f, true); err != nil {
		return nil, err
	}
	if err := f.accepted.Wait(ctx); err != nil {
		p.p.giveUp(f, err)
	}
	if f.end.Completed() && f.end.Err() != nil {
		return nil, f.end.Err()
	}
	return f, nil
}

// send sends messages and waits for them; it returns how many were sent.
func (p *producer) send(ctx context.Context, msgs []Message, wait bool) (int, error) {
	f := futures.Get().(*Future)
	defer futures.Put(f)
	if err := p.start(ctx, msgs, f, wait); err != nil {
		return 0, err
	}
	if err := f.end.Wait(ctx); err != nil && !f.end.Completed() {
		if n, left := p.giveUp(f, err); left {
			return n, err
		}
	}
	return f.n, f.end.Err()
}

// giveUp is for one who does not wait any longer: what was not submitted is withdrawn. If
// something was, it goes on without the future; n counts that.
func (p *producer) giveUp(f *Future, cause error) (n int, left bool) {
	p.link.LockAlways()
	defer p.link.Unlock()
	if f.s != nil {
		f.s.withdraw(cause)
	}
	if f.s == nil || f.async {
		return 0, false
	}
	n = int(f.s.batch[0].Taken)
	f.s.future, f.s = nil, nil
	return n, true
}

// start starts messages.
func (p *producer) start(ctx context.Context, msgs []Message, f *Future, wait bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.link.LockAlways()
	defer p.link.Unlock()
	err := p.usable("send")
	if err == nil && !p.prepared {
		err = p.prepare()
	}
	if err != nil {
		return err
	}
	s, err := p.newSend(len(msgs))
	if err != nil {
		return p.fail("send", err, "")
	}
	if err := s.launch(msgs, f, wait); err != nil {
		p.idle = append(p.idle, s)
		return err
	}
	p.link.Step()
	return nil
}

// Future is a message that was started. It may be used from any goroutine, and dropped: the
// message goes on regardless.
type Future struct {
	end      bind.Completion
	accepted bind.Completion // of SendAsync
	async    bool
	s        *send // nil when it has ended; guarded by the engine's lock
	n        int   // messages that were sent
}

// futures are those of Send and its like, which nobody else sees.
var futures = sync.Pool{New: func() any { return new(Future) }}

// begin ties the future to a send that was launched.
func (f *Future) begin(s *send) {
	f.s, f.n = s, 0
	f.end.Init(s.p.link)
	if f.async {
		f.accepted.Init(s.p.link)
		if !s.batch[0].Waits() {
			f.accepted.Complete(nil)
		}
	}
}

// accept notes that all of the send was submitted.
func (f *Future) accept() {
	if f.async && !f.accepted.Completed() {
		f.accepted.Complete(nil)
	}
}

// finish notes the end of the send.
func (f *Future) finish(s *send) {
	f.s, f.n = nil, s.n
	if s.err != nil {
		f.n = s.first
	}
	f.accept()
	f.end.Complete(s.err)
}

// Wait waits until the message is there, and drives the engine meanwhile. If ctx ends first it
// returns ctx.Err(), and Wait may be called again.
func (f *Future) Wait(ctx context.Context) error { return f.end.Wait(ctx) }

// Done returns a channel that is closed when the message is there or has failed. As long as it
// is open a goroutine drives the engine, so nobody has to call Wait.
func (f *Future) Done() <-chan struct{} { return f.end.Done() }

// Err returns the error of a message that has ended; nil is success. Before that it returns an
// error that is ErrInProgress.
func (f *Future) Err() error { return f.end.Err() }
