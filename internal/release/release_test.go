package release

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	header = "#ifndef DOCA_A_H_\n#define DOCA_A_H_\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\ntypedef enum doca_a {\n\tDOCA_A_ONE = 1, /**< One. */\n} doca_a_t;\n\n" +
		"void doca_a(void);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* DOCA_A_H_ */\n"
	head = "/* License */\n/* What it is. */\n\n"
)

// reference writes directories of releases.
func reference(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func written(t *testing.T, s Set, more ...string) map[string]string {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, s.Write(to, more...))
	have := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(to, "*"))
	require.NoError(t, err)
	for _, p := range paths {
		require.NoError(t, read(p, have))
	}
	return have
}

func TestReleases(t *testing.T) {
	t.Parallel()
	dir := reference(t, map[string]string{
		"2.9/doca_version.h": "old", "3.0/doca_version.h": "3.0\n", "3.0/doca_a.h": header, "dpa/doca_version.h": "", "4.0.1/doca_version.h": "",
		"3.2/doca_a.h":  head + "enum doca_a {\n\tDOCA_A_TWO = 2, /**< Two. */\n};\n\n/** An enumeration. */\nenum doca_n {\n\tDOCA_N = 1,\n};\n\nvoid doca_later(void);\n",
		"3.10/doca_a.h": head + "void doca_last(void);\n",
		"3.10/doca_b.h": "a new header\n",
	})
	newest, err := Newest(dir)
	require.NoError(t, err)
	assert.Equal(t, "3.10", filepath.Base(newest), "numbers, not texts, are compared")
	for _, whole := range []string{"3.0", "2.9", "dpa", "4.0.1"} {
		_, ok, err := At(filepath.Join(dir, whole))
		require.NoError(t, err)
		assert.False(t, ok, "%s has all headers, or is no release", whole)
	}
	first, ok, err := At(filepath.Join(dir, "3.2"))
	require.NoError(t, err)
	require.True(t, ok)
	assert.Equal(t, Set{Release: "3.2", Base: filepath.Join(dir, "3.0"), Additions: []string{filepath.Join(dir, "3.2")}}, first)
	const merged = "typedef enum doca_a {\n\tDOCA_A_ONE = 1, /**< One. */\n\tDOCA_A_TWO = 2, /**< Two. */\n} doca_a_t;\n\nvoid doca_a(void);\n\n" +
		"/** An enumeration. */\nenum doca_n {\n\tDOCA_N = 1,\n};\n\nvoid doca_later(void);\n\n"
	have := written(t, first)
	assert.Len(t, have, 2)
	assert.Equal(t, "3.0\n", have["doca_version.h"])
	assert.Contains(t, have["doca_a.h"], merged+"#ifdef __cplusplus\n}")
	assert.NotContains(t, have["doca_a.h"], "What it is")

	last, ok, err := At(newest)
	require.NoError(t, err)
	require.True(t, ok)
	have = written(t, last, reference(t, map[string]string{"doca_a.h": head + "void doca_more(void);\n"}))
	assert.Contains(t, have["doca_a.h"], merged+"void doca_last(void);\n\nvoid doca_more(void);\n\n#ifdef __cplusplus\n}")
	assert.Equal(t, "a new header\n", have["doca_b.h"])
}

func TestNoPlaceForAdditions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ header, added, want string }{
		"no end":  {"void doca_a(void);\n", head + "void doca_later(void);\n", "doca_a.h: the header has no place for additions"},
		"no head": {header, "void doca_later(void);\n", "doca_a.h: no empty line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := reference(t, map[string]string{"3.0/doca_version.h": "", "3.0/doca_a.h": c.header, "3.1/doca_a.h": c.added})
			s, ok, err := At(filepath.Join(dir, "3.1"))
			require.NoError(t, err)
			require.True(t, ok)
			assert.ErrorContains(t, s.Write(t.TempDir()), c.want)
		})
	}
}

func TestNoReleases(t *testing.T) {
	t.Parallel()
	_, err := Newest(t.TempDir())
	assert.ErrorContains(t, err, "no headers of a release in ")
	dir := reference(t, map[string]string{"3.1/doca_a.h": header})
	_, ok, err := At(filepath.Join(dir, "3.1"))
	require.NoError(t, err)
	assert.False(t, ok, "additions to nothing")
}
