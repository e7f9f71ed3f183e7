package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// docs/diff.md shows parts of the reports on the ledgers of 2.5 and 3.0. Its structs and enumerations are made up.
func TestDiffPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/diff.md")
	require.NoError(t, err)
	report := func(form string) string {
		_, out, errOut := gen("diff", "-format", form, "../generated/api/2.5.txt", "../generated/api/3.0.txt")
		require.Empty(t, errOut)
		return strings.ReplaceAll(out, "../generated/", "generated/")
	}
	text, shown := report("text"), 0
	for i, block := range strings.Split(string(page), "```") {
		if i%2 == 0 || !strings.HasPrefix(block, "\n") || strings.Contains(block, "_x_") { // no code, a command, or made up
			continue
		}
		for _, part := range strings.Split(block, "\n      ...\n") { // the middle of a long entry is left out
			part = strings.Trim(part, "\n")
			assert.True(t, strings.Contains(text, part), "the page has, and the report has not:\n%s", part)
		}
		shown++
	}
	assert.Equal(t, 4, shown)
	_, table, found := strings.Cut(report("md"), "\n| Library |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	assert.True(t, strings.Contains(string(page), "\n| Library |"+table+"\n"), "the report has, and the page has not:\n| Library |%s", table)
}
