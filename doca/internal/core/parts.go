package core

import (
	"slices"
	"sync"

	"github.com/go-doca/go-doca/generated/common"
)

// Parts makes buffers for parts of claimed buffers; see bind.Parts. Its lock is taken before
// that of a memory.
type Parts struct {
	mu   sync.Mutex
	raw  *common.BufInventory
	left []leftPart
}

// leftPart is a part that DOCA has refused to take back. The memory knows its Parts, so that
// closing either gives it back.
type leftPart struct {
	raw *common.Buf
	mem *Memory
}

// Create makes room for n parts in p, a zero value.
func (p *Parts) Create(n int) (err error) {
	p.raw, err = startInventory(n)
	return err
}

// Take makes a buffer for a segment. The data segment of a source is the whole buffer, that
// of a destination is empty.
func (p *Parts) Take(s Segment, source bool) (*common.Buf, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.left) > 0 { // they take up room
		p.giveLeftLocked(nil)
	}
	s.Memory.mu.Lock()
	defer s.Memory.mu.Unlock()
	data := 0
	if source {
		data = s.N
	}
	at := s.Memory.start + uintptr(s.off)
	return common.BufInventoryBufGetByArgs(p.raw, s.Memory.raw, at, uint64(s.N), at, uint64(data))
}

// Give takes a buffer on a memory back. It ignores nil. After an error, closing p or the
// memory tries again.
func (p *Parts) Give(buf *common.Buf, mem *Memory) error {
	if buf == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	err := mem.takeBack(buf)
	if err != nil {
		p.left = append(p.left, leftPart{buf, mem})
		mem.mu.Lock()
		mem.owing = append(mem.owing, p)
		mem.mu.Unlock()
	}
	return err
}

// giveLeft gives the parts that were left on a memory back.
func (p *Parts) giveLeft(mem *Memory) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.giveLeftLocked(mem)
}

// giveLeftLocked gives the parts that were left back, those on one memory or, for nil, all.
func (p *Parts) giveLeftLocked(mem *Memory) error {
	var first error
	p.left = slices.DeleteFunc(p.left, func(l leftPart) bool {
		if mem != nil && l.mem != mem {
			return false
		}
		err := l.mem.takeBack(l.raw)
		if err != nil && first == nil {
			first = err
		}
		return err == nil
	})
	return first
}

// Close frees the room. All parts must have been given back, or left.
func (p *Parts) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.raw == nil {
		return nil
	}
	err := p.giveLeftLocked(nil)
	if err == nil {
		err = common.BufInventoryDestroy(nil, p.raw)
	}
	if err == nil {
		p.raw = nil
	}
	return err
}
