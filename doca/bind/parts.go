package bind

import (
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Parts makes buffers for parts of claimed buffers, for operations that have to be cut
// into several tasks. It belongs to one context and is used under the engine's lock.
type Parts struct{ p core.Parts }

// Part is a buffer that Parts made.
type Part struct {
	Raw *common.Buf
	mem *core.Memory
}

// NewParts makes room for n parts. Stands on doca_buf_inventory_create.
func NewParts(n int) (*Parts, error) {
	p := new(Parts)
	if err := p.p.Create(n); err != nil {
		return nil, err
	}
	return p, nil
}

// Take makes a buffer for a segment. A source's data segment is all of it, a
// destination's is empty. Stands on doca_buf_inventory_buf_get_by_args.
func (p *Parts) Take(s Segment, source bool) (Part, error) {
	raw, err := p.p.Take(s.s, source)
	return Part{Raw: raw, mem: s.s.Memory}, err
}

// Give takes a buffer back. The zero Part is ignored. Stands on doca_buf_dec_refcount.
func (p *Parts) Give(part Part) error { return p.p.Give(part.Raw, part.mem) }

// Close frees the room. All parts have been given back. Stands on
// doca_buf_inventory_destroy.
func (p *Parts) Close() error {
	if p == nil {
		return nil
	}
	return p.p.Close()
}
