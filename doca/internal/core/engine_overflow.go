package core

import "github.com/go-doca/go-doca/generated/abi"

// overflow is what an engine knows of the overflow, where callbacks leave their records which run outside of the
// calls that have the engine's ring: during other functions, or on a thread of DOCA's. Guarded by the engine's lock.
type overflow struct {
	seen uint64 // records that had come when the engine last looked
	lost uint64 // callbacks that had found no memory
}

// collectLocked takes the engine's records out of the overflow: those of its contexts, and those without a context that
// one of them says it owns. The rest is for other engines.
func (e *Engine) collectLocked() {
	seen, _ := abi.OverflowChanges()
	if seen == e.overflow.seen {
		return
	}
	e.overflow.seen = seen
	e.ring.Collect(func(r *abi.Record) bool {
		if r.Ctx != abi.NoContext {
			return e.contextLocked(r.Ctx) != nil
		}
		for _, c := range e.contexts {
			if c != nil && c.owns != nil && c.owns(r) {
				return true
			}
		}
		return false
	})
}

// newLost returns how many callbacks of the process have found no memory in the overflow since the last time. Nobody
// knows whose they were, so every engine takes them for its own.
func (o *overflow) newLost() uint64 {
	_, lost := abi.OverflowChanges()
	n := lost - o.lost
	o.lost = lost
	return n
}
