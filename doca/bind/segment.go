package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// Segment is a range of a memory that an operation reads or writes.
type Segment struct{ s core.Segment }

// Aim makes s the n bytes of mem that begin at off; n may be 0. op names the operation in errors:
// ErrInvalidValue if the range does not lie within the memory or mem is nil, and a
// [*doca.StateError] if the memory is closed. The segment does not keep the handle of the memory
// alive.
func (s *Segment) Aim(mem *doca.Memory, off, n int, op string) error {
	return s.in().Aim(memoryOf(mem), off, n, op)
}

// in returns the inner part; nil for nil.
func (s *Segment) in() *core.Segment {
	if s == nil {
		return nil
	}
	return &s.s
}

// memoryOf returns the inner part of a memory; nil for nil and for a zero value.
func memoryOf(mem *doca.Memory) *core.Memory {
	if mem == nil {
		return nil
	}
	return core.MemoryOf(mem)
}

// Len returns the length in bytes.
func (s Segment) Len() int { return s.s.N }

// Imported reports whether the segment is of memory that another process has exported.
func (s Segment) Imported() bool { return s.s.Imported() }

// Part returns the n bytes of the segment that begin at off.
func (s Segment) Part(off, n int) Segment { return Segment{s.s.Part(off, n)} }

// Overlaps reports whether two segments share bytes, as [Overlap] does.
func (s Segment) Overlaps(t Segment) bool {
	return s.s.Memory != nil && t.s.Memory != nil && s.s.Overlaps(t.s)
}

// Overlap reports whether a segment of a shares bytes with a segment of b. It compares
// segments of imported memory only within one Memory, because addresses of different
// processes do not compare.
func Overlap(a, b []Segment) bool {
	for _, s := range a {
		for _, t := range b {
			if s.Overlaps(t) {
				return true
			}
		}
	}
	return false
}
