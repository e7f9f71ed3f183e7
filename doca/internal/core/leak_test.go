package core_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// The place of a leak is the program's, wherever the binding between it and DOCA comes from.
func TestSite(t *testing.T) {
	t.Parallel()
	const (
		newContext = "github.com/go-doca/go-doca/doca/bind.NewContext"
		hash       = "example.com/hash.New"
		inner      = "example.com/hash.(*pool).grow"
		program    = "main.run"
		runtimes   = "runtime.main"
	)
	for name, c := range map[string]struct {
		functions []string
		want      string
	}{
		"no binding":                {[]string{"github.com/go-doca/go-doca/doca.OpenDevice", program, runtimes}, program},
		"our binding":               {[]string{newContext, "github.com/go-doca/go-doca/doca/dma.New", program, runtimes}, program},
		"another binding":           {[]string{newContext, hash, program, runtimes}, program},
		"several of its frames":     {[]string{newContext, inner, hash, program, runtimes}, program},
		"a package on top":          {[]string{newContext, hash, "example.com/hash/tree.New", program}, "example.com/hash/tree.New"},
		"called back by a program":  {[]string{newContext, hash, program, hash, runtimes}, program},
		"the binding is in main":    {[]string{newContext, "main.newHash", program, runtimes}, "main.newHash"},
		"a goroutine of a binding":  {[]string{newContext, inner, "runtime.goexit"}, inner},
		"nothing but these":         {[]string{newContext, runtimes}, ""},
		"by the standard library":   {[]string{newContext, "github.com/go-doca/go-doca/doca/comch/comchnet.Dial", "net/http.(*Transport).dial", program}, program},
		"nothing but that library":  {[]string{newContext, "sync.(*WaitGroup).Go.func1", "runtime.goexit"}, ""},
		"a path that only looks so": {[]string{"github.com/go-doca/go-doca/docaplus.New", program}, "github.com/go-doca/go-doca/docaplus.New"},
	} {
		t.Run(name, func(t *testing.T) {
			var frames []runtime.Frame
			for i, f := range c.functions {
				file := "/src/file.go"
				if strings.HasPrefix(f, "net/") || strings.HasPrefix(f, "sync.") {
					file = core.LibraryDir() + file
				}
				frames = append(frames, runtime.Frame{Function: f, File: file, Line: i})
			}
			got := core.SiteOf(frames)
			if c.want == "" {
				assert.Empty(t, got)
				return
			}
			assert.Equal(t, fmt.Sprintf("file.go:%d (%s)", slices.Index(c.functions, c.want), c.want), got)
		})
	}
}

// In a binary without paths, packages are told apart by their names.
func TestInLibrary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dir, file, pkg string
		want           bool
	}{
		{"/go/src/", "/go/src/net/http/transport.go", "net/http", true},
		{"/go/src/", "/home/net/http/transport.go", "net/http", false},
		{"", "net/http/transport.go", "net/http", true},
		{"", "example.com/net/http.go", "example.com/net", false},
		{"", "hello/main.go", "main", false},
		{"", "hello/greet/greet.go", "hello/greet", false},
		{"", "hello/greet.go", "hello", false},
		{"", "hellos/greet.go", "hellos", true},
	} {
		modules := func() []string { return []string{"hello", "example.com"} }
		assert.Equal(t, c.want, core.InLibrary(c.dir, modules, c.file, c.pkg), "%v", c)
	}
}

// The objects that a binding creates on a goroutine of its own have the place of what they are for.
func TestCreatedFor(t *testing.T) {
	t.Parallel()
	dev := must(doca.OpenDevice(dpu0))(t)
	defer dev.Close()
	siteOf := func(o fmt.Stringer) string {
		all := doca.OpenObjects()
		return all[slices.IndexFunc(all, func(x doca.Object) bool { return x.Name == o.String() })].Site
	}
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	defer pe.Close()
	require.NoError(t, core.CreatedFor(dev, pe))
	assert.Contains(t, siteOf(pe), "leak_test.go", "the program has created it")
	assert.NotEqual(t, siteOf(dev), siteOf(pe))

	first := siteOf(pe)
	require.NoError(t, core.CreatedHere(pe))
	assert.NotEqual(t, first, siteOf(pe), "it is the caller's line")

	for _, err := range []error{core.CreatedFor(nil, pe), core.CreatedFor(dev, pe, nil), core.CreatedFor(&dma.DMA{}, pe),
		core.CreatedFor(dev, (*doca.Memory)(nil)), core.CreatedHere(nil), core.CreatedHere(&doca.Device{})} {
		assert.ErrorIs(t, err, doca.ErrInvalidValue)
	}
}
