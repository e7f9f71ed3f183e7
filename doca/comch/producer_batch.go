package comch

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// sendBatch is a batch of messages in C, from one call of Send and its like. It is kept for later
// messages. While those have the same buffers with the same data segments, there is little to do
// for each. The engine's lock guards it.
type sendBatch struct {
	p     *producer
	claim bind.Claim
	batch []abi.Batch // a single one
	items []gen.ProducerTaskSendItem
	imm   []byte // in C memory

	changes uint32   // of the path, when it was submitted
	n       int      // how many messages the claim and the items are for
	to      []uint32 // the consumers of the items
	plain   bool     // all items have buffers, and none has immediate data
	running bool
	future  *Future      // nil: nobody waits any more
	spare   *doca.Buffer // the producer's own buffer that is sent, if one is
	first   int          // the first message that failed, if err says that one has
	err     error

	_ abi.Apart
}

// newBatchLocked returns a batch for n messages that is not running: one that had n messages
// before, if there is one.
func (p *producer) newBatchLocked(n int) (*sendBatch, error) {
	for k := len(p.idle) - 1; k >= 0; k-- {
		s := p.idle[k]
		if s.n == n || k == 0 {
			p.idle = append(p.idle[:k], p.idle[k+1:]...)
			return s, s.growLocked(n)
		}
	}
	if p.idle == nil {
		p.idle = abi.MakeApart[*sendBatch](0)
	}
	s := &sendBatch{p: p}
	s.claim.Init(p.link, true)
	batch, err := abi.Alloc[abi.Batch](1)
	if err != nil {
		return nil, err
	}
	s.batch = batch
	s.batch[0].User = abi.Data(len(p.batches))
	p.batches = append(p.batches, s)
	return s, s.growLocked(n)
}

// growLocked makes room for n messages.
func (s *sendBatch) growLocked(n int) error {
	if n <= len(s.items) {
		return nil
	}
	items, err := abi.Alloc[gen.ProducerTaskSendItem](n)
	if err != nil {
		s.p.idle = append(s.p.idle, s)
		return err
	}
	abi.Free(s.items)
	s.items, s.n, s.to = items, 0, abi.MakeApart[uint32](n)
	s.batch[0].Items = unsafe.Pointer(&s.items[0])
	return nil
}

// dropLocked frees the memory of the batch in C.
func (s *sendBatch) dropLocked() {
	s.claim.Reset()
	abi.Free(s.batch)
	abi.Free(s.items)
	abi.Free(s.imm)
	s.batch, s.items, s.imm = nil, nil, nil
}

// launchLocked submits messages. With wait, those that DOCA does not accept yet wait in C;
// without, they are an error. The submission makes step, if there is one. After an error nothing is in
// flight and the batch is not running.
func (s *sendBatch) launchLocked(msgs []Message, wait bool, step *abi.Step) error {
	p, b := s.p, &s.batch[0]
	b.Same = 0
	if s.isFor(msgs) {
		b.Same = abi.SameItems
	} else if err := s.loadLocked(msgs); err != nil {
		s.n = 0
		return err
	}
	same, err := s.claim.Begin("send")
	if err != nil {
		s.n = 0
		return err
	}
	if !same {
		b.Same = 0
		err = s.aimLocked(msgs)
	}
	if err != nil {
		s.n = 0
		s.claim.Cancel()
		return err
	}
	s.changes = p.changes.Load()
	b.Count, b.Step, b.Quiet = uint32(len(msgs)), step, abi.QuietEnd
	err = gen.ProducerTaskSendSubmitQueued(p.link.Ring(), &p.inC.queue[0], b, wait)
	s.err = nil
	if err != nil {
		s.n = 0 // it is not known how far DOCA has them
		if b.Pending == 0 {
			s.claim.Cancel()
			return p.sendErrorLocked(err, msgs[b.Taken].Consumer, s.changes)
		}
		s.failedLocked(int(b.Taken), p.sendErrorLocked(err, msgs[b.Taken].Consumer, s.changes))
	}
	s.claim.Submitted(true)
	s.running = true
	p.link.Submitted(1) // the batch counts as one task
	return nil
}

// isFor reports whether the items are for these messages, as they are. It says no where there is immediate data.
func (s *sendBatch) isFor(msgs []Message) bool {
	if s.n != len(msgs) || !s.plain {
		return false
	}
	to := s.to[:len(msgs)]
	for i := range msgs {
		if m := &msgs[i]; m.Consumer != to[i] || len(m.Imm) > 0 || !s.claim.Has(i, m.Buffer) {
			return false
		}
	}
	return true
}

// loadLocked fills in what changes with every message, and claims the buffers if they are not those
// of the last time.
func (s *sendBatch) loadLocked(msgs []Message) error {
	items, room, k := s.items[:len(msgs)], 0, 0
	same := s.n == len(msgs)
	s.plain = true
	for i := range items {
		m, item := &msgs[i], &items[i]
		if same {
			if claimed := item.Buf.Buf != nil; m.Buffer == nil {
				same = !claimed
			} else {
				same = claimed && s.claim.Has(k, m.Buffer)
				k++
			}
		}
		item.ConsumerID, item.ImmDataLen, s.to[i] = m.Consumer, uint32(len(m.Imm)), m.Consumer
		if m.Buffer == nil || len(m.Imm) > 0 {
			s.plain = false
		}
		if item.ImmData != nil {
			item.ImmData = nil
		}
		room += len(m.Imm)
	}
	if !same {
		if err := s.claimLocked(msgs); err != nil {
			return err
		}
	}
	if room == 0 {
		return nil
	}
	return s.loadImmLocked(msgs, room)
}

// claimLocked claims the buffers of messages.
func (s *sendBatch) claimLocked(msgs []Message) error {
	s.claim.Reset()
	for i := range msgs {
		if b := msgs[i].Buffer; b != nil {
			if s.p.immOnly {
				return s.p.fail("send", doca.ErrInvalidValue, immOnlyAdvice)
			}
			if err := s.claim.Read(b); err != nil {
				return err
			}
		}
	}
	s.n = len(msgs)
	return nil
}

// loadImmLocked copies the immediate data.
func (s *sendBatch) loadImmLocked(msgs []Message, room int) error {
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

// aimLocked fills in the buffers of the items.
func (s *sendBatch) aimLocked(msgs []Message) error {
	k := 0
	for i := range msgs {
		view := &s.items[i].Buf
		view.Buf, view.Data, view.Len = nil, 0, 0
		if msgs[i].Buffer == nil {
			continue
		}
		if n := s.claim.Elements(k); n > s.p.maxListLen {
			return s.p.fail("send", doca.ErrInvalidValue, fmt.Sprintf("the list has %d buffers, the device supports at most %d", n, s.p.maxListLen))
		}
		*view = s.claim.View(k)
		k++
	}
	return nil
}

// failedLocked records the error of message i.
func (s *sendBatch) failedLocked(i int, err error) {
	if s.err == nil || i < s.first {
		s.first, s.err = i, err
	}
}

// resultLocked returns how many messages a batch that has ended has sent, and its error.
func (s *sendBatch) resultLocked() (int, error) {
	if s.err != nil {
		return s.first, s.err
	}
	return s.n, nil
}

// endLocked records the end of the batch: none of its messages is in flight or waits. If it has
// failed because of a suspicion, that is resolved first.
func (s *sendBatch) endLocked() {
	if s.err != nil {
		if suspect := new(suspicion); errors.As(s.err, &suspect) {
			go s.resolve(suspect)
			return
		}
	}
	s.running = false
	s.claim.End(nil)
	if s.spare != nil {
		s.p.giveSpareLocked(s.spare)
		s.spare = nil
	}
	s.p.link.Finished(1)
	if f := s.future; f != nil {
		s.future = nil
		f.finishLocked(s)
	}
	s.p.idle = append(s.p.idle, s)
}

// resolve ends the batch with the true cause of its failure.
func (s *sendBatch) resolve(suspect *suspicion) {
	err := s.p.resolve(context.Background(), "send", suspect)
	s.p.link.LockAlways()
	defer s.p.link.Unlock()
	s.err = err
	s.endLocked()
}

// withdrawLocked takes back the messages that were not submitted. If none is in flight, the batch
// has ended.
func (s *sendBatch) withdrawLocked(cause error) {
	b := &s.batch[0]
	if !b.Waits() {
		return
	}
	s.p.inC.queue[0].Withdraw(b)
	s.failedLocked(int(b.Taken), cause)
	if b.Pending == 0 {
		s.endLocked()
	}
}
