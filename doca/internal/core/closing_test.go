package core_test

import (
	"strings"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// A subtree is closed in DOCA's order whatever order it was made in.
func TestCloseOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	later := must(dma.New(r.Dev, r.PE, dma.Config{}))(t)
	rep := must(r.Dev.OpenRepresentor(host0))(t)
	more := must(doca.NewMemory(1, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	got := strings.Join(core.CloseOrder(r.Dev), " ")
	if want := "dma dma buffer buffer inventory memory memory representor device"; got != want {
		t.Errorf("closing order %s, want %s", got, want)
	}
	for _, c := range []doctest.Closer{r.Dev, later, rep, more} {
		check(t, c.Close())
	}
}
