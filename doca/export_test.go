package doca

import "context"

// Polls returns how often the DOCA engine has been called.
func Polls(p *ProgressEngine) uint64 {
	p.e.lock()
	defer p.e.mu.Unlock()
	return p.e.polls
}

// Closers returns functions that close objects without holding their handles.
func Closers(dev *Device, pe *ProgressEngine) []func() error {
	var out []func() error
	for _, n := range []*node{dev.n, pe.n} {
		out = append(out, func() error { return n.shutdown(context.Background()) })
	}
	return out
}
