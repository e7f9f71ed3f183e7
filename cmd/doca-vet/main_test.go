package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A package with a mistake, and one that imports it.
var files = map[string]string{
	"b/b.go": "package b\n\nimport \"github.com/go-doca/go-doca/doca\"\n\nfunc F(d *doca.Device) { d.Close() }\n",
	"a/a.go": "package main\n\nimport \"page/b\"\n\nfunc main() { b.F(nil) }\n",
}

// Both ways to run it report the same, in any order and each time.
func TestRuns(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	tool := filepath.Join(dir, "doca-vet")
	out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	mod := "module page\n\ngo 1.26.0\n\nrequire github.com/go-doca/go-doca v0.0.0\n\nreplace github.com/go-doca/go-doca => " + root + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644))
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, args := range [][]string{
		{"go", "vet", "-vettool=" + tool, "./a"}, // go vet looks at b for its facts
		{"go", "vet", "-vettool=" + tool, "./b"},
		{"go", "vet", "-vettool=" + tool, "./..."},
		{tool, "./..."},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		assert.Error(t, err, "%v", args)
		assert.Contains(t, string(out), "b.go:5:26: the error of doca.Device.Close is dropped", "%v", args)
	}
	cmd := exec.Command("go", "vet", "-vettool="+tool, "-closeerror=false", "./...")
	cmd.Dir = dir
	out, err = cmd.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}
