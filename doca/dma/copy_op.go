package dma

import (
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// The indices of a copy's buffers in its claim.
const (
	sourceUse = iota
	destinationUse
)

// copyOp is a copy in flight, of buffers or of ranges. It has one task, or several for parts.
type copyOp struct {
	claim    bind.Claim         // of buffers
	ranged   bool               // it copies a range
	view     gen.TaskMemcpyItem // the buffers that a range in parts holds until its end
	held     held
	here     bool    // the call that has launched it ends it, with the lock that it holds since
	stepped  bool    // its submission has made a step of the engine
	future   *Future // nil: nobody waits for it any more
	src, dst []bind.Segment
	n        int
	pending  int // tasks in flight, and slots that are to go on with the next part
	err      error
	cut      cut

	_ abi.Apart
}

func (c *core) newOpLocked() *copyOp {
	if last := len(c.ops) - 1; last >= 0 {
		o := c.ops[last]
		c.ops = c.ops[:last]
		return o
	}
	o := new(copyOp)
	o.claim.Init(c.link, false)
	return o
}

func (c *core) putOpLocked(o *copyOp) {
	if !o.ranged {
		o.claim.Reset()
	}
	if c.ops == nil {
		c.ops = abi.MakeApart[*copyOp](0)
	}
	o.ranged, o.here, o.stepped, o.future, o.n, o.err = false, false, false, nil, 0, nil
	c.ops = append(c.ops, o)
}

// launchLocked submits a copy of buffers with slot i. After an error nothing is in flight.
func (c *core) launchLocked(o *copyOp, i int32, dst, src *doca.Buffer) error {
	if err := o.claim.Pairs([]*doca.Buffer{sourceUse: src, destinationUse: dst}); err != nil {
		what := "source"
		if bind.IsBuffer(src) {
			what = "destination"
		}
		return c.fail(doca.ErrInvalidValue, "the "+what+" is nil")
	}
	if _, err := o.claim.Begin("copy"); err != nil {
		return err
	}
	err := c.submitClaimedLocked(o, i)
	if err != nil {
		o.claim.Cancel()
		return err
	}
	o.claim.Submitted(true)
	return nil
}

// submitClaimedLocked submits a copy whose buffers are claimed.
func (c *core) submitClaimedLocked(o *copyOp, i int32) error {
	s, err := c.takeSingleLocked()
	if err != nil {
		return err
	}
	c.releaseRangeLocked(&s.item, &s.held)
	items := unsafe.Slice(&s.item, 1)
	if o.claim.Aim(0, bind.ViewsOf(items, &s.item.Src, &s.item.Dst), c.limits.MaxBufferSize) == 1 {
		o.n = o.claim.WriteLen(destinationUse)
	} else {
		var parts bool
		if parts, err = c.viewListsLocked(o, s); parts {
			c.giveSingleLocked(s)
			return c.submitPartsLocked(o, i)
		}
	}
	if err == nil {
		err = c.submitSingleLocked(o, s, i)
	}
	if err != nil {
		c.giveSingleLocked(s)
	}
	return err
}

// viewListsLocked gives a task the buffers of a copy, which may be lists, unless the copy has to be done in parts.
func (c *core) viewListsLocked(o *copyOp, s *single) (parts bool, err error) {
	if o.n, err = c.measureLocked(&o.claim, sourceUse, &o.src, &o.dst); err != nil {
		return false, err
	}
	if !c.fitsLocked(&o.claim, sourceUse, o.n, len(o.src)) {
		return true, nil
	}
	s.item.Src, s.item.Dst = o.claim.View(sourceUse), o.claim.View(destinationUse)
	return false, nil
}

// measureLocked checks a copy whose source and destination are the entries at and at+1 of the
// claim. It returns the length and fills in the segments that are read and written.
func (c *core) measureLocked(claim *bind.Claim, at int, src, dst *[]bind.Segment) (int, error) {
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

// fitsLocked reports whether one task can do a copy of n bytes from the given number of non-empty
// segments. A source list with empty buffers in it is cut, because hardware may not accept it.
func (c *core) fitsLocked(claim *bind.Claim, at, n, segments int) bool {
	from, to := claim.Elements(at), claim.Elements(at+1)
	if uint64(n) > c.limits.MaxBufferSize || segments != from {
		return false
	}
	return from == 1 && to == 1 || uint64(from+to) <= uint64(c.limits.MaxListLen)
}

// taskEndedLocked handles the end of a task of a copy.
func (c *core) taskEndedLocked(i int32, err error) {
	s := &c.slots[i]
	o := s.op
	if o.err == nil {
		o.err = err
	}
	one := s.single
	part := one.part
	s.single = nil
	c.giveSingleLocked(one)
	if !part || !c.partEndedLocked(o, i) {
		c.leaveLocked(o, i)
	}
}

// leaveLocked takes slot i back from a copy, which has ended if it has no other.
func (c *core) leaveLocked(o *copyOp, i int32) {
	c.slots[i].op = nil
	c.giveLocked(i)
	o.pending--
	if o.pending == 0 {
		c.endedLocked(o)
	}
}

// endedLocked ends a copy whose tasks have ended.
func (c *core) endedLocked(o *copyOp) {
	switch {
	case o.ranged:
		if o.held != (held{}) {
			c.releaseRangeLocked(&o.view, &o.held)
		}
	case o.err == nil:
		o.claim.End(nil)
	default:
		o.claim.End(func(int) bool { return true })
	}
	if f := o.future; f != nil {
		f.op = nil
		if o.err == nil {
			f.n = o.n
		}
		f.end.Complete(o.err)
	}
	if len(o.cut.src) > 0 {
		o.cut = cut{}
	}
	if !o.here {
		c.putOpLocked(o)
	}
}
