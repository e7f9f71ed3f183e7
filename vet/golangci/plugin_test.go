package golangci

import (
	"os"
	"reflect"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/go-doca/go-doca/vet"
)

// The page has golangci-lint import this package, of a module that there is.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/vet.md")
	require.NoError(t, err)
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	path := reflect.TypeFor[Settings]().PkgPath()
	module := modfile.ModulePath(mod)
	require.Equal(t, module+"/vet/golangci", path)
	assert.Contains(t, string(page), "  - module: "+module+"\n    import: "+path+"\n")
	assert.Contains(t, string(page), "\t_ \""+path+"\"\n")
}

func TestPlugin(t *testing.T) {
	t.Parallel()
	make, err := register.GetPlugin("doca")
	require.NoError(t, err)
	p, err := make(map[string]any{"disable": []string{"copied", "kept"}})
	require.NoError(t, err)
	assert.Equal(t, register.LoadModeTypesInfo, p.GetLoadMode())
	analyzers, err := p.BuildAnalyzers()
	require.NoError(t, err)
	require.Len(t, analyzers, len(vet.Analyzers())-2)
	analysistest.Run(t, "../testdata/cases", analyzers[1], "./closeerror")

	_, err = make(map[string]any{"disable": []string{"nothing"}})
	require.ErrorContains(t, err, `there is no analyzer "nothing"`)
	_, err = make(map[string]any{"unknown": 1})
	require.Error(t, err)
	p, err = make(nil)
	require.NoError(t, err)
	analyzers, err = p.BuildAnalyzers()
	require.NoError(t, err)
	assert.Len(t, analyzers, len(vet.Analyzers()))
}
