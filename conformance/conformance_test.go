// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
)

func TestMain(m *testing.M) {
	Child()
	os.Setenv("DOCA_PROVIDER", emulator.Name)
	os.Exit(m.Run())
}

// On the emulator every case passes, both sides in one process.
func TestCases(t *testing.T) {
	info, err := abi.Active()
	if err != nil {
		t.Fatal(err)
	}
	env := Options{Timeout: 40 * time.Second, GIDIndex: -1}.environment(info.Version)
	for i, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			result := env.askHere(c, i)
			if result.Status == Skipped {
				t.Skip(result.Reason)
			}
			assert.Equal(t, Passed, result.Status, "%s: expected %s, got %s (%s)", result.Asked, result.Expected, result.Got, result.Reason)
		})
	}
}
