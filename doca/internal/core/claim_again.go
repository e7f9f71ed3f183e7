package core

import (
	"slices"
	"unsafe"

	"github.com/go-doca/go-doca/generated/common"
)

// PairsAgain does in one go what SetPairs, Put, Begin and Aim do for all pairs, if this claim, or another one of its context, was the
// last one on each buffer, nobody has changed them since, and Aim can do them. Otherwise it does nothing, and returns false.
func (c *Claim) PairsAgain(bufs []*BufferHandle, v Views, most uint64) bool {
	n := len(bufs) &^ 1
	if !c.Ready() || n == 0 || v.n < n/2 || !c.paired && len(c.uses) > 0 {
		return false
	}
	if bufs[0] == nil || bufs[1] == nil || !c.knows(bufs[0].p, bufs[1].p) {
		return false
	}
	c.lock()
	if c.keep {
		c.state.Store(c.state.Load() + 3) // as Begin
	}
	if len(c.uses) < n {
		c.growPairs(n)
		c.paired = true
	}
	done := c.pairsLocked(bufs[:n], &v, most)
	if done < n/2 {
		c.forgoLocked(done)
		c.unlock()
		return false
	}
	if c.n = n; n < len(c.uses) {
		c.cut()
	}
	if c.moved.Load() {
		c.moved.Store(false)
	}
	if c.keep && !c.kept.Load() {
		c.kept.Store(true)
	}
	c.lists, c.eager, c.apart, c.anew, c.changed, c.aimed = false, false, false, false, false, done
	c.sending, c.moves = true, false
	return true
}

// forgoLocked takes back what pairsLocked has done.
func (c *Claim) forgoLocked(done int) {
	for i := range c.uses[:2*done] {
		b := c.uses[i].b
		b.fill, b.unsent = 0, true
	}
	if c.kept.Load() {
		c.kept.Store(false)
	}
	c.finishLocked()
}

// knows reports whether the inventories of two buffers are those of the claim. One that has had no buffers gets them.
func (c *Claim) knows(a, b *Buffer) bool {
	if a == nil || b == nil {
		return false
	}
	if len(c.uses) == 0 {
		clear(c.invs)
		c.invs, c.inv = c.invs[:0], nil
		c.addInventory(a.inv)
		c.addInventory(b.inv)
		return true
	}
	if !slices.Contains(c.invs, a.inv) || !slices.Contains(c.invs, b.inv) {
		return false
	}
	return len(c.invs) == 1 || len(c.invs) == 2 && a.inv != b.inv
}

// succeedsLocked takes the place of a claim of the same context that was the last one on a buffer, if no run of it uses the buffer.
func (c *Claim) succeedsLocked(b *Buffer) bool {
	x := b.mark.claim
	if x == nil || x.link != c.link || b.mark.active() || b.word.Load() != 0 {
		return false
	}
	if x.kept.Load() && b.mark.on() {
		x.kept.Store(false)
	}
	b.mark = mark{claim: c}
	return true
}

// pairsLocked claims the buffers of pairs for the stay that has begun, as reenterLocked does, and fills in their views, as aimLocked does.
// It returns how many it has done: it stops at one that needs a closer look.
func (c *Claim) pairsLocked(bufs []*BufferHandle, v *Views, most uint64) int {
	stay := c.state.Load() << 1 // as marks have it
	uses := c.uses[:len(bufs)]
	srcInv, dstInv := bufs[0].p.inv, bufs[1].p.inv
	src, toDst, k := unsafe.Pointer(v.src), uintptr(unsafe.Pointer(v.dst))-uintptr(unsafe.Pointer(v.src)), 0
	for i := 1; i < len(bufs); i += 2 { // the conditions one by one: the compiler makes more of one with many parts
		hr, hw := bufs[i-1], bufs[i]
		if hr == nil {
			break
		}
		if hw == nil {
			break
		}
		from, to := hr.p, hw.p
		if from == nil {
			break
		}
		if to == nil {
			break
		}
		if from == to {
			break
		}
		if from.inv != srcInv {
			break
		}
		if to.inv != dstInv {
			break
		}
		if from.mark.claim != c && !c.succeedsLocked(from) {
			break
		}
		if to.mark.claim != c && !c.succeedsLocked(to) {
			break
		}
		if from.mark.stay > stay { // the run writes to it
			break
		}
		if to.mark.stay >= stay { // the run uses it
			break
		}
		if !from.near {
			break
		}
		if !to.near {
			break
		}
		if from.node.phase.Load() != phaseOpen {
			break
		}
		if to.node.phase.Load() != phaseOpen {
			break
		}
		if to.mem.readOnly.Load() {
			break
		}
		if from.fill != 0 {
			from.filledLocked()
		}
		if word := from.word.Load(); word != 0 {
			from.takeLocked(word)
		}
		n, at := from.n, from.start+uintptr(from.data)
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
		from.mark.stay, to.mark.stay = stay, stay|1
		r, w := &uses[i-1], &uses[i]
		if r.b != from {
			r.b = from
		}
		if w.b != to {
			w.b = to
		}
		w.n, to.fill = n, n+1
		in, out := (*common.BufView)(src), (*common.BufView)(unsafe.Add(src, toDst))
		in.Buf, in.Data, in.Len = from.raw, 0, 0
		if from.unsent {
			in.Data, in.Len = at, uint64(n)
			from.unsent = false // unless the submission fails
		}
		out.Buf, out.Data, out.Len = to.raw, to.start, 0
		if k++; i+1 < len(bufs) {
			src = unsafe.Add(src, v.stride)
		}
	}
	return k
}
