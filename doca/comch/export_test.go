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
