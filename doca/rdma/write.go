package rdma

import (
	"context"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// need returns an error for a nil connection and for a nil ctx.
func (c *Conn) need(ctx context.Context, op string) error {
	if c == nil || c.c == nil {
		return noConn(op)
	}
	return bind.NeedContext(ctx, op, c.obj)
}

// aimWrite checks a write of a range.
func (c *Conn) aimWrite(ctx context.Context, a *access, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	if err := c.need(ctx, "write"); err != nil {
		return err
	}
	if err := a.aimSource(c.c, src, srcOff, n, "write"); err != nil {
		return err
	}
	return a.aimRemote(c.c, dst, dstOff, n, "write")
}

// aimWriteImm checks a write with immediate data, which may be empty.
func (c *Conn) aimWriteImm(ctx context.Context, a *access, imm uint32, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	if err := c.need(ctx, "write"); err != nil {
		return err
	}
	a.imm = imm
	if err := a.aimSource(c.c, src, srcOff, n, "write"); err != nil {
		return err
	}
	return a.aimRemote(c.c, dst, dstOff, n, "write")
}

// aimWriteBuffer checks a write of a buffer.
func (c *Conn) aimWriteBuffer(ctx context.Context, a *access, dst *doca.Memory, dstOff int, src *doca.Buffer) error {
	if err := c.need(ctx, "write"); err != nil {
		return err
	}
	a.buf = src
	if src == nil {
		return c.c.fail("write", doca.ErrInvalidValue, "the source is nil")
	}
	return a.aimRemote(c.c, dst, dstOff, max(dst.Len()-dstOff, 0), "write")
}

// Write copies the n bytes of src that begin at srcOff to the peer's memory dst, from dstOff on. dst is
// what [doca.ImportMemory] has made of the peer's [doca.Memory.ExportRDMA]. src may be imported across
// PCI. The peer's program does nothing for it and does not learn of it; see [Conn.WriteImm]. Offsets
// and n are in bytes. Write waits for a free task and for the end, and drives the engine meanwhile.
// What a later send on this connection says, the peer sees after the written bytes.
//
// While the write is in flight, the source belongs to the device, and a Close of either memory waits
// for it. Operations at the same time must not use the same bytes, unless all read them: Write does
// not find that.
//
// If ctx has ended, Write starts nothing. If ctx ends while it waits, it returns ctx.Err() at once, and
// a write that has begun goes on.
//
// Errors: ErrInvalidValue if n is 0, for ranges outside of the memories, if dst is not imported, or the
// device cannot reach a memory; ErrTooBig for more bytes than MaxMessageSize; ErrNotPermitted if
// [doca.Memory.SetAccess] has said that dst is read-only; ErrBadState before Connect; a
// [*doca.StateError] if the context does not run or something is closed; a [*PeerError] if the peer is
// gone; and the error of the device, ErrIOFailed if the peer refuses the write or has disappeared,
// which leaves the context idle until Start. Calls doca_rdma_task_write_allocate_init and
// doca_task_submit.
func (c *Conn) Write(ctx context.Context, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	var a access
	if err := c.aimWrite(ctx, &a, dst, dstOff, src, srcOff, n); err != nil {
		return err
	}
	return c.c.run(ctx, kindWrite, &a)
}

// WriteAsync is like Write but returns when the write has started. It waits for a free task, and ctx limits
// only that wait. WriteAsync returns the errors that are found before; the future returns the others.
func (c *Conn) WriteAsync(ctx context.Context, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) (*Future, error) {
	var a access
	if err := c.aimWrite(ctx, &a, dst, dstOff, src, srcOff, n); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindWrite, &a)
}

// WriteImm is like Write, and tells the peer: its next receive completes with imm, after the bytes are
// there (see [Received]). Calls doca_rdma_task_write_imm_allocate_init and doca_task_submit.
func (c *Conn) WriteImm(ctx context.Context, imm uint32, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) error {
	var a access
	if err := c.aimWriteImm(ctx, &a, imm, dst, dstOff, src, srcOff, n); err != nil {
		return err
	}
	return c.c.run(ctx, kindWriteImm, &a)
}

// WriteImmAsync is like WriteImm but returns when the write has started. It waits for a free task, and ctx limits
// only that wait. WriteImmAsync returns the errors that are found before; the future returns the others.
func (c *Conn) WriteImmAsync(ctx context.Context, imm uint32, dst *doca.Memory, dstOff int, src *doca.Memory, srcOff, n int) (*Future, error) {
	var a access
	if err := c.aimWriteImm(ctx, &a, imm, dst, dstOff, src, srcOff, n); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindWriteImm, &a)
}

// WriteBuffer is like Write, for the data of a buffer, or of the list of buffers that src heads. Errors
// in addition to those of Write: ErrInUse if something writes to the buffer.
func (c *Conn) WriteBuffer(ctx context.Context, dst *doca.Memory, dstOff int, src *doca.Buffer) error {
	var a access
	if err := c.aimWriteBuffer(ctx, &a, dst, dstOff, src); err != nil {
		return err
	}
	return c.c.run(ctx, kindWrite, &a)
}

// WriteBufferAsync is like WriteBuffer but returns when the write has started. It waits for a free task, and ctx limits
// only that wait. WriteBufferAsync returns the errors that are found before; the future returns the others.
func (c *Conn) WriteBufferAsync(ctx context.Context, dst *doca.Memory, dstOff int, src *doca.Buffer) (*Future, error) {
	var a access
	if err := c.aimWriteBuffer(ctx, &a, dst, dstOff, src); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindWrite, &a)
}
