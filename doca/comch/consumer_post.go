package comch

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// post is the place of a receive task, which it keeps until the consumer stops. The user data of
// the task is the post's counterpart in C.
type post struct {
	buf   *doca.Buffer // the posted buffer; nil: none, or only immediate data is received
	place bind.Place
	inC   *abi.Post // has the task, if there is one
}

// item returns what C does with the task of the post. It has the buffer of the task in DOCA, if Exchange is 0.
func (p *post) item() *gen.ConsumerTaskPostRecvItem {
	return (*gen.ConsumerTaskPostRecvItem)(p.inC.Item)
}

// failedPost is a post whose task failed while the consumer ran.
type failedPost struct {
	post int32
	err  error
}

// postsInC holds what C needs of the posts, in C memory.
type postsInC struct {
	inbox  []abi.Inbox // a single one
	chunks []postChunk
}

// postChunk is memory in C for some posts. Its address must not change, so there are several.
type postChunk struct {
	posts []abi.Post
	items []gen.ConsumerTaskPostRecvItem
}

func (p *postsInC) alloc(results, immLen int) (err error) {
	if p.inbox, err = abi.Alloc[abi.Inbox](1); err != nil {
		return err
	}
	return p.inbox[0].Init(results, unsafe.Sizeof(gen.ConsumerTaskPostRecvResult{}), uintptr(immLen))
}

// addChunk allocates memory for n posts.
func (p *postsInC) addChunk(n int) (c postChunk, err error) {
	if c.posts, err = abi.Alloc[abi.Post](n); err != nil {
		return c, err
	}
	if c.items, err = abi.Alloc[gen.ConsumerTaskPostRecvItem](n); err != nil {
		abi.Free(c.posts)
		return c, err
	}
	p.chunks = append(p.chunks, c)
	return c, nil
}

// release frees the memory, also after an alloc that failed.
func (p *postsInC) release() {
	if p.inbox != nil {
		p.inbox[0].Free()
	}
	abi.Free(p.inbox)
	for _, c := range p.chunks {
		abi.Free(c.posts)
		abi.Free(c.items)
	}
	*p = postsInC{}
}

// Post gives the consumer a buffer for one message. The device writes the data from the head of
// the buffer's region on. A nil buffer receives a message with only immediate data. The buffer
// belongs to the consumer until Recv returns it. Messages fill the buffers in the order in which
// they were posted.
//
// Recv reports the end of the connection, and Post does not until Recv has: after the peer has ended
// the connection, Post returns nil, and the buffer comes back to the program at once, as all
// posted buffers do that have no message. So a loop of Recv and Post reads all that has arrived.
//
// Errors: ErrFull if MaxTasks buffers are posted; ErrInUse if the buffer is in use;
// ErrNotPermitted if it is in a list; ErrInvalidValue if it is not on the consumer's memory; a
// [*doca.StateError] if the consumer does not run or the buffer is closed; ErrPeerGone if Recv has
// said so; ErrAgain if DOCA lacks something for the moment: post the buffer again. After an error the buffer stays the program's. Any goroutine may call Post. Calls
// doca_comch_consumer_task_post_recv_alloc_init and doca_task_submit.
//
//doca:posts buf
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
//
//doca:posts bufs
func (c *Consumer) PostBatch(bufs []*doca.Buffer) (int, error) {
	if c == nil || c.c == nil {
		return 0, noConsumer("post")
	}
	n, err := c.c.post(bufs)
	if err == nil {
		return n, nil
	}
	err = c.c.resolve(context.Background(), "post", err)
	if errors.Is(err, ErrPeerGone) && !c.c.toldEnd.Load() {
		late, err := c.c.postLate(bufs[n:])
		return n + late, err
	}
	return n, err
}

func (c *consumer) post(bufs []*doca.Buffer) (int, error) {
	c.link.LockAlways()
	defer c.link.Unlock()
	return c.postLocked(bufs)
}

func (c *consumer) postLocked(bufs []*doca.Buffer) (int, error) {
	if err := c.usableLocked("post"); err != nil {
		return 0, err
	}
	if !c.prepared {
		if err := c.prepareLocked(c.posts); err != nil {
			return 0, err
		}
		c.prepared = true
	}
	n, err := c.takeBuffersLocked(bufs, c.prepareLocked)
	posted, submitErr := c.submitLocked(n)
	if submitErr != nil {
		err = c.suspectLocked("post", submitErr, "")
	}
	if posted < n {
		c.dropBuffersLocked(posted, n)
	}
	c.free.drop(posted)
	c.posting.Unlock()
	c.link.Submitted(posted)
	return posted, err
}

// submitLocked submits the tasks of the first n free posts, and returns how many DOCA has accepted.
func (c *consumer) submitLocked(n int) (posted int, err error) {
	inbox := &c.inC.inbox[0]
	for posted < n && err == nil { // a second time where the queue begins again
		run := c.free.from(posted)
		err = gen.ConsumerTaskPostRecvSubmitPosts(inbox, run[:min(n-posted, len(run))])
		posted += int(inbox.Posted)
	}
	return posted, err
}

// postLate accepts buffers after the peer has ended the connection and before Recv has said so. It
// checks them and gives them back. A place is used up for each: the consumer does not run any more.
func (c *consumer) postLate(bufs []*doca.Buffer) (int, error) {
	c.link.LockAlways()
	defer c.link.Unlock()
	if c.raw == nil { // closed meanwhile
		return 0, c.usableLocked("post")
	}
	n, err := c.takeBuffersLocked(bufs, func([]post) error { c.prepared = false; return nil })
	c.dropBuffersLocked(0, n)
	c.free.drop(n)
	c.posting.Unlock()
	return n, err
}

// roomLocked returns how many buffers can be posted.
func (c *consumer) roomLocked() int { return c.maxPosts - len(c.posts) + c.free.len() }

// firstPosts is the number of posts that a consumer gets first. When they are not enough, it gets as many as it has.
const firstPosts = 32

// growLocked adds posts, which prepare makes tasks for.
func (c *consumer) growLocked(prepare func([]post) error) error {
	have := len(c.posts)
	chunk, err := c.inC.addChunk(min(max(have, firstPosts), c.maxPosts-have))
	if err != nil {
		return c.fail("post", err, "")
	}
	for k := range chunk.posts {
		inC, item := &chunk.posts[k], &chunk.items[k]
		inC.Inbox, inC.Item, inC.User = &c.inC.inbox[0], unsafe.Pointer(item), abi.Data(have+k)
		c.posts = append(c.posts, post{inC: inC})
		c.free.push(inC)
	}
	if err := prepare(c.posts[have:]); err != nil {
		c.prepared = false // the next attempt goes on
		return err
	}
	return nil
}

// takeBuffersLocked gives buffers to the first free posts, aims their tasks at them, and returns their number: that of all
// buffers, unless there is an error. If there are not enough posts, it adds some, which prepare makes tasks for. The caller
// unlocks the posting.
func (c *consumer) takeBuffersLocked(bufs []*doca.Buffer, prepare func([]post) error) (n int, err error) {
	for {
		if n += c.takeAgainLocked(bufs[n:], n); n == len(bufs) {
			return n, nil
		}
		if n == c.free.len() {
			if len(c.posts) == c.maxPosts {
				return n, c.fail("post", doca.ErrFull, fmt.Sprintf("%d buffers are posted already: receive some, or set ConsumerConfig.MaxTasks", c.maxPosts))
			}
			if err := c.growLocked(prepare); err != nil {
				return n, err
			}
		}
		p := &c.posts[c.free.at(n).User]
		if err := c.aimLocked(p, bufs[n]); err != nil {
			return n, err
		}
		p.buf = bufs[n]
		n++
	}
}

// takeAgainLocked is takeBuffersLocked for the first of the buffers that are at the posts that they had before, which are the free ones from
// first on. It returns their number.
func (c *consumer) takeAgainLocked(bufs []*doca.Buffer, first int) int {
	free := c.free.from(first)
	n := min(len(bufs), len(free))
	bufs, free = bufs[:n], free[:n]
	if n == 0 {
		return 0
	}
	posts := c.posts
	c.posting.Reach(&posts[free[0].User].place)
	for k := range free {
		p := &posts[free[k].User]
		if !c.posting.Again(&p.place, bufs[k]) {
			return k
		}
		p.buf = bufs[k]
	}
	return n
}

// aimLocked takes a buffer, which may be nil, for a post.
func (c *consumer) aimLocked(p *post, buf *doca.Buffer) (err error) {
	var view common.BufView
	if buf != nil {
		if c.immOnly {
			return c.fail("post", doca.ErrInvalidValue, immOnlyAdvice)
		}
		if view, err = c.posting.PostAt(&p.place, buf, "post"); err != nil {
			return err
		}
	} else {
		p.place = bind.Place{} // the item does not have its buffer any more
	}
	item := p.item()
	if item.Buf.Buf != view.Buf {
		item.Exchange = 1
	}
	item.Buf = view
	return nil
}

// dropBuffersLocked takes back what takeBuffersLocked did, for the free posts from first up to end.
func (c *consumer) dropBuffersLocked(first, end int) {
	for k := first; k < end; k++ {
		i := int32(c.free.at(k).User)
		c.giveBackLocked(i)
		c.posts[i].item().Exchange = 1
	}
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

// prepareLocked allocates the tasks of posts that have none.
func (c *consumer) prepareLocked(posts []post) error {
	for i := range posts {
		p := &posts[i]
		if p.inC.Task != nil {
			continue
		}
		var task *common.Task
		typed, err := gen.ConsumerTaskPostRecvAllocInit(c.raw, nil)
		if err == nil {
			task, err = gen.ConsumerTaskPostRecvAsTask(typed)
		}
		if err == nil {
			err = common.TaskSetUserData(task, p.inC.Data())
		}
		if err != nil {
			return c.suspectLocked("post", err, "DOCA gave no task")
		}
		p.inC.Task, p.inC.Typed, p.item().Exchange = unsafe.Pointer(task), unsafe.Pointer(typed), 1
	}
	return nil
}
