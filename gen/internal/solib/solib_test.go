package solib

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// library compiles a shared library.
func library(t *testing.T, path, soname, source string, args ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	args = append([]string{"-shared", "-fPIC", "-nostdlib", "-x", "c", "-", "-x", "none", "-o", path}, args...)
	if soname != "" {
		args = append(args, "-Wl,-soname,"+soname)
	}
	cmd := exec.Command("cc", args...)
	cmd.Stdin = strings.NewReader(source)
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, string(text))
}

func TestWhoExportsWhat(t *testing.T) {
	t.Parallel()
	sdk := t.TempDir()
	lib := filepath.Join(sdk, "lib", "x86_64-linux-gnu")
	library(t, filepath.Join(lib, "libdoca_a.so.2.9.1"), "libdoca_a.so.2",
		`void doca_a(void) {} void doca_both(void) {} int doca_number; static void own(void) {} void (*doca_pointer)(void) = own;
		__attribute__((visibility("hidden"))) void doca_hidden(void) {} __attribute__((weak)) void doca_weak(void) {}
		extern void doca_elsewhere(void); void doca_calls(void) { doca_elsewhere(); }`)
	require.NoError(t, os.Symlink("libdoca_a.so.2.9.1", filepath.Join(lib, "libdoca_a.so.2")))
	require.NoError(t, os.Symlink("libdoca_a.so.2", filepath.Join(lib, "libdoca_a.so")))
	library(t, filepath.Join(lib, "libdoca_nameless.so"), "", "void doca_b(void) {} void doca_both(void) {}")
	library(t, filepath.Join(lib, "libother.so"), "", "void doca_b(void) {}")
	require.NoError(t, os.WriteFile(filepath.Join(lib, "libdoca_broken.so"), []byte("GROUP ( libdoca_a.so.2 )\n"), 0o644))
	x := Read(sdk, filepath.Join(sdk, "include"))
	assert.Equal(t, []string{lib}, x.Dirs)
	assert.Equal(t, map[string][]string{
		"doca_a": {"libdoca_a.so.2"}, "doca_weak": {"libdoca_a.so.2"}, "doca_calls": {"libdoca_a.so.2"},
		"doca_both": {"libdoca_a.so.2", "libdoca_nameless.so"}, "doca_b": {"libdoca_nameless.so"},
	}, x.Of)
	require.Len(t, x.Notes, 1)
	assert.Contains(t, x.Notes[0], filepath.Join(lib, "libdoca_broken.so")+" cannot be read")
}

// An SDK for another processor is read as well.
func TestAnotherProcessor(t *testing.T) {
	t.Parallel()
	sdk := t.TempDir()
	path := filepath.Join(sdk, "lib", "aarch64-linux-gnu", "libdoca_a.so.2")
	library(t, path, "libdoca_a.so.2", "void doca_a(void) {}")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	const machine, aarch64, x86 = 18, 183, 62 // where the ELF header has it
	other := uint16(aarch64)
	if binary.LittleEndian.Uint16(text[machine:]) == aarch64 {
		other = x86
	}
	binary.LittleEndian.PutUint16(text[machine:], other)
	require.NoError(t, os.WriteFile(path, text, 0o644))
	assert.Equal(t, map[string][]string{"doca_a": {"libdoca_a.so.2"}}, Read(sdk, filepath.Join(sdk, "include")).Of)
}

func TestDirs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{"lib", "opt/sdk/lib64", "opt/sdk/lib/aarch64-linux-gnu", "inner/infrastructure/lib"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, dir, "libdoca_a.so"), nil, 0o644))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "opt/sdk/lib/x86_64-linux-gnu"), 0o755)) // without libraries
	require.NoError(t, os.Symlink("lib64", filepath.Join(root, "opt/sdk/usr")))
	in := func(dirs ...string) (all []string) {
		for _, d := range dirs {
			all = append(all, filepath.Join(root, d))
		}
		return all
	}
	for sdk, c := range map[string]struct {
		include string
		want    []string
	}{
		"opt/sdk":              {"opt/sdk/include", in("opt/sdk/lib64", "opt/sdk/lib/aarch64-linux-gnu")},
		"opt/sdk/include":      {"opt/sdk/include", in("opt/sdk/lib64", "opt/sdk/lib/aarch64-linux-gnu")},
		"opt/sdk/include/doca": {"opt/sdk/include/doca", in("opt/sdk/lib64", "opt/sdk/lib/aarch64-linux-gnu")},
		"inner":                {"inner/infrastructure/include", in("inner/infrastructure/lib")},
		// Headers in any directory do not belong to the libraries above it.
		"headers": {"headers", nil},
	} {
		t.Run(sdk, func(t *testing.T) {
			assert.Equal(t, c.want, Dirs(filepath.Join(root, sdk), filepath.Join(root, c.include)), sdk)
		})
	}
}
