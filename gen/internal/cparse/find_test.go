package cparse

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFindIncludeDir(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"include directory", "doca_error.h", ""},
		{"without doca_error.h", "doca_version.h", ""},
		{"prefix", "include/doca_error.h", "include"},
		{"infrastructure", "infrastructure/include/doca_version.h", "infrastructure/include"},
		{"another part", "sdk[1]/include/doca_error.h", "sdk[1]/include"},
		{"root of an image", "opt/mellanox/doca/include/doca_error.h", "opt/mellanox/doca/include"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := writeHeaders(t, map[string]string{tt.file: "\n"})
			if filepath.Base(tt.file) != versionHeader || tt.want != "" {
				require.NoError(t, os.Remove(filepath.Join(dir, versionHeader)))
			}
			got, err := FindIncludeDir(dir)
			require.NoError(t, err)
			assert.Equal(t, filepath.Join(dir, tt.want), got)
		})
	}
}

func TestFindIncludeDirErrors(t *testing.T) {
	empty := t.TempDir()
	file := filepath.Join(empty, "doca")
	_, err := FindIncludeDir(empty)
	for _, part := range []string{"doca_error.h", "doca_version.h", empty, filepath.Join(empty, "include"), filepath.Join(empty, "infrastructure", "include")} {
		assert.ErrorContains(t, err, part)
	}
	_, err = FindIncludeDir(filepath.Join(empty, "nothing"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err = FindIncludeDir(file)
	assert.ErrorContains(t, err, "not a directory")
	_, err = FindIncludeDir("")
	assert.ErrorContains(t, err, "/opt/mellanox/doca")
}

func TestVersion(t *testing.T) {
	tests := []struct {
		name, c string
		want    Version
		err     string
	}{
		{"3.0", versionText, Version{3, 0, 58, "3.0.0058"}, ""},
		{"2.5", "#define DOCA_VER_MAJOR 2\n#define DOCA_VER_MINOR 5\n#define DOCA_VER_PATCH 0108\n#define DOCA_VER_STRING \"2.5.0108\"\n", Version{2, 5, 108, "2.5.0108"}, ""},
		{"tabs, brackets and suffixes", "#define\tDOCA_VERSION_MAJOR\t(3)\n# define DOCA_VERSION_MINOR 1U /* one */\n#define DOCA_VERSION_PATCH 105\n", Version{3, 1, 105, "3.1.0105"}, ""},
		{"empty", "\n", Version{}, "neither DOCA_VERSION_MAJOR"},
		{"incomplete", "#define DOCA_VERSION_MAJOR 3\n", Version{}, "DOCA_VERSION_MINOR is not defined"},
		{"no number", "#define DOCA_VERSION_MAJOR x\n#define DOCA_VERSION_MINOR 1\n#define DOCA_VERSION_PATCH 1\n", Version{}, "doca_version.h:1: DOCA_VERSION_MAJOR is not a number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			api, err := Parse(Config{Dir: writeHeaders(t, map[string]string{versionHeader: tt.c})})
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, api.Version)
		})
	}
	dir := writeHeaders(t, map[string]string{"doca_error.h": "enum doca_error { DOCA_SUCCESS };\n"})
	require.NoError(t, os.Remove(filepath.Join(dir, versionHeader)))
	_, err := Parse(Config{Dir: dir})
	assert.ErrorContains(t, err, "no doca_version.h in "+dir)
}
