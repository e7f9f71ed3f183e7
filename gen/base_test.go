package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// usersModule makes a module outside the project that requires it, and an SDK with one library
// more than the project binds.
func usersModule(t *testing.T) (dir, sdk string) {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir, sdk = t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	require.NoError(t, os.CopyFS(sdk, os.DirFS("../examples/sha/sdk/include")))
	goMod := "module example.com/hash\n\ngo 1.26.0\n\nrequire github.com/go-doca/go-doca v0.0.0\n\nreplace github.com/go-doca/go-doca => " + root + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o644))
	sum, err := os.ReadFile("../go.sum")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644))
	return dir, sdk
}

func goIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "DOCA_PROVIDER=emulator")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// usersProgram uses bindings of its own for a library that the emulator does not know, and the
// project's for one that is there as stubs.
const usersProgram = `package main

import (
	"errors"
	"fmt"

	"example.com/hash/internal/doca/sha"
	_ "github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/compress"
)

func main() {
	devs, err := common.DevinfoCreateList()
	if err != nil {
		panic(err)
	}
	dev, err := common.DevOpen(devs[0])
	if err != nil {
		panic(err)
	}
	_, err = sha.Create(dev)
	fmt.Println("sha:", errors.Is(err, abi.ErrorNotSupported), err)
	_, err = compress.Create(dev)
	fmt.Println("compress:", errors.Is(err, abi.ErrorNotSupported), err)
	caps, err := sha.GetCapabilities(devs[0])
	fmt.Println("caps:", caps, err)
	var submit func(*abi.Batch, []*abi.Slot) error = sha.TaskHashSubmitBatch
	fmt.Println("forms:", sha.AlgorithmSHA256, sha.KindTaskHashCompletion != sha.KindTaskHashError, submit != nil)
}
`

func TestOnTopOfOurs(t *testing.T) {
	t.Parallel()
	dir, sdk := usersModule(t)
	out := filepath.Join(dir, "internal", "doca")
	status, text, errOut := gen("generate", "-sdk", sdk, "-libs", "sha", "-out", out)
	require.Zero(t, status, errOut)
	assert.Regexp(t, `^sha: bound \d+, skipped \d+\n`, text)
	assert.NotContains(t, text, "common:")
	assert.NoDirExists(t, filepath.Join(out, "abi"))
	assert.NoDirExists(t, filepath.Join(out, "common"))
	ledger, err := os.ReadFile(filepath.Join(out, "api", "3.0.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(ledger), "sha: func Create(dev *common.Dev) (sha *SHA, err error)")
	assert.NotContains(t, string(ledger), "doca_dev.h")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(usersProgram), 0o644))
	goIn(t, dir, "vet", "./...")
	said := goIn(t, dir, "run", ".")
	assert.Contains(t, said, "sha: true libdoca_sha.so.2 cannot be loaded")
	assert.Contains(t, said, "compress: true doca_compress_create: DOCA_ERROR_NOT_SUPPORTED")
	assert.Contains(t, said, "caps: {0 0} libdoca_sha.so.2 cannot be loaded")
	assert.Contains(t, said, "forms: DOCA_SHA_ALGORITHM_SHA256 true true")
}

// The core of the SDK may have types that the base has not, or has with other members: two libraries
// that use them compile, and nothing passes a record of the wrong layout.
func TestNewerCore(t *testing.T) {
	t.Parallel()
	dir, sdk := usersModule(t)
	insert := func(header, text string) {
		path := filepath.Join(sdk, header)
		old, err := os.ReadFile(path)
		require.NoError(t, err)
		at := strings.LastIndex(string(old), "#endif")
		require.NoError(t, os.WriteFile(path, []byte(string(old[:at])+text+string(old[at:])), 0o644))
	}
	insert("doca_types.h", "struct doca_new_range { uint64_t from, to; };\nenum doca_new_mode { DOCA_NEW_MODE_A };\ntypedef uint32_t doca_new_id_t;\n")
	types := filepath.Join(sdk, "doca_types.h")
	old, err := os.ReadFile(types)
	require.NoError(t, err)
	require.Contains(t, string(old), "struct doca_gather_list {")
	require.NoError(t, os.WriteFile(types, []byte(strings.Replace(string(old), "struct doca_gather_list {", "struct doca_gather_list { uint64_t more;", 1)), 0o644))
	const uses = `doca_error_t doca_LIB_range(struct doca_new_range *range, doca_new_id_t id);
doca_error_t doca_LIB_mode(enum doca_new_mode mode);
doca_error_t doca_LIB_gather(struct doca_gather_list *list);
`
	insert("doca_sha.h", strings.ReplaceAll(uses, "LIB", "sha"))
	require.NoError(t, os.WriteFile(filepath.Join(sdk, "doca_hop.h"), []byte("#pragma once\n#include <doca_error.h>\n#include <doca_types.h>\n"+strings.ReplaceAll(uses, "LIB", "hop")), 0o644))
	out := filepath.Join(dir, "internal", "doca")
	status, _, errOut := gen("generate", "-sdk", sdk, "-libs", "sha,hop", "-out", out)
	require.Zero(t, status, errOut)
	goIn(t, dir, "vet", "./...")
	ledger, err := os.ReadFile(filepath.Join(out, "api", "3.0.txt"))
	require.NoError(t, err)
	skipped, err := os.ReadFile(filepath.Join(out, "api", "skipped.txt"))
	require.NoError(t, err)
	for _, lib := range []string{"sha", "hop"} {
		assert.Contains(t, string(ledger), lib+": func Range(rng unsafe.Pointer, id uint32) (err error)")
		assert.Contains(t, string(ledger), lib+": func Gather(list unsafe.Pointer) (err error)")
		assert.Contains(t, string(skipped), "doca_"+lib+"_mode | parameter mode: enum doca_new_mode is not declared")
	}
}

func TestBaseErrors(t *testing.T) {
	t.Parallel()
	dir, sdk := usersModule(t)
	for _, c := range []struct {
		out, want string
		args      []string
	}{
		{filepath.Join(dir, "x"), "nothing to generate: the base has argp, comch, common, compress, dma,", nil},
		{filepath.Join(dir, "x"), "cannot find the bindings to build on", []string{"-libs", "sha", "-base", "example.com/nowhere"}},
		{filepath.Join(t.TempDir(), "x"), "is in no Go module: create one", []string{"-libs", "sha"}},
	} {
		t.Run(c.want, func(t *testing.T) {
			status, _, errOut := gen(append([]string{"generate", "-sdk", sdk, "-out", c.out}, c.args...)...)
			assert.Equal(t, 1, status)
			assert.Contains(t, strings.ReplaceAll(errOut, "\n", " "), c.want)
			assert.NoDirExists(t, c.out)
		})
	}
}

// A module that vendors what it imports has no ledgers in its vendor directory, and before its first bindings none of the packages
// that these stand on.
func TestBindingsOfAModuleThatVendors(t *testing.T) {
	t.Parallel()
	for name, imported := range map[string]string{"bindings": "generated/common", "something else": "headers"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, sdk := usersModule(t)
			program := "package main\n\nimport _ \"github.com/go-doca/go-doca/" + imported + "\"\n\nfunc main() {}\n"
			require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644))
			goIn(t, dir, "mod", "vendor")
			require.DirExists(t, filepath.Join(dir, "vendor", "github.com", "go-doca", "go-doca", imported))
			out := filepath.Join(dir, "internal", "doca")
			status, _, errOut := gen("generate", "-sdk", sdk, "-libs", "sha", "-out", out)
			require.Zero(t, status, errOut)
			assert.FileExists(t, filepath.Join(out, "sha", "sha.go"))
		})
	}
}
