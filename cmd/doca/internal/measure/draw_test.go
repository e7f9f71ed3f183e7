// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each size has one label, whatever the number of lines, and rates have units.
func TestDraw(t *testing.T) {
	t.Parallel()
	var rows []Row
	for _, window := range []int{1, 32, 256} {
		for i, size := range []int{64, 4096, 1 << 20} {
			rows = append(rows, Row{Operation: "copy", Size: size, Window: window, PerSecond: float64(window) * []float64{2e7, 3e5, 900}[i]})
		}
	}
	path := filepath.Join(t.TempDir(), "x.svg")
	require.NoError(t, Draw(path, "a title", rows))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, label := range []string{">64<", ">4K<", ">1M<", ">a title<", ">copy, window 256<", ">10 k<", ">100 M<"} {
		assert.Equal(t, 1, strings.Count(string(text), label), label)
	}
	require.Error(t, Draw(filepath.Join(t.TempDir(), "none", "x.svg"), "", rows))
}
