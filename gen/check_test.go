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
)

func TestCheck(t *testing.T) {
	t.Parallel()
	status, out, errOut := gen("check", "-sdk", reference)
	assert.Zero(t, status, out+errOut)
	assert.Contains(t, out, "0 differences; compared ")
	assert.Contains(t, out, "note: 24 symbols of the bindings came after DOCA 3.0.0058 and were not compared\n")
	status, out, errOut = gen("check", "-sdk", newest)
	assert.Zero(t, status, out+errOut)
	assert.Contains(t, out, "bindings of DOCA 3.2, SDK 3.2 in "+newest+" (", "as it was named")
	assert.NotContains(t, out, "were not compared")
	status, out, _ = gen("check", "-sdk", reference, "-ledger", "../generated/api/3.2.txt")
	assert.Equal(t, 1, status)
	assert.Contains(t, out, "missing: doca_mmap_get_mkey (doca_mmap.h): ")

	status, out, errOut = gen("check", "-sdk", "testdata/2.5", "-ledger", "../generated/api/3.0.txt", "-v")
	assert.Equal(t, 1, status)
	assert.Contains(t, errOut, "the SDK differs")
	assert.Contains(t, out, "missing: DOCA_ERROR_SKIPPED (doca_error.h): enum doca_error: 30\n")

	status, out, _ = gen("check", "-sdk", "testdata/2.5", "-bindings", "../generated", "-json")
	assert.Equal(t, 1, status)
	var r struct {
		Bindings, SDK string
		Differences   []struct{ Kind, Name string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	assert.Equal(t, "2.5.0108", r.SDK)
	assert.NotEmpty(t, r.Differences)
}

// Bindings agree with the headers that they were made from, of any release.
func TestCheckOfEachRelease(t *testing.T) {
	t.Parallel()
	for _, sdk := range []string{"testdata/2.2", "testdata/2.5", reference} {
		t.Run(filepath.Base(sdk), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "bindings")
			status, _, errOut := gen("generate", "-base", "none", "-sdk", sdk, "-out", dir, "-libs", "all")
			require.Zero(t, status, errOut)
			status, out, errOut := gen("check", "-sdk", sdk, "-bindings", dir)
			assert.Zero(t, status, out+errOut)
		})
	}
}

func TestCheckUsage(t *testing.T) {
	t.Setenv("DOCA_SDK_DIR", "")
	bad := filepath.Join(t.TempDir(), "bad.txt")
	require.NoError(t, os.WriteFile(bad, []byte("no ledger\n"), 0o644))
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"check -sdk ../headers/3.0 -ledger a -bindings b", 2, "exclude each other"},
		{"check", 2, "gen check: name the SDK with -sdk or in DOCA_SDK_DIR\n"},
		{"check -bindings ../generated", 2, "name the SDK with -sdk"},
		{"check -nope", 2, "flag provided but not defined"},
		{"check -sdk /nowhere", 1, "/nowhere"},
		{"check -sdk ../headers/3.0 -ledger /nowhere", 1, "/nowhere"},
		{"check -sdk ../headers/3.0 -ledger " + bad, 1, "line 1: 1 columns"},
		{"check -sdk ../headers/3.0 -bindings testdata", 1, "no ledger api/<version>.txt in testdata"},
	} {
		t.Run(strings.Join(strings.Fields(c.args), " "), func(t *testing.T) {
			status, out, errOut := gen(strings.Fields(c.args)...)
			assert.Equal(t, c.status, status, c.args)
			assert.Contains(t, out+errOut, c.want, c.args)
		})
	}
}

// An SDK does not differ from the bindings that were made from it, whatever its macros are made of, and though its headers
// do not compile together.
func TestCheckAgreesWithItsOwnSDK(t *testing.T) {
	t.Parallel()
	sdk := t.TempDir()
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	require.NoError(t, os.CopyFS(sdk, os.DirFS("testdata/check")))
	dir := filepath.Join(t.TempDir(), "out")
	status, _, errOut := gen("generate", "-sdk", sdk, "-out", dir, "-base", "none", "-libs", "common,dpa,alias,one,other")
	require.Zero(t, status, errOut)
	text, err := os.ReadFile(filepath.Join(dir, "api", "3.0.txt"))
	require.NoError(t, err)
	for _, want := range []string{
		`DOCA_ALIAS_NAME | macro | - | alias: const Name | "al\011iAs, the rest"`,
		`DOCA_ALIAS_SAME | macro | - | alias: const Same | "al\011iAs, the rest"`,
		`DOCA_ALIAS_PATH | macro | - | alias: const Path | "/opt/alias"`,
		`DOCA_ALIAS_QUOTED | macro | - | alias: const Quoted | "say \"hi\" \\"`,
		"DOCA_ALIAS_OFF | macro | - | alias: const Off | 0",
		"DOCA_ALIAS_HALF | macro | - | alias: const Half | 0.5",
	} {
		assert.Contains(t, string(text), "doca_alias.h | "+want+"\n")
	}
	status, out, _ := gen("check", "-sdk", sdk, "-bindings", dir)
	assert.Zero(t, status, out)
	assert.Contains(t, out, "the headers do not compile together (doca_other.h")
	assert.Contains(t, out, "\n0 differences; ")
	for edit, want := range map[string]string{
		"s/define DOCA_ALIAS_TEXT .*/define DOCA_ALIAS_TEXT \"changed\"/":   `DOCA_ALIAS_NAME: expected "al\011iAs, the rest", found "changed"`,
		"s/define DOCA_ALIAS_OFF false/define DOCA_ALIAS_OFF true/":         "DOCA_ALIAS_OFF: expected 0, found ",
		"s/define DOCA_ALIAS_OFF false/define DOCA_ALIAS_OFF not_declared/": "DOCA_ALIAS_OFF: expected 0, found no constant: not_declared",
	} {
		t.Run(want, func(t *testing.T) {
			changed := t.TempDir()
			require.NoError(t, os.CopyFS(changed, os.DirFS(sdk)))
			out, err := exec.Command("sed", "-i", edit, filepath.Join(changed, "doca_alias.h")).CombinedOutput()
			require.NoError(t, err, string(out))
			status, said, _ := gen("check", "-sdk", changed, "-bindings", dir)
			assert.Equal(t, 1, status)
			assert.Contains(t, said, want)
		})
	}
}
