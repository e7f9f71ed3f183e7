package comch

import "time"

// SetLimits changes the limits of starts and closes, and returns a function that restores them.
func SetLimits(start, stop time.Duration) (restore func()) {
	wasStart, wasClose := startLimit, closeLimit
	startLimit, closeLimit = start, stop
	return func() { startLimit, closeLimit = wasStart, wasClose }
}

// Posts returns how many posts a consumer has memory and tasks for.
func Posts(c *Consumer) int {
	c.c.link.LockAlways()
	defer c.c.link.Unlock()
	return len(c.c.posts)
}

// IsHugeByAdvice tells what the system does with huge pages, from what it says.
var IsHugeByAdvice = isHugeByAdvice

// HugeByAdvice tells it of this system.
func HugeByAdvice() bool { return hugeByAdvice() }

// Looks reports whether something looks after the messages in flight of the connection's side.
func Looks(c *Conn) bool {
	c.c.s.link.LockAlways()
	defer c.c.s.link.Unlock()
	return c.c.s.tasks.lookout.on
}

// InFlight returns how many messages of the connection DOCA has.
func InFlight(c *Conn) int {
	c.c.s.link.LockAlways()
	defer c.c.s.link.Unlock()
	return c.c.sends.inflight
}

// Hold keeps the lock of the connection's engine until free is called.
func Hold(c *Conn) (free func()) {
	c.c.s.link.LockAlways()
	return c.c.s.link.Unlock
}
