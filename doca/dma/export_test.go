package dma

// SetMaxRoutes changes how many routes batches remember that are made until the function that it returns is called. No test may run
// beside it.
func SetMaxRoutes(n int) (undo func()) {
	was := maxRoutes
	maxRoutes = n
	return func() { maxRoutes = was }
}
