package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Bindings that stand on those of another module are compared as if all were in one: what they do not
// have has not gone or come, and what has changed is found.
func TestDiffOfBindingsOnOthers(t *testing.T) {
	t.Parallel()
	dir, sdk := usersModule(t)
	out := filepath.Join(dir, "internal", "doca")
	status, _, errOut := gen("generate", "-sdk", sdk, "-libs", "sha", "-out", out)
	require.Zero(t, status, errOut)
	const note = "has bindings of sha alone, which stand on those of another module: other libraries were not compared"

	t.Run("no difference", func(t *testing.T) {
		t.Parallel()
		for side, args := range map[string][]string{"OLD": {out, sdk}, "NEW": {sdk, out}} {
			status, r := diffOf(t, args...)
			assert.Zero(t, status, side)
			assert.Empty(t, r.Changes, side)
			assert.Contains(t, r.Notes, side+" "+note)
		}
		status, r := diffOf(t, out, out)
		assert.Zero(t, status)
		assert.Empty(t, r.Changes)
	})
	t.Run("a difference", func(t *testing.T) {
		t.Parallel()
		changed := t.TempDir()
		require.NoError(t, os.CopyFS(changed, os.DirFS(sdk)))
		header := filepath.Join(changed, "doca_sha.h")
		text, err := os.ReadFile(header)
		require.NoError(t, err)
		edited := strings.Replace(string(text), "doca_sha_create(struct doca_dev *dev,", "doca_sha_create(struct doca_dev *dev, struct doca_mmap *mmap,", 1)
		require.NotEqual(t, string(text), edited)
		require.NoError(t, os.WriteFile(header, []byte(edited), 0o644))
		status, r := diffOf(t, out, changed)
		assert.Equal(t, diffBreaking, status)
		require.Len(t, r.Changes, 1)
		assert.Equal(t, "doca_sha_create", r.Changes[0].Name)
		require.Len(t, r.Changes[0].GoAPI, 1)
		assert.Contains(t, r.Changes[0].GoAPI[0], "Create: changed from func(*common.Dev) (*SHA, error) to func(*common.Dev, *common.Mmap) (*SHA, error)")
	})
}
