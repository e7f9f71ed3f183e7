package rdma

import (
	"context"

	"github.com/go-doca/go-doca/doca"
)

// aimRead checks a read of a range.
func (c *Conn) aimRead(ctx context.Context, a *access, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	if err := c.need(ctx, "read"); err != nil {
		return err
	}
	if err := a.aimSource(c.c, dst, dstOff, n, "read"); err != nil {
		return err
	}
	return a.aimRemote(c.c, src, srcOff, n, "read")
}

// aimReadBuffer checks a read into a buffer.
func (c *Conn) aimReadBuffer(ctx context.Context, a *access, dst *doca.Buffer, src *doca.Memory, srcOff, n int) error {
	if err := c.need(ctx, "read"); err != nil {
		return err
	}
	a.buf = dst
	if dst == nil {
		return c.c.fail("read", doca.ErrInvalidValue, "the destination is nil")
	}
	if n == 0 {
		return c.c.fail("read", doca.ErrInvalidValue, "the source has no data")
	}
	if err := c.c.fitsMessage(n, "read"); err != nil {
		return err
	}
	return a.aimRemote(c.c, src, srcOff, n, "read")
}

// Read copies the n bytes of the peer's memory src that begin at srcOff to dst, from dstOff on. src is
// what [doca.ImportMemory] has made of the peer's [doca.Memory.ExportRDMA]. The peer's program does
// nothing for it and does not learn of it. Otherwise Read is like [Conn.Write], with the same errors;
// ErrNotPermitted means that devices may only read dst. Calls doca_rdma_task_read_allocate_init and
// doca_task_submit.
func (c *Conn) Read(ctx context.Context, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	var a access
	if err := c.aimRead(ctx, &a, dst, dstOff, src, srcOff, n); err != nil {
		return err
	}
	return c.c.run(ctx, kindRead, &a)
}

// ReadAsync is like Read but returns when the read has started. It waits for a free task, and ctx limits
// only that wait. ReadAsync returns the errors that are found before; the future returns the others.
func (c *Conn) ReadAsync(ctx context.Context, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) (*Future, error) {
	var a access
	if err := c.aimRead(ctx, &a, dst, dstOff, src, srcOff, n); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindRead, &a)
}

// ReadBuffer is like Read, into a buffer from the head of its region on, or into the list of buffers
// that dst heads. Errors in addition to those of Read: ErrInUse if something uses the buffer.
func (c *Conn) ReadBuffer(ctx context.Context, dst *doca.Buffer, src *doca.Memory, srcOff, n int) error {
	var a access
	if err := c.aimReadBuffer(ctx, &a, dst, src, srcOff, n); err != nil {
		return err
	}
	return c.c.run(ctx, kindRead, &a)
}

// ReadBufferAsync is like ReadBuffer but returns when the read has started. It waits for a free task, and ctx limits
// only that wait. ReadBufferAsync returns the errors that are found before; the future returns the others.
func (c *Conn) ReadBufferAsync(ctx context.Context, dst *doca.Buffer, src *doca.Memory, srcOff, n int) (*Future, error) {
	var a access
	if err := c.aimReadBuffer(ctx, &a, dst, src, srcOff, n); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindRead, &a)
}
