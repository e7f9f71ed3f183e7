package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A shape is a made-up library in testdata/shapes: doca_x.h and other headers, x.c, and main.go, a program that uses its
// bindings. What the headers have in common with NVIDIA's is what made bindings of them hard.

// shapeSDK is an SDK with the header of a shape, and what bindings of it are.
func shapeSDK(t *testing.T, name string) (sdk, out string, files map[string]string) {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	sdk = filepath.Join(t.TempDir(), "sdk")
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	headers, err := filepath.Glob(filepath.Join("testdata", "shapes", name, "*.h"))
	require.NoError(t, err)
	for _, h := range headers {
		text, err := os.ReadFile(h)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(sdk, filepath.Base(h)), text, 0o644))
	}
	mod := t.TempDir()
	goMod := "module example.com/user\n\ngo 1.26.0\n\nrequire github.com/go-doca/go-doca v0.0.0\n\nreplace github.com/go-doca/go-doca => " + root + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(mod, "go.mod"), []byte(goMod), 0o644))
	out = filepath.Join(mod, "bindings")
	status, _, errOut := gen("generate", "-sdk", sdk, "-libs", name, "-out", out)
	require.Zero(t, status, errOut)
	return sdk, out, tree(t, out)
}

// runShape runs the program of a shape with its library, and returns what it prints.
func runShape(t *testing.T, name string) string {
	t.Helper()
	sdk, out, _ := shapeSDK(t, name)
	mod, lib := filepath.Dir(out), t.TempDir()
	for soname, source := range map[string]string{"libdoca_common.so.2": "common.c", "libdoca_" + name + ".so.2": name + ".c"} {
		source = filepath.Join("testdata", "shapes", name, source)
		if _, err := os.Stat(source); err != nil {
			source = filepath.Join("testdata", "shapes", "common.c")
		}
		text, err := exec.Command("cc", "-shared", "-fPIC", "-pthread", "-Wall", "-Werror", "-Wno-deprecated-declarations", "-DDOCA_ALLOW_EXPERIMENTAL_API", "-I", sdk, source, "-o", filepath.Join(lib, soname)).CombinedOutput()
		require.NoError(t, err, string(text))
	}
	program, err := os.ReadFile(filepath.Join("testdata", "shapes", name, "main.go"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(mod, "main.go"), program, 0o644))
	for _, args := range [][]string{{"vet", "./..."}, {"run", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = mod
		cmd.Env = append(os.Environ(), "DOCA_PROVIDER=sdk", "LD_LIBRARY_PATH="+lib)
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, string(text))
		if args[0] == "run" {
			return string(text)
		}
	}
	return ""
}

// Whatever function a callback runs in, on whatever thread, its record arrives.
func TestEveryCallbackArrives(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `with a ring: 1/0/4 2/0/4
waiting: 1
collected: 1 0
without: 3/0/4
a function that takes none: 1/2/4 2/2/4 3/2/4
news: 0
aged: 1
one of two kinds: 1/2/4
on a thread of the library: "news 0" "news 1" "news 2" "news 0"
at the end: 1/1/4 2/1/4 3/1/4
{Seen:4812 Waiting:0 Lost:0}
`, runShape(t, "flow"))
}

// Each callback's data goes where its name or its comment says that it belongs, arrays are copied, and what has no place in a
// record follows it.
func TestDataOfCallbacks(t *testing.T) {
	t.Parallel()
	_, _, files := shapeSDK(t, "eth")
	assert.Contains(t, files["api/skipped.txt"], "doca_eth_txq.h | function | doca_eth_txq_set_odd_cb | callback odd_cb: neither the name nor the comment of its argument data1 says whether it is the context's user data\n")
	assert.Equal(t, `ctx 100 user 200 sent 2 [2000 2001] [0x1000 0x1001] [DOCA_SUCCESS DOCA_ERROR_AGAIN]
ctx 100 user 200 cut 2 17 18446744073709551615 -3 true [2000 2001] [0x1000 0x1001] 2 [DOCA_SUCCESS DOCA_ERROR_AGAIN]
ctx -1 user 300 event 5
ctx 100 user 200 empty true
ctx 101 user 201 sent 3 [2010 2011 2012] [0x1000 0x1001 0x1002] [DOCA_SUCCESS DOCA_ERROR_AGAIN DOCA_SUCCESS]
ctx 101 user 201 cut 3 17 18446744073709551615 -3 true [2010 2011 2012] [0x1000 0x1001 0x1002] 3 [DOCA_SUCCESS DOCA_ERROR_AGAIN DOCA_SUCCESS]
ctx -1 user 301 event 5
ctx 101 user 201 empty true
406
doca_eth_txq_apply_metadata: DOCA_ERROR_INVALID_VALUE (not called: the arrays must have the same number of elements: metadataArray has 3, flagsArray has 1)
`, runShape(t, "eth"))
}

// What C waits for, Go functions do; arrays have types, whether C is done with them after the call or not.
func TestWhatCWaitsFor(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `64 7 <nil> [alloc 64 free true]
doca_sta_work: DOCA_ERROR_NO_MEMORY true
doca_sta_set_allocator: DOCA_ERROR_INVALID_VALUE
entries 5 200
relocate 5 3 6
<nil>
entries 5 200
relocate 5 3 6
doca_sta_resize: DOCA_ERROR_UNEXPECTED
entries 5 300
doca_sta_resize: DOCA_ERROR_FULL
2131 <nil>
34 <nil>
doca_sta_pipe_cfg_set_actions: DOCA_ERROR_INVALID_VALUE (not called: the arrays must have the same number of elements: actions has 2, actionsMasks has 1)
[{3000 3} {4000 4}]
36 <nil>
6 <nil>
doca_sta_accept: DOCA_ERROR_INVALID_VALUE (not called: 300 elements, of which C counts 255 at most)
6 <nil>
16 <nil>
0 doca_sta_key_check: DOCA_ERROR_INVALID_VALUE (not called: rawKey has 16 bytes, of which the type wants 32)
the name of an object <nil>
117637640 <nil>
`, runShape(t, "sta"))
}
