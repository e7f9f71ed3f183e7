package main

import "github.com/go-doca/go-doca/bench/result"

// row is a case: the Go packages do something, and others do the same.
type row struct {
	group, name string
	// scaling says that there are four sides: Go and C twice at a time, then Go and C alone. The ratio is how Go's rate
	// grows by how C's grows.
	scaling bool
	// card says that copies take as long as on a card.
	card bool
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

// allRows are the rows in the order of the table.
func allRows() []row {
	var rows []row
	for _, part := range [][]row{dmaRows(false), callbackRows(), dmaRows(true), comchRows(), msgqRows(), rdmaRows(), startRows()} {
		rows = append(rows, part...)
	}
	return rows
}
