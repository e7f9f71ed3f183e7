package doca

import "github.com/go-doca/go-doca/doca/internal/core"

// Inventory is a stock of buffer descriptors. It owns the buffers taken from it, which
// may be on different memories. It may be used from any goroutine.
type Inventory struct {
	object
	inventoryInner
}

type inventoryInner = core.Inner[core.Inventory]

// NewInventory creates an inventory for n buffers (at least 1). Stands on
// doca_buf_inventory_create and doca_buf_inventory_start.
func NewInventory(n int) (*Inventory, error) {
	in, err := core.NewInventory(n)
	if err != nil {
		return nil, err
	}
	inv := new(Inventory)
	core.Adopt(inv, in.Node, in)
	return inv, nil
}

// Buffer takes a buffer for the length bytes of mem that begin at offset. Its data
// segment is empty: call SetData for a source. The inventory and the memory own it. A
// range outside the memory is ErrInvalidValue; an inventory without a buffer left is
// ErrNoMemory. Stands on doca_buf_inventory_buf_get_by_args.
func (inv *Inventory) Buffer(mem *Memory, offset, length int) (*Buffer, error) {
	in, err := core.Of(inv).Buffer(core.Of(mem), offset, length)
	if err != nil {
		return nil, err
	}
	b := &Buffer{inv: inv, mem: mem}
	core.AdoptBuffer(b, in)
	return b, nil
}
