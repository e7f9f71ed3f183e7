package structure

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The repository has sources alone: go build in its root leaves a program there, which git add -A would take.
func TestNoPrograms(t *testing.T) {
	t.Parallel()
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skipf("no git repository: %v", err)
	}
	files := bytes.FieldsFunc(out, func(r rune) bool { return r == 0 })
	require.NotEmpty(t, files)
	for _, name := range files {
		f, err := os.Open(filepath.Join("../..", string(name)))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		require.NoError(t, err)
		head := make([]byte, 4)
		n, _ := io.ReadFull(f, head)
		require.NoError(t, f.Close())
		assert.NotContains(t, []string{"\x7fELF", "!<ar"}, string(head[:n]), "%s is a program or a library: git rm it", name)
	}
}
