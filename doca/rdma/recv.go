package rdma

import (
	"context"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// Opcode says which operation of the peer a message is, enum doca_rdma_opcode.
type Opcode = gen.Opcode

// The operations of the peer.
const (
	OpcodeSend     = gen.OpcodeRecvSend
	OpcodeSendImm  = gen.OpcodeRecvSendWithImm
	OpcodeWriteImm = gen.OpcodeRecvWriteWithImm
)

// Received is a message from a peer.
type Received struct {
	Buffer *doca.Buffer // the posted buffer, which belongs to the program again; may be nil
	Data   []byte       // the data, at the head of Buffer's region; nil for lists, and after a write: see [doca.Buffer.Data]
	Opcode Opcode       // what the peer has done
	Imm    uint32       // the immediate data, unless Opcode is OpcodeSend
	Conn   *Conn        // the connection; nil if the program has lost its handle
}

// recvWaiter is a goroutine in Recv or RecvBatch that waits for a message.
type recvWaiter struct{ done bind.Completion }

// Recv waits for the next message of any connection and returns it. It drives the engine while it
// waits. Messages of one connection come in the order in which they were sent. When the program is
// done with the data, it posts the buffer again. A message can come before Accept or Dial has returned
// its connection. What was received before the context stopped is
// still returned.
//
// A message that has arrived comes before the end of ctx: Recv returns it also if ctx has ended, so a loop
// that is to end with ctx has to look at ctx itself.
//
// Errors: ctx.Err() if ctx ends first; no message is lost then, and TryRecvBatch returns one that has
// just arrived; a [*PeerError] if no connection is left, because the last one that
// was established was ended by its peer, and the context does not listen; a [*doca.StateError] if the context does not
// run, which wraps the failure that has stopped it. If a single receive fails, Recv returns its error together with its buffer, which
// belongs to the program again. The message is that of the doca_rdma_task_receive_get_result_
// functions.
func (r *RDMA) Recv(ctx context.Context) (Received, error) {
	if r == nil || r.c == nil {
		return Received{}, noRDMA("receive")
	}
	var one [1]Received
	_, err := r.RecvBatch(ctx, one[:])
	return one[0], err
}

// RecvBatch waits until there is a message, fills out with those that there are, and returns their
// number. The number is 0 if there is an error or out is empty. It allocates nothing. Otherwise it is
// like Recv. The buffer of a receive that failed is in out[0].
func (r *RDMA) RecvBatch(ctx context.Context, out []Received) (int, error) {
	if r == nil || r.c == nil {
		return 0, noRDMA("receive")
	}
	if err := bind.NeedContext(ctx, "receive", r.c.link); err != nil {
		return 0, err
	}
	if len(out) == 0 {
		return 0, nil
	}
	if err := r.c.link.LockAlwaysFor(ctx); err != nil {
		return 0, err
	}
	defer r.c.link.Unlock()
	return r.c.recv.takeOrWaitLocked(ctx, out)
}

// TryRecvBatch fills out with messages that have arrived and returns their number, 0 if there are none. It neither waits nor
// drives the engine: it is for programs that call [doca.ProgressEngine.Progress] in a loop of their own. Otherwise it is like
// RecvBatch.
func (r *RDMA) TryRecvBatch(out []Received) (int, error) {
	if r == nil || r.c == nil {
		return 0, noRDMA("receive")
	}
	if len(out) == 0 {
		return 0, nil
	}
	r.c.link.LockAlways()
	defer r.c.link.Unlock()
	return r.c.recv.tryTakeLocked(out)
}

// tryTakeLocked takes what has arrived. The error says that nothing has, and that nothing will.
func (r *receives) tryTakeLocked(out []Received) (int, error) {
	if n := r.takeLocked(out); n > 0 {
		return n, nil
	}
	if len(r.failed) > 0 {
		return 0, r.takeFailedLocked(&out[0])
	}
	if err := r.c.link.Check(bind.OpSubmit, "receive"); err != nil {
		return 0, err
	}
	if r.c.lastEnd != nil && r.c.listener == nil {
		return 0, r.c.lastEnd.of("receive", r.c.link.String())
	}
	return 0, nil
}

func (r *receives) takeOrWaitLocked(ctx context.Context, out []Received) (int, error) {
	link := r.c.link
	for {
		if r.written-r.read < uint32(min(len(out), len(r.posts))) {
			link.Step()
		}
		if n, err := r.tryTakeLocked(out); n > 0 || err != nil {
			return n, err
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := r.awaitLocked(ctx); err != nil && r.read == r.written {
			return 0, err
		}
	}
}

// awaitLocked waits until there may be something to take. It releases the lock meanwhile.
func (r *receives) awaitLocked(ctx context.Context) error {
	var w *recvWaiter
	if last := len(r.idle) - 1; last >= 0 {
		w, r.idle = r.idle[last], r.idle[:last]
	} else {
		w = new(recvWaiter)
	}
	w.done.Init(r.c.link)
	r.waiting = append(r.waiting, w)
	r.c.link.Unlock()
	err := w.done.Wait(ctx)
	r.c.link.LockAlways()
	if k := slices.Index(r.waiting, w); k >= 0 {
		r.waiting = slices.Delete(r.waiting, k, k+1)
	} else if err != nil {
		r.wakeOneLocked() // this one was woken and gives up: wake another one
	}
	r.idle = append(r.idle, w)
	return err
}

// arrivedLocked counts the results in the inbox that are new.
func (r *receives) arrivedLocked() {
	count := r.inbox[0].Count()
	n := int(count - r.written)
	r.c.link.Finished(n)
	r.out -= n
	for ; r.written != count; r.written++ {
		result := r.resultLocked(r.written)
		in := r.c.byRaw[result.ResultRDMAConnection]
		if in == nil && result.ResultRDMAConnection == r.c.leavingRaw {
			in = r.c.leaving
		}
		if in != nil {
			r.cameLocked(result, in)
		}
	}
	r.wakeOneLocked()
}

// cameLocked records on which connection a message has come. DOCA may use its connection for another one before somebody takes the
// message.
func (r *receives) cameLocked(result *gen.TaskReceiveResult, in *conn) {
	r.posts[result.User].from = in
	in.connectedLocked() // DOCA may report this later than the message
	if isHello(result) {
		in.hellos++
		r.c.link.Wake()
	}
}

// adoptLocked finds the messages that have come on a connection since it was requested, and before it was known.
func (r *receives) adoptLocked(in *conn) {
	for i := r.read; i != r.written; i++ {
		result := r.resultLocked(i)
		if int32(i-in.first) >= 0 && result.ResultRDMAConnection == in.raw {
			r.cameLocked(result, in)
		}
	}
}

func (r *receives) resultLocked(number uint32) *gen.TaskReceiveResult {
	return (*gen.TaskReceiveResult)(r.inbox[0].Result(number))
}

// takeLocked fills out with results that nobody has read, and returns their number. It skips
// handshakes.
func (r *receives) takeLocked(out []Received) int {
	n := 0
	for n < len(out) && r.read != r.written {
		result := r.resultLocked(r.read)
		r.read++
		i := int32(result.User)
		p := &r.posts[i]
		p.out = false
		if isHello(result) {
			r.againLocked(i)
			continue
		}
		to := &out[n]
		n++
		*to = Received{Buffer: p.buf, Opcode: result.ResultOpcode}
		if to.Opcode != OpcodeSend {
			to.Imm = bigEndian(result.ResultImmediateData)
		}
		if p.from != nil {
			to.Conn = p.from.handle.Value()
		}
		n := int(result.ResultLen) // of a list, the buffer's own length is that of its head
		if to.Opcode == OpcodeWriteImm {
			n = 0
		}
		r.filledLocked(p, to, n)
		r.free.push(i)
	}
	r.posting.Unlock()
	r.wakeOneLocked()
	return n
}

// filledLocked gives the program its buffer back, which has n bytes.
func (r *receives) filledLocked(p *post, to *Received, n int) {
	switch {
	case p.buf == nil:
	case p.list:
		r.posting.Unlock()
		p.claim.SetLen(0, n)
		p.claim.End(nil)
		p.claim.Reset()
	default:
		if data := r.posting.Filled(p.buf, n); to.Opcode != OpcodeWriteImm {
			to.Data = data
		}
	}
	p.buf, p.list = nil, false
}

// failedLocked handles the end of post i without a message. While the context runs that is an error
// for Recv. When the context stops, all posts end like this.
func (r *receives) failedLocked(i int32, status abi.Error) {
	c := r.c
	c.link.Finished(1)
	r.out--
	r.posts[i].out = false
	if !c.stopAsked && c.fault == nil {
		c.fault = c.fail("receive", status, "a receive failed, which stops the context: if the message was longer than the buffer, post larger ones. Call Start, and connect again")
		c.link.Faulted(c.fault)
		r.failed = append(r.failed, failedPost{i, r.posts[i].buf, c.fault})
		r.wakeOneLocked()
		return
	}
	r.giveBackLocked(i)
	r.posting.Unlock()
	r.free.push(i)
}

// takeFailedLocked returns the error of a receive that failed, and puts its buffer into to.
func (r *receives) takeFailedLocked(to *Received) error {
	f := r.failed[0]
	r.failed = slices.Delete(r.failed, 0, 1)
	*to = Received{Buffer: f.buf}
	if f.post == noPost {
		return f.err
	}
	r.giveBackLocked(f.post)
	r.posting.Unlock()
	r.free.push(f.post)
	return f.err
}

// wakeOneLocked wakes one goroutine that waits, if there is something to take.
func (r *receives) wakeOneLocked() {
	if len(r.waiting) > 0 && (r.read != r.written || len(r.failed) > 0) {
		w := r.waiting[0]
		r.waiting = slices.Delete(r.waiting, 0, 1)
		w.done.Complete(nil)
	}
}

// wakeAllLocked wakes all goroutines that wait.
func (r *receives) wakeAllLocked() {
	for _, w := range r.waiting {
		w.done.Complete(nil)
	}
	clear(r.waiting)
	r.waiting = r.waiting[:0]
}
