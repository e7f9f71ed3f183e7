package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/internal/selfexec"
)

// argsVariable has the arguments of a gen in a process of its own, one on each line.
const argsVariable = "GEN_ARGS"

// TestProcess is such a gen.
func TestProcess(t *testing.T) {
	if args := os.Getenv(argsVariable); args != "" {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
	}
}

// Nothing is left of a run in the directory for temporary files: not of one that ends, and not of one that is interrupted.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		signal syscall.Signal
		status int
	}{
		{"it ends", 0, 0},
		{"interrupt", syscall.SIGINT, 130},
		{"termination", syscall.SIGTERM, 143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, started := t.TempDir(), filepath.Join(t.TempDir(), "started")
			cc := filepath.Join(t.TempDir(), "cc") // tells that it runs, and stays until the run is over
			script := fmt.Sprintf("#!/bin/sh\ntouch %s\n", started)
			if tt.signal != 0 {
				script += "while [ -e /proc/$PPID/exe ]; do sleep 0.01; done\n"
			} else {
				script += "exec cc \"$@\"\n"
			}
			require.NoError(t, os.WriteFile(cc, []byte(script), 0o755))
			cmd := selfexec.Command(t, "-test.run=^TestProcess$")
			cmd.Env = append(os.Environ(), "TMPDIR="+dir, "CC="+cc, argsVariable+"=check\n-sdk\n"+reference)
			require.NoError(t, cmd.Start())
			if tt.signal != 0 {
				require.Eventually(t, func() bool { _, err := os.Stat(started); return err == nil }, time.Minute, time.Millisecond)
				entries, err := os.ReadDir(dir)
				require.NoError(t, err)
				require.Len(t, entries, 1)
				require.NoError(t, cmd.Process.Signal(tt.signal))
			}
			err := cmd.Wait()
			if tt.status != 0 {
				require.ErrorAs(t, err, new(*exec.ExitError))
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tt.status, cmd.ProcessState.ExitCode())
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Empty(t, entries)
		})
	}
}
