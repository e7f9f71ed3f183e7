package core

import (
	"unsafe"

	"github.com/go-doca/go-doca/generated/common"
)

// Views are those of the two buffers of tasks, in an array of items: see bind.Views.
type Views struct {
	src, dst *common.BufView // of the first item
	n        int             // items
	stride   uintptr
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
	c.n, c.anew, c.eager = n, true, false
	return nil
}

// Put makes b, which must not be nil, buffer i of those of SetPairs.
func (c *Claim) Put(i int, b *Buffer) {
	if u := &c.uses[i]; u.b != b {
		u.b, c.changed = b, true
	}
	if b.inv != c.inv {
		c.inv = nil
	}
}

// NoBuffer returns the error for a buffer i of those of SetPairs that is nil, and removes all.
func (c *Claim) NoBuffer(i int) error {
	c.n = 0
	c.cut()
	return c.noBuffer(i%2 == 1)
}

// Aim fills in the views of tasks that write all of the source of a pair to the start of its destination, from the given pair
// on. It returns how many it has done. It stops at a pair for which it cannot: one of the buffers heads a list, the source is
// empty or has more than most bytes, the destination has no room for them, or they share bytes.
func (c *Claim) Aim(pair int, v Views, most uint64) int {
	if c == nil || !c.paired || pair < 0 || 2*pair > c.n {
		return 0
	}
	uses := c.uses[2*pair : c.n]
	var at uintptr // where the views of an item begin, from those of the first
	k := 0
	for ; k < v.n && len(uses) > 1; k++ {
		from, w := uses[0].b, &uses[1]
		to := w.b
		if from.word.Load() != 0 {
			from.syncLocked()
		}
		n, start := from.n, from.start+uintptr(from.data)
		if from.listed || to.listed || uint(n-1) >= uint(to.len()) || uint64(n) > most {
			break
		}
		if start-to.start+uintptr(n)-1 < 2*uintptr(n)-1 && (from.mem == to.mem || !from.mem.imported && !to.mem.imported) { // else the addresses do not compare
			break
		}
		if to.fill != 0 {
			to.filledLocked()
		}
		if to.word.Load() != 0 {
			to.settleLocked()
		}
		w.n, to.fill = n, n+1
		src, dst := (*common.BufView)(unsafe.Add(unsafe.Pointer(v.src), at)), (*common.BufView)(unsafe.Add(unsafe.Pointer(v.dst), at))
		src.Buf, src.Data, src.Len = from.raw, 0, 0
		if from.unsent {
			src.Data, src.Len = start, uint64(n)
			from.unsent = false // unless the submission fails
		}
		dst.Buf, dst.Data, dst.Len = to.raw, to.start, 0
		uses = uses[2:]
		at += v.stride
	}
	c.aimed = pair + k
	return k
}
