package cparse

import (
	"fmt"
	"math"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMacros(t *testing.T) {
	num := func(n int64) *int64 { return &n }
	tests := []struct {
		c, value string
		want     *int64
	}{
		{"#define M 16", "16", num(16)},
		{"#define M (24)", "(24)", num(24)},
		{"#define M 0x10", "0x10", num(16)},
		{"#define M 010", "010", num(8)},
		{"#define M 1UL << 40", "1UL << 40", num(1 << 40)},
		{"#define M (1<<3|2)", "(1<<3|2)", num(10)},
		{"#define M -1", "-1", num(-1)},
		{"#define M ((uint32_t)-1)", "((uint32_t)-1)", num(math.MaxUint32)},
		{"#define M UINT64_MAX", "UINT64_MAX", num(-1)},
		{"#define M 'a'", "'a'", num(97)},
		{"#define M sizeof(uint64_t)", "sizeof(uint64_t)", num(8)},
		{"#include <stdbool.h>\n#define M (8 * sizeof(bool))", "(8 * sizeof(bool))", num(8)},
		{"#define M (3 > 2 ? 4 : 5)", "(3 > 2 ? 4 : 5)", num(4)},
		{"enum { E = 7 };\n#define M (E + 1)", "(E + 1)", num(8)},
		{"#define N 3\n#define F(a) ((a) * N)\n#define M F(4)", "F(4)", num(12)},
		{"#define M \\\n\t1 + \\\n\t2", "1 + 2", num(3)},
		{"#define M\t5   /* five */", "5", num(5)},
		{"#define M 5 /**< Five. */", "5", num(5)},
		{"#define M \"text\"", `"text"`, nil},
		{"#define M 1.5", "1.5", nil},
		{"#define M unknown", "unknown", nil},
		{"#define M int", "int", nil},
		{"#define M { 1, 2 }", "{ 1, 2 }", nil},
		{"#define M __attribute__((used))", "__attribute__((used))", nil},
		{"struct __attribute__((packed)) s { char c; int i; };\n#define M sizeof(struct s)", "sizeof(struct s)", nil},
		{"struct __attribute__((packed)) s { char c; int i; };\n#define N sizeof(struct s)\n#define M (N + 1)", "(N + 1)", nil},
		{"#define M 1\n#undef M\n#define M 2", "2", num(2)},
	}
	for _, tt := range tests {
		t.Run(tt.c, func(t *testing.T) {
			m := macro(t, parseHeader(t, "#include <stdint.h>\n"+tt.c+"\n"), "M")
			assert.Equal(t, tt.value, m.Value)
			assert.Equal(t, tt.want, m.Int)
			assert.Equal(t, tt.value == "UINT64_MAX", m.Unsigned)
		})
	}
}

// The types of numbers are those that the C compiler gives them.
func TestMacroTypes(t *testing.T) {
	const dir = "testdata/hard"
	api, err := Parse(Config{Dir: dir})
	require.NoError(t, err)
	var c strings.Builder
	c.WriteString("#include <doca_macros.h>\n")
	n := 0
	for _, m := range header(t, api, "doca_macros.h").Macros {
		if m.Type == nil {
			continue
		}
		n++
		name := m.Type.Name
		if m.Type.Kind == Bool {
			name = "_Bool"
		}
		fmt.Fprintf(&c, "_Static_assert(_Generic((%[1]s), %[2]s: 1, default: 0), \"%[1]s is no %[2]s\");\n", m.Name, name)
		if m.Type.Kind == Int {
			fmt.Fprintf(&c, "_Static_assert(sizeof(%[1]s) == %[2]d && ((__typeof__(%[1]s))-1 < 0) == %[3]t, \"%[1]s\");\n", m.Name, m.Type.Size, m.Type.Signed)
		}
	}
	assert.Greater(t, n, 25)
	cmd := exec.Command("cc", "-std=gnu11", "-include", "stdbool.h", "-I", dir, "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(c.String())
	text, err := cmd.CombinedOutput()
	assert.NoError(t, err, string(text))
}

func TestMacroSelection(t *testing.T) {
	h := parseHeader(t, `
#ifndef DOCA_X_H_
#define DOCA_X_H_ 1
#include <stdint.h>
#define DOCA_EMPTY
/** The first. */
#define DOCA_B 2
#define DOCA_A 1 /**< The second. */
#define DOCA_F(x) (x)
#define DOCA_G() 1
#define DOCA_GONE 3
#undef DOCA_GONE
#if 0
#define DOCA_OFF 1
#endif
/**
 * Several lines
 * of text.
 */
#define DOCA_C \
	3
#endif
`)
	var names, docs []string
	for _, m := range h.Macros {
		names = append(names, m.Name)
		docs = append(docs, m.Doc)
	}
	assert.Equal(t, []string{"DOCA_B", "DOCA_A", "DOCA_C"}, names, "in the order of the header; no guard, no empty macro")
	assert.Equal(t, []string{"The first.", "The second.", "Several lines\nof text."}, docs)
	assert.Equal(t, []string{"DOCA_F", "DOCA_G"}, h.FuncMacros)
	assert.Equal(t, Pos{File: "doca_x.h", Line: 7}, h.Macros[0].Pos)
}

// TestEndlessMacro has a macro that nothing uses and that must not be expanded.
func TestEndlessMacro(t *testing.T) {
	dir := writeHeaders(t, map[string]string{
		"doca_a.h": bomb("(1)") + "int doca_a(void);\n",
		"doca_b.h": "#define DOCA_B 4\n",
	})
	api, err := Parse(Config{Dir: dir})
	require.NoError(t, err)
	fn(t, header(t, api, "doca_a.h"), "doca_a")
	assert.Equal(t, int64(4), *macro(t, header(t, api, "doca_b.h"), "DOCA_B").Int)
	require.Len(t, api.Notes, 1)
	assert.Contains(t, api.Notes[0], "doca_a.h")
}
