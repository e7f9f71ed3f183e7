package core

import (
	"context"

	"github.com/go-doca/go-doca/generated/abi"
)

// NewChild makes the node of an object that is no context, below a context.
// afterContexts has it closed after contexts that are closed with it.
func NewChild(kind, detail string, parent Owner, afterContexts bool, close func(context.Context) error) (*Node, error) {
	p := ownerNode(parent)
	if p == nil {
		return nil, Fail("create "+kind, "", abi.ErrorInvalidValue, "it needs a parent")
	}
	if close == nil {
		return nil, Fail("create "+kind, "", abi.ErrorInvalidValue, "it needs a function that closes it")
	}
	r := rankContext
	if afterContexts {
		r = rankMemory
	}
	n, err := newNode(r, kind, text("%s", detail), p)
	if err != nil {
		return nil, err
	}
	n.commit(close)
	return n, nil
}
