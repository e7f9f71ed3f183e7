package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/go-doca/go-doca/vet"
)

// Each analyzer has a package of cases, in a module of its own, as users have.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, a := range vet.Analyzers() {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			analysistest.Run(t, analysistest.TestData()+"/cases", a, "./"+a.Name)
		})
	}
}
