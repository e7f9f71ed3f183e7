// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page has the numbers of cases and the known differences as they are.
func TestPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/conformance.md")
	require.NoError(t, err)
	page := string(text)
	count, pairs := map[string]int{}, map[string]int{}
	var differences []string
	for _, c := range Cases() {
		count[c.Library]++
		if c.Peer != nil {
			pairs[c.Library]++
		}
		for _, d := range c.Differences {
			answer := "`" + d.Want + "`"
			if d.Want == "" {
				answer = "nothing"
			}
			differences = append(differences, fmt.Sprintf("| `%s` | %s | %s | %s |\n", c.Name, d.Releases, answer, d.Note))
		}
	}
	for library, n := range count {
		assert.Contains(t, page, fmt.Sprintf("\n| `%s` | %d | %d | ", library, n, pairs[library]))
	}
	assert.Contains(t, page, fmt.Sprintf("\n%d cases in ", len(Cases())))
	assert.True(t, strings.HasSuffix(page, strings.Join(differences, "")), "the table of known differences is:\n%s", strings.Join(differences, ""))
	for _, s := range Statuses() {
		assert.Contains(t, page, "| `"+string(s)+"` | ")
	}
}
