package main

import (
	"fmt"

	"github.com/go-doca/go-doca/bench/cloop"
	"github.com/go-doca/go-doca/bench/result"
	"github.com/go-doca/go-doca/examples/dpa_msgq_echo/kernels"
)

// msgqRows are messages to a thread on the DPA and back.
func msgqRows(p pace) []row {
	var rows []row
	for _, window := range []int{1, depth, many} {
		rows = append(rows, row{group: p.group("MsgQ"), pace: p, name: fmt.Sprintf("to a thread on the DPA and back, window of %d", window), sides: func(r *rig) []side {
			l := newGoMsgQLoop(r, window)
			c, err := cloop.NewMsgQ(kernels.App(), window)
			r.ok(err)
			r.later(c.Close)
			goal := p.inFlight(result.AtLeast(0.9))
			if window == 1 {
				goal = p.blocking()
			}
			return []side{
				{"Go", window, l.run(r, window, window), result.Goal{}},
				{"C", window, r.inC(func(rounds int) error { return c.Run(rounds * window) }), goal},
			}
		}})
	}
	return rows
}
