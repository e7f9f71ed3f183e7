package comch

import (
	"context"
	"errors"
	"time"

	"github.com/go-doca/go-doca/doca"
)

// A consumer that posts by itself repeats what DOCA refuses for the moment (DOCA_ERROR_AGAIN), for the program does not have the
// buffers, or does not post at all. It does so with pauses, and no longer than againLimit where nothing else ends it.
const (
	againLimit = time.Second
	againPause = 100 * time.Microsecond
)

// postAll is PostBatch that repeats what DOCA refuses for the moment.
func (c *Consumer) postAll(ctx context.Context, bufs []*doca.Buffer) (int, error) {
	n, err := c.PostBatch(bufs)
	for until := time.Now().Add(againLimit); errors.Is(err, doca.ErrAgain) && ctx.Err() == nil && time.Now().Before(until); {
		c.c.link.LockAlways()
		c.c.link.Step() // what DOCA lacks may come back with what has ended
		c.c.link.Unlock()
		time.Sleep(againPause)
		var more int
		more, err = c.PostBatch(bufs[n:])
		n += more
	}
	return n, err
}

// postAgainLocked posts the free posts, whose tasks are as they were, for a consumer with AutoPost. Those that DOCA refuses stay free,
// and the next receive tries them again.
func (c *consumer) postAgainLocked() {
	if !c.prepared || c.free.len() == 0 || c.usableLocked("post") != nil {
		return
	}
	posted, _ := c.submitLocked(c.free.len()) // the next receive finds the error, if it lasts
	c.free.drop(posted)
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

// pauseLocked waits before a post that DOCA has refused for the moment is repeated. It releases the lock meanwhile.
func (c *consumer) pauseLocked() {
	c.link.Unlock()
	time.Sleep(againPause)
	c.link.LockAlways()
}

// outLocked returns how many posts DOCA has.
func (c *consumer) outLocked() int {
	return len(c.posts) - c.free.len() - int(c.written-c.read) - len(c.failed)
}
