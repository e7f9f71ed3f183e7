package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Parts makes buffers for parts of claimed buffers, for operations that are cut into
// several tasks. It belongs to one context; its methods need the lock of the context's
// [Link].
type Parts struct {
	p    core.Parts
	made bool // by NewParts
}

// Part is a buffer that Parts made.
type Part struct {
	Raw *common.Buf
	mem *core.Memory
}

// NewParts makes room for n parts. Calls doca_buf_inventory_create and
// doca_buf_inventory_start.
func NewParts(n int) (*Parts, error) {
	p := &Parts{made: true}
	if err := p.p.Create(n); err != nil {
		return nil, err
	}
	return p, nil
}

// Take makes a buffer for a segment. The data segment of a source is the whole buffer, that
// of a destination is empty. Calls doca_buf_inventory_buf_get_by_args.
func (p *Parts) Take(s Segment, source bool) (Part, error) {
	if p == nil || !p.made {
		return Part{}, none("make a part", "parts", "make one with bind.NewParts")
	}
	if s.s.Memory == nil {
		return Part{}, core.Fail("make a part", "", doca.ErrInvalidValue, "the segment is a zero value: take it from Claim.Segments")
	}
	raw, err := p.p.Take(s.s, source)
	return Part{Raw: raw, mem: s.s.Memory}, err
}

// Give takes a part back. It ignores the zero Part. Calls doca_buf_dec_refcount.
func (p *Parts) Give(part Part) error {
	switch {
	case part.Raw == nil:
		return nil
	case p == nil || !p.made:
		return none("give a part back", "parts", "make one with bind.NewParts")
	case part.mem == nil:
		return core.Fail("give a part back", "", doca.ErrInvalidValue, "Take has not made this part")
	}
	return p.p.Give(part.Raw, part.mem)
}

// Close frees the room. All parts must have been given back. It ignores a nil receiver.
// Calls doca_buf_inventory_destroy.
func (p *Parts) Close() error {
	if p == nil {
		return nil
	}
	return p.p.Close()
}
