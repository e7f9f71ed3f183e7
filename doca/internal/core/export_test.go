package core

import (
	"context"
	"runtime"
)

// Polls returns how often the DOCA engine has been called.
func Polls(h interface{ inner() *Engine }) uint64 {
	e := h.inner()
	e.lock()
	defer e.mu.Unlock()
	return e.polls
}

// Places returns for how many contexts the engine has room.
func Places(h interface{ inner() *Engine }) int { return len(h.inner().contexts) }

// CloseOrder begins to close an object and returns the kinds of what is below it, in
// closing order.
func CloseOrder(h Owner) []string {
	var kinds []string
	for _, n := range h.node().subtree() {
		kinds = append(kinds, n.kind)
	}
	return kinds
}

// Closers returns functions that close objects without holding their handles.
func Closers(handles ...Owner) []func() error {
	var out []func() error
	for _, h := range handles {
		n := h.node()
		out = append(out, func() error { return n.Shutdown(context.Background()) })
	}
	return out
}

// SiteOf returns the place of a creation with these frames, innermost first.
func SiteOf(frames []runtime.Frame) string {
	var s siteFinder
	for _, f := range frames {
		s.look(f)
	}
	return s.found
}
