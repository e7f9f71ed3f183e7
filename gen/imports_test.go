package main

import (
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layers are the packages below gen/internal and what each may import of the others: headers
// become a model, a model becomes files, and what serves several of them imports none.
var layers = map[string][]string{
	"attributes": {},
	"device":     {},
	"doxygen":    {},
	"layout":     {},
	"scratch":    {},
	"solib":      {},
	"cparse":     {},
	"ledger":     {"layout"},
	"model":      {"cparse", "layout", "ledger", "solib"},
	"emit":       {"cparse", "device", "doxygen", "ledger", "model"},
	"apidiff":    {"cparse", "ledger", "model"},
	"check":      {"cparse", "ledger", "model", "solib"},
}

func TestImports(t *testing.T) {
	t.Parallel()
	const internal = "github.com/go-doca/go-doca/gen/internal/"
	dirs, err := os.ReadDir("internal")
	require.NoError(t, err)
	for _, d := range dirs {
		t.Run(d.Name(), func(t *testing.T) {
			t.Parallel()
			may, known := layers[d.Name()]
			require.True(t, known, "a new package: say in layers what it may import")
			pkg, err := build.ImportDir(filepath.Join("internal", d.Name()), 0)
			require.NoError(t, err)
			var does []string
			for _, path := range pkg.Imports {
				if name, ours := strings.CutPrefix(path, internal); ours {
					does = append(does, name)
				}
			}
			slices.Sort(does)
			assert.Equal(t, may, slices.AppendSeq([]string{}, slices.Values(does)))
		})
	}
	assert.Len(t, dirs, len(layers))
}
