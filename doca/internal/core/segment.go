package core

// Segment is a range of a memory that an operation reads or writes.
type Segment struct {
	Memory *Memory
	N      int // bytes
	off    int
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
