package structure

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

// tools.go and tools/go.mod name the same commands.
func TestTools(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../tools.go", nil, parser.ImportsOnly)
	require.NoError(t, err)
	var named []string
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		named = append(named, path)
	}
	text, err := os.ReadFile("../../tools/go.mod")
	require.NoError(t, err)
	mod, err := modfile.Parse("tools/go.mod", text, nil)
	require.NoError(t, err)
	var pinned []string
	for _, tool := range mod.Tool {
		pinned = append(pinned, tool.Path)
	}
	assert.ElementsMatch(t, pinned, named)
}
