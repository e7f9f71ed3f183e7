package doca

import (
	"fmt"

	"github.com/go-doca/go-doca/generated/common"
)

// State is the state of an object. The first four are enum doca_ctx_states. An object that
// is no context is StateRunning until it is closed.
type State uint8

// The states of a context; a closed context is StateClosed.
const (
	StateIdle     = State(common.CtxStateIdle)     // configured, not started, or stopped
	StateStarting = State(common.CtxStateStarting) // started, waits for its peer
	StateRunning  = State(common.CtxStateRunning)  // takes tasks
	StateStopping = State(common.CtxStateStopping) // takes no new tasks, ends those it has
	StateClosed   = State(common.CtxStateStopping + 1)
)

var stateNames = [...]string{"idle", "starting", "running", "stopping", "closed"}

// String returns the state's name in lower case.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// MarshalText returns the name of String.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
