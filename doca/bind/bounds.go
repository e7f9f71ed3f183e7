package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Bounds are those of a memory that many ranges of an operation are on: a batch checks each range against
// them as it comes, and the memory once for each run ([Ranges.CheckAll]). A [Segment] is for a single
// range. The zero value has no bytes. Only one goroutine at a time may use it; it does not keep the handle
// of the memory alive.
type Bounds struct{ b core.Bounds }

// Init makes the bounds those of a memory; of none, if mem is nil or a zero value.
func (b *Bounds) Init(mem *doca.Memory) {
	if b == nil {
		return
	}
	if m := memoryOf(mem); m != nil {
		b.b.Init(m)
	} else {
		b.b = core.Bounds{}
	}
}

// Of reports whether the bounds are those of mem.
func (b *Bounds) Of(mem *doca.Memory) bool {
	m := memoryOf(mem)
	return m != nil && b != nil && b.b.Of(m)
}

// At returns the address of the n bytes that begin at off, and whether they are within a memory that is
// open.
func (b *Bounds) At(off, n int) (addr uintptr, ok bool) {
	if b == nil {
		return 0, false
	}
	return b.b.At(off, n)
}

// Meets reports whether a range of one memory may share bytes with one of the other. Memory of different
// processes does not compare; see [Overlap].
func (b *Bounds) Meets(o *Bounds) bool { return b.made() && o.made() && b.b.Meets(&o.b) }

// Same reports whether both are those of the same memory.
func (b *Bounds) Same(o *Bounds) bool { return b.made() && o.made() && b.b.Same(&o.b) }

func (b *Bounds) made() bool { return b.in().Made() }

// CheckAll checks a memory for all ranges of a run, which its tasks write to if write is true. The errors
// are those of [Ranges.Read] and [Ranges.Write] for the memory.
func (r *Ranges) CheckAll(b *Bounds, op string, write bool) error {
	return r.in().CheckAll(b.in(), op, write)
}

// Hold gives an item a buffer on a memory, unless it has one. The memory was checked since the lock was
// taken. Where the data begins, and how much is read, is the caller's to set: it is what At has returned.
func (r *Ranges) Hold(v *common.BufView, h *Held, b *Bounds, op string) error {
	return r.in().Hold(v, (*core.Held)(h), b.in(), op)
}

// in returns the inner part; nil for nil.
func (b *Bounds) in() *core.Bounds {
	if b == nil {
		return nil
	}
	return &b.b
}
