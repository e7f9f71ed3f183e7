// Package golangci makes the analyzers of package vet a plugin of golangci-lint, by its module plugin system: see docs/vet.md in the
// repository.
package golangci

import (
	"fmt"
	"slices"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/go-doca/go-doca/vet"
)

func init() { register.Plugin("doca", New) }

// Settings are those of the linter in .golangci.yml.
type Settings struct {
	Disable []string `json:"disable"` // names of analyzers to leave out
}

// New makes the plugin of its settings. It returns an error for settings that it does not know, such as the name of no analyzer.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, fmt.Errorf("doca: %w", err)
	}
	p := &plugin{}
	for _, a := range vet.Analyzers() {
		if !slices.Contains(s.Disable, a.Name) {
			p.analyzers = append(p.analyzers, a)
		}
	}
	for _, name := range s.Disable {
		if !slices.ContainsFunc(vet.Analyzers(), func(a *analysis.Analyzer) bool { return a.Name == name }) {
			return nil, fmt.Errorf("doca: there is no analyzer %q to disable", name)
		}
	}
	return p, nil
}

type plugin struct{ analyzers []*analysis.Analyzer }

// BuildAnalyzers returns the analyzers that are not disabled.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return p.analyzers, nil }

// GetLoadMode says that the analyzers need types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
