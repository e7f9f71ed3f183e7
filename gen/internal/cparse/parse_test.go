package cparse

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const referenceHeaders = "../../../headers/3.0"

// TestReferenceHeaders compares the headers of the repository with the list of
// the API that they declare.
func TestReferenceHeaders(t *testing.T) {
	api, err := Parse(Config{Dir: referenceHeaders})
	require.NoError(t, err)
	assert.Equal(t, Version{Major: 3, Minor: 0, Patch: 58, String: "3.0.0058"}, api.Version)
	for _, h := range api.Headers {
		assert.Empty(t, h.Problems, h.Name)
		assert.NotEmpty(t, h.Doc, h.Name)
		for _, f := range h.Funcs {
			assert.NotEmpty(t, f.Doc, f.Name)
			assert.NotEmpty(t, f.Stability, f.Name)
		}
	}
	want, got := readLines(t, referenceHeaders+"/api.txt"), api.Lines()
	slices.Sort(want)
	slices.Sort(got)
	assert.Equal(t, want, got)
}

// TestReleases compares headers in the style of several releases with the
// lists beside them.
func TestReleases(t *testing.T) {
	tests := []struct {
		dir     string
		version Version
	}{
		{"2.2", Version{2, 2, 80, "2.2.0080"}},
		{"2.5", Version{2, 5, 108, "2.5.0108"}},
		{"3.0", Version{3, 0, 58, "3.0.0058"}},
	}
	for _, tt := range tests {
		t.Run(tt.dir, func(t *testing.T) {
			dir := filepath.Join("testdata", tt.dir)
			api, err := Parse(Config{Dir: dir})
			require.NoError(t, err)
			assert.Equal(t, tt.version, api.Version)
			for _, h := range api.Headers {
				assert.Empty(t, h.Problems, h.Name)
			}
			assert.Equal(t, readLines(t, filepath.Join(dir, "api.txt")), api.Lines())
		})
	}
}

// TestJointOrAlone parses each header in a unit of its own, and all in as few
// units as possible: the result is the same.
func TestJointOrAlone(t *testing.T) {
	for _, dir := range []string{"testdata/2.2", "testdata/2.5", "testdata/3.0", referenceHeaders} {
		t.Run(dir, func(t *testing.T) {
			joint, err := Parse(Config{Dir: dir})
			require.NoError(t, err)
			for _, h := range joint.Headers {
				alone, err := Parse(Config{Dir: dir, Headers: []string{h.Name}})
				require.NoError(t, err)
				assert.Equal(t, h, alone.Headers[0])
			}
		})
	}
}

// TestDeterministic parses twice, and a copy in another directory.
func TestDeterministic(t *testing.T) {
	for _, dir := range []string{"testdata/3.0", referenceHeaders} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			first, err := Parse(Config{Dir: dir})
			require.NoError(t, err)
			want, err := json.Marshal(first)
			require.NoError(t, err)
			copied := t.TempDir()
			require.NoError(t, os.CopyFS(copied, os.DirFS(dir)))
			for _, d := range []string{dir, copied} {
				again, err := Parse(Config{Dir: d})
				require.NoError(t, err)
				got, err := json.Marshal(again)
				require.NoError(t, err)
				assert.JSONEq(t, string(want), string(got))
			}
			assert.NotContains(t, string(want), copied)
		})
	}
}

func TestHeaderSelection(t *testing.T) {
	api, err := Parse(Config{Dir: referenceHeaders, Headers: []string{"doca_dma.h", "doca_error.h"}})
	require.NoError(t, err)
	require.Len(t, api.Headers, 2)
	assert.Equal(t, "doca_dma.h", api.Headers[0].Name)
	assert.Equal(t, "doca_error.h", api.Headers[1].Name)
	assert.Contains(t, api.Headers[0].Includes, "doca_types.h")
	create := fn(t, api.Headers[0], "doca_dma_create")
	assert.Equal(t, &Type{Kind: Named, Name: "doca_error_t", Elem: &Type{Kind: EnumT, Name: "doca_error", Size: 4}}, create.Ret,
		"a type of a header that is included but not listed")

	for _, names := range [][]string{{"../doca_dma.h"}, {""}, {"doca_dma.h", "doca_dma.h"}} {
		t.Run(fmt.Sprint(names), func(t *testing.T) {
			_, err := Parse(Config{Dir: referenceHeaders, Headers: names})
			assert.Error(t, err, "%q", names)
		})
	}
	_, err = Parse(Config{Dir: referenceHeaders, Headers: []string{"doca_nothing.h"}})
	assert.ErrorContains(t, err, "doca_nothing.h: no such header")
}

// TestDeviceHeaders has a host and a device header that contradict each other.
func TestDeviceHeaders(t *testing.T) {
	api, err := Parse(Config{Dir: writeHeaders(t, map[string]string{
		"doca_dpa.h":          "typedef unsigned doca_handle_t;\nstruct doca_s { int host; };\nvoid doca_host(doca_handle_t h);\n",
		"doca_dpa_dev.h":      "typedef unsigned long doca_handle_t;\nstruct doca_s { int device[3]; };\n__dpa_global__ void doca_dev(doca_handle_t h);\n",
		"doca_dpa_dev_rdma.h": "#include <doca_dpa_dev.h>\n__dpa_rpc__ doca_handle_t doca_rpc(void);\n",
		"doca_dev.h":          "#include <doca_dpa.h>\ntypedef doca_handle_t doca_dev_t;\n",
	})})
	require.NoError(t, err)
	assert.Equal(t, 4, fn(t, header(t, api, "doca_dpa.h"), "doca_host").Params[0].Type.Elem.Size)
	assert.Equal(t, 8, fn(t, header(t, api, "doca_dpa_dev.h"), "doca_dev").Params[0].Type.Elem.Size)
	assert.Equal(t, 8, fn(t, header(t, api, "doca_dpa_dev_rdma.h"), "doca_rpc").Ret.Elem.Size)
	assert.Equal(t, 4, header(t, api, "doca_dev.h").Typedefs[0].Type.Elem.Size, "doca_dev.h is a host header")
}

// TestContradiction has two host headers that cannot share a unit.
func TestContradiction(t *testing.T) {
	api, err := Parse(Config{Dir: writeHeaders(t, map[string]string{
		"doca_a.h": "int doca_f(int);\n",
		"doca_b.h": "int doca_f(long);\n",
		"doca_c.h": "int doca_g(void);\n#define DOCA_MODE 1\n",
		"doca_d.h": "#ifdef DOCA_MODE\n#error needs to be alone\n#endif\nint doca_h(void);\n",
	})})
	require.NoError(t, err)
	assert.Equal(t, "int doca_f(int)", funcLine(fn(t, header(t, api, "doca_a.h"), "doca_f")))
	assert.Equal(t, "int doca_f(long)", funcLine(fn(t, header(t, api, "doca_b.h"), "doca_f")))
	fn(t, header(t, api, "doca_c.h"), "doca_g")
	fn(t, header(t, api, "doca_d.h"), "doca_h")
}

func TestKeepGoing(t *testing.T) {
	dir := writeHeaders(t, map[string]string{
		"doca_a.h": "int doca_a(void);\n",
		"doca_b.h": "int doca_b(void);\n\nfoo_t doca_c(void);\n",
		"doca_c.h": "struct doca_c {\n",
	})
	_, err := Parse(Config{Dir: dir})
	require.Error(t, err)
	assert.ErrorContains(t, err, `doca_b.h:3: unknown type name "foo_t"`)
	assert.ErrorContains(t, err, "doca_c.h:1:")

	api, err := Parse(Config{Dir: dir, KeepGoing: true})
	require.NoError(t, err)
	require.Len(t, api.Headers, 4)
	fn(t, header(t, api, "doca_a.h"), "doca_a")
	b := header(t, api, "doca_b.h")
	assert.Empty(t, b.Funcs)
	require.Len(t, b.Problems, 1)
	assert.Equal(t, Pos{File: "doca_b.h", Line: 3}, b.Problems[0].Pos)
	assert.Contains(t, b.Problems[0].Text, "foo_t")
	assert.Len(t, header(t, api, "doca_c.h").Problems, 1)
	require.Len(t, api.Notes, 2)
	_, err = Parse(Config{Dir: dir, KeepGoing: true, Needed: []string{"doca_a.h", "doca_c.h"}})
	assert.ErrorContains(t, err, "doca_c.h:1:")
	assert.NotContains(t, err.Error(), "doca_b.h:3:")
	assert.Contains(t, api.Notes[0], `doca_b.h could not be read and is left out: doca_b.h:3: unknown type name "foo_t"`)
}

// TestPragmaOnce includes a header twice that has no other guard.
func TestPragmaOnce(t *testing.T) {
	api, err := Parse(Config{Dir: writeHeaders(t, map[string]string{
		"doca_a.h": "#pragma once\nstruct doca_a { int a; };\nenum { DOCA_A };\n",
		"doca_b.h": "#include \"doca_a.h\"\n#include <doca_a.h>\nvoid doca_b(struct doca_a *a);\n",
	})})
	require.NoError(t, err)
	assert.Len(t, header(t, api, "doca_a.h").Records, 1)
	assert.Equal(t, []string{"doca_a.h"}, header(t, api, "doca_b.h").Includes)
}

func TestInline(t *testing.T) {
	h := parseHeader(t, `
#define DOCA_EXPERIMENTAL __attribute__((section(".text.experimental")))
#define DOCA_TWO 2
static inline int doca_plain(int a)
{
	/* twice, and a brace: } */
	return a * DOCA_TWO + '}';
}
static inline int doca_later(void);
/** Documented here. */
static inline int doca_later(void) { return doca_plain(1); }
static inline int doca_named(int a, int);
static inline int doca_named(int b, int a) { return a - b; }
#define DOCA_MADE(x) static inline const char *doca_made_##x(int a) { return a ? #x : __func__; }
DOCA_MADE(one)
struct doca_bell { volatile int rung; };
static inline int doca_wait(volatile const unsigned *p, int *volatile q) { while (*p == 0); return *q; }
DOCA_EXPERIMENTAL __attribute__((always_inline)) static inline void doca_tier(void) {}
int doca_symbol(void);
`)
	require.Empty(t, h.Problems)
	plain := fn(t, h, "doca_plain")
	assert.True(t, plain.Inline)
	assert.Equal(t, Inline, plain.Stability)
	assert.Equal(t, "return a * 2 + '}' ;", plain.Body)
	assert.Equal(t, "return doca_plain ( 1 ) ;", fn(t, h, "doca_later").Body)
	assert.Equal(t, "Documented here.", fn(t, h, "doca_later").Doc)
	named := fn(t, h, "doca_named")
	assert.Equal(t, []string{"b", "a"}, []string{named.Params[0].Name, named.Params[1].Name})
	assert.Equal(t, `return a ? "one" : __func__ ;`, fn(t, h, "doca_made_one").Body)
	wait := fn(t, h, "doca_wait")
	assert.True(t, wait.Params[0].Type.Elem.Volatile)
	assert.False(t, wait.Params[1].Type.Elem.Volatile)
	assert.True(t, h.Records[0].Fields[0].Type.Volatile)
	assert.Empty(t, fn(t, h, "doca_tier").Body)
	assert.Equal(t, Experimental, fn(t, h, "doca_tier").Stability)
	assert.True(t, fn(t, h, "doca_tier").Inline)
	assert.False(t, fn(t, h, "doca_symbol").Inline)
}
