package comch

import (
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// post is the place of a receive task. The task is kept until the consumer stops; its user
// data is the post's counterpart in C.
type post struct {
	task  *common.Task
	aimed *common.Buf  // what the task points to
	buf   *doca.Buffer // posted; nil: none, or immediate data alone
}

// failedPost is a post that failed by itself.
type failedPost struct {
	post int32
	err  error
}

// postsInC is what C needs to know of the posts, in its own memory.
type postsInC struct {
	inbox    []abi.Inbox // one
	posts    []abi.Post
	items    []gen.ConsumerTaskPostRecvItem
	pointers []*abi.Post // of one submission
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

// release gives the memory back, also what a failed alloc has left.
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

// Post gives the consumer a buffer for one message, which is written from the head of its
// region on; nil is for a message of immediate data alone. The buffer is the consumer's until
// Recv returns it. Messages fill buffers in the order in which they were posted. Errors:
// ErrFull when MaxTasks buffers are posted; ErrInUse for a buffer in use; ErrNotPermitted for
// one in a list; ErrInvalidValue for one that is not on the consumer's memory; a
// [*doca.StateError] for a consumer that does not run, or a buffer that is closed. Stands on
// doca_comch_consumer_task_post_recv_alloc_init and doca_task_submit.
func (c *Consumer) Post(buf *doca.Buffer) error {
	one := [1]*doca.Buffer{buf}
	_, err := c.c.post(one[:])
	return err
}

// PostBatch posts buffers like Post, with one call into DOCA. It returns how many were
// posted, which is all unless there is an error.
func (c *Consumer) PostBatch(bufs []*doca.Buffer) (int, error) { return c.c.post(bufs) }

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
		err = c.fail("post", doca.ErrFull, fmt.Sprintf("all %d buffers are posted: receive some, or set ConsumerConfig.MaxTasks", len(c.posts)))
	}
	posted := 0
	if n > 0 {
		inbox := &c.inC.inbox[0]
		if submitErr := gen.ConsumerTaskPostRecvSubmitPosts(inbox, pointers[:n]); submitErr != nil {
			err = c.fail("post", submitErr, "")
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

// aimLocked prepares post i for a buffer.
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

// giveBackLocked takes a buffer that was not filled from post i. The posting is not unlocked.
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
			return c.fail("post", err, "no task to be had")
		}
		inC.Task, inC.Typed = unsafe.Pointer(p.task), unsafe.Pointer(typed)
	}
	c.prepared = true
	return nil
}

// postQueue is a first-in first-out queue of the numbers of posts.
type postQueue struct {
	list []int32
	head int
	n    int
}

// fill makes it hold the numbers below n, which is how many it can hold.
func (r *postQueue) fill(n int) {
	r.list, r.head, r.n = make([]int32, n), 0, n
	for i := range r.list {
		r.list[i] = int32(i)
	}
}

func (r *postQueue) len() int { return r.n }

// at returns the number k places behind the first.
func (r *postQueue) at(k int) int32 {
	if k += r.head; k >= len(r.list) {
		k -= len(r.list)
	}
	return r.list[k]
}

// drop takes the first k out.
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
