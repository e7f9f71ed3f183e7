package bind

import (
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// Ranges gives tasks buffers on ranges of memories, so that an operation needs no [doca.Buffer]. It
// keeps the buffers, each of which covers a whole memory. A task can have any of them, and an item
// of a batch, which C hands to DOCA, says where its data begins. So a range costs no call into DOCA
// and no allocation.
//
// Read and Write check the memory, and return a buffer. It is the use of the memory as well: until
// Return, a Close of the memory waits. Operations are not kept from using the same bytes.
//
// A Ranges belongs to one context. Call Init once, in Create, and Close in Destroy. The methods need
// the lock of the context's [Link]; they do not block.
//
// The buffer of a written range ends where its memory does. So Write is for tasks of which the
// program knows how much they write. Where a peer decides, as it does for a receive, post a
// [doca.Buffer]; see [Posting].
type Ranges struct{ r core.Ranges }

// Init ties the ranges to a context.
func (r *Ranges) Init(link *Link) { r.r.Init(&link.l) }

// Read returns a buffer whose data is the range, for a task that reads it. op names the operation in
// errors: ErrInvalidValue if the range is empty, or if the context's device cannot reach the memory,
// a [*doca.StateError] if the memory is closed, and the errors of DOCA. The first ranges of a memory
// call doca_buf_inventory_create, doca_buf_inventory_start and doca_buf_inventory_buf_get_by_args.
func (r *Ranges) Read(s Segment, op string) (common.BufView, error) { return r.r.Read(s.s, op) }

// Write returns a buffer without data that begins with the range, for a task that fills it. The
// errors are those of Read, but the range may be empty, and ErrNotPermitted if devices may only read
// the memory.
func (r *Ranges) Write(s Segment, op string) (common.BufView, error) { return r.r.Write(s.s, op) }

// Part is Read or Write for a further task of an operation that uses the memory already: that has a
// buffer from Read or Write, or a [Claim] on a buffer of the memory. It works also while the memory
// is being closed, because the Close waits for the operation.
func (r *Ranges) Part(s Segment, op string, write bool) (common.BufView, error) {
	return r.r.Part(s.s, op, write)
}

// Return takes a buffer back that is from this Ranges and for this range. No task uses it any more.
func (r *Ranges) Return(s Segment, buf *common.Buf) { r.r.Return(s.s, buf) }

// Close gives all buffers back to DOCA. All must have been returned. After an error, call it again.
// Calls doca_buf_dec_refcount and doca_buf_inventory_destroy.
func (r *Ranges) Close() error { return r.r.Close() }
