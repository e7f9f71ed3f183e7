package bind

import (
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Parts makes buffers for parts of claimed buffers, for operations that are cut into
// several tasks. It belongs to one context; its methods need the lock of the context's
// [Link].
type Parts struct{ p core.Parts }

// Part is a buffer that Parts made.
type Part struct {
	Raw *common.Buf
	mem *core.Memory
}

// NewParts makes room for n parts. Calls doca_buf_inventory_create and
// doca_buf_inventory_start.
func NewParts(n int) (*Parts, error) {
	p := new(Parts)
	if err := p.p.Create(n); err != nil {
		return nil, err
	}
	return p, nil
}

// Take makes a buffer for a segment. The data segment of a source is the whole buffer, that
// of a destination is empty. Calls doca_buf_inventory_buf_get_by_args.
func (p *Parts) Take(s Segment, source bool) (Part, error) {
	raw, err := p.p.Take(s.s, source)
	return Part{Raw: raw, mem: s.s.Memory}, err
}

// Give takes a part back. It ignores the zero Part. Calls doca_buf_dec_refcount.
func (p *Parts) Give(part Part) error { return p.p.Give(part.Raw, part.mem) }

// Close frees the room. All parts must have been given back. It ignores a nil receiver.
// Calls doca_buf_inventory_destroy.
func (p *Parts) Close() error {
	if p == nil {
		return nil
	}
	return p.p.Close()
}
