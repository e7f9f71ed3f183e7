package emit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	mark := "// " + generated + "\n"
	require.NoError(t, Files{"a/x.go": []byte(mark + "1"), "b/y.go": []byte(mark + "2")}.Write(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", "own.go"), []byte("mine"), 0o644))
	before, err := os.Stat(filepath.Join(dir, "a", "x.go"))
	require.NoError(t, err)

	require.NoError(t, Files{"a/x.go": []byte(mark + "1"), "c.go": []byte(mark + "3")}.Write(dir))
	after, err := os.Stat(filepath.Join(dir, "a", "x.go"))
	require.NoError(t, err)
	assert.Equal(t, before.ModTime(), after.ModTime(), "a file that has not changed is not written")
	assert.NoFileExists(t, filepath.Join(dir, "b", "y.go"))
	assert.Equal(t, "mine", read(t, filepath.Join(dir, "a", "own.go")))
	assert.Equal(t, mark+"3", read(t, filepath.Join(dir, "c.go")))
}

func TestFailedWriteChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mark := "// " + generated + "\n"
	require.NoError(t, Files{"a.go": []byte(mark + "old")}.Write(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	assert.Error(t, Files{"a.go": []byte(mark + "new"), "file/b.go": []byte(mark)}.Write(dir))
	assert.EqualError(t, Files{"a.go": nil}.Write(filepath.Join(dir, "file")), "write to "+filepath.Join(dir, "file")+": not a directory")
	assert.Equal(t, mark+"old", read(t, filepath.Join(dir, "a.go")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "no temporary file is left")
}
