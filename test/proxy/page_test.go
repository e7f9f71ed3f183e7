//go:build proxy

package proxy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block is a fenced block of a page.
type block struct{ language, text string }

// command is a line of a console block that begins with "$ ", without the comment behind it, and the output below it.
type command struct{ line, output string }

var (
	fence   = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	comment = regexp.MustCompile(`\s+# .*`)
)

// blocks are those of a section of a page, or of a page without sections.
func blocks(t *testing.T, page, heading string) []block {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	section := string(text)
	if heading != "" {
		var found bool
		_, section, found = strings.Cut(section, "\n## "+heading+"\n")
		require.True(t, found, "%s has no section %q", page, heading)
		section, _, _ = strings.Cut(section, "\n## ")
	}
	var out []block
	for _, m := range fence.FindAllStringSubmatch(section, -1) {
		out = append(out, block{m[1], m[2]})
	}
	require.NotEmpty(t, out, "%s, %s: no blocks", page, heading)
	return out
}

func (b block) commands(t *testing.T) []command {
	t.Helper()
	require.Equal(t, "console", b.language, b.text)
	var out []command
	for line := range strings.Lines(b.text) {
		if shell, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, command{line: comment.ReplaceAllString(strings.TrimSpace(shell), "")})
			continue
		}
		require.NotEmpty(t, out, b.text)
		out[len(out)-1].output += line
	}
	return out
}
