package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Posting is the exclusive use of buffers by tasks that wait until a peer fills them, one
// buffer each. It is for packages that bind DOCA libraries and belongs to one context. Its
// methods are called with the lock of the context's engine held; the inventory of the last
// buffer stays locked until Unlock, so that a run of buffers is locked once.
type Posting struct{ p core.Posting }

// Init ties the posting to a context, which takes buffers on one memory alone.
func (p *Posting) Init(link *Link, mem *doca.Memory) { p.p.Init(&link.l, core.Of(mem)) }

// Post takes a buffer until Filled or Returned, and says how to aim it: at the start of its
// region, without data. Errors: ErrInUse for a buffer that is used or posted,
// ErrNotPermitted for one in a list, ErrInvalidValue for one on another memory, and a
// [*StateError] for one that is closed.
func (p *Posting) Post(b *doca.Buffer, op string) (common.BufView, error) {
	in := bufferOf(b)
	if !p.p.Holds(in) {
		if err := p.p.Take(in, op); err != nil {
			return common.BufView{}, err
		}
	}
	return p.p.Post(in), nil
}

// Filled gives back a buffer that a peer has filled with n bytes and returns them; those of imported
// memory are not here, which is nil.
func (p *Posting) Filled(b *doca.Buffer, n int) []byte {
	in := core.BufferOf(b)
	p.p.Use(in)
	p.p.Gone(in)
	return p.p.Fill(in, n)
}

// Returned gives back a buffer that was not filled. Its data segment is what it was.
func (p *Posting) Returned(b *doca.Buffer) { p.p.Returned(core.BufferOf(b)) }

// Unlock ends the locking.
func (p *Posting) Unlock() { p.p.Unlock() }
