package comch

import (
	"context"

	"github.com/go-doca/go-doca/doca/comch/internal/stream"
)

func init() {
	stream.TrySend = func(conn any, msg []byte) (bool, error) { return conn.(*Conn).c.trySend(msg) }
	stream.Capabilities = func(conn any) any { return &conn.(*Conn).c.s.caps }
}

// trySend sends a message if there is a task for it. It reports whether there was one, and false if the connection may have ended:
// Send finds out why.
func (c *conn) trySend(msg []byte) (bool, error) {
	c.s.link.LockAlways()
	defer c.s.link.Unlock()
	if c.usableLocked("send") != nil || len(c.sends.waiting) > 0 || !c.s.tasks.hasRoomLocked(c) {
		return false, nil
	}
	err := c.sendLocked(context.Background(), msg)
	if err != nil && saysEnd(err) {
		return false, nil
	}
	return true, err
}
