package comch

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// Message is what a producer sends to a consumer.
type Message struct {
	Buffer   *doca.Buffer // whose data segment is sent; nil: immediate data alone
	Imm      []byte       // immediate data, which arrives beside the buffer; it is copied
	Consumer uint32       // the number of the peer's consumer (see [Conn.WaitConsumer])
}

// send is some messages on their way: a batch in C. It is kept for the next messages, and as
// long as those are of the same buffers, with data that has not changed, there is little to do for each.
type send struct {
	p     *producer
	claim bind.Claim
	batch []abi.Batch // one
	items []gen.ProducerTaskSendItem
	imm   []byte // C memory

	n       int // messages
	running bool
	future  *Future // nil: nobody waits any more
	first   int     // the message that failed, and why
	err     error
}

// newSend returns a send for n messages that is not running. It is one that sent n before, if
// there is one.
func (p *producer) newSend(n int) (*send, error) {
	for k := len(p.idle) - 1; k >= 0; k-- {
		s := p.idle[k]
		if s.n == n || k == 0 {
			p.idle = append(p.idle[:k], p.idle[k+1:]...)
			return s, s.grow(n)
		}
	}
	s := &send{p: p}
	s.claim.Init(p.link, true)
	batch, err := abi.Alloc[abi.Batch](1)
	if err != nil {
		return nil, err
	}
	s.batch = batch
	s.batch[0].User = abi.Data(len(p.sends))
	p.sends = append(p.sends, s)
	return s, s.grow(n)
}

// grow makes room for n messages.
func (s *send) grow(n int) error {
	if n <= len(s.items) {
		return nil
	}
	items, err := abi.Alloc[gen.ProducerTaskSendItem](n)
	if err != nil {
		s.p.idle = append(s.p.idle, s)
		return err
	}
	abi.Free(s.items)
	s.items, s.n = items, 0
	s.batch[0].Items = unsafe.Pointer(&s.items[0])
	return nil
}

// drop frees what the send has in C.
func (s *send) drop() {
	s.claim.Reset()
	abi.Free(s.batch)
	abi.Free(s.items)
	abi.Free(s.imm)
	s.batch, s.items, s.imm = nil, nil, nil
}

// launch starts messages: those that cannot be submitted wait, or else an error comes back.
// After an error nothing is in flight and the send is not running.
func (s *send) launch(msgs []Message, f *Future, wait bool) error {
	p := s.p
	if err := s.load(msgs); err != nil {
		s.n = 0
		return err
	}
	same, err := s.claim.Begin("send")
	if err != nil {
		s.n = 0
		return err
	}
	if !same {
		err = s.aim(msgs)
	}
	if err != nil {
		s.n = 0
		s.claim.Cancel()
		return err
	}
	b := &s.batch[0]
	b.Count = uint32(len(msgs))
	err = gen.ProducerTaskSendSubmitQueued(p.link.Ring(), &p.inC.queue[0], b, wait)
	s.err = nil
	if err != nil {
		if b.Pending == 0 {
			s.claim.Cancel()
			return p.sendError(err, msgs[b.Taken].Consumer)
		}
		s.failed(int(b.Taken), p.sendError(err, msgs[b.Taken].Consumer))
	}
	s.claim.Submitted(true)
	f.begin(s)
	s.future, s.running = f, true
	p.link.Submitted(1) // all of them as a whole
	return nil
}

// load fills in what is new with every message, and claims the buffers if they are others than before.
func (s *send) load(msgs []Message) error {
	if !s.isOf(msgs) {
		s.claim.Reset()
		for i := range msgs {
			if b := msgs[i].Buffer; b != nil {
				if err := s.claim.Read(b); err != nil {
					return err
				}
			}
		}
		s.n = len(msgs)
	}
	room := 0
	for i := range msgs {
		m, item := &msgs[i], &s.items[i]
		item.ConsumerID, item.ImmData, item.ImmDataLen = m.Consumer, nil, uint32(len(m.Imm))
		room += len(m.Imm)
	}
	if room == 0 {
		return nil
	}
	return s.loadImm(msgs, room)
}

// loadImm copies the immediate data.
func (s *send) loadImm(msgs []Message, room int) error {
	if room > len(s.imm) {
		imm, err := abi.Alloc[byte](max(room, 64))
		if err != nil {
			return err
		}
		abi.Free(s.imm)
		s.imm = imm
	}
	rest := s.imm
	for i := range msgs {
		imm := msgs[i].Imm
		if len(imm) > s.p.maxImm {
			return s.p.fail("send", doca.ErrInvalidValue, fmt.Sprintf("%d bytes of immediate data, the device can have up to %d", len(imm), s.p.maxImm))
		}
		if len(imm) > 0 {
			s.items[i].ImmData = unsafe.Pointer(&rest[0])
			rest = rest[copy(rest, imm):]
		}
	}
	return nil
}

// isOf tells whether the claim is on the buffers of these messages.
func (s *send) isOf(msgs []Message) bool {
	if s.n != len(msgs) {
		return false
	}
	k := 0
	for i := range msgs {
		if b := msgs[i].Buffer; b == nil {
			if s.items[i].Buf.Buf != nil {
				return false
			}
		} else if s.items[i].Buf.Buf == nil || !s.claim.Has(k, b) {
			return false
		} else {
			k++
		}
	}
	return true
}

// aim fills in the buffers of the items.
func (s *send) aim(msgs []Message) error {
	k := 0
	for i := range msgs {
		view := &s.items[i].Buf
		view.Buf, view.Data, view.Len = nil, 0, 0
		if msgs[i].Buffer == nil {
			continue
		}
		if n := s.claim.Elements(k); n > s.p.maxListLen {
			return s.p.fail("send", doca.ErrInvalidValue, fmt.Sprintf("a list of %d buffers, the device can have up to %d", n, s.p.maxListLen))
		}
		*view = s.claim.View(k)
		k++
	}
	return nil
}

// failed notes the error of message i.
func (s *send) failed(i int, err error) {
	if s.err == nil || i < s.first {
		s.first, s.err = i, err
	}
}

// handle takes the records of one step of the engine, all of one kind.
func (p *producer) handle(recs []abi.Record) {
	for i := range recs {
		r := &recs[i]
		s := p.sends[r.User]
		if r.Kind == gen.KindProducerTaskSendError {
			item := int(r.Args[2])
			s.failed(item, p.sendError(r.Status, s.items[item].ConsumerID))
		}
		if r.Args[0] == 0 {
			s.end()
		} else if s.future != nil && !s.batch[0].Waits() {
			s.future.accept()
		}
	}
}

// end notes the end of a send: nothing of it is in flight, nothing waits.
func (s *send) end() {
	s.running = false
	s.claim.End(nil)
	s.p.link.Finished(1)
	if f := s.future; f != nil {
		s.future = nil
		f.finish(s)
	}
	s.p.idle = append(s.p.idle, s)
}

// withdraw takes back what was not submitted. If that is all, the send has ended.
func (s *send) withdraw(cause error) {
	b := &s.batch[0]
	if !b.Waits() {
		return
	}
	s.p.inC.queue[0].Withdraw(b)
	s.failed(int(b.Taken), cause)
	if b.Pending == 0 {
		s.end()
	}
}

// withdrawAll ends what waits when the producer stops.
func (p *producer) withdrawAll() {
	for _, s := range p.sends {
		if !s.running {
			continue
		}
		cause := p.usable("send")
		if cause == nil { // it is about to be asked to
			cause = &doca.StateError{Object: p.link.String(), State: doca.StateStopping, Need: []doca.State{doca.StateRunning}, Op: "send"}
		}
		s.withdraw(cause)
	}
}

// sendError explains the error of a message.
func (p *producer) sendError(err error, consumer uint32) error {
	if stopped := p.usable("send"); stopped != nil {
		return stopped
	}
	switch {
	case errors.Is(err, doca.ErrAgain):
		if p.again == nil {
			p.again = p.fail("send", err, "the consumer has no buffer posted, or all tasks are in use")
		}
		return p.again
	case errors.Is(err, doca.ErrInvalidValue):
		return p.fail("send", err, fmt.Sprintf("the peer has no consumer %d, or not any more, or the data or the immediate data does not fit what it has posted", consumer))
	}
	return p.fail("send", err, fmt.Sprintf("to consumer %d", consumer))
}
