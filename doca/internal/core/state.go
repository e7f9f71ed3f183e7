package core

import (
	"slices"

	"github.com/go-doca/go-doca/generated/common"
)

// State is the state of an object, with the values of doca.State.
type State uint8

// The states of a context, and the one after its end.
const (
	StateIdle     = State(common.CtxStateIdle)     // configured, not started, or stopped
	StateStarting = State(common.CtxStateStarting) // started, waits for its peer
	StateRunning  = State(common.CtxStateRunning)  // takes tasks
	StateStopping = State(common.CtxStateStopping) // takes no new tasks, ends those it has
	StateClosed   = State(common.CtxStateStopping + 1)
)

// Op is a kind of operation on a context, with the values of bind.Op.
type Op uint8

// The kinds of operations.
const (
	OpConfigure Op = iota // set options
	OpStart               // doca_ctx_start
	OpStop                // doca_ctx_stop
	OpSubmit              // allocate and submit tasks
	OpQuery               // read what only a started context knows
	OpDestroy             // free the DOCA object
)

// allowed is the table of a context's life: the states that allow each kind of operation.
var allowed = [...][]State{
	OpConfigure: {StateIdle},
	OpStart:     {StateIdle},
	OpStop:      {StateIdle, StateStarting, StateRunning, StateStopping},
	OpSubmit:    {StateRunning},
	OpQuery:     {StateStarting, StateRunning, StateStopping},
	OpDestroy:   {StateIdle},
}

// In reports whether a context in a state allows the operation.
func (op Op) In(s State) bool { return slices.Contains(op.allowedIn(), s) }

// allowedIn returns the states that allow the operation: none for one that does not exist.
func (op Op) allowedIn() []State {
	if int(op) < len(allowed) {
		return allowed[op]
	}
	return nil
}
