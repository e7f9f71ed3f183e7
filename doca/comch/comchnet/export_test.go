package comchnet

import "context"

// Arrived waits for a buffer that is on its way as a Write does.
func (c *Conn) Arrived(ctx context.Context, f interface {
	Wait(ctx context.Context) error
	Err() error
}) error {
	return c.arrived(ctx, f)
}

// Unread returns how many buffers have unread data.
func (c *Conn) Unread() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.bulk.filled)
}

// Greeted reports whether the peer's HELLO has been received.
func (c *Conn) Greeted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.greeted
}

// Failed reports whether there is the error of a failed attempt to accept that no Accept has returned.
func (l *Listener) Failed() bool { return len(l.failed) > 0 }
