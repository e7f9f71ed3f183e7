package core

import "context"

// NewChild makes a node below a context that is no context of its own.
func NewChild(kind, detail string, parent Owner, close func(context.Context) error) (*Node, error) {
	n, err := newNode(rankContext, kind, text("%s", detail), parent.node())
	if err != nil {
		return nil, err
	}
	n.commit(close)
	return n, nil
}
