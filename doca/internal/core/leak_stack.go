package core

import (
	"runtime"
	"sync"

	"github.com/go-doca/go-doca/generated/abi"
)

// stack is where an object was created: program counters, innermost first, and zeros behind them. They become
// names only in a report.
type stack [24]uintptr

// place is the inner part of a stack. It takes a third of the time to find.
type place [6]uintptr

// stacks has each stack once, because a program creates most of its objects at a few places.
var stacks struct {
	sync.Mutex
	known  map[stack]*stack
	places map[place]*stack // of those with several objects; nil: there was one object so far
}

// deep stands for the stacks of a place that does not show the program.
var deep = new(stack)

// maxStacks is how many stacks, and places, are kept for further objects. A program with more of them is deeply recursive.
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

// creationStack returns the stack from the caller's caller on. That of the first object of a place is long. The others have
// the place alone, if it shows where the program has made them.
func creationStack() *stack {
	var p place
	runtime.Callers(3, p[:])
	stacks.Lock()
	known, seen := stacks.places[p]
	stacks.Unlock()
	if known != nil && known != deep {
		return known
	}
	if seen && known == nil {
		known = p.stack()
		stacks.Lock()
		stacks.places[p] = known
		stacks.Unlock()
		if known != deep {
			return known
		}
	}
	var s stack
	runtime.Callers(3, s[:])
	stacks.Lock()
	defer stacks.Unlock()
	if !seen && len(stacks.places) < maxStacks {
		if stacks.places == nil {
			stacks.places = map[place]*stack{}
		}
		stacks.places[p] = nil
	}
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

// stack returns the stack of a place, or deep.
func (p *place) stack() *stack {
	s := new(stack)
	copy(s[:], p[:])
	var site siteFinder
	frames := runtime.CallersFrames(s.pcs())
	for more := true; more && !site.done; {
		var f runtime.Frame
		if f, more = frames.Next(); f.Function != "" {
			site.look(f)
		}
	}
	if !site.done {
		return deep
	}
	return s
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
