package core_test

import (
	"strings"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/core"
)

// A whole tree is lost: device, engine, context. What the tree holds does not keep the
// handles alive.
func TestLostTreeIsReported(t *testing.T) {
	reports := make(chan doca.Object, 10)
	doca.SetLeakReporter(func(o doca.Object) { reports <- o })
	defer doca.SetLeakReporter(nil)
	var close []func() error
	func() {
		dev := must(doca.OpenDevice(dpu0))(t)
		pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
		d := must(dma.New(dev, pe, dma.Config{}))(t)
		must(d.NewBatch(2))(t)
		close = core.Closers(dev, pe)
	}()
	kinds := map[string]bool{}
	for range 3 {
		kind, _, _ := strings.Cut(collect(t, reports).Name, "#")
		kinds[kind] = true
	}
	if !kinds["device"] || !kinds["engine"] || !kinds["dma"] {
		t.Errorf("reported were %v", kinds)
	}
	for _, f := range close {
		check(t, f())
	}
}
