package doca

import "github.com/go-doca/go-doca/generated/common"

// Segment is a range of a memory that an operation reads or writes.
type Segment struct {
	mem    *memory
	off, n int
}

// Len returns the length in bytes.
func (s Segment) Len() int { return s.n }

// Part returns the n bytes of the segment that begin at off.
func (s Segment) Part(off, n int) Segment { return Segment{mem: s.mem, off: s.off + off, n: n} }

// Overlap tells whether any segment of a shares bytes with one of b. Of imported memory it
// only knows that of one Memory: addresses of other processes do not compare.
func Overlap(a, b []Segment) bool {
	for _, s := range a {
		from := s.mem.start + uintptr(s.off)
		for _, t := range b {
			if s.mem != t.mem && (s.mem.imported || t.mem.imported) {
				continue
			}
			other := t.mem.start + uintptr(t.off)
			if from < other+uintptr(t.n) && other < from+uintptr(s.n) {
				return true
			}
		}
	}
	return false
}

// Parts makes buffers for parts of claimed buffers, for operations that have to be cut
// into several tasks. It belongs to one context and is used under the engine's lock.
type Parts struct {
	raw *common.BufInventory
}

// Part is a buffer that Parts made.
type Part struct {
	Raw *common.Buf
	mem *memory
}

// NewParts makes room for n parts. Stands on doca_buf_inventory_create.
func NewParts(n int) (*Parts, error) {
	raw, err := startInventory(n)
	if err != nil {
		return nil, err
	}
	return &Parts{raw: raw}, nil
}

// Take makes a buffer for a segment. A source's data segment is all of it, a
// destination's is empty. Stands on doca_buf_inventory_buf_get_by_args.
func (p *Parts) Take(s Segment, source bool) (Part, error) {
	s.mem.mu.Lock()
	defer s.mem.mu.Unlock()
	data := 0
	if source {
		data = s.n
	}
	at := s.mem.start + uintptr(s.off)
	raw, err := common.BufInventoryBufGetByArgs(p.raw, s.mem.raw, at, uint64(s.n), at, uint64(data))
	return Part{Raw: raw, mem: s.mem}, err
}

// Give takes a buffer back. The zero Part is ignored. Stands on doca_buf_dec_refcount.
func (p *Parts) Give(part Part) error {
	if part.Raw == nil {
		return nil
	}
	part.mem.mu.Lock()
	defer part.mem.mu.Unlock()
	_, err := common.BufDecRefcount(part.Raw)
	return err
}

// Close frees the room. All parts have been given back. Stands on
// doca_buf_inventory_destroy.
func (p *Parts) Close() error {
	if p == nil || p.raw == nil {
		return nil
	}
	err := common.BufInventoryDestroy(nil, p.raw)
	if err == nil {
		p.raw = nil
	}
	return err
}
