package bind

import (
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Posting is the exclusive use of buffers by tasks that wait for a peer to fill them, one
// buffer each. It belongs to one context; its methods need the lock of the context's
// [Link]. The inventory of the last buffer stays locked until Unlock, so that a run of
// buffers locks it once.
type Posting core.Posting

// Init ties the posting to a context that takes buffers on one memory.
// It does nothing if link or mem is nil or a zero value.
func (p *Posting) Init(link *Link, mem *doca.Memory) {
	if in := core.Of(mem); p != nil && link.made() && in != nil {
		p.in().Init(&link.l, in)
	}
}

// InitAny ties the posting to a context that takes buffers on all memories that its device can write
// to. It does nothing if link is nil or a zero value.
func (p *Posting) InitAny(link *Link) {
	if p != nil && link.made() {
		p.in().Init(&link.l, nil)
	}
}

// Post takes a buffer until Filled or Returned. op names the operation in errors. The view
// that Post returns aims a task at the start of the buffer's region, without data.
//
// Post returns ErrInUse if the buffer is in use or posted, ErrNotPermitted if it is in a
// list or on memory that devices may only read, ErrInvalidValue if it is nil or on another memory, and a [*doca.StateError] if it
// is closed.
func (p *Posting) Post(b *doca.Buffer, op string) (common.BufView, error) {
	if !p.in().Ready() {
		return common.BufView{}, none(op, "posting", "call Init with the Link of a context and a memory")
	}
	in := bufferOf(b)
	if !p.in().Holds(in) {
		if err := p.in().Take(in, op); err != nil {
			return common.BufView{}, err
		}
	}
	return p.in().Post(in), nil
}

// Place is the place of a task in a posting. It knows the buffer that was posted there last, and keeps no handle alive.
type Place struct {
	b     *core.Buffer
	start *byte // of its region; nil if the memory is imported
	size  int
}

// PostAt is Post for the task of a place.
func (p *Posting) PostAt(at *Place, b *doca.Buffer, op string) (common.BufView, error) {
	view, err := p.Post(b, op)
	if err == nil && at != nil {
		at.b = bufferOf(b)
		room := p.in().Room(at.b)
		at.start, at.size = unsafe.SliceData(room), len(room) // two words: there are many places
	}
	return view, err
}

// Reach locks the inventory of the buffer that was posted at a place last, for Again.
func (p *Posting) Reach(at *Place) {
	if at != nil {
		p.in().Reach(at.b)
	}
}

// Again is a short way of PostAt for the buffer that was posted at the place last, if nobody else has used it since, its
// inventory is locked, see Reach, and it was never Reset. The view is the one that PostAt has returned. Otherwise Again reports false and does
// nothing: call PostAt.
func (p *Posting) Again(at *Place, b *doca.Buffer) bool {
	in := bufferOf(b)
	return at != nil && at.b == in && p.in().Again(in)
}

// FilledAt gives back the buffer that is posted at a place, if there is one. A peer has filled it with n bytes, which Data of the
// place returns.
func (p *Posting) FilledAt(at *Place, n int) {
	if at != nil {
		p.in().Filled(at.b, n)
	}
}

// Fill is a short way of FilledAt for a buffer with room for n bytes that nobody closes and whose inventory is locked: it is, if
// the last buffer was of the same one. Otherwise Fill reports false and does nothing: call FilledAt.
func (p *Posting) Fill(at *Place, n int) bool { return at != nil && p.in().Fill(at.b, n) }

// Data returns the first n bytes of the buffer that was posted at the place last, or all if it has fewer; nil if the
// memory is imported, or if there was none.
func (at *Place) Data(n int) []byte {
	if at == nil {
		return nil
	}
	return unsafe.Slice(at.start, at.size)[:min(uint(n), uint(at.size))]
}

// Filled gives back a posted buffer that a peer has filled with n bytes, and returns these
// bytes; nil if the memory is imported.
func (p *Posting) Filled(b *doca.Buffer, n int) []byte {
	return p.in().Filled(bufferOf(b), n)
}

// in returns the inner part. Its methods take nil, and a posting without Init.
func (p *Posting) in() *core.Posting { return (*core.Posting)(p) }

// Returned gives back a posted buffer that was not filled. Its data segment stays as it
// was.
func (p *Posting) Returned(b *doca.Buffer) {
	if in := bufferOf(b); in != nil && p.in().Ready() {
		p.in().Returned(in)
	}
}

// Unlock unlocks the inventory of the last buffer.
func (p *Posting) Unlock() {
	if p.in().Ready() {
		p.in().Unlock()
	}
}
