package structure

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// make lint runs doca-vet on each module of the repository.
func TestEachModuleIsVetted(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^MODULES = (.*)$`).FindStringSubmatch(string(text))
	require.NotNil(t, line)
	var modules []string
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "build" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && d.Name() != "."):
			return fs.SkipDir
		case d.Name() == "go.mod":
			dir, err := filepath.Rel("../..", filepath.Dir(path))
			if err == nil && dir != "." && dir != "tools" { // the rest, and a module without packages
				modules = append(modules, dir)
			}
			return err
		}
		return nil
	}))
	assert.ElementsMatch(t, modules, strings.Fields(line[1]))
	assert.Contains(t, string(text), "for m in $(MODULES)")
}
