package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/apidiff"
)

// sdkWith writes an SDK with a library of a few functions; edit changes its header.
func sdkWith(t *testing.T, version string, edit func(string) string) string {
	t.Helper()
	dir := t.TempDir()
	v := strings.Split(version, ".")
	header := `#ifndef DOCA_X_H_
#define DOCA_X_H_
#include <stdint.h>
#include <doca_error.h>
struct doca_x;
/** Makes an x. */
doca_error_t doca_x_create(struct doca_x **x);
/** Ends an x. */
doca_error_t doca_x_destroy(struct doca_x *x);
/** Starts an x. */
doca_error_t doca_x_start(struct doca_x *x);
/** Sets how many there may be. */
doca_error_t doca_x_set_limit(struct doca_x *x, uint32_t limit);
#endif
`
	for name, text := range map[string]string{
		"doca_version.h": "#define DOCA_VERSION_MAJOR " + v[0] + "\n#define DOCA_VERSION_MINOR " + v[1] + "\n#define DOCA_VERSION_PATCH 1\n#define DOCA_VERSION_STRING \"" + version + ".1\"\n",
		"doca_error.h":   "#ifndef E\n#define E\ntypedef enum doca_error { DOCA_SUCCESS = 0, DOCA_ERROR_UNKNOWN = 1 } doca_error_t;\n#endif\n",
		"doca_x.h":       edit(header),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func same(s string) string { return s }

func replaced(old, new string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, new) }
}

func diffOf(t *testing.T, args ...string) (status int, r apidiff.Report) {
	t.Helper()
	status, out, errOut := gen(append([]string{"diff", "-format", "json"}, args...)...)
	require.Empty(t, errOut)
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	return status, r
}

func TestDiffStatus(t *testing.T) {
	t.Parallel()
	base := sdkWith(t, "1.0", same)
	more := sdkWith(t, "1.1", replaced("#endif", "doca_error_t doca_x_reset(struct doca_x *x);\n#endif"))
	other := sdkWith(t, "2.0", replaced("uint32_t limit", "uint64_t limit"))
	docs := sdkWith(t, "1.0", replaced("Ends an x.", "Ends an x, whatever it does."))
	for name, c := range map[string]struct {
		args   []string
		status int
		has    string
	}{
		"same":                        {[]string{base, base}, 0, "No difference."},
		"documentation":               {[]string{base, docs}, 0, "docs: doca_x_destroy (function)"},
		"additions":                   {[]string{base, more}, 0, "added: doca_x_reset (function)"},
		"additions, asked for":        {[]string{"-additions", base, more}, 1, "added: doca_x_reset (function)"},
		"flags behind":                {[]string{base, more, "-additions"}, 1, "added: doca_x_reset (function)"},
		"breaking":                    {[]string{base, other}, 2, "parameter limit is uint64_t, was uint32_t"},
		"breaking before additions":   {[]string{"-additions", more, other}, 2, "removed: doca_x_reset (function)"},
		"other form":                  {[]string{"-format", "md", base, other}, 2, "| 1 | breaking (1 for Go programs) | 1 signature |"},
		"without the Go packages":     {[]string{base, other}, 2, "note: the Go packages were not compared, as asked"},
		"help":                        {[]string{"-h"}, 0, "2 something breaks, 3 the comparison failed"},
		"one argument":                {[]string{base}, 3, "want two arguments, OLD and NEW, not 1"},
		"three arguments":             {[]string{base, base, base}, 3, "not 3"},
		"unknown flag":                {[]string{"-nope", base, base}, 3, "flag provided but not defined"},
		"unknown form":                {[]string{"-format", "pdf", base, base}, 3, `there is no format "pdf": want text, md, json, html`},
		"nothing of this name":        {[]string{base, "no-such-thing"}, 3, "no-such-thing: no such file or directory, and no git revision"},
		"a directory of nothing":      {[]string{base, t.TempDir()}, 3, "is neither a directory of generated packages (it has no api/VERSION.txt) nor an SDK (no DOCA headers"},
		"a file that is no ledger":    {[]string{base, "main.go"}, 3, "main.go: line 1: 1 columns, want 6"},
		"a revision without the path": {[]string{base, "HEAD:no/such"}, 3, "has no no/such"},
		"a path that leaves":          {[]string{base, "HEAD:../x"}, 3, "is one of the repository, from its top"},
		"an unwritable file":          {[]string{"-o", filepath.Join(base, "no", "such"), base, base}, 3, "no such file or directory"},
		"an unknown library":          {[]string{"-libs", "flux", base, base}, 3, `library "flux" is not in this SDK`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, out, errOut := gen(append([]string{"diff", "-go=false"}, c.args...)...)
			assert.Equal(t, c.status, status, errOut)
			assert.Contains(t, out+errOut, c.has)
			if c.status == 3 {
				assert.Empty(t, out)
			}
		})
	}
}

// What is generated is what the headers say, in each form of both.
func TestDiffOfHeadersAndTheirBindings(t *testing.T) {
	t.Parallel()
	status, r := diffOf(t, "../headers/3.2", "../generated") // the base and what later releases have added
	assert.Zero(t, status)
	assert.Empty(t, r.Changes)
	assert.Empty(t, r.Notes)
	assert.Equal(t, "headers", r.Old.Source)
}

func TestDiffWritesAFile(t *testing.T) {
	t.Parallel()
	base := sdkWith(t, "1.0", same)
	file := filepath.Join(t.TempDir(), "report.html")
	status, out, errOut := gen("diff", "-format=html", "-o", file, base, base)
	assert.Zero(t, status, errOut)
	assert.Empty(t, out)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), "<!DOCTYPE html>")
}

// What Go's own comparison finds is with the symbol it comes from.
func TestDiffOfGoPackages(t *testing.T) {
	t.Parallel()
	old := sdkWith(t, "1.0", same)
	status, r := diffOf(t, old, sdkWith(t, "1.0", replaced("uint32_t limit", "uint64_t limit")))
	assert.Equal(t, 2, status)
	require.Len(t, r.Changes, 1)
	assert.Equal(t, "doca_x_set_limit", r.Changes[0].Name)
	assert.Equal(t, []string{"SetLimit: changed from func(*X, uint32) error to func(*X, uint64) error"}, r.Changes[0].GoAPI)
	// A library that has another name is the same package.
	lib := sdkWith(t, "1.0", same)
	text, err := os.ReadFile(filepath.Join(lib, "doca_x.h"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(lib, "doca_x.h")))
	require.NoError(t, os.WriteFile(filepath.Join(lib, "doca_xyz.h"), []byte(strings.ReplaceAll(string(text), "doca_x", "doca_xyz")), 0o644))
	_, r = diffOf(t, old, lib)
	require.Equal(t, 2, r.Summary.Breaking)
	assert.Equal(t, "doca_xyz_", r.Changes[0].Name)
	assert.Len(t, r.Changes[0].Members, 4)
	assert.Empty(t, r.Changes[0].GoAPI)
	assert.Equal(t, "Use xyz.Xyz instead of x.X.", r.Changes[1].Means)
	assert.Equal(t, []string{"X: removed"}, r.Changes[1].GoAPI)
}

// An exported type may need what is not exported.
func TestDiffOfArrayWithUnexportedLength(t *testing.T) {
	t.Parallel()
	sdk, repo := sdkWith(t, "1.0", same), t.TempDir()
	side := func(name, room string) string {
		out := filepath.Join(repo, name, "generated")
		status, _, errOut := gen("generate", "-sdk", sdk, "-out", out, "-libs", "all", "-base", "none", "-pkg", "example.com/m/generated")
		require.Zero(t, status, errOut)
		require.NoError(t, os.WriteFile(filepath.Join(repo, name, "go.mod"), []byte("module example.com/m\n\ngo 1.25\n"), 0o644))
		text := "package x\n\nconst room = " + room + "\n\ntype Room [room]byte\n"
		require.NoError(t, os.WriteFile(filepath.Join(out, "x", "room.go"), []byte(text), 0o644))
		return out
	}
	old := side("old", "8")
	status, r := diffOf(t, old, side("same", "8"))
	assert.Zero(t, status)
	assert.Empty(t, r.Changes)
	status, r = diffOf(t, old, side("new", "16"))
	assert.Equal(t, 2, status)
	require.Len(t, r.Changes, 1)
	assert.Equal(t, []string{"Room: changed from [8]byte to [16]byte"}, r.Changes[0].GoAPI)
}

// Documentation is compared where both sides have it in the same form.
func TestDiffOfDocs(t *testing.T) {
	t.Parallel()
	old, docs := sdkWith(t, "1.0", same), sdkWith(t, "1.0", replaced("Ends an x.", "Ends an x, whatever it does."))
	status, r := diffOf(t, old, docs)
	assert.Zero(t, status)
	require.Len(t, r.Changes, 1)
	assert.Equal(t, []apidiff.Kind{apidiff.Docs}, r.Changes[0].Kinds)
	assert.Equal(t, []string{"was: Ends an x.", "is: Ends an x, whatever it does."}, r.Changes[0].Details)
	bare := sdkWith(t, "1.0", replaced("/** Ends an x. */", ""))
	_, r = diffOf(t, bare, docs)
	require.Len(t, r.Changes, 1)
	assert.Equal(t, []string{"was: not documented", "is: Ends an x, whatever it does."}, r.Changes[0].Details)
	_, r = diffOf(t, docs, bare)
	require.Len(t, r.Changes, 1)
	assert.Equal(t, []string{"was: Ends an x, whatever it does.", "is: not documented"}, r.Changes[0].Details)
	packages := filepath.Join(t.TempDir(), "generated")
	status, _, errOut := gen("generate", "-sdk", docs, "-out", packages, "-libs", "all", "-base", "none")
	require.Zero(t, status, errOut)
	status, r = diffOf(t, old, packages) // headers with packages: by the comments in Go
	assert.Zero(t, status)
	require.Len(t, r.Changes, 1, r.Changes)
	assert.Equal(t, "doca_x_destroy", r.Changes[0].Name)
	_, r = diffOf(t, old, filepath.Join(packages, "api", "1.0.txt"))
	assert.Empty(t, r.Changes)
	assert.Len(t, r.Notes, 2)
}

// What is in git is compared like what is on disk.
func TestDiffOfRevisions(t *testing.T) {
	repo := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		cmd.Dir = repo
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	generate := func(sdk string) {
		t.Helper()
		status, _, errOut := gen("generate", "-sdk", sdk, "-out", filepath.Join(repo, "generated"), "-libs", "all", "-base", "none", "-pkg", "example.com/m/generated")
		require.Zero(t, status, errOut)
		git("add", "-A")
		git("commit", "-q", "-m", "bindings")
	}
	git("init", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(repo, "go.mod"), []byte("module example.com/m\n\ngo 1.25\n"), 0o644))
	old := sdkWith(t, "1.0", same)
	require.NoError(t, os.CopyFS(filepath.Join(repo, "headers"), os.DirFS(old)))
	generate(old)
	git("tag", "v1")
	generate(sdkWith(t, "1.0", replaced("uint32_t limit", "uint64_t limit")))
	t.Chdir(repo)
	require.NoError(t, os.Mkdir("sub", 0o755))
	for _, args := range [][]string{
		{"HEAD~1", "HEAD"}, {"v1", "generated"}, {"v1:generated", "HEAD:generated/"}, {"v1:headers", "generated"},
		{"HEAD~1:generated/api/1.0.txt", "HEAD:generated/api/1.0.txt"}, {"HEAD~1", "generated/api/1.0.txt"},
	} {
		t.Run(strings.Join(args[1:], " "), func(t *testing.T) {
			status, r := diffOf(t, args...)
			assert.Equal(t, 2, status, args)
			require.Len(t, r.Changes, 1, args)
			assert.Equal(t, "doca_x_set_limit", r.Changes[0].Name)
			packages := !strings.HasSuffix(args[1], ".txt")
			assert.Equal(t, packages, len(r.Changes[0].GoAPI) == 1, args)
		})
	}
	status, _, errOut := gen("diff", "HEAD:go.mod", "HEAD")
	assert.Equal(t, 3, status)
	assert.Equal(t, "gen diff: HEAD:go.mod: go.mod: line 1: 1 columns, want 6 (header | name | kind | stability | Go | C): module example.com/m\n", errOut)
	t.Chdir("sub")
	status, r := diffOf(t, "v1", "HEAD")
	assert.Equal(t, 2, status)
	assert.Regexp(t, `^generated packages, generated in revision [0-9a-f]{12}$`, r.Old.Source)
}
