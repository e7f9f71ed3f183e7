package comch

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// post is the place of a receive task, which it keeps until the consumer stops. The user data of
// the task is the post's counterpart in C.
type post struct {
	task  *common.Task
	aimed *common.Buf  // the buffer of the task in DOCA
	buf   *doca.Buffer // the posted buffer; nil: none, or only immediate data is received
}

// failedPost is a post whose task failed while the consumer ran.
type failedPost struct {
	post int32
	err  error
}

// postsInC holds what C needs of the posts, in C memory.
type postsInC struct {
	inbox    []abi.Inbox // a single one
	posts    []abi.Post
	items    []gen.ConsumerTaskPostRecvItem
	pointers []*abi.Post // for one submission
}

func (p *postsInC) alloc(n, immLen int) (err error) {
	if p.inbox, err = abi.Alloc[abi.Inbox](1); err != nil {
		return err
	}
	if err = p.inbox[0].Init(n, unsafe.Sizeof(gen.ConsumerTaskPostRecvResult{}), uintptr(immLen)); err != nil {
		return err
	}
	if p.posts, err = abi.Alloc[abi.Post](n); err != nil {
		return err
	}
	if p.items, err = abi.Alloc[gen.ConsumerTaskPostRecvItem](n); err != nil {
		return err
	}
	if p.pointers, err = abi.Alloc[*abi.Post](n); err != nil {
		return err
	}
	for i := range p.posts {
		p.posts[i].Inbox, p.posts[i].Item, p.posts[i].User = &p.inbox[0], unsafe.Pointer(&p.items[i]), abi.Data(i)
	}
	return nil
}

// release frees the memory, also after an alloc that failed.
func (p *postsInC) release() {
	if p.inbox != nil {
		p.inbox[0].Free()
	}
	abi.Free(p.inbox)
	abi.Free(p.posts)
	abi.Free(p.items)
	abi.Free(p.pointers)
	*p = postsInC{}
}

// Post gives the consumer a buffer for one message. The device writes the data from the head of
// the buffer's region on. A nil buffer receives a message with only immediate data. The buffer
// belongs to the consumer until Recv returns it. Messages fill the buffers in the order in which
// they were posted.
//
// ErrPeerGone means that nothing more arrives. It is not the end of what has arrived: go on with Recv
// until that fails.
//
// Errors: ErrFull if MaxTasks buffers are posted; ErrInUse if the buffer is in use;
// ErrNotPermitted if it is in a list; ErrInvalidValue if it is not on the consumer's memory; a
// [*doca.StateError] if the consumer does not run or the buffer is closed; ErrPeerGone if the peer
// has ended the connection. Calls
// doca_comch_consumer_task_post_recv_alloc_init and doca_task_submit.
func (c *Consumer) Post(buf *doca.Buffer) error {
	if c == nil || c.c == nil {
		return noConsumer("post")
	}
	one := [1]*doca.Buffer{buf}
	_, err := c.PostBatch(one[:])
	return err
}

// PostBatch posts buffers like Post, with one call into DOCA. It returns the number of buffers
// that were posted: all of them, unless there is an error.
func (c *Consumer) PostBatch(bufs []*doca.Buffer) (int, error) {
	if c == nil || c.c == nil {
		return 0, noConsumer("post")
	}
	n, err := c.c.post(bufs)
	if err != nil {
		err = c.c.resolve(context.Background(), "post", err)
	}
	return n, err
}

func (c *consumer) post(bufs []*doca.Buffer) (int, error) {
	c.link.LockAlways()
	defer c.link.Unlock()
	err := c.usableLocked("post")
	if err == nil && !c.prepared {
		err = c.prepareLocked()
	}
	if err != nil {
		return 0, err
	}
	pointers := c.inC.pointers[:min(len(bufs), c.free.len())]
	n := 0
	for n < len(pointers) {
		i := c.free.at(n)
		if err = c.aimLocked(i, bufs[n]); err != nil {
			break
		}
		pointers[n] = &c.inC.posts[i]
		n++
	}
	if err == nil && n < len(bufs) {
		err = c.fail("post", doca.ErrFull, fmt.Sprintf("%d buffers are posted already: receive some, or set ConsumerConfig.MaxTasks", len(c.posts)))
	}
	posted := 0
	if n > 0 {
		inbox := &c.inC.inbox[0]
		if submitErr := gen.ConsumerTaskPostRecvSubmitPosts(inbox, pointers[:n]); submitErr != nil {
			err = c.suspectLocked("post", submitErr, "")
		}
		posted = int(inbox.Posted)
	}
	for k := posted; k < n; k++ {
		c.giveBackLocked(c.free.at(k))
	}
	c.free.drop(posted)
	c.posting.Unlock()
	c.link.Submitted(posted)
	return posted, err
}

// aimLocked makes the task of post i receive into buf.
func (c *consumer) aimLocked(i int32, buf *doca.Buffer) (err error) {
	var view common.BufView
	if buf != nil {
		if view, err = c.posting.Post(buf, "post"); err != nil {
			return err
		}
	}
	p, item := &c.posts[i], &c.inC.items[i]
	item.Exchange = 0
	if p.aimed != view.Buf {
		item.Exchange, p.aimed = 1, view.Buf
	}
	item.Buf, p.buf = view, buf
	return nil
}

// giveBackLocked takes the buffer, which was not filled, from post i. The caller unlocks the
// posting.
func (c *consumer) giveBackLocked(i int32) {
	p := &c.posts[i]
	if p.buf != nil {
		c.posting.Returned(p.buf)
		p.buf = nil
	}
}

// prepareLocked allocates the tasks.
func (c *consumer) prepareLocked() error {
	for i := range c.posts {
		p, inC := &c.posts[i], &c.inC.posts[i]
		if p.task != nil {
			continue
		}
		typed, err := gen.ConsumerTaskPostRecvAllocInit(c.raw, nil)
		if err == nil {
			p.task, err = gen.ConsumerTaskPostRecvAsTask(typed)
		}
		if err == nil {
			err = common.TaskSetUserData(p.task, inC.Data())
		}
		if err != nil {
			return c.suspectLocked("post", err, "DOCA gave no task")
		}
		inC.Task, inC.Typed = unsafe.Pointer(p.task), unsafe.Pointer(typed)
	}
	c.prepared = true
	return nil
}

// postQueue is a first-in first-out queue of indices of posts.
type postQueue struct {
	list []int32
	head int
	n    int
}

// fill makes the queue hold 0 to n-1. Its capacity is n.
func (r *postQueue) fill(n int) {
	r.list, r.head, r.n = make([]int32, n), 0, n
	for i := range r.list {
		r.list[i] = int32(i)
	}
}

func (r *postQueue) len() int { return r.n }

// at returns the entry k places behind the first.
func (r *postQueue) at(k int) int32 {
	if k += r.head; k >= len(r.list) {
		k -= len(r.list)
	}
	return r.list[k]
}

// drop removes the first k entries.
func (r *postQueue) drop(k int) {
	if r.head += k; r.head >= len(r.list) {
		r.head -= len(r.list)
	}
	r.n -= k
}

func (r *postQueue) push(i int32) {
	k := r.head + r.n
	if k >= len(r.list) {
		k -= len(r.list)
	}
	r.list[k] = i
	r.n++
}
