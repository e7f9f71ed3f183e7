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

// Segment returns a range of the memory for an operation.
func (m *Memory) Segment(op string, off, n int) (Segment, error) {
	if off < 0 || n < 0 || off > m.size || n > m.size-off || m.Node.phase.Load() != phaseOpen {
		return Segment{}, m.rangeError(op, off, n)
	}
	return Segment{Memory: m, off: off, N: n}, nil
}

// rangeError returns why there is no such range of the memory.
func (m *Memory) rangeError(op string, off, n int) error {
	if err := m.Node.Open(op); err != nil {
		return err
	}
	return Fail(op, m.Node.String(), abi.ErrorInvalidValue, fmt.Sprintf("%d bytes at %d are not within it", n, off))
}

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
