package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sharedLibrary compiles a library that exports functions that do nothing.
func sharedLibrary(t *testing.T, dir, soname string, functions ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	cmd := exec.Command("cc", "-shared", "-fPIC", "-nostdlib", "-x", "c", "-", "-o", filepath.Join(dir, soname), "-Wl,-soname,"+soname)
	cmd.Stdin = strings.NewReader("void " + strings.Join(functions, "(void) {}\nvoid ") + "(void) {}\n")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, string(text))
}

var declared = regexp.MustCompile(`(?m)^\w[^(\n]*\b(doca_\w+)\(`)

// functionsOf are the functions that a header declares, as far as its text tells.
func functionsOf(t *testing.T, header string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(header)
	require.NoError(t, err)
	for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
		if !strings.HasSuffix(m[1], "_t") {
			all = append(all, m[1])
		}
	}
	return all
}

// The SDK's libraries say who has a function, not the names of the headers.
func TestSonamesOfTheSDK(t *testing.T) {
	t.Parallel()
	sdk, out := t.TempDir(), t.TempDir()
	include, lib := filepath.Join(sdk, "include"), filepath.Join(sdk, "lib", "aarch64-linux-gnu")
	require.NoError(t, os.CopyFS(include, os.DirFS(reference)))
	require.NoError(t, os.CopyFS(include, os.DirFS("../examples/sha/sdk/include")))
	for _, h := range []string{"doca_dpa_dev*.h", "doca_rdma*.h", "doca_comch*.h", "doca_argp.h", "doca_dpa.h", "doca_sync_event.h"} {
		found, err := filepath.Glob(filepath.Join(include, h))
		require.NoError(t, err)
		require.NotEmpty(t, found, h)
		for _, f := range found {
			require.NoError(t, os.Remove(f))
		}
	}
	sha := functionsOf(t, filepath.Join(include, "doca_sha.h"))
	require.Len(t, sha, 15)
	// destroy stands in two libraries, and task_hash_get_dst in none.
	sharedLibrary(t, lib, "libdoca_hash_bridge.so.2", sha[1:14]...)
	sharedLibrary(t, lib, "libdoca_hash.so.2", sha[0], sha[1])
	status, text, errOut := gen("generate", "-base", "none", "-sdk", sdk, "-libs", "sha", "-out", out, "-pkg", "x")
	require.Zero(t, status, errOut)
	assert.Contains(t, text, "note: library common: no shared library in "+lib+" exports any of its ")
	assert.Contains(t, text, "note: library sha: no shared library in "+lib+" exports doca_sha_task_hash_get_dst\n")
	assert.Contains(t, text, "note: doca_sha_destroy: exported by libdoca_hash.so.2 and libdoca_hash_bridge.so.2, taken from libdoca_hash.so.2\n")
	files := tree(t, out)
	library := files["sha/library.go"]
	assert.Contains(t, library, `abi.Register("libdoca_hash_bridge.so.2", symbols,`)
	assert.Contains(t, library, `{Name: "doca_sha_as_ctx"},`)
	assert.Regexp(t, `\{Name: "doca_sha_create",\s+Library: "libdoca_hash.so.2"\}`, strings.Join(strings.Fields(library), " "))
	assert.Regexp(t, `\{Name: "doca_task_submit",\s+Library: "libdoca_common.so.2"\}`, strings.Join(strings.Fields(library), " "))
	assert.Contains(t, files["api/3.0.txt"], "| doca_sha_create | function | stable | sha (libdoca_hash.so.2): func Create(")
	assert.Contains(t, files["api/3.0.txt"], "| doca_sha_as_ctx | function | stable | sha (libdoca_hash_bridge.so.2): func AsCtx(")

	// The check looks where the bindings do.
	_, text, errOut = gen("check", "-sdk", sdk, "-bindings", out)
	assert.Empty(t, strings.ReplaceAll(errOut, "gen check: "+errDiffers.Error()+"\n", ""))
	assert.Contains(t, text, "libdoca_common.so.2: not in "+lib)
	assert.NotContains(t, text, "libdoca_sha")
	assert.Contains(t, text, "doca_sha_task_hash_get_dst: not exported")
	assert.Equal(t, 1, strings.Count(text, "not exported"), text)
}
