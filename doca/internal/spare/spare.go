// Package spare says whether engines may take what others have left: see package core. Tests switch it off where DOCA's functions for
// engines are to fail, or where descriptors are counted.
package spare

import "sync/atomic"

var without atomic.Int32

// Without makes and destroys each engine anew until end is called.
func Without() (end func()) {
	without.Add(1)
	return func() { without.Add(-1) }
}

// Allowed reports whether nobody has said Without.
func Allowed() bool { return without.Load() == 0 }
