package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/emit"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// buildModel builds the model, and builds it again without the names that clash with those of forms until none does.
func buildModel(api *cparse.API, specs []model.Spec) (*model.Model, error) {
	specs = slices.Clone(specs)
	for {
		m, err := model.Build(api, specs)
		if err != nil {
			return nil, err
		}
		clashes, err := emit.Clashes(m)
		if err != nil || len(clashes) == 0 {
			return m, err
		}
		for i, s := range specs {
			known := len(s.Forms)
			forms := maps.Clone(s.Forms)
			if forms == nil {
				forms = map[string]string{}
			}
			maps.Copy(forms, clashes[s.Name])
			if clashes[s.Name] != nil && len(forms) == known {
				return nil, fmt.Errorf("library %s: %v cannot be kept apart", s.Name, clashes[s.Name])
			}
			specs[i].Forms = forms
		}
	}
}
