package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/attributes"
)

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, blob := filepath.Join(dir, "in.yaml"), filepath.Join(dir, "blob")
	require.NoError(t, os.WriteFile(in, []byte("features: []\n"), 0o644))
	for want, c := range map[string]struct {
		status int
		args   []string
	}{
		"usage: dpa-app-attributes2blob FILE.yaml BLOB": {2, nil},
		"usage: ":                       {2, []string{in}},
		"BLOB\n":                        {2, []string{in, blob, blob}},
		"makes a blob":                  {2, []string{"--what", blob}},
		"usage: dpa-app":                {0, []string{"--help"}},
		"error: open ":                  {1, []string{filepath.Join(dir, "nowhere"), blob}},
		"nowhere/blob: no such file or": {1, []string{in, filepath.Join(dir, "nowhere/blob")}},
	} {
		var out bytes.Buffer
		assert.Equal(t, c.status, run(c.args, &out, &out), want)
		assert.Contains(t, out.String(), want)
		assert.NoFileExists(t, blob)
	}
	var out bytes.Buffer
	assert.Zero(t, run([]string{in, blob}, &out, &out))
	assert.Empty(t, out.String())
	assert.NoError(t, attributes.Check(blob))
}
