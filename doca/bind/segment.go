package bind

import "github.com/go-doca/go-doca/doca/internal/core"

// Segment is a range of a memory that an operation reads or writes.
type Segment struct{ s core.Segment }

// Len returns the length in bytes.
func (s Segment) Len() int { return s.s.N }

// Part returns the n bytes of the segment that begin at off.
func (s Segment) Part(off, n int) Segment { return Segment{s.s.Part(off, n)} }

// Overlap reports whether a segment of a shares bytes with a segment of b. It compares
// segments of imported memory only within one Memory, because addresses of different
// processes do not compare.
func Overlap(a, b []Segment) bool {
	for _, s := range a {
		for _, t := range b {
			if s.s.Memory != nil && t.s.Memory != nil && s.s.Overlaps(t.s) {
				return true
			}
		}
	}
	return false
}
