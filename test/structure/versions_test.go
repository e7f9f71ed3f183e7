package structure

import (
	"fmt"
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

// docs/versions.md says in how many headers later releases have added something, and how many functions of these are bound.
func TestAdditionsOfReleases(t *testing.T) {
	t.Parallel()
	headers := map[string]bool{}
	for _, pattern := range []string{"3.1/*.h", "3.2/*.h"} {
		found, err := filepath.Glob(filepath.Join("../../headers", pattern))
		require.NoError(t, err)
		for _, f := range found {
			headers[filepath.Base(f)] = true
		}
	}
	libraries, err := filepath.Glob("../../generated/*/library.go")
	require.NoError(t, err)
	functions := 0
	for _, f := range libraries {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		functions += strings.Count(string(text), `Lacks: "3.0"`)
	}
	page := read(t, "docs/versions.md")
	assert.Len(t, headers, 7)
	assert.Contains(t, page, "what 3.1 and 3.2 have added to seven headers of the core and DMA")
	assert.Contains(t, page, fmt.Sprintf("%d functions that they have added are bound", functions))
}

// docs/versions.md says of each package that programs import what it promises.
func TestPromisesOfPackages(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/versions.md")
	sources, err := filepath.Glob("../../doca/*/*.go")
	require.NoError(t, err)
	deeper, err := filepath.Glob("../../doca/*/*/*.go")
	require.NoError(t, err)
	packages := map[string]bool{"doca": true}
	for _, f := range append(sources, deeper...) {
		if !strings.Contains(f, "/internal/") && !strings.Contains(f, "/testdata/") {
			packages[strings.TrimPrefix(filepath.Dir(f), "../../")] = true
		}
	}
	assert.Contains(t, packages, "doca/comch/comchnet")
	for name := range packages {
		assert.Contains(t, page, "`"+name+"`", "the table of promises")
	}
}
