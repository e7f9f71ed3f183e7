package dma

// SetMaxMemories changes how many memories batches remember that are made until the function that it returns is called. No test may run
// beside it.
func SetMaxMemories(n int) (undo func()) {
	was := maxMemories
	maxMemories = n
	return func() { maxMemories = was }
}
