package core

import (
	"context"
	"slices"

	"github.com/go-doca/go-doca/generated/abi"
)

// NewChild makes the node of an object that is no context, below a context.
// afterContexts has it closed after contexts that are closed with it. before may be nil. Leak reports show the place of the first parent
// if the child was created where the program cannot be seen, such as the begin of a goroutine.
func NewChild(kind, detail string, parents []Owner, afterContexts bool, before, close func(context.Context) error) (*Node, error) {
	var above []*Node
	for _, p := range parents {
		n := ownerNode(p)
		if n == nil {
			return nil, Fail("create "+kind, "", abi.ErrorInvalidValue, "it needs a parent: one is nil or a zero value")
		}
		if !slices.Contains(above, n) {
			above = append(above, n)
		}
	}
	if close == nil {
		return nil, Fail("create "+kind, "", abi.ErrorInvalidValue, "it needs a function that closes it")
	}
	r := rankContext
	if afterContexts {
		r = rankMemory
	}
	n := &Node{rank: r, kind: kind, body: &plain{detail: detail, before: before}} // before is called as soon as others know the node
	if len(above) > 0 {
		n.origin.Store(above[0])
	}
	if err := n.enter(above...); err != nil {
		return nil, err
	}
	n.commit(close)
	return n, nil
}

// IsNothing reports whether an owner is nil or a zero value.
func IsNothing(h Owner) bool { return ownerNode(h) == nil }
