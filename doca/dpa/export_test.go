package dpa

import "time"

// SetCloseLimit changes the limit of Close until the function that it returns is called. No other test may run meanwhile.
func SetCloseLimit(limit time.Duration) func() {
	old := closeLimit
	closeLimit = limit
	return func() { closeLimit = old }
}
