package doca

import "context"

// Polls returns how often the DOCA engine has been called.
func Polls(p *ProgressEngine) uint64 {
	p.e.lock()
	defer p.e.mu.Unlock()
	return p.e.polls
}

// Places returns for how many contexts the engine has room.
func Places(p *ProgressEngine) int { return len(p.e.contexts) }

// CloseOrder begins to close an object and returns the kinds of what is below it, in
// closing order.
func CloseOrder(d *Device) []string {
	var kinds []string
	for _, n := range d.n.subtree() {
		kinds = append(kinds, n.kind)
	}
	return kinds
}

// Closers returns functions that close objects without holding their handles.
func Closers(dev *Device, pe *ProgressEngine) []func() error {
	var out []func() error
	for _, n := range []*node{dev.n, pe.n} {
		out = append(out, func() error { return n.shutdown(context.Background()) })
	}
	return out
}
