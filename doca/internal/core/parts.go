package core

import "github.com/go-doca/go-doca/generated/common"

// Parts makes buffers for parts of claimed buffers; see bind.Parts.
type Parts struct {
	raw *common.BufInventory
}

// Create makes room for n parts in p, a zero value.
func (p *Parts) Create(n int) (err error) {
	p.raw, err = startInventory(n)
	return err
}

// Take makes a buffer for a segment. The data segment of a source is the whole buffer, that
// of a destination is empty.
func (p *Parts) Take(s Segment, source bool) (*common.Buf, error) {
	s.Memory.mu.Lock()
	defer s.Memory.mu.Unlock()
	data := 0
	if source {
		data = s.N
	}
	at := s.Memory.start + uintptr(s.off)
	return common.BufInventoryBufGetByArgs(p.raw, s.Memory.raw, at, uint64(s.N), at, uint64(data))
}

// Give takes a buffer on a memory back. It ignores nil.
func (p *Parts) Give(buf *common.Buf, mem *Memory) error {
	if buf == nil {
		return nil
	}
	mem.mu.Lock()
	defer mem.mu.Unlock()
	_, err := common.BufDecRefcount(buf)
	return err
}

// Close frees the room. All parts must have been given back.
func (p *Parts) Close() error {
	if p.raw == nil {
		return nil
	}
	err := common.BufInventoryDestroy(nil, p.raw)
	if err == nil {
		p.raw = nil
	}
	return err
}
