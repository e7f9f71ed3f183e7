package dma

import (
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
)

// cut is what is left of a copy that is done in parts. Each part lies within one
// segment of the source and one of the destination, and within the task's size limit.
type cut struct {
	src, dst       []bind.Segment
	srcOff, dstOff int // how much of the first segments is done
}

// next returns the next part; the caller has seen that something is left.
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

// submitParts starts a copy that one task cannot do, on slot i and on others that are
// free; the rest of the parts follow as tasks end.
func (c *core) submitParts(o *op, i int32) error {
	if c.parts == nil {
		parts, err := bind.NewParts(2 * len(c.slots))
		if err != nil {
			return c.fail(err, "the copy has to be cut, and there is no room for its parts")
		}
		c.parts = parts
	}
	o.claim.Apart()
	o.cut = cut{src: o.src, dst: o.dst}
	if err := c.submitPart(o, i); err != nil {
		o.cut = cut{}
		return err
	}
	for len(o.cut.src) > 0 && len(c.free) > 0 && len(c.queue) == 0 {
		last := len(c.free) - 1
		extra := c.free[last]
		c.free = c.free[:last]
		if o.err = c.submitPart(o, extra); o.err != nil { // told when the others have ended
			c.give(extra)
			break
		}
	}
	return nil
}

// submitPart submits the next part on slot i.
func (c *core) submitPart(o *op, i int32) error {
	s := &c.slots[i]
	src, dst := o.cut.next(c.limits.MaxBufferSize)
	err := c.takeParts(s, src, dst)
	if err == nil {
		err = c.aim(&c.inC.item[i], i, common.BufView{Buf: s.parts[0].Raw}, common.BufView{Buf: s.parts[1].Raw})
	}
	if err == nil {
		err = c.submitItem(o, i)
	}
	if err != nil {
		c.giveParts(s)
	}
	return err
}

func (c *core) takeParts(s *slot, src, dst bind.Segment) error {
	var err error
	if s.parts[0], err = c.parts.Take(src, true); err == nil {
		s.parts[1], err = c.parts.Take(dst, false)
	}
	if err != nil {
		return c.fail(err, "no buffer for a part of the copy")
	}
	return nil
}

func (c *core) giveParts(s *slot) error {
	var first error
	for k, p := range s.parts {
		if err := c.parts.Give(p); err != nil && first == nil {
			first = err
		}
		s.parts[k] = bind.Part{}
	}
	return first
}

// partEnded takes the buffers of a part back and submits the next one on the same
// slot. It tells whether the slot is still in use.
func (c *core) partEnded(o *op, i int32) bool {
	if err := c.giveParts(&c.slots[i]); err != nil && o.err == nil {
		o.err = c.fail(err, "")
	}
	if o.err != nil || len(o.cut.src) == 0 || o.pending > 0 && len(c.queue) > 0 {
		return false // others wait for a slot, and the copy has some left
	}
	o.err = c.submitPart(o, i)
	return o.err == nil
}
