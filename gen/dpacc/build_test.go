package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sdk makes what dpacc needs of an SDK, with a device library of one function.
func sdk(t *testing.T) prefix {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{"include", "lib/dpacc", "lib/pkgconfig"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o755))
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "include"), os.DirFS("../../headers/3.0")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "include"), os.DirFS("../../headers/dpa")))
	app, err := os.ReadFile("../../emulator/dpacore/emu_dpa_app.h")
	require.NoError(t, err)
	write(t, dir, "lib/dpacc/emu_dpa_app.h", string(app))
	write(t, dir, "lib/pkgconfig/doca-dpa.pc", "Name: doca-dpa\nCflags: -I/x\n")
	write(t, dir, "rank.c", "extern unsigned (*const *emu_dpa_dev_ops)(void);\nunsigned doca_dpa_dev_thread_rank(void) { return (*emu_dpa_dev_ops)(); }\n")
	command(t, dir, "gcc", "-c", "-fPIC", "rank.c")
	command(t, dir, "ar", "rcs", "lib/libdoca_dpa_dev.a", "rank.o")
	return prefix(dir)
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// dpacc runs on sources, and returns the status and what it has said.
func dpacc(p prefix, args ...string) (status int, said string) {
	var out bytes.Buffer
	status = run(args, func() (prefix, error) { return p, nil }, &out, &out)
	return status, out.String()
}

// globals are the symbols of an object that others see, and those that it needs.
func globals(t *testing.T, object string) (defined, needed []string) {
	t.Helper()
	file, err := elf.Open(object)
	require.NoError(t, err)
	defer file.Close()
	all, err := file.Symbols()
	require.NoError(t, err)
	for _, s := range all {
		switch {
		case elf.ST_BIND(s.Info) == elf.STB_LOCAL || s.Name == "_GLOBAL_OFFSET_TABLE_":
		case s.Section == elf.SHN_UNDEF:
			needed = append(needed, s.Name)
		default:
			defined = append(defined, s.Name)
		}
	}
	slices.Sort(defined)
	slices.Sort(needed)
	return defined, needed
}

const rankSource = `#include <string.h>
#include <doca_dpa_dev.h>
#include "shared.h"
MARKED(first)(uint64_t a, uint64_t *to) { memcpy(to, &a, sizeof(a)); helper(); }
__dpa_rpc__ uint64_t (second)(void) { return doca_dpa_dev_thread_rank() + FROM_OPTIONS; }
`

const sharedHeader = `#pragma once
#define MARKED(name) __dpa_global__ void name
void helper(void);
MARKED(third)(void);
__dpa_global__ void never_defined(int);
`

const otherSource = `#include "shared.h"
int variable = 3;
void helper(void) { variable++; }
void third(void) { helper(); }
void unmarked(void) { }
`

// The archive has the kernels and the application, and nothing else that others see; of libraries it needs the C library's.
func TestArchive(t *testing.T) {
	t.Parallel()
	p, dir := sdk(t), t.TempDir()
	first := write(t, dir, "src/first.c", rankSource)
	second := write(t, dir, "other.c", otherSource)
	write(t, dir, "include/shared.h", sharedHeader)
	for name, output := range map[string]string{"archive": "libx.a", "object": "x.o"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sub := t.TempDir()
			status, said := dpacc(p, first, second, "-o", filepath.Join(sub, output), "--app-name=my_app", "-mcpu=nv-dpa-bf3", "-hostcc=gcc",
				"-I", filepath.Join(dir, "include"), "--devicecc-options=-Wall -Wextra -DDOCA_ALLOW_EXPERIMENTAL_API -DFROM_OPTIONS=7", "-device-libs=-ldoca_dpa_dev", "-flto")
			assert.Zero(t, status)
			assert.Empty(t, said)
			if output == "libx.a" {
				assert.Equal(t, "libx.whole.o\n", command(t, sub, "ar", "t", output))
				command(t, sub, "ar", "x", output)
				output = "libx.whole.o"
			}
			defined, needed := globals(t, filepath.Join(sub, output))
			assert.Equal(t, []string{"first", "my_app", "second", "third"}, defined)
			assert.Empty(t, needed, "the call of memcpy is inlined")
		})
	}
}

// The same sources give the same archive.
func TestSameArchive(t *testing.T) {
	t.Parallel()
	p, dir := sdk(t), t.TempDir()
	source := write(t, dir, "k.c", "__dpa_global__ void k(int n) { (void)n; }\n")
	var made [2][]byte
	for i := range made {
		output := filepath.Join(dir, "libk.a")
		status, said := dpacc(p, source, "-o", output, "--app-name=app")
		require.Zero(t, status, said)
		text, err := os.ReadFile(output)
		require.NoError(t, err)
		made[i] = text
	}
	assert.Equal(t, made[0], made[1])
}

// Mistakes are told with file and line, and leave what was there.
func TestMistakes(t *testing.T) {
	t.Parallel()
	p := sdk(t)
	const k = "__dpa_global__ void k(void) {}\n"
	for name, c := range map[string]struct{ text, want string }{
		"C":                  {"\n" + k + "int f(void) { return x; }\n", "k.c:3:22: error: 'x' undeclared"},
		"no kernel":          {"void k(void) {}\n", "no function in "},
		"only declared":      {"__dpa_global__ void k(void);\n", "no function in "},
		"in a comment":       {"/* __dpa_global__ */ void k(void) {}\n", "no function in "},
		"static":             {k + "static __dpa_global__ void j(void) {}\n", "k.c:2: error: j is static or inline"},
		"inline":             {k + "__dpa_global__ inline void j(void) {}\n", "k.c:2: error: j is static or inline"},
		"both marks":         {k + "__dpa_rpc__ unsigned long k(void);\n", "error: "},
		"two marks":          {"__dpa_rpc__ __dpa_global__ void k(void) {}\n", "k.c:1: error: k is marked with both"},
		"result":             {"__dpa_global__ int k(void) { return 1; }\n", "k.c:1: error: k cannot be started: it returns a value"},
		"RPC without result": {"__dpa_rpc__ void k(void) {}\n", "k.c:1: error: k cannot be started: it does not return a 64-bit integer"},
		"RPC, small result":  {"__dpa_rpc__ int k(void) { return 1; }\n", "k.c:1: error: k cannot be started: it does not return a 64-bit integer"},
		"variadic":           {"__dpa_global__ void k(int n, ...) { (void)n; }\n", "k.c:1: error: k cannot be started: it is variadic"},
		"double":             {"__dpa_global__ void k(int n, double x) { (void)n; (void)x; }\n", "k.c:1: error: k cannot be started: parameter 2 (x): floating-point number"},
		"float inside":       {"struct s { struct { float f[2]; } in; };\n__dpa_global__ void k(struct s s) { (void)s; }\n", "k.c:2: error: k cannot be started: parameter 1 (s): member in: member f: floating-point number"},
		"16 bytes":           {"__dpa_global__ void k(__int128 n) { (void)n; }\n", "k.c:1: error: k cannot be started: parameter 1 (n): integer of 16 bytes"},
		"too large":          {"struct s { char c[4097]; };\n__dpa_global__ void k(struct s s) { (void)s; }\n", "k.c:2: error: k cannot be started: its arguments have 4104 bytes, more than 4096"},
		"missing function":   {k + "void host(void);\nvoid f(void) { host(); }\n", "uses what neither it nor the libraries for the device have: host"},
		"of the host":        {k + "#include <unistd.h>\nvoid f(void) { close(1); }\n", "uses what neither it nor the libraries for the device have: close"},
		"no device library":  {"unsigned doca_dpa_dev_thread_rank(void);\n__dpa_global__ void k(void) { doca_dpa_dev_thread_rank(); }\n", "doca_dpa_dev_thread_rank; DOCA's functions are in -device-libs=\"-ldoca_dpa_dev -ldoca_dpa_dev_comm\""},
		"app":                {"__dpa_global__ void app(void) {}\n", "k.c:1: error: the kernel has the name of the application, app"},
		"no such header":     {"#include <nothing.h>\n", "k.c:1:10: fatal error: nothing.h"},
		"open condition":     {k + "#if 1\n", "k.c:2: error: unterminated #if"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			source, output := write(t, dir, "k.c", c.text), write(t, dir, "libk.a", "as it was")
			status, said := dpacc(p, source, "-o", output, "--app-name=app")
			assert.Equal(t, 1, status)
			assert.Contains(t, strings.NewReplacer("‘", "'", "’", "'").Replace(said), c.want)
			text, err := os.ReadFile(output)
			require.NoError(t, err)
			assert.Equal(t, "as it was", string(text))
		})
	}
}

// What surrounds the sources may be wrong as well.
func TestWrongSurroundings(t *testing.T) {
	t.Parallel()
	p, dir := sdk(t), t.TempDir()
	source := write(t, dir, "k.c", "__dpa_global__ void k(void) {}\n")
	same := write(t, dir, "same.c", "void k(void) {}\n")
	output := filepath.Join(dir, "libk.a")
	blob := write(t, dir, "blob", "nothing")
	for want, c := range map[string]struct {
		status int
		args   []string
	}{
		"nowhere.c: No such file":             {1, []string{filepath.Join(dir, "nowhere.c"), "-o", output, "--app-name=app"}},
		"-hostcc: exec: \"no-such-cc\"":       {1, []string{source, "-o", output, "--app-name=app", "-hostcc=no-such-cc"}},
		"multiple definition of `k'":          {1, []string{source, same, "-o", output, "--app-name=app"}},
		"cannot find -lnothing":               {1, []string{source, "-o", output, "--app-name=app", "-device-libs=-lnothing"}},
		"blob is no blob of attributes: make": {1, []string{source, "-o", output, "--app-name=app", "--dpa-proc-attr=" + blob}},
		"no such file or directory":           {1, []string{source, "-o", filepath.Join(dir, "none/libk.a"), "--app-name=app"}},
		"dpacc: error: name the archive":      {2, []string{source, "--app-name=app"}},
		"usage: dpacc SOURCE... -o":           {0, []string{"--help"}},
		"dpacc 1.6.0 (DOCA emulator)":         {0, []string{"--version"}},
		"unrecognized command-line option":    {1, []string{source, "-o", output, "--app-name=app", "--devicecc-options=-fno-such"}},
	} {
		status, said := dpacc(p, c.args...)
		assert.Equal(t, c.status, status, want)
		assert.Contains(t, said, want)
		assert.NoFileExists(t, output)
	}
	var out bytes.Buffer
	assert.Equal(t, 1, run([]string{source, "-o", output, "--app-name=app"}, ownPrefix, &out, &out))
	assert.Contains(t, out.String(), "is in no SDK: make sdk installs it")
}

// Warnings are shown, and are no errors: the compiler for hardware has others.
func TestWarnings(t *testing.T) {
	t.Parallel()
	p, dir := sdk(t), t.TempDir()
	source := write(t, dir, "k.c", "__dpa_global__ void k(void) { int unused; }\n")
	status, said := dpacc(p, source, "-o", filepath.Join(dir, "libk.a"), "--app-name=app", "--devicecc-options=-Wall -Werror")
	assert.Zero(t, status)
	assert.Equal(t, 1, strings.Count(said, "warning: unused variable"), said)
	assert.Contains(t, said, "k.c:1:")
}
