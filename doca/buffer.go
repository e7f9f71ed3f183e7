package doca

import (
	"context"
	"log/slog"
	"runtime"
	"unsafe"
	"weak"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// Buffer describes a range of a memory to DOCA. The range is its region. Within the region
// lies the data segment: a copy from the buffer reads the data segment, a copy to the
// buffer fills the region from its start and makes what it wrote the data segment. A buffer
// may head a list of buffers (see [Buffer.Chain]), which operations then use as one.
//
// While an operation uses a buffer, the buffer and its memory belong to the device. Several
// operations may read a buffer at once, but a buffer that is written to has one operation
// only. Methods that change a buffer in use return ErrInUse; Close waits for the
// operations. A Buffer may be used from any goroutine.
type Buffer struct {
	bufferHandle // first: package bind relies on that
	object
	owners *bufferOwners // nil in a zero value
}

const _ = -unsafe.Offsetof(Buffer{}.bufferHandle) // does not compile unless it is 0

// bufferOwners has the handles of what buffers are of: they live as long as those of the buffers.
type bufferOwners struct {
	inv *Inventory
	mem *Memory
}

// ownersWith returns the owners of a buffer of inv on the memory: those of the buffer before, most often.
func (m *Memory) ownersWith(inv *Inventory) *bufferOwners {
	if last := m.last.Load(); last != nil {
		if o := last.Value(); o != nil && o.inv == inv {
			return o
		}
	}
	o := &bufferOwners{inv, m}
	last := weak.Make(o)
	m.last.Store(&last)
	return o
}

type bufferHandle = core.BufferHandle

// Len returns the size of the region in bytes.
func (b *Buffer) Len() int {
	_, n := bufferOf(b).Region()
	return n
}

// Offset returns where the region begins, in bytes from the start of its memory.
func (b *Buffer) Offset() int {
	off, _ := bufferOf(b).Region()
	return off
}

// Memory returns the memory that the buffer is on.
func (b *Buffer) Memory() *Memory {
	if b == nil || b.owners == nil {
		return nil
	}
	return b.owners.mem
}

// Inventory returns the inventory that the buffer was taken from.
func (b *Buffer) Inventory() *Inventory {
	if b == nil || b.owners == nil {
		return nil
	}
	return b.owners.inv
}

// DataLen returns the length of this buffer's data segment in bytes, without the rest of
// its list. While an operation writes to the buffer, DataLen returns the length from
// before.
func (b *Buffer) DataLen() int {
	_, n := bufferOf(b).Segment()
	return n
}

// SetData makes the n bytes of the region that begin at off the data segment; n may be 0.
// It returns ErrInvalidValue if the segment does not lie within the region, and ErrInUse if
// an operation uses the buffer. The next operation that uses the buffer calls
// doca_buf_set_data.
func (b *Buffer) SetData(off, n int) error {
	if b == nil { // in place of bufferOf, so that the compiler inlines this
		b = &noBuffer
	}
	return core.SetData(&b.bufferHandle, off, n)
}

var noBuffer Buffer

// Bytes returns the region. Do not use the slice after the memory's Close, nor while an
// operation writes to the buffer. Bytes returns nil if the buffer is closed or its memory
// is imported.
func (b *Buffer) Bytes() []byte {
	return bufferOf(b).Bytes()
}

// Data returns the bytes of the data segment. The rules of [Buffer.Bytes] apply.
func (b *Buffer) Data() []byte { return bufferOf(b).Data() }

// Reset aims the buffer at another region: the n bytes of its memory that begin at off. All of it is
// data, as after [Inventory.Source]. A copy that needs no buffer otherwise is cheaper with CopyRange or
// Batch.AddRange of package dma. Reset returns ErrInvalidValue if the region does not lie within the
// memory, ErrInUse if an operation uses the buffer, and ErrNotPermitted if it is in a list. If DOCA
// fails, the buffer can only be closed, or reset again. Calls doca_buf_dec_refcount and
// doca_buf_inventory_buf_get_by_args.
func (b *Buffer) Reset(off, n int) error { return bufferOf(b).Reset(off, n) }

// Chain appends the list that next heads to the list that b heads. A single buffer is a
// list of one. Operations on b then use the whole list: they read the data segments, or
// fill the regions, one after the other. Closing the head closes the whole list; closing another
// element takes it out of the list.
//
// Chain returns ErrNotPermitted if b or next is inside a list, ErrInvalidValue if they come
// from different inventories, and ErrInUse if an operation uses one of them. Calls
// doca_buf_chain_list.
//
//doca:takes next
func (b *Buffer) Chain(next *Buffer) error {
	if b != nil && next != nil {
		core.Chainable(b, next)
	}
	err := bufferOf(b).Chain(bufferOf(next))
	runtime.KeepAlive(b) // the list looks for the handles
	runtime.KeepAlive(next)
	return err
}

// Unchain splits the list that b heads: at and the elements behind it become a list of
// their own. It returns ErrInvalidValue if at is not an element behind b, and ErrInUse if
// an operation uses the list. Calls doca_buf_unchain_list.
func (b *Buffer) Unchain(at *Buffer) error {
	err := bufferOf(b).Unchain(bufferOf(at))
	runtime.KeepAlive(b) // the lists look for the handles
	runtime.KeepAlive(at)
	return err
}

// Elements returns the buffers of the list that b is in, head first.
func (b *Buffer) Elements() []*Buffer {
	if bufferOf(b) == core.NoBuffer {
		return nil
	}
	mates := core.Mates(b)
	if mates == nil {
		return []*Buffer{b}
	}
	out := make([]*Buffer, len(mates))
	for i, m := range mates {
		out[i] = m.(*Buffer)
	}
	return out
}

// ListLen returns the number of buffers in the list that b is in; 1 if b is alone.
func (b *Buffer) ListLen() int { return bufferOf(b).ListLen() }

// ListDataLen returns the length of all data segments in the list that b is in, in bytes.
func (b *Buffer) ListDataLen() int { return bufferOf(b).ListDataLen() }

// bufferOf returns the inner part of a buffer.
func bufferOf(b *Buffer) (in *core.Buffer) {
	if b != nil {
		in = core.BufferOf(&b.bufferHandle)
	}
	if in == nil {
		in = core.NoBuffer
	}
	return in
}

// Close closes the buffer, and the list that it heads. If it is in a list that it does not head, it is
// taken out of it. Close waits without limit for tasks in flight; use Shutdown to set a limit. Closing a
// closed object is no error. If Close returns an error, the object takes no new work and
// is not closed: call Close again. Close may be called from any goroutine. Calls doca_buf_dec_refcount.
func (b *Buffer) Close() error { return b.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns
// an error that wraps ctx.Err(). What is left takes no new work, and a later Close or
// Shutdown finishes the job.
func (b *Buffer) Shutdown(ctx context.Context) error {
	if bufferOf(b) == core.NoBuffer {
		return core.CloseOr(ctx, b, core.NoBuffer.Node)
	}
	return core.ShutdownBuffer(ctx, b)
}

// String returns a name for messages and logs: the kind of the object, a number that is
// unique in the process, and details.
func (b *Buffer) String() string { return core.NameOr(b, core.NoBuffer.Node) }

// LogValue returns the name of String, for package slog.
func (b *Buffer) LogValue() slog.Value { return slog.StringValue(b.String()) }
