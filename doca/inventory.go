package doca

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"weak"

	"github.com/go-doca/go-doca/generated/common"
)

// Inventory is a stock of buffer descriptors. It owns the buffers taken from it, which
// may be on different memories. It may be used from any goroutine.
type Inventory struct {
	object
	inv *inventory
}

// inventory guards its buffers, in Go and in C, with mu. Who needs several inventories
// takes them in the order of their node's id, and engines before them.
type inventory struct {
	node *node
	mu   sync.Mutex
	raw  *common.BufInventory
	size int
}

// NewInventory creates an inventory for n buffers (at least 1). Stands on
// doca_buf_inventory_create and doca_buf_inventory_start.
func NewInventory(n int) (*Inventory, error) {
	if n <= 0 {
		return nil, fail("create inventory", fmt.Sprintf("%d buffers", n), ErrInvalidValue, "the number must be positive")
	}
	nd, err := newNode(rankInventory, "inventory", text("%d buffers", n))
	if err != nil {
		return nil, err
	}
	inv := &inventory{node: nd, size: n}
	if inv.raw, err = startInventory(n); err != nil {
		nd.abandon()
		return nil, fail("create", nd.String(), err, "")
	}
	nd.commit(inv.close)
	return guard(&Inventory{object: object{nd}, inv: inv}, nd), nil
}

func startInventory(n int) (*common.BufInventory, error) {
	raw, err := common.BufInventoryCreate(uint64(n))
	if err != nil {
		return nil, err
	}
	if err = common.BufInventoryStart(nil, raw); err != nil {
		return nil, errors.Join(err, common.BufInventoryDestroy(nil, raw))
	}
	return raw, nil
}

// close runs when no buffer is out.
func (inv *inventory) close(context.Context) error {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	return fail("close", inv.node.String(), common.BufInventoryDestroy(nil, inv.raw), "")
}

// Buffer takes a buffer for the length bytes of mem that begin at offset. Its data
// segment is empty: call SetData for a source. The inventory and the memory own it. A
// range outside the memory is ErrInvalidValue; an inventory without a buffer left is
// ErrNoMemory. Stands on doca_buf_inventory_buf_get_by_args.
func (inv *Inventory) Buffer(mem *Memory, offset, length int) (*Buffer, error) {
	if mem == nil {
		return nil, fail("take buffer", inv.String(), ErrInvalidValue, "the memory is nil")
	}
	if size := mem.m.size; offset < 0 || length <= 0 || offset > size || length > size-offset {
		if err := mem.n.open("take buffer"); err != nil {
			return nil, err
		}
		return nil, fail("take buffer", inv.String(), ErrInvalidValue,
			fmt.Sprintf("%d bytes at %d are not within %v", length, offset, mem))
	}
	b := &buffer{inv: inv.inv, mem: mem.m, off: offset, size: length, start: mem.m.start + uintptr(offset)}
	n, err := newNode(rankBuffer, "buffer", b.describe, inv.n, mem.n)
	if err != nil {
		return nil, err
	}
	b.node = n
	b.inv.mu.Lock()
	b.mem.mu.Lock()
	b.raw, err = common.BufInventoryBufGetByArgs(b.inv.raw, b.mem.raw, b.at(0), uint64(length), b.at(0), 0)
	b.mem.mu.Unlock()
	b.inv.mu.Unlock()
	if err != nil {
		n.abandon()
		advice := ""
		if errors.Is(err, ErrNoMemory) {
			advice = "all buffers are taken: close some, or make the inventory larger"
		}
		return nil, fail("take buffer", inv.String(), err, advice)
	}
	n.commit(b.close)
	h := guard(&Buffer{object: object{n}, b: b, inv: inv, mem: mem}, n)
	b.handle = weak.Make(h)
	return h, nil
}

// Raw returns DOCA's own object, for packages that bind further libraries. It is valid
// until Close. A closed inventory is a [*StateError].
func (inv *Inventory) Raw() (*common.BufInventory, error) {
	if err := inv.n.open("use"); err != nil {
		return nil, err
	}
	return inv.inv.raw, nil
}
