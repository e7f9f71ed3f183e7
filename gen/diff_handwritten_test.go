package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/apidiff"
)

// handwritten are packages beside bindings: a public one on an internal one, one below it, a command.
var handwritten = map[string]string{
	"doca/doca.go": `package doca

import (
	"example.com/m/doca/internal/core"
	"example.com/m/generated/abi"
)

type Error = abi.Error

type Device struct{ core.Handle }

func Open(n int) *Device { return nil }
`,
	"doca/internal/core/core.go": "package core\n\ntype Handle struct{ n int }\n\nfunc (*Handle) Close() {}\n\nfunc (*Handle) Reset() {}\n\nfunc Inner() {}\n",
	"doca/dma/dma.go":            "package dma\n\nimport \"example.com/m/doca\"\n\nfunc New(*doca.Device) {}\n",
	"doca/tool/main.go":          "package main\n\nfunc Run() {}\n\nfunc main() {}\n",
	"other/other.go":             "package other\n\nfunc Other() {}\n",
}

// The packages that programs import beside the bindings are compared, without what is internal.
func TestDiffOfHandwritten(t *testing.T) {
	t.Parallel()
	sdk, repo := sdkWith(t, "1.0", same), t.TempDir()
	status, _, errOut := gen("generate", "-sdk", sdk, "-out", filepath.Join(repo, "old", "generated"), "-libs", "all", "-base", "none", "-pkg", "example.com/m/generated")
	require.Zero(t, status, errOut)
	require.NoError(t, os.WriteFile(filepath.Join(repo, "old", "go.mod"), []byte("module example.com/m\n\ngo 1.25\n"), 0o644))
	write := func(dir string, files map[string]string) {
		t.Helper()
		for name, text := range files {
			path := filepath.Join(repo, dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
	}
	require.NoError(t, os.CopyFS(filepath.Join(repo, "none"), os.DirFS(filepath.Join(repo, "old"))))
	write("old", handwritten)
	require.NoError(t, os.CopyFS(filepath.Join(repo, "new"), os.DirFS(filepath.Join(repo, "old"))))
	old, new := filepath.Join(repo, "old", "generated"), filepath.Join(repo, "new", "generated")

	status, r := diffOf(t, old, new)
	assert.Zero(t, status)
	assert.Empty(t, r.Changes)

	edit := func(name, from, to string) {
		require.Contains(t, handwritten[name], from)
		write("new", map[string]string{name: strings.Replace(handwritten[name], from, to, 1)})
	}
	edit("doca/internal/core/core.go", "func (*Handle) Reset() {}\n\nfunc Inner() {}", "func Inner(int) {}")
	edit("doca/doca.go", "Open(n int)", "Open(n uint)")
	edit("doca/tool/main.go", "Run()", "Run(int)")
	edit("other/other.go", "Other()", "Other(int)")
	require.NoError(t, os.RemoveAll(filepath.Join(repo, "new", "doca", "dma")))
	write("new", map[string]string{
		"doca/more.go":         "package doca\n\nfunc More() {}\n",
		"doca/rdma/rdma.go":    "package rdma\n\nfunc New() {}\n",
		"emulator/emulator.go": "package emulator\n",
	})
	want := []apidiff.Change{
		{ID: "package-doca", Class: apidiff.Breaking, GoAPI: []string{
			"Open: changed from func(int) *Device to func(uint) *Device", "doca/internal/core.(*Handle).Reset, method set of *Device: removed",
		}},
		{ID: "package-doca/dma", Class: apidiff.Breaking, GoAPI: []string{"package removed"}},
		{ID: "package-doca-added", Class: apidiff.Addition, GoAPI: []string{"More: added"}},
		{ID: "package-doca/rdma-added", Class: apidiff.Addition, GoAPI: []string{"package added"}},
		{ID: "package-emulator-added", Class: apidiff.Addition, GoAPI: []string{"package added"}},
	}
	found := func(r apidiff.Report) []apidiff.Change {
		var out []apidiff.Change
		for _, c := range r.Changes {
			out = append(out, apidiff.Change{ID: c.ID, Class: c.Class, GoAPI: c.GoAPI})
		}
		return out
	}
	status, r = diffOf(t, old, new)
	assert.Equal(t, 2, status)
	assert.Equal(t, want, found(r))
	assert.Equal(t, 2, r.Summary.Breaking)
	assert.Equal(t, 2, r.Summary.ForGo)
	status, r = diffOf(t, "-go=false", old, new)
	assert.Zero(t, status)
	assert.Empty(t, r.Changes)
	status, r = diffOf(t, filepath.Join(repo, "none", "generated"), new)
	assert.Zero(t, status)
	assert.Contains(t, r.Notes, "the handwritten Go packages were not compared: a side has none")
	_, r = diffOf(t, sdk, new)
	assert.Empty(t, r.Changes)
	assert.Empty(t, r.Notes)

	// What does not compile is an error, and names the side.
	write("new", map[string]string{"doca/more.go": "package doca\n\nfunc More(Nothing) {}\n"})
	status, _, errOut = gen("diff", old, new)
	assert.Equal(t, 3, status)
	assert.Contains(t, errOut, "the handwritten Go packages of "+new)
	assert.Contains(t, errOut, "undefined: Nothing")
}

// Those of a git revision are found in it, and bindings that are called doca are not beside themselves.
func TestDiffOfHandwrittenInRevisions(t *testing.T) {
	sdk, repo := sdkWith(t, "1.0", same), t.TempDir()
	t.Chdir(repo)
	git := func(args ...string) {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	git("init", "-q")
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n\ngo 1.25\n"), 0o644))
	for _, out := range []string{"generated", filepath.Join("internal", "doca")} {
		status, _, errOut := gen("generate", "-sdk", sdk, "-out", out, "-libs", "all", "-base", "none", "-pkg", "example.com/m/"+filepath.ToSlash(out))
		require.Zero(t, status, errOut)
	}
	for name, text := range handwritten {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	git("add", "-A")
	git("commit", "-q", "-m", "old")
	require.NoError(t, os.WriteFile("doca/doca.go", []byte(strings.Replace(handwritten["doca/doca.go"], "n int", "n uint", 1)), 0o644))
	git("commit", "-q", "-a", "-m", "new")
	for _, args := range [][]string{{"HEAD~1", "generated"}, {"HEAD~1", "HEAD"}} {
		status, r := diffOf(t, args...)
		assert.Equal(t, 2, status, args)
		require.Len(t, r.Changes, 1, args)
		assert.Equal(t, []string{"Open: changed from func(int) *Device to func(uint) *Device"}, r.Changes[0].GoAPI)
	}
	status, r := diffOf(t, "HEAD~1:internal/doca", "internal/doca")
	assert.Zero(t, status)
	assert.Empty(t, r.Changes)
}
