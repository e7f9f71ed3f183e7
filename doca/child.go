package doca

import "context"

// ChildConfig says how to make a [Child].
type ChildConfig struct {
	Kind   string // for messages, such as "connection"
	Detail string // for messages, what it is about
	Parent Owner  // has to outlive it

	// Close takes it down. It is called without locks until it returns nil.
	Close func(ctx context.Context) error
}

// Child is an object below a context that is no context of its own, such as one connection
// of a server. It is for packages that bind DOCA libraries. It may be used from any
// goroutine.
type Child struct {
	object
	top Owner // keeps its handle as long as this one
}

// NewChild makes a child. A parent that is closed or closing refuses with a [*StateError].
func NewChild(cfg ChildConfig) (*Child, error) {
	n, err := newNode(rankContext, cfg.Kind, text("%s", cfg.Detail), cfg.Parent.owner())
	if err != nil {
		return nil, err
	}
	n.commit(cfg.Close)
	return guard(&Child{object: object{n}, top: cfg.Parent}, n), nil
}
