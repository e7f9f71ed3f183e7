package syncevent

// InUse says whether a call on the event is under way.
func InUse(e *Event) bool {
	if !e.in.mu.TryLock() {
		return true
	}
	e.in.mu.Unlock()
	return false
}
