package main

import (
	"errors"
	"os"
	"runtime/pprof"
	"time"
)

// profile runs Go's side of the rows, each for a while, and writes a CPU profile. The other sides run one round, for a row checks what each
// has moved.
func profile(path string, rows []row, each time.Duration) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	for _, row := range rows {
		row.with(func(sides []side) {
			for _, other := range sides[1:] {
				other.run(1)
			}
			rounds := plan{turn: 20 * time.Millisecond}.rounds(sides[0])
			for start := time.Now(); time.Since(start) < each; {
				sides[0].run(rounds)
			}
		})
	}
	pprof.StopCPUProfile()
	return f.Close()
}
