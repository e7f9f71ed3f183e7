package device

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// flattened makes one text of the file a.c.
func flattened(t *testing.T, files map[string]string) (text, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	f := Flattener{
		Dirs: []string{filepath.Join(dir, "include")},
		SDK:  Headers{FS: fstest.MapFS{"one/doca_x.h": {Data: []byte("int from_sdk;\n")}, "two/sub/y.h": {Data: []byte("#include <doca_x.h>\nint y;\n")}}, Dirs: []string{"one", "two"}},
		Name: func(path string) string { return filepath.Base(path) },
	}
	text, err := f.Flatten(filepath.Join(dir, "a.c"))
	require.NoError(t, err)
	return text, dir
}

// compiled are the values of variables that a program prints.
func compiled(t *testing.T, dir, text, print string) string {
	t.Helper()
	source, program := filepath.Join(dir, "flat.c"), filepath.Join(dir, "flat")
	require.NoError(t, os.WriteFile(source, []byte(text+"\n#include <stdio.h>\nint main(void) { "+print+" return 0; }\n"), 0o644))
	out, err := exec.Command("gcc", "-Wall", "-Werror", "-o", program, source).CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command(program).CombinedOutput()
	require.NoError(t, err)
	return string(out)
}

// The text means what the source meant: guards, headers that come several times, and those that come under conditions.
func TestFlatten(t *testing.T) {
	t.Parallel()
	text, dir := flattened(t, map[string]string{
		"a.c": "#if 0\n#include \"guarded.h\"\n#endif\n#include \"guarded.h\"\n#include \"guarded.h\"\n#include \"once.h\"\n#include \"once.h\"\n" +
			"enum {\n#define ITEM(x) x,\n#include \"list.def\"\n#undef ITEM\n};\nint sum = 0\n#define ITEM(x) + x\n#include \"list.def\"\n;\n" +
			"#include <sub/y.h>\n#include <stdint.h>\nint line = __LINE__; const char *file = __FILE__;\n" +
			"const char *text = \"/* no comment */ // \\\"nor this\"; char quote = '\"'; /* one\n#include \"not_there.h\"\n*/ int last = __LINE__; // end\n",
		"guarded.h":            "/* A header. */\n#ifndef GUARDED_H\n#define GUARDED_H\n#include \"sub/inner.h\"\nint guarded = 1;\n#endif /* GUARDED_H */\n",
		"include/sub/inner.h":  "#pragma once\n#include \"beside.h\"\nint inner = 2;\n",
		"include/sub/beside.h": "int beside;\n",
		"once.h":               "#pragma once\nint once = 3;\n",
		"list.def":             "ITEM(A)\nITEM(B)\nITEM(C)\n",
	})
	assert.NotContains(t, text, "#include \"")
	assert.Contains(t, text, "#include <stdint.h>", "the C library's headers stay")
	assert.Equal(t, 2, strings.Count(text, "int guarded"), "once under a condition, once without")
	assert.Equal(t, 1, strings.Count(text, "int once"))
	assert.NotContains(t, text, "A header")
	assert.Equal(t, "1 2 3 3 19 22 a.c /* no comment */ // \"nor this\n", compiled(t, dir, text,
		"printf(\"%d %d %d %d %d %d %s %s\\n\", guarded, inner, once, sum, line, last, file, text); (void)y, (void)from_sdk, (void)beside, (void)quote;"))
}

func TestFlattenWithoutEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.h")
	require.NoError(t, os.WriteFile(file, []byte("#include \"a.h\"\n"), 0o644))
	_, err := (&Flattener{}).Flatten(file)
	assert.ErrorContains(t, err, "a.h:1: error: #include nested too deeply")
	_, err = (&Flattener{}).Flatten(filepath.Join(dir, "nowhere.c"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
