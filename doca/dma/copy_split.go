package dma

import "github.com/go-doca/go-doca/doca/bind"

// cut is what is left of a copy in parts. A part lies within one segment of the source and one of
// the destination, and is no larger than one task can copy.
type cut struct {
	src, dst       []bind.Segment
	srcOff, dstOff int // how many bytes of the first segments are done
}

// next returns the next part. Something must be left.
func (k *cut) next(limit uint64) (src, dst bind.Segment) {
	s, d := k.src[0], k.dst[0]
	n := min(s.Len()-k.srcOff, d.Len()-k.dstOff)
	if uint64(n) > limit {
		n = int(limit)
	}
	src, dst = s.Part(k.srcOff, n), d.Part(k.dstOff, n)
	if k.srcOff += n; k.srcOff == s.Len() {
		k.src, k.srcOff = k.src[1:], 0
	}
	if k.dstOff += n; k.dstOff == d.Len() {
		k.dst, k.dstOff = k.dst[1:], 0
	}
	return src, dst
}

// submitPartsLocked starts a copy that one task cannot do, with slot i and the slots that are free.
// The other parts follow when tasks end.
func (c *core) submitPartsLocked(o *copyOp, i int32) error {
	o.claim.Apart()
	o.cut = cut{src: o.src, dst: o.dst}
	if err := c.submitPartLocked(o, i); err != nil {
		o.cut = cut{}
		return err
	}
	for len(o.cut.src) > 0 && len(c.free) > 0 && len(c.waiting) == 0 {
		last := len(c.free) - 1
		extra := c.free[last]
		c.free = c.free[:last]
		if o.err = c.submitPartLocked(o, extra); o.err != nil { // reported when the others have ended
			c.giveLocked(extra)
			break
		}
	}
	return nil
}

// submitPartLocked submits the next part with slot i.
func (c *core) submitPartLocked(o *copyOp, i int32) error {
	s, err := c.takeSingleLocked()
	if err != nil {
		return err
	}
	s.part = true
	src, dst := o.cut.next(c.limits.MaxBufferSize)
	if err = c.ranges.Part(&s.item.Src, &s.held.src, src, "copy", false); err == nil {
		err = c.ranges.Part(&s.item.Dst, &s.held.dst, dst, "copy", true)
	}
	if err == nil {
		err = c.submitSingleLocked(o, s, i)
	}
	if err != nil {
		c.giveSingleLocked(s)
	}
	return err
}

// partEndedLocked reports whether the slot of a part that has ended is to go on with the next part, in
// resumeLocked.
func (c *core) partEndedLocked(o *copyOp, i int32) bool {
	if o.err != nil || len(o.cut.src) == 0 {
		return false
	}
	c.resume = append(c.resume, i)
	c.link.Later()
	return true
}

// resumeLocked goes on with the copies in parts. All records of the step have been handled, so it is
// known whether the context still runs.
func (c *core) resumeLocked() {
	for _, i := range c.resume {
		o := c.slots[i].op
		if o.err == nil && len(o.cut.src) > 0 && (o.pending == 1 || len(c.waiting) == 0) { // else others need the slot
			if o.err = c.link.Check(bind.OpSubmit, "copy"); o.err == nil {
				o.err = c.submitPartLocked(o, i)
			}
			if o.err == nil {
				o.pending-- // submitPartLocked has counted it again
				continue
			}
		}
		c.leaveLocked(o, i)
	}
	c.resume = c.resume[:0]
}
