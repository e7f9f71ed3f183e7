package golangci

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/go-doca/go-doca/vet"
)

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
