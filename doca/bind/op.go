package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// Op is a kind of operation on a context, as far as the states that allow it go.
type Op uint8

// The kinds of operations.
const (
	OpConfigure = Op(core.OpConfigure) // set options
	OpStart     = Op(core.OpStart)     // doca_ctx_start
	OpStop      = Op(core.OpStop)      // doca_ctx_stop
	OpSubmit    = Op(core.OpSubmit)    // allocate and submit tasks
	OpQuery     = Op(core.OpQuery)     // read what only a started context knows
	OpDestroy   = Op(core.OpDestroy)   // free the DOCA object
)

// AllowedIn tells whether a context in a state takes the operation.
func (op Op) AllowedIn(s doca.State) bool { return core.Op(op).In(core.State(s)) }
