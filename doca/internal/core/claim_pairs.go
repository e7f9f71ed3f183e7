package core

import (
	"cmp"
	"unsafe"

	"github.com/go-doca/go-doca/generated/common"
)

// Views are those of the two buffers of tasks, in an array of items: see bind.Views.
type Views struct {
	src, dst *common.BufView // of the first item
	n        int             // items
	stride   uintptr
}

// at returns the views of item k.
func (v *Views) at(k int) (src, dst *common.BufView) {
	off := uintptr(k) * v.stride
	return (*common.BufView)(unsafe.Add(unsafe.Pointer(v.src), off)), (*common.BufView)(unsafe.Add(unsafe.Pointer(v.dst), off))
}

// ViewsOf returns the views of items that are in C memory, given those of the first.
func ViewsOf[T any](items []T, src, dst *common.BufView) Views {
	var item T
	return Views{src, dst, len(items), unsafe.Sizeof(item)}
}

// SetPairs makes room for n buffers in place of those that the claim has: the source and the destination of each of
// n/2 tasks. Put says which they are.
func (c *Claim) SetPairs(n int) error {
	if !c.Ready() {
		return noClaim("use buffers")
	}
	if !c.paired {
		c.n = 0
		c.cut()
		c.paired = true
	}
	for i := len(c.uses); i < n; i++ {
		c.uses = append(c.uses, use{write: i%2 == 1})
		c.changed = true
	}
	c.n, c.anew = n, true
	return nil
}

// Put makes b, which must not be nil, buffer i of those of SetPairs.
func (c *Claim) Put(i int, b *Buffer) {
	if u := &c.uses[i]; u.b != b {
		u.b, c.changed = b, true
	}
}

// NoBuffer returns the error for a buffer i of those of SetPairs that is nil, and removes all.
func (c *Claim) NoBuffer(i int) error {
	c.n = 0
	c.cut()
	return c.noBuffer(i%2 == 1)
}

// Aim claims the buffers of pairs, from the given one on, and fills in the views of tasks that write all of the source
// to the start of the destination. It returns how many pairs it has done. It stops at one that it cannot do so, which
// it claims, too: one of the buffers heads a list, the source is empty or has more than most bytes, the
// destination has no room for them, or they share bytes.
func (c *Claim) Aim(pair int, v Views, most uint64, op string) (int, error) {
	if !c.Ready() || !c.paired || pair < 0 || 2*pair > c.n {
		return 0, noClaim(op)
	}
	uses := c.uses[2*pair : c.n]
	stay := c.state.Load() << 1 // as marks have it
	var read, written *Memory   // that were looked at last
	for k := range min(v.n, len(uses)/2) {
		r, w := &uses[2*k], &uses[2*k+1]
		from, to := r.b, w.b
		if c.entering {
			if from.mem != read || !from.onlyBy(c) || from.mark.stay == stay|1 {
				if err := r.enterLocked(c, op); err != nil {
					return k, err
				}
				read = from.mem
			} else {
				if from.fill != 0 {
					from.filledLocked()
				}
				from.mark.stay = stay
			}
			if to.mem != written || !to.onlyBy(c) || to.mark.stay&^1 == stay {
				if err := w.enterLocked(c, op); err != nil {
					return k, err
				}
				written = to.mem
			} else {
				to.mark.stay = stay | 1
			}
		}
		c.aimed++
		if from.word.Load() != 0 {
			from.syncLocked()
		}
		n, at := from.n, from.start+uintptr(from.data)
		if from.listed || to.listed || n == 0 || n > to.len() || uint64(n) > most ||
			at < to.start+uintptr(n) && to.start < at+uintptr(n) && (from.mem == to.mem || !from.mem.imported && !to.mem.imported) { // else the addresses do not compare
			c.eager = true
			return k, cmp.Or(r.sendListLocked(), w.sendListLocked())
		}
		if to.fill != 0 {
			to.filledLocked()
		}
		if to.word.Load() != 0 {
			to.settleLocked()
		}
		w.n, to.fill = n, n+1
		src, dst := v.at(k)
		src.Buf, src.Data, src.Len = from.raw, 0, 0
		if from.unsent {
			src.Data, src.Len = at, uint64(n)
			from.unsent = false // unless the submission fails
		}
		dst.Buf, dst.Data, dst.Len = to.raw, to.start, 0
	}
	return min(v.n, len(uses)/2), nil
}

// onlyBy reports whether a buffer can be used, and only the claim has used it since it was last alone: then its mark is all
// that there is to look at.
func (b *Buffer) onlyBy(c *Claim) bool {
	return b.mark.claim == c && b.node.phase.Load() == phaseOpen && b.raw != nil && len(b.othersLocked()) == 0 && b.poster == nil && !b.listed && !b.posted
}
