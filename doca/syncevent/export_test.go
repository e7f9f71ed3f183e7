package syncevent

// InUse says whether a call on the event is under way.
func InUse(e *Event) bool {
	if !e.in.mu.TryLock() {
		return true
	}
	e.in.mu.Unlock()
	return false
}

// Hold keeps the lock of the event's engine until free is called.
func Hold(e *TaskEvent) (free func()) {
	e.c.link.LockAlways()
	return e.c.link.Unlock
}
