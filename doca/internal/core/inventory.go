package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Inventory is a stock of buffers. mu guards the buffers, in Go and in C; methods of
// buffers and claims with the suffix Locked need it, unless they say otherwise. Locks are
// taken in this order: an engine, inventories by the id of their nodes, a memory.
type Inventory struct {
	Node *Node
	mu   sync.Mutex
	raw  *common.BufInventory
	last atomic.Pointer[Memory] // the memory of the latest buffer: its devices own the inventory

	_ abi.Apart
}

// NewInventory creates an inventory for n buffers.
func NewInventory(n int) (*Inventory, error) {
	if n <= 0 {
		return nil, Fail("create inventory", fmt.Sprintf("%d buffers", n), abi.ErrorInvalidValue, "the number must be positive")
	}
	nd, err := newNode(rankInventory, "inventory", fmt.Sprintf("%d buffers", n))
	if err != nil {
		return nil, err
	}
	nd.shared = true
	inv := &Inventory{Node: nd}
	if inv.raw, err = startInventory(n); err != nil {
		nd.abandon()
		advice := ""
		if errors.Is(err, abi.ErrorNoMemory) {
			advice = fmt.Sprintf("there is no memory for %d buffers: make a smaller inventory, or several", n)
		}
		return nil, Fail("create", nd.String(), err, advice)
	}
	nd.commit(inv.close)
	return inv, nil
}

func startInventory(n int) (*common.BufInventory, error) {
	raw, err := common.BufInventoryCreate(uint64(n))
	if err != nil {
		return nil, err
	}
	if err = common.BufInventoryStart(nil, raw); err == nil {
		return raw, nil
	}
	left := common.BufInventoryDestroy(nil, raw)
	if left != nil { // it has no owner yet whose Close could try again
		left = common.BufInventoryDestroy(nil, raw)
	}
	return nil, errors.Join(err, left)
}

// belong makes the devices of a memory owners of the inventory.
func (inv *Inventory) belong(mem *Memory) {
	if inv.last.Load() == mem {
		return
	}
	for _, d := range mem.devs {
		if !inv.Node.shareWith(d.Node) {
			return // the memory is being closed, too
		}
	}
	inv.last.Store(mem)
}

// close destroys the inventory. All buffers are back.
func (inv *Inventory) close(context.Context) error {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	return inv.Node.Fail("close", common.BufInventoryDestroy(nil, inv.raw), "")
}

// Raw returns DOCA's object.
func (inv *Inventory) Raw() (*common.BufInventory, error) {
	if err := inv.Node.Open("use"); err != nil {
		return nil, err
	}
	return inv.raw, nil
}
