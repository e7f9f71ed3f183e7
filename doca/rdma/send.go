package rdma

import (
	"context"

	"github.com/go-doca/go-doca/doca"
)

// aimSend checks a message without immediate data.
func (c *Conn) aimSend(ctx context.Context, a *access, src *doca.Memory, off, n int) error {
	if err := c.need(ctx, "send"); err != nil {
		return err
	}
	return a.aimSource(c.c, src, off, n, "send")
}

// aimSendImm checks a message with immediate data, which may be empty.
func (c *Conn) aimSendImm(ctx context.Context, a *access, imm uint32, src *doca.Memory, off, n int) error {
	if err := c.need(ctx, "send"); err != nil {
		return err
	}
	return a.aimMessage(c.c, imm, src, off, n)
}

// aimMessage checks a message with immediate data.
func (a *access) aimMessage(c *conn, imm uint32, src *doca.Memory, off, n int) error {
	a.imm = imm
	if n == 0 && imm == helloImm {
		return c.fail("send", doca.ErrInvalidValue, "an empty message with this immediate data is a handshake's")
	}
	if src == nil && n == 0 {
		return nil
	}
	return a.aimLocal(c, src, off, n, "send")
}

// aimSendBuffer checks a message from a buffer.
func (c *Conn) aimSendBuffer(ctx context.Context, a *access, src *doca.Buffer) error {
	if err := c.need(ctx, "send"); err != nil {
		return err
	}
	a.buf = src
	if src == nil {
		return c.c.fail("send", doca.ErrInvalidValue, "the source is nil")
	}
	return nil
}

// Send sends the n bytes of src that begin at off as a message, which fills the next buffer that the
// peer has posted (see [RDMA.Post]). If it has none, the device tries again as often as
// Config.RNRRetries says. Send waits for a free task and until the message is there, and drives the
// engine meanwhile. Messages of a connection arrive in the order in which they began.
//
// Errors: those of [Conn.Write]; ErrIOFailed also means that the peer's buffer is shorter than the
// message, or that it has posted none in time. Calls doca_rdma_task_send_allocate_init and
// doca_task_submit.
func (c *Conn) Send(ctx context.Context, src *doca.Memory, off, n int) error {
	var a access
	if err := c.aimSend(ctx, &a, src, off, n); err != nil {
		return err
	}
	return c.c.run(ctx, kindSend, &a)
}

// SendAsync is like Send but returns when the message is on its way. It waits for a free task, and ctx limits
// only that wait. SendAsync returns the errors that are found before; the future returns the others.
func (c *Conn) SendAsync(ctx context.Context, src *doca.Memory, off, n int) (*Future, error) {
	var a access
	if err := c.aimSend(ctx, &a, src, off, n); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindSend, &a)
}

// SendImm is like Send, with immediate data beside the message (see [Received]). The message may be
// empty: then src may be nil. Calls doca_rdma_task_send_imm_allocate_init and doca_task_submit.
func (c *Conn) SendImm(ctx context.Context, imm uint32, src *doca.Memory, off, n int) error {
	var a access
	if err := c.aimSendImm(ctx, &a, imm, src, off, n); err != nil {
		return err
	}
	return c.c.run(ctx, kindSendImm, &a)
}

// SendImmAsync is like SendImm but returns when the message is on its way. It waits for a free task, and ctx limits
// only that wait. SendImmAsync returns the errors that are found before; the future returns the others.
func (c *Conn) SendImmAsync(ctx context.Context, imm uint32, src *doca.Memory, off, n int) (*Future, error) {
	var a access
	if err := c.aimSendImm(ctx, &a, imm, src, off, n); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindSendImm, &a)
}

// SendBuffer is like Send, for the data of a buffer, or of the list of buffers that src heads. Errors in
// addition to those of Send: ErrInUse if something writes to the buffer.
func (c *Conn) SendBuffer(ctx context.Context, src *doca.Buffer) error {
	var a access
	if err := c.aimSendBuffer(ctx, &a, src); err != nil {
		return err
	}
	return c.c.run(ctx, kindSend, &a)
}

// SendBufferAsync is like SendBuffer but returns when the message is on its way. It waits for a free task, and ctx limits
// only that wait. SendBufferAsync returns the errors that are found before; the future returns the others.
func (c *Conn) SendBufferAsync(ctx context.Context, src *doca.Buffer) (*Future, error) {
	var a access
	if err := c.aimSendBuffer(ctx, &a, src); err != nil {
		return nil, err
	}
	return c.c.start(ctx, kindSend, &a)
}
