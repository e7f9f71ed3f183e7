package sha_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A block of docs/binding.md, and the file it is from in the line before.
var block = regexp.MustCompile("(?m)(?:^<!-- (\\S+) -->\n)?^```(\\w*)\n((?s:.*?))^```$")

// docs/binding.md shows this example as it is. A line of three dots stands for what is left out.
func TestBindingGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/binding.md")
	require.NoError(t, err)
	shown := 0
	for _, m := range block.FindAllStringSubmatch(string(guide), -1) {
		name, language, text := m[1], m[2], m[3]
		if name == "" {
			assert.Equal(t, "console", language, "no file is named for\n%s", text)
			continue
		}
		shown++
		source, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		rest := string(source)
		for part := range strings.SplitSeq(text, "...\n") {
			_, after, found := strings.Cut(rest, part)
			assert.True(t, found, "%s does not have, or not in this order:\n%s", name, part)
			rest = after
		}
	}
	assert.GreaterOrEqual(t, shown, 8)
}
