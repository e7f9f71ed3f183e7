package comch

import (
	"github.com/go-doca/go-doca/doca"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// postAgainLocked posts the first n of the listed posts, which have no buffers and whose tasks are as they were, for a consumer with
// AutoPost. Those that DOCA refuses are free then, and the next receive tries them again.
func (c *consumer) postAgainLocked(n int) {
	if n == 0 {
		return
	}
	posted := 0
	if c.usableLocked("post") == nil {
		inbox := &c.inC.inbox[0]
		_ = gen.ConsumerTaskPostRecvSubmitPosts(inbox, c.inC.pointers[:n]) // the next receive finds it, if it lasts
		posted = int(inbox.Posted)
	}
	for _, p := range c.inC.pointers[posted:n] {
		c.free.push(int32(p.User))
	}
	c.link.Submitted(posted)
}

// postFreeLocked posts what an earlier receive could not, for a consumer with AutoPost that runs.
func (c *consumer) postFreeLocked() error {
	if !c.autoPost || c.free.len() == 0 || c.usableLocked("post") != nil {
		return nil
	}
	_, err := c.postLocked(make([]*doca.Buffer, c.free.len()))
	return err
}
