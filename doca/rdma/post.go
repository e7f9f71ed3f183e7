package rdma

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/rdma"
)

// post is the place of a receive task, which it keeps until the context stops. The user data of the
// task is the post's counterpart in C.
type post struct {
	task  *common.Task
	aimed *common.Buf  // the buffer of the task in DOCA
	buf   *doca.Buffer // the posted buffer; nil: none, or only empty messages are received
	list  bool         // buf heads a list, which claim has
	claim bind.Claim
	out   bool  // DOCA has the task
	from  *conn // of the message, when there is one; nil: one that is not known
	hello bool  // a handshake has posted it, for itself
}

// receives are the receives of a context, which its connections share. The engine's lock guards them.
type receives struct {
	c        *core
	listLen  int
	posting  bind.Posting
	posts    []post
	free     postQueue
	prepared bool
	waiting  []*recvWaiter
	idle     []*recvWaiter
	failed   []failedPost
	written  uint32 // results that are in the inbox
	read     uint32 // and those of them that were taken
	out      int    // posts that DOCA has

	// In C memory.
	inbox    []abi.Inbox // a single one
	inC      []abi.Post
	items    []gen.TaskReceiveItem
	pointers []*abi.Post // for one submission
}

// failedPost is a post whose task failed, or a buffer that could not be posted again.
type failedPost struct {
	post int32 // noPost: it has none any more
	buf  *doca.Buffer
	err  error
}

// noPost is no post.
const noPost = -1

// configure sets the number of tasks.
func (r *receives) configure(c *core, n, listLen int) (err error) {
	if err := gen.TaskReceiveSetConfPosted(c.raw, uint32(n)); err != nil {
		return err
	}
	r.c, r.listLen = c, listLen
	r.posting.InitAny(c.link)
	r.posts = make([]post, n)
	for i := range r.posts {
		r.posts[i].claim.Init(c.link, false)
	}
	r.free.fill(n)
	if r.inbox, err = abi.Alloc[abi.Inbox](1); err != nil {
		return err
	}
	if err = r.inbox[0].Init(n, unsafe.Sizeof(gen.TaskReceiveResult{}), 0); err != nil {
		return err
	}
	if r.inC, err = abi.Alloc[abi.Post](n); err != nil {
		return err
	}
	if r.items, err = abi.Alloc[gen.TaskReceiveItem](n); err != nil {
		return err
	}
	if r.pointers, err = abi.Alloc[*abi.Post](n); err != nil {
		return err
	}
	for i := range r.inC {
		r.inC[i].Inbox, r.inC[i].Item, r.inC[i].User = &r.inbox[0], unsafe.Pointer(&r.items[i]), abi.Data(i)
	}
	return nil
}

// drop gives back the buffers whose messages nobody has read, and frees the memory, also after a
// configure that failed.
func (r *receives) drop() {
	for i := range r.posts {
		r.giveBackLocked(int32(i))
	}
	r.posting.Unlock()
	r.read, r.failed = r.written, nil
	if r.inbox != nil {
		r.inbox[0].Free()
	}
	abi.Free(r.inbox)
	abi.Free(r.inC)
	abi.Free(r.items)
	abi.Free(r.pointers)
	r.inbox, r.inC, r.items, r.pointers = nil, nil, nil, nil
}

// Post gives the context buffers for messages, one for each. Sends of any connection fill them, in
// the order in which they were posted, from the head of a buffer's region on; a write with immediate
// data uses one as well, and does not fill it. A buffer may be nil: an empty message uses it. With
// Config.ReceiveListLen a buffer may head a list. The buffers belong to the context until Recv returns
// them. Post returns the number of buffers that were posted: all of them, unless there is an error.
//
// A message that is longer than its buffer is an error on both sides.
//
// Errors: ErrFull if MaxReceives buffers are posted; ErrInUse if a buffer is in use; ErrNotPermitted
// if it is in a list, or if devices may only read its memory; ErrInvalidValue if the device cannot
// reach its memory; a [*doca.StateError] if the context does not run or a buffer is closed. Calls
// doca_rdma_task_receive_allocate_init and doca_task_submit.
//
//doca:posts bufs
func (r *RDMA) Post(bufs ...*doca.Buffer) (int, error) {
	if r == nil || r.c == nil {
		return 0, noRDMA("post")
	}
	in := &r.c.recv
	if err := r.c.link.Lock(bind.OpSubmit, "post"); err != nil {
		return 0, err
	}
	defer r.c.link.Unlock()
	return in.postLocked(bufs)
}

// MaxReceives returns the number of buffers that can be posted at once.
func (r *RDMA) MaxReceives() int {
	if r == nil || r.c == nil {
		return 0
	}
	return len(r.c.recv.posts)
}

func (r *receives) postLocked(bufs []*doca.Buffer) (int, error) {
	if r.inbox == nil {
		return 0, r.c.fail("post", doca.ErrNotSupported, "the device cannot receive: see CapabilitiesOf")
	}
	if !r.prepared {
		if err := r.prepareLocked(); err != nil {
			return 0, err
		}
	}
	var err error
	pointers := r.pointers[:min(len(bufs), r.free.len())]
	n := 0
	for n < len(pointers) {
		i := r.free.at(n)
		if err = r.aimLocked(i, bufs[n]); err != nil {
			break
		}
		pointers[n] = &r.inC[i]
		n++
	}
	if err == nil && n < len(bufs) {
		err = r.c.fail("post", doca.ErrFull, fmt.Sprintf("%d buffers are posted already: receive some, or set Config.MaxReceives", len(r.posts)))
	}
	posted := 0
	if n > 0 {
		inbox := &r.inbox[0]
		if submitErr := gen.TaskReceiveSubmitPosts(inbox, pointers[:n]); submitErr != nil {
			err = r.c.fail("post", submitErr, "")
		}
		posted = int(inbox.Posted)
	}
	for k := range n {
		if i := r.free.at(k); k >= posted {
			r.giveBackLocked(i)
		} else {
			r.posts[i].out = true
		}
	}
	r.free.drop(posted)
	r.posting.Unlock()
	r.out += posted
	r.c.link.Submitted(posted)
	return posted, err
}

// aimLocked makes the task of post i receive into buf.
func (r *receives) aimLocked(i int32, buf *doca.Buffer) (err error) {
	p, item := &r.posts[i], &r.items[i]
	var view common.BufView
	p.list = false
	if buf != nil {
		view, err = r.posting.Post(buf, "post")
		if errors.Is(err, doca.ErrNotPermitted) && r.listLen > 1 {
			view, err = r.claimLocked(p, buf)
		}
		if err != nil {
			return err
		}
	}
	if p.aimed != view.Buf {
		item.Exchange, p.aimed = 1, view.Buf
	}
	item.DstBuf, p.buf, p.hello, p.from = view, buf, false, nil
	return nil
}

// claimLocked takes a list of buffers for a post.
func (r *receives) claimLocked(p *post, buf *doca.Buffer) (common.BufView, error) {
	r.posting.Unlock()
	if err := p.claim.Write(buf); err != nil {
		return common.BufView{}, err
	}
	if _, err := p.claim.Begin("post"); err != nil {
		p.claim.Reset()
		return common.BufView{}, err
	}
	if n := p.claim.Elements(0); n > r.listLen {
		p.claim.Cancel()
		p.claim.Reset()
		return common.BufView{}, r.c.fail("post", doca.ErrInvalidValue, fmt.Sprintf("the list has %d buffers, Config.ReceiveListLen is %d", n, r.listLen))
	}
	view := p.claim.View(0)
	p.claim.Submitted(true)
	p.list = true
	return view, nil
}

// giveBackLocked takes the buffer, which was not filled, from post i. The caller unlocks the posting.
func (r *receives) giveBackLocked(i int32) {
	p := &r.posts[i]
	switch {
	case p.buf == nil:
	case p.list:
		r.posting.Unlock()
		p.claim.End(func(int) bool { return true })
		p.claim.Reset()
	default:
		r.posting.Returned(p.buf)
	}
	p.buf, p.list = nil, false
}

// prepareLocked allocates the tasks.
func (r *receives) prepareLocked() error {
	for i := range r.posts {
		p, inC := &r.posts[i], &r.inC[i]
		if p.task != nil {
			continue
		}
		typed, err := gen.TaskReceiveAllocateInit(r.c.raw, nil, inC.Data())
		if err == nil {
			p.task, err = gen.TaskReceiveAsTask(typed)
		}
		if err != nil {
			return r.c.fail("post", err, "DOCA gave no task")
		}
		inC.Task, inC.Typed = unsafe.Pointer(p.task), unsafe.Pointer(typed)
	}
	r.prepared = true
	return nil
}

// releaseLocked frees the tasks. The context is stopping, and none is in flight.
func (r *receives) releaseLocked() {
	for i := range r.posts {
		if p := &r.posts[i]; p.task != nil {
			common.TaskFree(p.task) // it cannot fail: it returns nothing in C, and DOCA has the function
			p.task, p.aimed = nil, nil
		}
	}
	r.prepared = false
}

// postQueue is a first-in first-out queue of indices of posts.
type postQueue struct {
	list []int32
	head int
	n    int
}

// fill makes the queue hold 0 to n-1. Its capacity is n.
func (q *postQueue) fill(n int) {
	q.list, q.head, q.n = make([]int32, n), 0, n
	for i := range q.list {
		q.list[i] = int32(i)
	}
}

func (q *postQueue) len() int { return q.n }

// at returns the entry k places behind the first.
func (q *postQueue) at(k int) int32 {
	if k += q.head; k >= len(q.list) {
		k -= len(q.list)
	}
	return q.list[k]
}

// drop removes the first k entries.
func (q *postQueue) drop(k int) {
	if q.head += k; q.head >= len(q.list) {
		q.head -= len(q.list)
	}
	q.n -= k
}

func (q *postQueue) push(i int32) {
	k := q.head + q.n
	if k >= len(q.list) {
		k -= len(q.list)
	}
	q.list[k] = i
	q.n++
}
