package bind_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// The table of the context's life, in full.
func TestStateTable(t *testing.T) {
	t.Parallel()
	ops := []bind.Op{bind.OpConfigure, bind.OpStart, bind.OpStop, bind.OpSubmit, bind.OpQuery, bind.OpDestroy}
	for state, allowed := range map[doca.State][]bool{
		doca.StateIdle:     {true, true, true, false, false, true},
		doca.StateStarting: {false, false, true, false, true, false},
		doca.StateRunning:  {false, false, true, true, true, false},
		doca.StateStopping: {false, false, true, false, true, false},
		doca.StateClosed:   {false, false, false, false, false, false},
	} {
		t.Run(state.String(), func(t *testing.T) {
			for i, op := range ops {
				if op.AllowedIn(state) != allowed[i] {
					t.Errorf("operation %d is allowed: %v", op, !allowed[i])
				}
			}
		})
	}
}
