package check

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

const (
	reference = "../../../headers/3.0"
	committed = "../../../generated/api/3.0.txt"
)

func readLedger(t *testing.T) *ledger.Ledger {
	t.Helper()
	text, err := os.ReadFile(committed)
	require.NoError(t, err)
	l, err := ledger.Read(bytes.NewReader(text))
	require.NoError(t, err)
	return l
}

// sdk is a copy of the reference headers with some text replaced.
func sdk(t *testing.T, header, old, new string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(reference)))
	if header != "" {
		path := filepath.Join(dir, header)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(text), old)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644))
	}
	return dir
}

func lines(r *Report) (all []string) {
	for _, d := range r.Differences {
		all = append(all, d.String())
	}
	return all
}

func TestReferenceHeadersAgree(t *testing.T) {
	t.Parallel()
	l := readLedger(t)
	r, err := Run(context.Background(), Config{Ledger: l, SDK: reference})
	require.NoError(t, err)
	assert.Empty(t, lines(r))
	assert.Equal(t, "3.0.0058", r.SDK)
	want := map[string]int{}
	for _, s := range l.Symbols {
		if s.Kind == ledger.Typedef || s.Go != "" && !isVersion(s.Name) && s.Kind != ledger.Object && s.Kind != ledger.Callback {
			want[string(s.Kind)]++
		}
	}
	for _, k := range []ledger.Kind{ledger.Function, ledger.Inline, ledger.Enum, ledger.Enumerator, ledger.Macro} {
		assert.Equal(t, want[string(k)], r.Checked[string(k)], k)
	}
	assert.Greater(t, r.Checked["function"], 300)
}

// Each change of a header is named, and nothing else is.
func TestDifferences(t *testing.T) {
	t.Parallel()
	l := readLedger(t)
	const (
		destroy   = "doca_error_t doca_dma_destroy(struct doca_dma *dma);"
		dataLen   = "doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);"
		rangeDecl = "doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);"
		gather    = "struct doca_gather_list {\n"
	)
	for name, c := range map[string]struct {
		header, old, new string
		want             []string
		note             string
	}{
		"parameter added": {"doca_dma.h", destroy, "doca_error_t doca_dma_destroy(struct doca_dma *dma, uint32_t flags);",
			[]string{"doca_dma_destroy: expected doca_error_t (struct doca_dma *), found doca_error_t (struct doca_dma *, uint32_t)"}, ""},
		"type changed": {"doca_mmap.h", rangeDecl, strings.Replace(rangeDecl, "size_t", "uint32_t", 1),
			[]string{"doca_mmap_set_memrange: expected doca_error_t (struct doca_mmap *, void *, size_t), found doca_error_t (struct doca_mmap *, void *, uint32_t)"}, ""},
		"result changed": {"doca_dma.h", destroy, "void doca_dma_destroy(struct doca_dma *dma);",
			[]string{"doca_dma_destroy: expected doca_error_t (struct doca_dma *), found void (struct doca_dma *)"}, ""},
		"const dropped": {"doca_buf.h", dataLen, strings.Replace(dataLen, "const ", "", 1), nil,
			"doca_buf_get_data_len: only qualifiers differ: expected doca_error_t (const struct doca_buf *, size_t *), found doca_error_t (struct doca_buf *, size_t *)"},
		"enumerator moved": {"doca_types.h", "DOCA_ACCESS_FLAG_RDMA_READ = 2", "DOCA_ACCESS_FLAG_RDMA_READ = 64",
			[]string{"DOCA_ACCESS_FLAG_RDMA_READ: expected 2, found 64"}, ""},
		"macro moved": {"doca_dev.h", "#define DOCA_DEVINFO_PCI_ADDR_SIZE 13", "#define DOCA_DEVINFO_PCI_ADDR_SIZE 14",
			[]string{"DOCA_DEVINFO_PCI_ADDR_SIZE: expected 13, found 14"}, ""},
		"macro without value": {"doca_dev.h", "#define DOCA_DEVINFO_PCI_ADDR_SIZE 13", "#define DOCA_DEVINFO_PCI_ADDR_SIZE struct nothing",
			[]string{"DOCA_DEVINFO_PCI_ADDR_SIZE: expected 13, found no constant: struct nothing"}, ""},
		"member inserted": {"doca_types.h", gather, gather + "\tuint64_t flags;\n",
			[]string{"struct doca_gather_list: size 24, found 32; member addr at 0, found 8; member len at 8, found 16; member next at 16, found 24"}, ""},
		"member of another type": {"doca_types.h", "\tvoid *addr; /**< Start", "\tint64_t addr; /**< Start",
			[]string{"struct doca_gather_list: member addr void *, found int64_t"}, ""},
		"member gone": {"doca_types.h", "\tuint64_t len; /**< Length", "\tuint64_t length; /**< Length",
			[]string{"struct doca_gather_list: member len, found no such member"}, ""},
		"function removed": {"doca_dma.h", destroy, "",
			[]string{"missing: doca_dma_destroy (doca_dma.h): doca_error_t doca_dma_destroy(struct doca_dma *dma)"}, ""},
		"function is a macro": {"doca_dma.h", destroy, "#define doca_dma_destroy(dma) doca_dma_destroy2(dma, 0)",
			[]string{"doca_dma_destroy: expected a function of the library, found a macro"}, ""},
		"function and macro": {"doca_dma.h", destroy, destroy + "\n#define doca_dma_destroy doca_dma_destroy", nil, ""},
		"function is inline": {"doca_dma.h", destroy, "static inline doca_error_t doca_dma_destroy(struct doca_dma *dma) { return dma ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE; }",
			[]string{"doca_dma_destroy: expected a function of the library, found static inline"}, ""},
		"function under another name": {"doca_dma.h", destroy, strings.Replace(destroy, ";", ` __asm__("doca_dma_destroy_v2");`, 1),
			[]string{"doca_dma_destroy: expected a function of the library, found a declaration that is linked under another name"}, ""},
		"callback changed": {"doca_pe.h", "typedef void (*doca_task_completion_cb_t)(", "typedef int (*doca_task_completion_cb_t)(",
			[]string{"doca_task_completion_cb_t: expected void (*)(struct doca_task *, union doca_data, union doca_data), found int (*)(struct doca_task *, union doca_data, union doca_data)"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := Run(context.Background(), Config{Ledger: l, SDK: sdk(t, c.header, c.old, c.new)})
			require.NoError(t, err)
			assert.Equal(t, c.want, lines(r))
			if c.note != "" {
				assert.Contains(t, r.Notes, c.note)
			}
		})
	}
}

func TestBrokenHeader(t *testing.T) {
	t.Parallel()
	r, err := Run(context.Background(), Config{Ledger: readLedger(t), SDK: sdk(t, "doca_dma.h", "doca_error_t doca_dma_destroy(", "no_such_t doca_dma_destroy(")})
	require.NoError(t, err)
	require.Len(t, r.Differences, 1, lines(r))
	assert.Regexp(t, `^doca_dma\.h: does not compile: doca_dma\.h:\d+: unknown type name 'no_such_t'; its \d+ symbols were not compared$`, lines(r)[0])
	dma := 0
	all, err := Run(context.Background(), Config{Ledger: readLedger(t), SDK: reference})
	require.NoError(t, err)
	for _, s := range readLedger(t).Symbols {
		if s.Kind == ledger.Function && s.Header == "doca_dma.h" {
			dma++
		}
	}
	assert.Positive(t, dma)
	assert.Equal(t, all.Checked["function"]-dma, r.Checked["function"], "what was not compared is not counted")
	assert.Contains(t, strings.Join(r.Notes, "\n"), "so each was compiled alone")
}

func TestMissingHeader(t *testing.T) {
	t.Parallel()
	dir := sdk(t, "", "", "")
	require.NoError(t, os.Remove(filepath.Join(dir, "doca_dma.h")))
	r, err := Run(context.Background(), Config{Ledger: readLedger(t), SDK: dir})
	require.NoError(t, err)
	text := strings.Join(lines(r), "\n")
	assert.Contains(t, text, "doca_dma.h: not there; the bindings have ")
	assert.Contains(t, text, "missing: doca_dma_create (doca_dma.h): doca_error_t doca_dma_create(")
	assert.Equal(t, len(r.Differences)-1, strings.Count(text, "missing: doca_dma_"))
}

func TestOlderRelease(t *testing.T) {
	t.Parallel()
	r, err := Run(context.Background(), Config{Ledger: readLedger(t), SDK: "../../testdata/2.2"})
	require.NoError(t, err)
	assert.Equal(t, "2.2.0080", r.SDK)
	all := lines(r)
	assert.Contains(t, all, "doca_dma_create: expected doca_error_t (struct doca_dev *, struct doca_dma **), found doca_error_t (struct doca_dma **)")
	assert.Contains(t, all, "missing: DOCA_CTX_STATE_IDLE (doca_ctx.h): enum doca_ctx_states: 0")
	assert.IsIncreasing(t, all)
	assert.Contains(t, r.Unknown, Unknown{"doca_ctx.h", ledger.Function, "doca_workq_create"})
}

const hardHeader = `#pragma once
#include <stdint.h>
enum __attribute__((packed)) doca_h_kind { DOCA_H_A, DOCA_H_B = 200 };
typedef struct { int x; } doca_h_plain_t;
union doca_h_addr { uint32_t v4; uint8_t v6[16]; };
struct doca_h {
	uint8_t a : 3, b : 5;
	union { uint32_t u; float f; };
	struct { uint16_t lo, hi; } pair;
	struct doca_h *(*next)(int);
	uint8_t raw[2][3];
} __attribute__((packed));
doca_h_plain_t doca_h_get(struct doca_h *h, enum doca_h_kind k);
void (*doca_h_hook(int kind))(struct doca_h *);
#pragma pack(push, 2)
struct doca_h_pack { uint8_t a; uint32_t b; };
#pragma pack(pop)
#define DOCA_H_NAME "h"
#define DOCA_H_RATIO 1.5f
enum doca_h_high { DOCA_H_HIGH = 0xffffffffffffffff };
#define DOCA_H_BIG 0xffffffffffffffff
`

const hardLedger = `# DOCA 3.0.0: header | name | kind | stability | Go | C
doca_error.h | DOCA_H_A | enumerator | - | h: const A Kind | enum doca_h_kind: 0
doca_error.h | DOCA_H_B | enumerator | - | h: const B Kind | enum doca_h_kind: 200
doca_error.h | DOCA_H_BIG | macro | - | h: const Big | 18446744073709551615
doca_error.h | DOCA_H_HIGH | enumerator | - | h: const High | enum doca_h_high: 18446744073709551615
doca_error.h | DOCA_H_NAME | macro | - | h: const Name | "h"
doca_error.h | DOCA_H_RATIO | macro | - | h: const Ratio | 1.5f
doca_error.h | doca_h | struct | - | h: type H | struct doca_h { uint8_t a : 3; uint8_t b : 5; union { uint32_t u; float f; }; struct { uint16_t lo; uint16_t hi; } pair; struct doca_h *(*next)(int); uint8_t raw[2][3]; } __attribute__((packed))
doca_error.h | doca_h_addr | union | - | h: type Addr | union doca_h_addr { uint32_t v4; uint8_t v6[16]; }
doca_error.h | doca_h_get | function | - | h: func Get() | doca_h_plain_t doca_h_get(struct doca_h *h, enum doca_h_kind k)
doca_error.h | doca_h_high | enum | - | h: type High | enum doca_h_high
doca_error.h | doca_h_hook | function | - | h: func Hook() | void (*doca_h_hook(int kind))(struct doca_h *)
doca_error.h | doca_h_kind | enum | - | h: type Kind | enum doca_h_kind __attribute__((packed))
doca_error.h | doca_h_pack | struct | - | h: type Pack | struct doca_h_pack /* #pragma pack(2) */ { uint8_t a; uint32_t b; } size 6
doca_error.h | doca_h_plain_t | typedef | - | h: - | typedef struct doca_h_plain_t doca_h_plain_t
`

func TestHardTypes(t *testing.T) {
	t.Parallel()
	l, err := ledger.Read(strings.NewReader(hardLedger))
	require.NoError(t, err)
	for name, c := range map[string]struct{ old, new, want string }{
		"equal":            {"", "", ""},
		"bit-field wider":  {"a : 3, b : 5", "a : 4, b : 4", "struct doca_h: bit-field a at bits 0 to 2, found bits 0 to 3; bit-field b at bits 3 to 7, found bits 4 to 7"},
		"not packed":       {"} __attribute__((packed));", "};", "struct doca_h: size 23, found 32; align 1, found 8"},
		"union member":     {"float f;", "double f;", "struct doca_h: size 23, found 27; member f float, found double; member pair at 5, found 9"},
		"inner member":     {"lo, hi;", "lo, mid, hi;", "struct doca_h: size 23, found 25; member pair as before, found another type; member pair.hi at 7, found 9"},
		"enum not packed":  {"enum __attribute__((packed))", "enum", "enum doca_h_kind: size 1, found 4"},
		"float":            {"1.5f", "2", "DOCA_H_RATIO: expected 1.5f, found 2"},
		"high":             {"= 0xffffffffffffffff", "= 1", "DOCA_H_HIGH: expected 18446744073709551615, found 1"},
		"smaller enum":     {"= 0xffffffffffffffff", "= 1", "enum doca_h_high: size 8, found 4"},
		"other pack":       {"#pragma pack(push, 2)", "#pragma pack(push, 4)", "struct doca_h_pack: size 6, found 8; align 2, found 4; member b at 2, found 4"},
		"string":           {`"h"`, `"h" "2"`, `DOCA_H_NAME: expected "h", found "h2"`},
		"big":              {"BIG 0xffffffffffffffff", "BIG 1", "DOCA_H_BIG: expected 18446744073709551615, found 1"},
		"union is struct":  {"union doca_h_addr", "struct doca_h_addr", "missing: union doca_h_addr"},
		"function of one":  {"void (*doca_h_hook", "int (*doca_h_hook", "doca_h_hook: expected void ( (*)(int))(struct doca_h *), found int ( (*)(int))(struct doca_h *)"},
		"type of function": {"get(struct doca_h *h,", "get(void *h,", "doca_h_get: expected doca_h_plain_t (struct doca_h *, enum doca_h_kind), found doca_h_plain_t (void *, enum doca_h_kind)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.Contains(t, hardHeader, c.old)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "doca_error.h"), []byte(strings.Replace(hardHeader, c.old, c.new, 1)), 0o644))
			r, err := Run(context.Background(), Config{Ledger: l, SDK: dir})
			require.NoError(t, err)
			if c.want == "" {
				assert.Empty(t, lines(r))
			} else {
				assert.Contains(t, strings.Join(lines(r), "\n"), c.want)
			}
		})
	}
}

func TestExports(t *testing.T) {
	t.Parallel()
	l := &ledger.Ledger{Version: "3.0", Symbols: []ledger.Symbol{
		{Header: "doca_error.h", Name: "doca_a_one", Kind: ledger.Function, Library: "a", Go: "func One()", C: "void doca_a_one(void)"},
		{Header: "doca_error.h", Name: "doca_a_two", Kind: ledger.Function, Library: "a", Go: "func Two()", C: "void doca_a_two(void)"},
		{Header: "doca_error.h", Name: "doca_a_base", Kind: ledger.Function, Library: "a", Go: "func Base()", C: "void doca_a_base(void)"},
		{Header: "doca_error.h", Name: "doca_b_one", Kind: ledger.Function, Library: "b", Go: "func One()", C: "void doca_b_one(void)"},
	}}
	dir := t.TempDir()
	build := func(out, source string, args ...string) {
		cmd := exec.Command("cc", append([]string{"-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", filepath.Join(dir, "lib", out), "-Wl,-soname," + out}, args...)...)
		cmd.Stdin = strings.NewReader(source)
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, string(text))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "include"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "lib"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "include", "doca_error.h"),
		[]byte("void doca_a_one(void);\nvoid doca_a_two(void);\nvoid doca_a_base(void);\nvoid doca_b_one(void);\n"), 0o644))
	build("libdoca_base.so.2", "void doca_a_base(void) {}")
	build("libdoca_a.so.2", "void doca_a_base(void); void doca_a_one(void) { doca_a_base(); } __attribute__((visibility(\"hidden\"))) void doca_a_two(void) {}",
		filepath.Join(dir, "lib", "libdoca_base.so.2"))
	build("libdoca_b.so.3", "void doca_b_one(void) {}")
	r, err := Run(context.Background(), Config{Ledger: l, SDK: dir, Sonames: map[string]string{"a": "libdoca_a.so.2", "b": "libdoca_b.so.2"}})
	require.NoError(t, err)
	lib := filepath.Join(dir, "lib")
	assert.Equal(t, []string{"libdoca_a.so.2: doca_a_two: not exported", "libdoca_b.so.2: not in " + lib + ", but libdoca_b.so.3 is"}, lines(r))
	assert.Equal(t, lib, r.Libraries)
}

func TestPrintAndJSON(t *testing.T) {
	t.Parallel()
	r, err := Run(context.Background(), Config{Ledger: readLedger(t), SDK: "../../testdata/2.5"})
	require.NoError(t, err)
	var brief, verbose bytes.Buffer
	require.NoError(t, r.Print(&brief, false))
	assert.Regexp(t, `\n\d+ differences; compared \d+ `, brief.String())
	var one bytes.Buffer
	require.NoError(t, (&Report{Differences: []Difference{{Kind: Header, Name: "doca_a.h", Found: "not there"}}, Unknown: []Unknown{{}}}).Print(&one, false))
	assert.Contains(t, one.String(), "\n1 difference; compared nothing; the SDK has 1 symbol that the bindings do not know\n")
	require.NoError(t, r.Print(&verbose, true))
	assert.NotContains(t, brief.String(), "unknown to the bindings:")
	assert.Greater(t, strings.Count(verbose.String(), "unknown to the bindings:"), 0)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var again Report
	require.NoError(t, json.Unmarshal(text, &again))
	assert.Equal(t, *r, again)
}

func TestNoCompilerNoHeaders(t *testing.T) {
	_, err := Run(context.Background(), Config{Ledger: &ledger.Ledger{}, SDK: t.TempDir()})
	assert.ErrorContains(t, err, "no DOCA headers")
	t.Setenv("CC", "no-such-compiler")
	_, err = Run(context.Background(), Config{Ledger: &ledger.Ledger{}, SDK: reference})
	assert.ErrorContains(t, err, "no-such-compiler")
}
