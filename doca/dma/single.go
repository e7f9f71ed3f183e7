package dma

import (
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// single is a task of a copy that is in flight by itself: for C it is a batch of one item. There are as
// many as were ever in flight at once. One that no copy has keeps its buffers on ranges, because the next
// copy is often on the same memories.
type single struct {
	*singleInC
	held held
	part bool     // of a copy that is cut
	_    [32]byte // to the end of a cache line
}

// singleInC is the counterpart of a single, in C memory. It fills three cache lines.
type singleInC struct {
	item  gen.TaskMemcpyItem
	batch abi.Batch
	slot  *abi.Slot // the array of one slot that a submission takes
	_     [32]byte
}

// singlesChunk is how many singles are made at once.
const singlesChunk = 4

// takeSingleLocked returns a single for a task.
func (c *core) takeSingleLocked() (*single, error) {
	if len(c.singles) == 0 {
		chunk, err := abi.Alloc[singleInC](singlesChunk)
		if err != nil {
			return nil, c.fail(err, "")
		}
		c.chunks = append(c.chunks, chunk)
		if c.singles == nil {
			c.singles = abi.MakeApart[*single](singlesChunk)[:0]
		}
		singles := make([]single, singlesChunk)
		for k := range chunk {
			s := &singles[k]
			s.singleInC = &chunk[k]
			s.batch.Items = unsafe.Pointer(&s.item)
			c.singles = append(c.singles, s)
		}
	}
	last := len(c.singles) - 1
	s := c.singles[last]
	c.singles = c.singles[:last]
	return s, nil
}

// giveSingleLocked takes a single back.
func (c *core) giveSingleLocked(s *single) {
	s.part = false
	if c.ranges.Wanted() {
		c.releaseRangeLocked(&s.item, &s.held)
	}
	c.singles = append(c.singles, s)
}

// submitSingleLocked submits the task of slot i for a single, which has its buffers. If the copy is to
// end within the call, a step of the engine follows at once: then the caller ends it.
func (c *core) submitSingleLocked(o *copyOp, s *single, i int32) error {
	if err := c.aimedLocked(&s.item, i); err != nil {
		return err
	}
	s.slot = &c.inC[i]
	s.batch.User, s.batch.Count, s.batch.Step, s.batch.Quiet = abi.Data(i), 1, nil, abi.QuietEnd
	if o.here && !s.part {
		s.batch.Step = c.link.BeginLocalStep()
	}
	if err := gen.TaskMemcpySubmitBatch(&s.batch, unsafe.Slice(&s.slot, 1)); err != nil {
		c.slots[i].forget()
		return c.fail(err, "")
	}
	o.stepped = s.batch.Step != nil
	if s.batch.Quiet == abi.QuietlyEnded { // within the step, so that nobody has seen it in flight
		c.giveSingleLocked(s)
		c.giveLocked(i)
		return nil
	}
	c.slots[i].op, c.slots[i].single = o, s
	o.pending++
	c.link.Submitted(1)
	return nil
}

// steppedLocked is the rest of the step of the engine that the submission of a copy has made.
func (c *core) steppedLocked(o *copyOp) {
	if o.pending == 0 {
		c.endedLocked(o)
	}
	c.link.EndStep()
}

// dropSinglesLocked frees the singles. None is in flight.
func (c *core) dropSinglesLocked() {
	for _, s := range c.singles {
		c.releaseRangeLocked(&s.item, &s.held)
	}
	for _, chunk := range c.chunks {
		abi.Free(chunk)
	}
	c.singles, c.chunks = nil, nil
}
