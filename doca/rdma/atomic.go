package rdma

import (
	"context"

	"github.com/go-doca/go-doca/doca"
)

// aimAtomic checks an atomic operation.
func (c *Conn) aimAtomic(ctx context.Context, a *access, op string, dst *doca.Memory, off int, result *doca.Memory, resultOff int) error {
	if err := c.need(ctx, op); err != nil {
		return err
	}
	return a.aimAtomic(c.c, dst, off, result, resultOff, op)
}

// CompareAndSwap replaces the 8 bytes of the peer's memory dst at off by new, if they are old, as one
// step that no other atomic operation comes between. It returns what they were: old if it has replaced
// them. They are a number in the peer's byte order, at an address that is a multiple of 8. The device
// puts what they were into the 8 bytes of result at resultOff, which is memory of this process, and
// operations at the same time need places of their own. dst needs AccessRDMAAtomic where it was
// exported. Otherwise CompareAndSwap is like [Conn.Write], with the same errors. Calls
// doca_rdma_task_atomic_cmp_swp_allocate_init and doca_task_submit.
func (c *Conn) CompareAndSwap(ctx context.Context, dst *doca.Memory, off int, result *doca.Memory, resultOff int, old, new uint64) (uint64, error) {
	a := access{operand: [2]uint64{old, new}}
	if err := c.aimAtomic(ctx, &a, "compare and swap", dst, off, result, resultOff); err != nil {
		return 0, err
	}
	return c.c.runForValue(ctx, kindCompareAndSwap, &a)
}

// CompareAndSwapAsync is like CompareAndSwap but returns when the operation has started;
// [Future.Value] returns the result. It waits for a free task, and ctx limits only that wait.
func (c *Conn) CompareAndSwapAsync(ctx context.Context, dst *doca.Memory, off int, result *doca.Memory, resultOff int, old, new uint64) (*Future, error) {
	a := access{operand: [2]uint64{old, new}}
	if err := c.aimAtomic(ctx, &a, "compare and swap", dst, off, result, resultOff); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindCompareAndSwap, &a)
}

// FetchAdd adds delta to the 8 bytes of the peer's memory dst at off, as CompareAndSwap replaces them,
// and returns what they were. The sum wraps around. Calls doca_rdma_task_atomic_fetch_add_allocate_init
// and doca_task_submit.
func (c *Conn) FetchAdd(ctx context.Context, dst *doca.Memory, off int, result *doca.Memory, resultOff int, delta uint64) (uint64, error) {
	a := access{operand: [2]uint64{delta}}
	if err := c.aimAtomic(ctx, &a, "fetch and add", dst, off, result, resultOff); err != nil {
		return 0, err
	}
	return c.c.runForValue(ctx, kindFetchAdd, &a)
}

// FetchAddAsync is like FetchAdd but returns when the operation has started; [Future.Value] returns the
// result. It waits for a free task, and ctx limits only that wait.
func (c *Conn) FetchAddAsync(ctx context.Context, dst *doca.Memory, off int, result *doca.Memory, resultOff int, delta uint64) (*Future, error) {
	a := access{operand: [2]uint64{delta}}
	if err := c.aimAtomic(ctx, &a, "fetch and add", dst, off, result, resultOff); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindFetchAdd, &a)
}
