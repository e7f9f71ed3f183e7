package rdma

import (
	"context"
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// helloImm is the immediate data of the empty message that is one side's part of a handshake.
const helloImm = 0x646f6361

// isHello reports whether a message is a part of a handshake.
func isHello(result *gen.TaskReceiveResult) bool {
	return result.ResultOpcode == OpcodeSendImm && result.ResultLen == 0 && result.ResultImmediateData == bigEndian(helloImm)
}

// againLocked posts the buffer of post i again, which a handshake has used.
func (r *receives) againLocked(i int32) {
	p := &r.posts[i]
	buf, hello := p.buf, p.hello
	r.giveBackLocked(i)
	r.posting.Unlock()
	r.free.push(i)
	if hello || !r.c.link.Running() {
		return // the program has the buffer
	}
	if _, err := r.postLocked([]*doca.Buffer{buf}); err != nil { // so it has it now, and Recv says so
		r.failed = append(r.failed, failedPost{noPost, buf, fmt.Errorf("%w (a handshake has used this receive: post the buffer again)", err)})
		r.wakeOneLocked()
	}
}

// Handshake waits until the peer is ready: until it has connected, calls Handshake as well, and both
// sides receive. Connect alone cannot know that. Each side sends one empty message, which Recv does
// not return. Call it on both sides after [Conn.Connect], before the first operation.
//
// Receives for messages of the program are best posted before. If none is posted, Handshake posts an
// empty one for the peer's part. With several connections in a context, keep more receives posted than
// messages come meanwhile, or make one handshake after another: a message of another connection could take
// that empty receive. If Handshake fails, it stays posted: begin the next connection of the context with a handshake, too,
// or stop the context and start it again.
//
// Errors: ctx.Err() if ctx ends first; ErrFull if all receives have messages that nobody has received yet, before
// the peer is told anything, so that Handshake can be called again; and those of [Conn.SendImm]. After
// any other error the connection is of no use: close it.
func (c *Conn) Handshake(ctx context.Context) error {
	if c == nil || c.c == nil {
		return noConn("handshake")
	}
	in := c.c
	if err := bind.NeedContext(ctx, "handshake", c.obj); err != nil {
		return err
	}
	if err := in.expectHello(ctx); err != nil {
		return err
	}
	a := access{imm: helloImm}
	if err := in.run(ctx, kindSendImm, &a); err != nil {
		return err
	}
	link := in.r.link
	if err := link.LockAlwaysFor(ctx); err != nil {
		return err
	}
	defer link.Unlock()
	refused := func() error { return in.usableLocked("handshake") }
	err := link.Await(ctx, func() bool { return in.hellos > 0 || refused() != nil })
	in.r.recv.skipHellosLocked()
	if in.hellos > 0 {
		in.hellos--
		return nil
	}
	if over := refused(); over != nil {
		return over
	}
	return err
}

// expectHello makes sure that there is a receive for the peer's part.
func (c *conn) expectHello(ctx context.Context) error {
	link := c.r.link
	if err := link.LockAlwaysFor(ctx); err != nil {
		return err
	}
	defer link.Unlock()
	if err := c.usableLocked("handshake"); err != nil {
		return err
	}
	r := &c.r.recv
	r.skipHellosLocked()
	if c.hellos > 0 || r.out > 0 {
		return nil
	}
	var i int32
	if r.free.len() > 0 {
		i = r.free.at(0)
	}
	if _, err := r.postLocked([]*doca.Buffer{nil}); err != nil {
		return err
	}
	r.posts[i].hello = true
	return nil
}

// skipHellosLocked takes the handshakes that are next in the inbox.
func (r *receives) skipHellosLocked() {
	for r.read != r.written && isHello(r.resultLocked(r.read)) {
		i := int32(r.resultLocked(r.read).User)
		r.read++
		r.posts[i].out = false
		r.againLocked(i)
	}
}
