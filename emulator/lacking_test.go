// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// lacking is the name of a provider that is the emulator without some functions, as an earlier release is, and of the variable
// that lists them. The choice of a provider is for the whole process.
const lacking = "LACKING_FUNCTIONS"

func init() {
	names := strings.Fields(os.Getenv(lacking))
	abi.RegisterProvider(abi.Provider{Name: lacking, Lookup: func(library, name string) unsafe.Pointer {
		if slices.Contains(names, name) {
			return nil
		}
		return lookup(library, name)
	}})
}

// Before 2.10, DOCA had no submissions with flags: a context whose copies are to be reported together is refused, and others work.
func TestNoOptimizeReports(t *testing.T) {
	if os.Getenv(lacking) == "" {
		for _, without := range []string{"doca_task_submit_ex", "doca_ctx_flush_tasks", "doca_task_get_ctx", "doca_task_submit_ex doca_ctx_flush_tasks doca_task_get_ctx"} {
			t.Run(without, func(t *testing.T) {
				t.Parallel()
				cmd := selfexec.Command(t, "-test.run=^TestNoOptimizeReports$", "-test.v")
				cmd.Env = append(os.Environ(), lacking+"="+without)
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
				assert.Contains(t, string(out), "--- PASS: TestNoOptimizeReports")
			})
		}
		return
	}
	dev, err := doca.OpenDevice("03:00.0")
	require.NoError(t, err)
	defer func() { assert.NoError(t, dev.Close()) }()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, pe.Close()) }()
	_, err = dma.New(dev, pe, dma.Config{OptimizeReports: true})
	require.ErrorIs(t, err, doca.ErrNotSupported)
	missing := new(abi.SymbolError)
	require.ErrorAs(t, err, &missing)
	assert.Contains(t, os.Getenv(lacking), missing.Func)
	assert.ErrorContains(t, err, missing.Func)

	d, err := dma.New(dev, pe, dma.Config{})
	require.NoError(t, err)
	mem, err := doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	require.NoError(t, err)
	copy(mem.Bytes(), "text")
	require.NoError(t, d.CopyRange(t.Context(), mem, 32, mem, 0, 4))
	assert.Equal(t, "text", string(mem.Bytes()[32:36]))
}
