// SPDX-License-Identifier: Apache-2.0

package emulator_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/emulator"
)

var getenv = regexp.MustCompile(`getenv\("(DOCA_EMU_\w+)"`)

// The list has what the C code reads, and the page of the emulator has the list.
func TestVariables(t *testing.T) {
	t.Parallel()
	var read, listed []string
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".c" || strings.HasPrefix(path, "test/") || strings.HasPrefix(path, "sdktest/") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range getenv.FindAllStringSubmatch(string(text), -1) {
			read = append(read, m[1])
		}
		return err
	}))
	slices.Sort(read)
	page, err := os.ReadFile("../docs/emulator.md")
	require.NoError(t, err)
	for _, v := range emulator.Variables() {
		listed = append(listed, v.Name)
		assert.Contains(t, string(page), "| `"+v.Name+"` |")
		assert.NotEmpty(t, v.Values)
		assert.NotEmpty(t, v.Default)
		assert.NotEmpty(t, v.Meaning)
	}
	assert.Equal(t, slices.Compact(read), listed)
}

// The list has what the refusal of an unknown fault offers.
func TestFaultKinds(t *testing.T) {
	err := emulator.SetFaults("no-such-fault")
	require.Error(t, err)
	page, readErr := os.ReadFile("../docs/emulator.md")
	require.NoError(t, readErr)
	for _, k := range emulator.FaultKinds() {
		name, _, _ := strings.Cut(k.Form, "=")
		assert.Contains(t, err.Error(), name)
		assert.Contains(t, string(page), "| `"+name)
	}
}

func TestCovered(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(emulator.Covered(), func(c emulator.Coverage) bool { return c.Library == "common" })
	require.GreaterOrEqual(t, i, 0)
	common := emulator.Covered()[i]
	assert.Greater(t, common.Implemented, 150)
	assert.Contains(t, common.Missing, "doca_uar_create")
	assert.NotContains(t, common.Missing, "doca_mmap_create")
}
