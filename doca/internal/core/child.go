package core

import (
	"context"

	"github.com/go-doca/go-doca/generated/abi"
)

// NewChild makes a node below a context that is no context of its own.
func NewChild(kind, detail string, parent Owner, close func(context.Context) error) (*Node, error) {
	if parent == nil {
		return nil, Fail("create "+kind, "", abi.ErrorInvalidValue, "it needs a parent")
	}
	n, err := newNode(rankContext, kind, text("%s", detail), parent.node())
	if err != nil {
		return nil, err
	}
	n.commit(close)
	return n, nil
}
