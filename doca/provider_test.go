package doca_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
)

func TestProvider(t *testing.T) {
	t.Parallel()
	p, err := doca.Provider()
	check(t, err)
	if p.Name != "emulator" || p.Version == "" {
		t.Errorf("Provider() = %+v", p)
	}
}
