// Package scratch keeps the temporary files of a command together, so that nothing is left of them.
package scratch

import (
	"os"
	"os/signal"
	"syscall"
)

// Dir has all temporary files of the process, and those of the compilers that it starts, lie in one directory, which done removes.
// A signal that ends the process removes it, too. Without a place for it, whoever needs one says so.
func Dir() (done func()) {
	dir, err := os.MkdirTemp("", "gen-")
	if err != nil {
		return func() {}
	}
	done = func() {
		for range 10 { // what still runs may make files meanwhile
			if os.RemoveAll(dir) == nil {
				return
			}
		}
	}
	if err := os.Setenv("TMPDIR", dir); err != nil {
		done()
		return func() {}
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		number := (<-signals).(syscall.Signal)
		signal.Reset() // a second one ends the process at once
		done()
		os.Exit(128 + int(number)) // as of a shell
	}()
	return done
}
