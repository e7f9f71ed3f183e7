package attributes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConvert(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"an empty list":       "features: []\n",
		"nothing in the list": "version: 1\nfeatures:\n",
		"deeper":              "# a comment\napp:\n  name: x\n  feature_list: []\n  sizes: [1, 2]\n",
		"an empty mapping":    "features: {}\n",
		"JSON":                `{"features": []}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in, blob := filepath.Join(dir, "in.yaml"), filepath.Join(dir, "blob")
			require.NoError(t, os.WriteFile(in, []byte(text), 0o644))
			require.NoError(t, Convert(in, blob))
			require.NoError(t, Check(blob))
			made, err := os.ReadFile(blob)
			require.NoError(t, err)
			for i := range made { // each changed byte, and each length, is noticed
				bad := append([]byte{}, made...)
				bad[i] ^= 1
				require.NoError(t, os.WriteFile(blob, bad, 0o644))
				require.Error(t, Check(blob), "byte %d", i)
				require.NoError(t, os.WriteFile(blob, made[:i], 0o644))
				require.Error(t, Check(blob), "length %d", i)
			}
			require.NoError(t, os.WriteFile(blob, append(made, 0), 0o644))
			require.Error(t, Check(blob))
		})
	}
}

func TestConvertErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                 "the file is empty",
		"# nothing\n":                      "the file is empty",
		"- a\n- b\n":                       "line 1: want a mapping of attributes",
		"text\n":                           "line 1: want a mapping of attributes",
		"a: [1\n":                          "line 1",
		"a: 1\n---\nb: 2\n":                "the file has more than one document",
		"a: 1\nb: 2\na: 3\n":               "line 3: a is there twice",
		"x: 1\nfeatures:\n  - fast\n":      "line 3: the emulator has no feature \"fast\": leave features empty",
		"app:\n  features: {fast: true}\n": "line 2: the emulator has no feature \"fast\": leave features empty",
		"features: fast\n":                 "line 1: features is not a list",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in, blob := filepath.Join(dir, "in.yaml"), filepath.Join(dir, "blob")
			require.NoError(t, os.WriteFile(in, []byte(text), 0o644))
			err := Convert(in, blob)
			assert.ErrorContains(t, err, want)
			assert.ErrorContains(t, err, in)
			assert.NoFileExists(t, blob)
		})
	}
	dir := t.TempDir()
	assert.ErrorIs(t, Convert(filepath.Join(dir, "nowhere"), filepath.Join(dir, "blob")), os.ErrNotExist)
	assert.ErrorIs(t, Check(filepath.Join(dir, "nowhere")), os.ErrNotExist)
}
