package dma

import (
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// The buffers of a copy in a claim.
const (
	sourceUse = iota
	destinationUse
)

// op is a copy in flight: of one task, or of several on parts of the buffers.
type op struct {
	claim    bind.Claim
	future   *Future // nil: nobody waits any more
	src, dst []bind.Segment
	n        int
	pending  int // tasks in flight
	err      error
	cut      cut
}

func (c *core) newOp() *op {
	if last := len(c.ops) - 1; last >= 0 {
		o := c.ops[last]
		c.ops = c.ops[:last]
		return o
	}
	o := new(op)
	o.claim.Init(c.link, false)
	return o
}

func (c *core) putOp(o *op) {
	o.claim.Reset()
	o.future, o.n, o.err = nil, 0, nil
	c.ops = append(c.ops, o)
}

// submit starts a copy on slot i. If it returns an error nothing is in flight and the
// slot is the caller's again.
func (c *core) submit(i int32, dst, src *doca.Buffer, f *Future) error {
	o := c.newOp()
	if err := c.launch(o, i, dst, src); err != nil {
		c.putOp(o)
		return err
	}
	o.future, f.op = f, o
	return nil
}

func (c *core) launch(o *op, i int32, dst, src *doca.Buffer) error {
	if err := o.claim.Read(src); err != nil {
		return err
	}
	if err := o.claim.Write(dst); err != nil {
		return err
	}
	if _, err := o.claim.Begin("copy"); err != nil {
		return err
	}
	var err error
	if o.n, err = c.measure(&o.claim, sourceUse, &o.src, &o.dst); err == nil {
		if c.fits(&o.claim, sourceUse, o.n, len(o.src)) {
			err = c.submitWhole(o, i)
		} else {
			err = c.submitParts(o, i)
		}
	}
	if err != nil {
		o.claim.Cancel()
		return err
	}
	o.claim.Submitted(true)
	return nil
}

// measure checks a copy whose source is entry at of the claim and its destination the
// next one. It returns the length and fills in what is read and written.
func (c *core) measure(claim *bind.Claim, at int, src, dst *[]bind.Segment) (int, error) {
	*src = claim.Segments((*src)[:0], at, 0)
	n := total(*src)
	if n == 0 {
		return 0, c.fail(doca.ErrInvalidValue, "the source's data segment is empty: call SetData on it")
	}
	*dst = claim.Segments((*dst)[:0], at+1, n)
	if room := total(*dst); room < n {
		return 0, c.fail(doca.ErrInvalidValue, fmt.Sprintf("the source has %d bytes, the destination has room for %d", n, room))
	}
	if bind.Overlap(*src, *dst) {
		return 0, c.fail(doca.ErrInvalidValue, "source and destination overlap")
	}
	claim.SetLen(at+1, n)
	return n, nil
}

func total(segments []bind.Segment) int {
	n := 0
	for _, s := range segments {
		n += s.Len()
	}
	return n
}

// fits tells whether one task can do a copy of n bytes from the given number of
// non-empty segments. Empty buffers inside a source list are not left to the hardware.
func (c *core) fits(claim *bind.Claim, at, n, segments int) bool {
	from, to := claim.Elements(at), claim.Elements(at+1)
	if uint64(n) > c.limits.MaxBufferSize || segments != from {
		return false
	}
	return from == 1 && to == 1 || uint64(from+to) <= uint64(c.limits.MaxListLen)
}

func (c *core) submitWhole(o *op, i int32) error {
	if err := c.aim(&c.inC.item[i], i, o.claim.View(sourceUse), o.claim.View(destinationUse)); err != nil {
		return err
	}
	return c.submitItem(o, i)
}

// submitItem submits the task of slot i for a copy.
func (c *core) submitItem(o *op, i int32) error {
	s := &c.slots[i]
	if err := c.inC.submitOne(i); err != nil {
		s.forget()
		return c.fail(err, "")
	}
	s.op = o
	o.pending++
	c.link.Submitted(1)
	return nil
}

// taskEnded notes the end of a task of a copy.
func (c *core) taskEnded(i int32, err error) {
	s := &c.slots[i]
	o := s.op
	s.op = nil
	o.pending--
	if o.err == nil {
		o.err = err
	}
	if s.parts[0].Raw == nil || !c.partEnded(o, i) {
		c.give(i)
	}
	if o.pending > 0 {
		return
	}
	if o.err == nil {
		o.claim.End(nil)
	} else {
		o.claim.End(func(int) bool { return true })
	}
	if f := o.future; f != nil {
		f.op = nil
		if o.err == nil {
			f.n = o.n
		}
		f.end.Complete(o.err)
	}
	o.cut = cut{}
	c.putOp(o)
}
