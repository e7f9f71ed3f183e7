package core

import (
	"fmt"

	"github.com/go-doca/go-doca/generated/abi"
)

// Segment is a range of a memory that an operation reads or writes.
type Segment struct {
	Memory *Memory
	N      int // bytes
	off    int
}

// Aim makes s the n bytes of a memory that begin at off. m may be nil, which is an error.
func (s *Segment) Aim(m *Memory, off, n int, op string) error {
	if s == nil || m == nil || uint(off) > uint(m.size) || uint(n) > uint(m.size-off) || m.Node.phase.Load() != phaseOpen {
		return s.aimError(m, off, n, op)
	}
	s.Memory, s.off, s.N = m, off, n
	return nil
}

// aimError returns why there is no such range of the memory.
func (s *Segment) aimError(m *Memory, off, n int, op string) error {
	if s == nil {
		return Fail(op, "segment", abi.ErrorInvalidValue, "it is nil: declare a bind.Segment, and Aim it")
	}
	if m == nil {
		m = NoMemory
	}
	if err := m.Node.Open(op); err != nil {
		return err
	}
	return m.Node.Fail(op, abi.ErrorInvalidValue, fmt.Sprintf("%d bytes at %d are not within it", n, off))
}

// Imported reports whether the segment is of imported memory.
func (s Segment) Imported() bool { return s.Memory != nil && s.Memory.imported }

// Part returns the n bytes of the segment that begin at off.
func (s Segment) Part(off, n int) Segment { return Segment{Memory: s.Memory, off: s.off + off, N: n} }

// Overlaps reports whether two segments share bytes. It compares segments of imported
// memory only within one Memory, because addresses of different processes do not compare.
func (s Segment) Overlaps(t Segment) bool {
	if s.Memory != t.Memory && (s.Memory.imported || t.Memory.imported) {
		return false
	}
	from, other := s.Memory.start+uintptr(s.off), t.Memory.start+uintptr(t.off)
	return from < other+uintptr(t.N) && other < from+uintptr(s.N)
}
