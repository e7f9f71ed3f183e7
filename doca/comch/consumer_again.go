package comch

import "github.com/go-doca/go-doca/doca"

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
