package bind

import (
	"context"

	"github.com/go-doca/go-doca/doca/internal/core"
)

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
	handle
	top Owner // keeps its handle as long as this one
}

type handle = core.Handle

// NewChild makes a child. A parent that is closed or closing refuses with a [*StateError].
func NewChild(cfg ChildConfig) (*Child, error) {
	n, err := core.NewChild(cfg.Kind, cfg.Detail, cfg.Parent, cfg.Close)
	if err != nil {
		return nil, err
	}
	c := &Child{top: cfg.Parent}
	core.AdoptNode(c, n)
	return c, nil
}

// Close closes the child and everything below it; see [doca.Context.Close].
func (c *Child) Close() error { return c.Shutdown(context.Background()) }

// Shutdown is Close that waits no longer than ctx; see [doca.Context.Shutdown].
func (c *Child) Shutdown(ctx context.Context) error { return core.Shutdown(ctx, c) }

// String names the child for messages and logs.
func (c *Child) String() string { return core.NodeOf(c).String() }
