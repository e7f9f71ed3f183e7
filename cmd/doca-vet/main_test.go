package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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
	const mistake = "b.go:5:26: the error of doca.Device.Close is dropped"
	run := func(args ...string) (string, error) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	report, err := run("go", "vet", "-vettool="+tool, "./a") // it looks at b for its facts
	if strings.HasPrefix(runtime.Version(), "go1.26.") {
		assert.Error(t, err)
		assert.Contains(t, report, mistake)
	} else {
		assert.NoError(t, err, report)
	}
	for _, args := range [][]string{
		{"go", "vet", "-vettool=" + tool, "./b"},
		{"go", "vet", "-vettool=" + tool, "./..."},
		{tool, "./..."},
	} {
		report, err := run(args...)
		assert.Error(t, err, "%v", args)
		assert.Contains(t, report, mistake, "%v", args)
	}
	report, err = run("go", "vet", "-vettool="+tool, "-closeerror=false", "./...")
	assert.NoError(t, err, report)
}
