package rdma

import (
	"context"
	"encoding/binary"

	"github.com/go-doca/go-doca/doca"
)

// aimAtomic checks an atomic operation, and returns the bytes of its result.
func (c *Conn) aimAtomic(ctx context.Context, a *access, op string, dst *doca.Memory, off int, result *doca.Memory, resultOff int) ([]byte, error) {
	if err := c.need(ctx, op); err != nil {
		return nil, err
	}
	if err := a.aimAtomic(c.c, dst, off, result, resultOff, op); err != nil {
		return nil, err
	}
	bytes := result.Bytes()
	if bytes == nil {
		return nil, c.c.fail(op, doca.ErrInvalidValue, "the result needs memory of this process")
	}
	return bytes[resultOff:][:wordSize], nil
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
	was, err := c.aimAtomic(ctx, &a, "compare and swap", dst, off, result, resultOff)
	if err == nil {
		err = c.c.run(ctx, kindCompareAndSwap, &a)
	}
	if err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint64(was), nil
}

// CompareAndSwapAsync is like CompareAndSwap but returns when the operation has started;
// [Future.Value] returns the result. It waits for a free task, and ctx limits only that wait.
func (c *Conn) CompareAndSwapAsync(ctx context.Context, dst *doca.Memory, off int, result *doca.Memory, resultOff int, old, new uint64) (*Future, error) {
	a := access{operand: [2]uint64{old, new}}
	was, err := c.aimAtomic(ctx, &a, "compare and swap", dst, off, result, resultOff)
	if err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindCompareAndSwap, &a, was)
}

// FetchAdd adds delta to the 8 bytes of the peer's memory dst at off, as CompareAndSwap replaces them,
// and returns what they were. The sum wraps around. Calls doca_rdma_task_atomic_fetch_add_allocate_init
// and doca_task_submit.
func (c *Conn) FetchAdd(ctx context.Context, dst *doca.Memory, off int, result *doca.Memory, resultOff int, delta uint64) (uint64, error) {
	a := access{operand: [2]uint64{delta}}
	was, err := c.aimAtomic(ctx, &a, "fetch and add", dst, off, result, resultOff)
	if err == nil {
		err = c.c.run(ctx, kindFetchAdd, &a)
	}
	if err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint64(was), nil
}

// FetchAddAsync is like FetchAdd but returns when the operation has started; [Future.Value] returns the
// result. It waits for a free task, and ctx limits only that wait.
func (c *Conn) FetchAddAsync(ctx context.Context, dst *doca.Memory, off int, result *doca.Memory, resultOff int, delta uint64) (*Future, error) {
	a := access{operand: [2]uint64{delta}}
	was, err := c.aimAtomic(ctx, &a, "fetch and add", dst, off, result, resultOff)
	if err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindFetchAdd, &a, was)
}
