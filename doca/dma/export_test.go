package dma

// SetMaxMemories changes how many memories batches remember that are made until the function that it returns is called. No test may run
// beside it.
func SetMaxMemories(n int) (undo func()) {
	was := maxMemories
	maxMemories = n
	return func() { maxMemories = was }
}

// Hold keeps the lock of the context's engine until free is called.
func Hold(d *DMA) (free func()) {
	d.c.link.LockAlways()
	return d.c.link.Unlock
}
