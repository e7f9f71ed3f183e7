package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/go-doca/go-doca/bench/result"
)

// programs is where make bench puts the programs of first/.
var programs = filepath.Join("build", "bench")

// startRows are programs that open a device, make a copy and end, from exec to exit.
func startRows() []row {
	return []row{{group: "Start", name: "from exec to the end of a first copy", apart: true, sides: func(r *rig) []side {
		return []side{
			{"Go", 1, r.program("copy"), result.Goal{}},
			{"C", 1, r.program("copy_c"), result.Goal{}},
			{"cgo program that does nothing", 1, r.program("empty"), result.AtMost(360 * time.Microsecond)},
		}
	}}}
}

// program runs a program of build/bench again and again. It runs a copy: how fast the pages of a file can be mapped depends on how
// the file was written, and linkers write theirs piece by piece.
func (r *rig) program(name string) func(int) {
	code, err := os.ReadFile(filepath.Join(programs, name))
	r.check(err == nil, "%s is missing: make bench builds it", name)
	dir, err := os.MkdirTemp(programs, name)
	r.ok(err)
	r.later(func() error { return os.RemoveAll(dir) })
	path := filepath.Join(dir, name)
	r.ok(os.WriteFile(path, code, 0o755))
	env := append(os.Environ(), "DOCA_PROVIDER=emulator")
	return func(rounds int) {
		for range rounds {
			cmd := exec.Command(path)
			cmd.Env, cmd.Stderr = env, os.Stderr
			r.ok(cmd.Run())
		}
	}
}
