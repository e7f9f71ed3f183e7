// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
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
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond != "sdk" {
				return false, fmt.Errorf("unknown condition %s", cond)
			}
			_, err := os.Stat("/opt/mellanox/doca")
			return err == nil, nil
		},
	})
}
