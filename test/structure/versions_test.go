package structure

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The pages name the oldest Go release that go.mod permits, which is the one that CI runs.
func TestGoRelease(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		require.NoError(t, err)
		return string(text)
	}
	line := regexp.MustCompile(`(?m)^go (\d+\.\d+)\.0$`)
	m := line.FindStringSubmatch(read("go.mod"))
	require.NotNil(t, m)
	for _, mod := range []string{"tools/go.mod", "examples/grpc_over_comch/go.mod", "examples/sha/go.mod", "examples/storage/files/go.mod", "examples/storage/plot/go.mod"} {
		assert.Equal(t, m[0], line.FindString(read(mod)), mod)
	}
	for page, says := range map[string]string{
		"README.md": m[1] + " or later)", "CONTRIBUTING.md": "Go " + m[1] + " or later", "docs/versions.md": "Go " + m[1] + " and later",
		".github/workflows/ci.yml": "go-version-file: go.mod",
	} {
		assert.Contains(t, strings.Join(strings.Fields(read(page)), " "), says, page)
	}
}
