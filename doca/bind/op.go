package bind

import (
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// Op is a kind of operation on a context. The state of the context decides which kinds it
// allows.
type Op uint8

// The kinds of operations, in the order of package core.
const (
	OpConfigure Op = iota // set options
	OpStart               // doca_ctx_start
	OpStop                // doca_ctx_stop
	OpSubmit              // allocate and submit tasks
	OpQuery               // read what only a started context knows
	OpDestroy             // free the DOCA object
)

// AllowedIn reports whether a context in a state allows the operation.
func (op Op) AllowedIn(s doca.State) bool { return core.Op(op).In(core.State(s)) }
