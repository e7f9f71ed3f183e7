package sha_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/examples/sha/internal/testsdk"
)

// The bindings are what the generator makes of the header.
func TestGenerated(t *testing.T) {
	t.Parallel()
	const committed = "internal/doca"
	out, err := os.MkdirTemp("build", "generated") // in this module, like the committed ones
	require.NoError(t, err)
	defer os.RemoveAll(out)
	cmd := exec.Command("go", "tool", "gen", "generate", "-sdk", testsdk.Prefix(), "-libs", "sha", "-out", out,
		"-pkg", "github.com/go-doca/go-doca/examples/sha/"+committed)
	cmd.Env = append(os.Environ(), "GOEXPERIMENT=") // the generator is built as always
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, string(text))
	assert.Contains(t, string(text), "sha: bound 19, skipped 0\n")
	assert.Equal(t, tree(t, committed), tree(t, out), "run go generate")
}

// tree returns the files below a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(text)
		return err
	}))
	return files
}
