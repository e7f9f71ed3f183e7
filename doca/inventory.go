package doca

import (
	"context"
	"errors"
	"log/slog"
	"runtime"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// Inventory is a stock of buffers. The buffers taken from it may lie on different memories;
// it owns them and closes them before itself. If one of them is posted to a context that is
// being closed, Close waits for it to come back. The devices of these memories own the
// inventory together: it is closed with the last of them. It may be used from any goroutine.
type Inventory struct {
	object
	inventoryInner
}

type inventoryInner = core.Inner[core.Inventory]

// NewInventory creates an inventory of n buffers. It returns ErrInvalidValue if n is less
// than 1, and ErrNoMemory if there is no memory for as many. Calls doca_buf_inventory_create and
// doca_buf_inventory_start.
func NewInventory(n int) (*Inventory, error) {
	in, err := core.NewInventory(n)
	if err != nil {
		return nil, err
	}
	inv := new(Inventory)
	core.Adopt(inv, in.Node, in)
	return inv, nil
}

// Buffer takes a buffer for the length bytes of mem that begin at offset. Its data segment
// is empty, as that of the destination of a copy. Both the inventory and the
// memory own the buffer. Buffer returns ErrInvalidValue if the range does not lie within
// the memory, and ErrNoMemory if the inventory has no buffer left. Calls
// doca_buf_inventory_buf_get_by_args.
func (inv *Inventory) Buffer(mem *Memory, offset, length int) (*Buffer, error) {
	return inv.take(mem, offset, length, 0)
}

// Source is like [Inventory.Buffer], but the whole region is data: the buffer can be the source of a
// copy at once.
func (inv *Inventory) Source(mem *Memory, offset, length int) (*Buffer, error) {
	return inv.take(mem, offset, length, length)
}

// Range is a part of a memory.
type Range struct {
	Memory *Memory
	Offset int // in bytes from the start of the memory
	Len    int // in bytes
}

// List takes a buffer for each range, chains them, and returns the head of the list; see
// [Buffer.Chain]. All of each range is data, so the list can be the source of a copy at once; as the
// destination it is filled from its start. Closing the head closes the list. List returns
// ErrInvalidValue without ranges, and the errors of [Inventory.Buffer]; then it leaves no buffer
// behind. Calls doca_buf_inventory_buf_get_by_args and doca_buf_chain_list.
func (inv *Inventory) List(ranges ...Range) (*Buffer, error) {
	if err := core.Or(inv, core.NoInventory).Node.Open("take list"); err != nil {
		return nil, err
	}
	if len(ranges) == 0 {
		return nil, fail("take list", inv.String(), ErrInvalidValue, "it has no ranges")
	}
	bufs := make([]*Buffer, 0, len(ranges))
	inner := make([]*core.Buffer, 0, len(ranges))
	var err error
	for _, r := range ranges {
		var b *Buffer
		if b, err = inv.take(r.Memory, r.Offset, r.Len, r.Len); err != nil {
			break
		}
		bufs, inner = append(bufs, b), append(inner, core.BufferOf(&b.bufferHandle))
	}
	if err == nil {
		core.Chainable(bufs...)
		err = core.ChainAll(inner)
	}
	if err != nil {
		for _, b := range bufs {
			err = errors.Join(err, b.Close())
		}
		return nil, err
	}
	runtime.KeepAlive(bufs) // the list looks for the handles
	return bufs[0], nil
}

// take takes a buffer with data bytes of data.
func (inv *Inventory) take(mem *Memory, offset, length, data int) (*Buffer, error) {
	in, err := core.Or(inv, core.NoInventory).Buffer(core.Of(mem), offset, length, data)
	if err != nil {
		return nil, err
	}
	b := &Buffer{owners: mem.ownersWith(inv)}
	core.AdoptBuffer(b, in)
	return b, nil
}

// Close closes the inventory and everything that it owns, in the order that DOCA demands. It
// waits without limit for tasks in flight; use Shutdown to set a limit. Closing a closed
// object is no error. If Close returns an error, the object takes no new work and
// is not closed: call Close again. Close may be called from any goroutine.
func (inv *Inventory) Close() error { return inv.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns
// an error that wraps ctx.Err(). What is left takes no new work, and a later Close or
// Shutdown finishes the job.
func (inv *Inventory) Shutdown(ctx context.Context) error {
	return core.CloseOr(ctx, inv, core.NoInventory.Node)
}

// String returns a name for messages and logs: the kind of the object, a number that is
// unique in the process, and details.
func (inv *Inventory) String() string { return core.NameOr(inv, core.NoInventory.Node) }

// LogValue returns the name of String, for package slog.
func (inv *Inventory) LogValue() slog.Value { return slog.StringValue(inv.String()) }
