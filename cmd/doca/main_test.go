// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/go-doca/go-doca/internal/selfexec"
)

// The scripts run the command as a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"doca": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("DOCA_PROVIDER", "emulator")
			env.Setenv("DOCA_EMU_RUNTIME_DIR", filepath.Join(env.WorkDir, "run"))
			env.Setenv("ADDR", fmt.Sprintf("127.0.0.1:%d", selfexec.Port(env.T().(testing.TB)))) // where nobody listens yet
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"connected": connected, "status": status},
		Condition: func(cond string) (bool, error) {
			if cond != "sdk" {
				return false, fmt.Errorf("unknown condition %s", cond)
			}
			_, err := os.Stat("/opt/mellanox/doca")
			return err == nil, nil
		},
	})
}

// status runs a program that has to end with a status.
func status(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var failed *exec.ExitError
	switch {
	case err == nil && want == 0:
	case errors.As(err, &failed) && failed.ExitCode() == want:
	default:
		ts.Fatalf("%v: %v, want status %d", args[1:], err, want)
	}
}

// connected waits until somebody listens at an address.
func connected(ts *testscript.TestScript, _ bool, args []string) {
	for range 6000 {
		if conn, err := net.Dial("tcp", args[0]); err == nil {
			ts.Check(conn.Close())
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("nobody listens at %s", args[0])
}
