package doca

import "github.com/go-doca/go-doca/doca/internal/core"

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
// than 1. Calls doca_buf_inventory_create and doca_buf_inventory_start.
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
// is empty; call [Buffer.SetData] on the source of a copy. Both the inventory and the
// memory own the buffer. Buffer returns ErrInvalidValue if the range does not lie within
// the memory, and ErrNoMemory if the inventory has no buffer left. Calls
// doca_buf_inventory_buf_get_by_args.
func (inv *Inventory) Buffer(mem *Memory, offset, length int) (*Buffer, error) {
	in, err := core.Of(inv).Buffer(core.Of(mem), offset, length)
	if err != nil {
		return nil, err
	}
	b := &Buffer{inv: inv, mem: mem}
	core.AdoptBuffer(b, in)
	return b, nil
}
