package core

import (
	"runtime"
	"sync"

	"github.com/go-doca/go-doca/generated/abi"
)

// stack is where an object was created: program counters, innermost first, and zeros behind them. They become
// names only in a report.
type stack [24]uintptr

// stacks has each stack once, because a program creates most of its objects at a few places.
var stacks struct {
	sync.Mutex
	known map[stack]*stack
}

// maxStacks is how many stacks are kept for further objects. A program with more of them is deeply recursive.
const maxStacks = 4096

// pcs returns the program counters.
func (s *stack) pcs() []uintptr {
	if s == nil {
		return nil
	}
	n := 0
	for n < len(s) && s[n] != 0 {
		n++
	}
	return s[:n]
}

// creationStack returns the stack from the caller's caller on.
func creationStack() *stack {
	var s stack
	runtime.Callers(3, s[:])
	stacks.Lock()
	defer stacks.Unlock()
	if known := stacks.known[s]; known != nil {
		return known
	}
	kept := s
	if len(stacks.known) < maxStacks {
		if stacks.known == nil {
			stacks.known = map[stack]*stack{}
		}
		stacks.known[s] = &kept
	}
	return &kept
}

// CreatedHere makes the caller of a function the one that has created an object.
func CreatedHere(h Owner) error {
	n := ownerNode(h)
	if n == nil {
		return Fail("attribute", "object", abi.ErrorInvalidValue, "it is nil or a zero value: make one first")
	}
	n.stack.Store(creationStack())
	return nil
}
