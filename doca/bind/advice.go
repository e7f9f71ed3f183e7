package bind

import "github.com/go-doca/go-doca/doca/internal/core"

// Advice returns what a program can do about an error, if that does not depend on the operation: too many open files, no memory.
// It is for the Advice of [doca.OpError], and empty otherwise. Any goroutine may call it.
func Advice(err error) string { return core.Advice(err) }
