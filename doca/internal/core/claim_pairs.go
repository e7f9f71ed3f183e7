package core

import (
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
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
	if len(c.uses) < n {
		c.growPairs(n)
		c.changed = true
	}
	c.n, c.anew, c.eager = n, true, false
	return nil
}

// growPairs makes room for n buffers of pairs.
func (c *Claim) growPairs(n int) {
	if n > cap(c.uses) {
		c.uses = append(abi.MakeApart[use](n)[:0], c.uses...)
	}
	for i := len(c.uses); i < n; i++ {
		c.uses = append(c.uses, use{write: i%2 == 1})
	}
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
	if c == nil || !c.paired || pair < 0 || pair > c.n/2 {
		return 0
	}
	k := c.aimLocked(pair, 0, &v, most)
	for pair+k < c.n/2 && k < v.n && c.uses[2*(pair+k)+1].b.word.Load() != 0 { // SetData was called for a destination
		c.uses[2*(pair+k)+1].b.settleLocked()
		k = c.aimLocked(pair, k, &v, most)
	}
	c.aimed = pair + k
	return k
}

// aimLocked is Aim from item k on. It also stops at a destination whose data segment was set without the lock.
func (c *Claim) aimLocked(pair, k int, v *Views, most uint64) int {
	uses := c.uses[2*pair : c.n]
	items, stride := min(v.n, len(uses)/2), v.stride
	src := unsafe.Add(unsafe.Pointer(v.src), uintptr(k)*stride)
	toDst := uintptr(unsafe.Pointer(v.dst)) - uintptr(unsafe.Pointer(v.src))
	for k < items {
		r, w := &uses[2*k], &uses[2*k+1]
		from, to := r.b, w.b
		if word := from.word.Load(); word != 0 {
			from.takeLocked(word)
		}
		n, at := from.n, from.start+uintptr(from.data)
		if from.listed { // one by one: the compiler makes more of a condition with many parts
			break
		}
		if to.listed {
			break
		}
		if uint(n-1) >= uint(to.size.Load()) {
			break
		}
		if uint64(n) > most {
			break
		}
		if to.word.Load() != 0 {
			break
		}
		if at-to.start+uintptr(n)-1 < 2*uintptr(n)-1 && (from.mem == to.mem || !from.mem.imported && !to.mem.imported) { // else the addresses do not compare
			break
		}
		if to.fill != 0 {
			to.filledLocked()
		}
		w.n, to.fill = n, n+1
		in, out := (*common.BufView)(src), (*common.BufView)(unsafe.Add(src, toDst))
		in.Buf, in.Data, in.Len = from.raw, 0, 0
		if from.unsent {
			in.Data, in.Len = at, uint64(n)
			from.unsent = false // unless the submission fails
		}
		out.Buf, out.Data, out.Len = to.raw, to.start, 0
		if k++; k < items {
			src = unsafe.Add(src, stride)
		}
	}
	return k
}
