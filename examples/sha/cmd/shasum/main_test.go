package main

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/sha"
	"github.com/go-doca/go-doca/examples/sha/internal/testsdk"
)

func TestMain(m *testing.M) { testsdk.Main(m) }

func TestRun(t *testing.T) {
	dir := t.TempDir()
	var names []string
	want := map[sha.Algorithm]string{}
	for i, text := range []string{"", "abc", string(bytes.Repeat([]byte("go-doca "), 1<<17))} {
		name := filepath.Join(dir, fmt.Sprint(i))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		names = append(names, name)
		want[sha.SHA1] += fmt.Sprintf("%x  %s\n", sha1.Sum([]byte(text)), name)
		want[sha.SHA256] += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name)
	}
	for a, text := range want {
		t.Run(a.String(), func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, run(&out, "03:00.0", a, names))
			assert.Equal(t, text, out.String())
		})
	}
	assert.ErrorIs(t, run(nil, "03:00.0", sha.SHA256, []string{filepath.Join(dir, "none")}), os.ErrNotExist)
	assert.ErrorIs(t, run(nil, "99:00.0", sha.SHA256, names), doca.ErrNotFound)
	assert.NoError(t, run(nil, "99:00.0", sha.SHA256, nil))
}
