package bind

import (
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Ranges gives tasks buffers on ranges of memories, so that an operation needs no [doca.Buffer]. Each
// of the buffers covers a whole memory. An item of a batch has one for as long as it likes, and each
// submission of the item says where its data begins: C tells DOCA. So another range of the same
// memory costs no call and no allocation.
//
// An item has a [common.BufView] for each of its buffers, and beside it, in memory of Go, a [Held].
// Read and Write check the memory, and give the item a buffer on it unless it has one. Release takes
// the buffer back. Until then a Close of the memory waits; so what runs many times may keep its
// buffers between runs, but releases them in recall, and at the end of a run if Wanted says so.
// Operations are not kept from using the same bytes.
//
// The buffer of a written range ends where its memory does. So Write is for tasks of which the
// program knows how much they write. Where a peer decides, as it does for a receive, post a
// [doca.Buffer]; see [Posting].
//
// A Ranges belongs to one context. Call Init once, in Create, and Close in Destroy. The methods need
// the lock of the context's [Link]; they do not block.
type Ranges core.Ranges

// Held says which memory the buffer of an item is on. The zero value: the item has none.
type Held core.Held

// Init ties the ranges to a context. recall is called when a memory is to be closed: it releases the
// buffers of all items that no task works for; nil if no item keeps one. The rules of [ContextConfig].Handle apply to it.
// It does nothing if link is nil or a zero value.
//
//doca:noblock recall
func (r *Ranges) Init(link *Link, recall func()) {
	if r != nil && link.made() {
		r.in().Init(&link.l, recall)
	}
}

// Read gives an item a buffer for a task that reads the range: its data is the range. op names the
// operation in errors: ErrInvalidValue if the range is empty, or if the context's device cannot reach
// the memory, a [*doca.StateError] if the memory is closed, and the errors of DOCA. After an error the
// item has the buffer that it had before. The first ranges of a memory call
// doca_buf_inventory_create, doca_buf_inventory_start and doca_buf_inventory_buf_get_by_args.
func (r *Ranges) Read(v *common.BufView, h *Held, s Segment, op string) error {
	return r.in().Read(v, (*core.Held)(h), s.s, op)
}

// Write gives an item a buffer for a task that fills the range from its start: it is empty. The errors
// are those of Read, but the range may be empty, and ErrNotPermitted if devices may only read the
// memory.
func (r *Ranges) Write(v *common.BufView, h *Held, s Segment, op string) error {
	return r.in().Write(v, (*core.Held)(h), s.s, op)
}

// Part is Read or Write for a further task of an operation that uses the memory already: that has a
// buffer from Read or Write, or a [Claim] on a buffer of the memory. It works also while the memory
// is being closed, because the Close waits for the operation.
func (r *Ranges) Part(v *common.BufView, h *Held, s Segment, op string, write bool) error {
	return r.in().Part(v, (*core.Held)(h), s.s, op, write)
}

// Release takes back the buffer that an item has, if it has one. No task uses it any more.
func (r *Ranges) Release(v *common.BufView, h *Held) { r.in().Release(v, (*core.Held)(h)) }

// Wanted reports whether a memory waits for its buffers to be released.
func (r *Ranges) Wanted() bool { return r != nil && r.in().Wanted() }

// Close gives all buffers back to DOCA. All must have been released. After an error, call it again.
// Calls doca_buf_dec_refcount and doca_buf_inventory_destroy.
func (r *Ranges) Close() error {
	if r == nil {
		return nil
	}
	return r.in().Close()
}

// in returns the inner part, whose methods take nil.
func (r *Ranges) in() *core.Ranges { return (*core.Ranges)(r) }
