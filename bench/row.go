package main

import (
	"fmt"
	"os"

	"github.com/go-doca/go-doca/bench/result"
	"github.com/go-doca/go-doca/emulator"
)

// row is a case: the Go packages do something, and others do the same.
type row struct {
	group, name string
	// scaling says that there are four sides: Go and C twice at a time, then Go and C alone. The ratio is how Go's rate
	// grows by how C's grows.
	scaling bool
	// pace is the emulator's.
	pace pace
	// apart says that the sides run in other processes: what they allocate is not known.
	apart bool
	// sides prepares what is measured. The first side is Go.
	sides func(r *rig) []side
}

// side is one way to do the work of a row.
type side struct {
	name string
	ops  int              // operations of a round
	run  func(rounds int) // does the work
	goal result.Goal      // of Go against this side
}

// title is what -rows matches.
func (r row) title() string { return r.group + ": " + r.name }

// with prepares the sides, calls use with them, and closes them.
func (r row) with(use func(sides []side)) {
	fmt.Fprintln(os.Stderr, r.title())
	on := &rig{row: r.title()}
	defer on.close()
	if r.pace == likeCard {
		end, err := emulator.Faults{Delay: cardDelay, Rate: cardRate}.Apply()
		on.ok(err)
		on.later(func() error { end(); return nil })
	}
	use(r.sides(on))
}

// allRows are the rows in the order of the table.
func allRows() []row {
	var rows []row
	for _, part := range [][]row{
		dmaRows(atOnce), callbackRows(), dmaRows(likeCard), comchRows(atOnce), comchRows(likeCard),
		msgqRows(atOnce), msgqRows(likeCard), rdmaRows(atOnce), rdmaRows(likeCard), startRows(),
	} {
		rows = append(rows, part...)
	}
	return rows
}
