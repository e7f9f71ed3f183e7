package core_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// An engine that sees many contexts come and go does not grow.
func TestContextsComeAndGo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 100 {
		d := must(dma.New(r.Dev, r.PE, dma.Config{MaxTasks: 1}))(t)
		must(d.Copy(t.Context(), r.Dst, r.Src))(t)
		check(t, d.Close())
	}
	r.Copy(t)
	if n := core.Places(r.PE); n > 2 {
		t.Errorf("the engine has places for %d contexts", n)
	}
}
