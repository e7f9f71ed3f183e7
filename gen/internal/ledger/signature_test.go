package ledger

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCall(t *testing.T) {
	t.Parallel()
	l := &Ledger{Symbols: []Symbol{
		{Name: "doca_error_t", Kind: Typedef, C: "typedef enum doca_error doca_error_t"},
		{Name: "doca_x_cb_t", Kind: Typedef, C: "typedef void (*doca_x_cb_t)(struct doca_x *x, const void *p, uint32_t len)"},
		{Name: "doca_fn_t", Kind: Typedef, C: "typedef void (doca_fn_t)(void)"},
		{Name: "doca_h_t", Kind: Typedef, C: "typedef uint64_t doca_h_t"},
		{Name: "loop_t", Kind: Typedef, C: "typedef loop_t *loop_t"},
	}}
	for in, want := range map[string]string{
		"doca_error_t doca_a(void)":                                       "func() enum doca_error",
		"doca_error_t doca_a(const struct doca_x *x, size_t *len)":        "func(*struct doca_x, *u64) enum doca_error",
		"void doca_a(int, unsigned int n, unsigned, long long l)":         "func(i32, u32, u32, i64) void",
		"const char *doca_a(char *const buf, char b[16], uint8_t c[])":    "func(*i8, *i8, *u8) *i8",
		"void doca_a(doca_x_cb_t cb, doca_x_cb_t)":                        "func(*func(*struct doca_x, *void, u32) void, *func(*struct doca_x, *void, u32) void) void",
		"void doca_a(void (*cb)(int a, int b), int (*g(void))(char))":     "func(*func(i32, i32) void, *func() *func(i8) i32) void",
		"void doca_a(doca_fn_t *f, doca_fn_t g)":                          "func(*func() void, *func() void) void",
		"void doca_a(doca_h_t h, uint64_t *a[2], int (*m)[4])":            "func(u64, **u64, *[4]i32) void",
		"doca_error_t doca_a(struct doca_x *x, doca_fn_t *k, ...)":        "func(*struct doca_x, *func() void, ...) enum doca_error",
		"void doca_a(union doca_data d, enum doca_e e, loop_t l, bool b)": "func(union doca_data, enum doca_e, *loop_t, u8) void",
	} {
		t.Run(in, func(t *testing.T) {
			assert.Equal(t, want, l.Types().Call(in), in)
		})
	}
	assert.Equal(t, []string{"enum doca_e", "struct doca_x"}, Tags("func(*struct doca_x, enum doca_e, **struct doca_x) void"))
}

func TestSameCall(t *testing.T) {
	t.Parallel()
	ts := (&Ledger{}).Types()
	same := func(a, b string) bool { return ts.Call(a) == ts.Call(b) }
	assert.True(t, same("void f(struct doca_devinfo *i)", "void f(const struct doca_devinfo *devinfo)"))
	assert.False(t, same("void f(struct doca_mmap *m, struct doca_buf_arr **a)", "void f(size_t n, struct doca_buf_arr **a)"))
	assert.False(t, same("void f(size_t *n)", "void f(uint32_t *n)"))
}

func FuzzCall(f *testing.F) {
	for _, s := range []string{"void f(int a[3])", "a(((", "((((*", "void f(", "[[[", "typedef x y", "void (*f)(void (*)(void))"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { (&Ledger{}).Types().Call(s) })
}

func FuzzLayout(f *testing.F) {
	for _, s := range []string{"struct s { int a : 3; }", "struct s { struct { union { int x; } u[2]; } __attribute__((packed)) v; }", "struct s {{{{", "struct s { struct s s; }",
		"struct s /* #pragma pack(1) */ { enum e e; } __attribute__((aligned(8))) size 8", "union u { int a[99999999999]; }", "struct s { a(b(c }"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l := &Ledger{Symbols: []Symbol{{Kind: Struct, Name: "s", C: s}, {Kind: Enum, Name: "e", C: "enum e"}}}
		_, _ = l.Types().Layout(&l.Symbols[0])
	})
}
