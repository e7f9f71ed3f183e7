package cparse

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// integer types, as parameters see them
var (
	tInt   = &Type{Kind: Int, Name: "int", Size: 4, Signed: true}
	tU8    = &Type{Kind: Named, Name: "uint8_t", Elem: &Type{Kind: Int, Name: "unsigned char", Size: 1}}
	tU32   = &Type{Kind: Named, Name: "uint32_t", Elem: &Type{Kind: Int, Name: "unsigned int", Size: 4}}
	tU64   = &Type{Kind: Named, Name: "uint64_t", Elem: &Type{Kind: Int, Name: "unsigned long", Size: 8}}
	tSizeT = &Type{Kind: Named, Name: "size_t", Elem: &Type{Kind: Int, Name: "unsigned long", Size: 8}}
)

func ptr(t *Type) *Type { return &Type{Kind: Pointer, Elem: t} }

func constant(t *Type) *Type {
	u := *t
	u.Const = true
	return &u
}

// TestParamTypes reads the type of the parameter p of void f(...).
func TestParamTypes(t *testing.T) {
	const prelude = `
#include <linux/types.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
struct doca_dev;
union doca_data { void *ptr; uint64_t u64; };
typedef enum doca_error { DOCA_SUCCESS } doca_error_t;
enum doca_state { DOCA_STATE_IDLE };
typedef void (doca_func_t)(void);
typedef void (*doca_cb_t)(struct doca_dev *dev, ...);
typedef int doca_event_handle_t;
typedef doca_event_handle_t doca_handle_t;
`
	dev := &Type{Kind: Struct, Name: "doca_dev"}
	errT := &Type{Kind: Named, Name: "doca_error_t", Elem: &Type{Kind: EnumT, Name: "doca_error", Size: 4}}
	char := &Type{Kind: Int, Name: "char", Size: 1, Signed: true}
	voidT := &Type{Kind: Void}
	handle := &Type{Kind: Named, Name: "doca_handle_t", Elem: &Type{Kind: Named, Name: "doca_event_handle_t", Elem: tInt}}
	funcT := &Type{Kind: FuncT, Elem: voidT}
	integer := func(name string, size int, signed bool) *Type {
		return &Type{Kind: Int, Name: name, Size: size, Signed: signed}
	}
	tests := []struct {
		c, spelled string
		want       *Type
	}{
		{"int p", "int p", tInt},
		{"char p", "char p", char},
		{"signed char p", "signed char p", integer("signed char", 1, true)},
		{"unsigned char p", "unsigned char p", integer("unsigned char", 1, false)},
		{"short p", "short p", integer("short", 2, true)},
		{"short unsigned int p", "unsigned short p", integer("unsigned short", 2, false)},
		{"unsigned p", "unsigned int p", integer("unsigned int", 4, false)},
		{"signed p", "int p", tInt},
		{"long p", "long p", integer("long", 8, true)},
		{"unsigned long int p", "unsigned long p", integer("unsigned long", 8, false)},
		{"long long p", "long long p", integer("long long", 8, true)},
		{"int unsigned long long p", "unsigned long long p", integer("unsigned long long", 8, false)},
		{"float p", "float p", &Type{Kind: Float, Name: "float", Size: 4}},
		{"double p", "double p", &Type{Kind: Float, Name: "double", Size: 8}},
		{"long double p", "long double p", &Type{Kind: Float, Name: "long double", Size: 16}},
		{"bool p", "_Bool p", &Type{Kind: Bool, Size: 1}},
		{"_Bool *p", "_Bool *p", ptr(&Type{Kind: Bool, Size: 1})},
		{"uint8_t p", "uint8_t p", tU8},
		{"uint64_t p", "uint64_t p", tU64},
		{"size_t *p", "size_t *p", ptr(tSizeT)},
		{"ssize_t p", "ssize_t p", &Type{Kind: Named, Name: "ssize_t", Elem: integer("long", 8, true)}},
		{"__be32 p", "__be32 p", &Type{Kind: Named, Name: "__be32", Elem: integer("unsigned int", 4, false)}},
		{"doca_error_t p", "doca_error_t p", errT},
		{"doca_handle_t p", "doca_handle_t p", handle},
		{"enum doca_state p", "enum doca_state p", &Type{Kind: EnumT, Name: "doca_state", Size: 4}},
		{"union doca_data p", "union doca_data p", &Type{Kind: Union, Name: "doca_data"}},
		{"const union doca_data p", "const union doca_data p", constant(&Type{Kind: Union, Name: "doca_data"})},
		{"const void *p", "const void *p", ptr(constant(voidT))},
		{"void **p", "void **p", ptr(ptr(voidT))},
		{"struct doca_dev ***p", "struct doca_dev ***p", ptr(ptr(ptr(dev)))},
		{"const char *p", "const char *p", ptr(constant(char))},
		{"char const *p", "const char *p", ptr(constant(char))},
		{"char *const p", "char *const p", constant(ptr(char))},
		{"const char *const *p", "const char *const *p", ptr(constant(ptr(constant(char))))},
		{"const uint32_t *p", "const uint32_t *p", ptr(constant(tU32))},
		{"char *restrict p", "char *p", ptr(char)},
		{"volatile int *p", "int *p", ptr(&Type{Kind: Int, Name: "int", Size: 4, Signed: true, Volatile: true})},
		{"FILE *p", "FILE *p", ptr(&Type{Kind: Named, Name: "FILE", Elem: &Type{Kind: Struct, Name: "_IO_FILE"}})},
		{"va_list p", "struct __va_list_tag *p", &Type{Kind: Other, Name: "va_list"}},
		{"__builtin_va_list p", "struct __va_list_tag *p", &Type{Kind: Other, Name: "va_list"}},
		{"uint8_t p[16]", "uint8_t *p", &Type{Kind: Pointer, Elem: tU8, Decayed: true, Len: 16}},
		{"uint8_t p[]", "uint8_t *p", &Type{Kind: Pointer, Elem: tU8, Decayed: true, Len: -1}},
		{"uint8_t p[static 4]", "uint8_t *p", &Type{Kind: Pointer, Elem: tU8, Decayed: true, Len: 4}},
		{"uint8_t p[const 4]", "uint8_t *const p", &Type{Kind: Pointer, Const: true, Elem: tU8, Decayed: true, Len: 4}},
		{"int n, int p[n]", "int *p", &Type{Kind: Pointer, Elem: tInt, Decayed: true, Len: -1}},
		{"int p[2][3]", "int (*p)[3]", &Type{Kind: Pointer, Elem: &Type{Kind: Array, Elem: tInt, Len: 3}, Decayed: true, Len: 2}},
		{"int (*p)[3]", "int (*p)[3]", ptr(&Type{Kind: Array, Elem: tInt, Len: 3})},
		{"int *p[3]", "int **p", &Type{Kind: Pointer, Elem: ptr(tInt), Decayed: true, Len: 3}},
		{"doca_func_t *p", "doca_func_t *p", ptr(&Type{Kind: Named, Name: "doca_func_t", Elem: funcT})},
		{"doca_cb_t p", "doca_cb_t p", &Type{Kind: Named, Name: "doca_cb_t", Elem: ptr(&Type{
			Kind: FuncT, Elem: voidT, Params: []Param{{Name: "dev", Type: ptr(dev)}}, Variadic: true})}},
		{"void (*p)(void)", "void (*p)(void)", ptr(funcT)},
		{"void p(void)", "void (*p)(void)", ptr(funcT)},
	}
	text := prelude
	for i, tt := range tests {
		text += fmt.Sprintf("void f%d(%s);\n", i, tt.c)
	}
	h := parseHeader(t, text)
	require.Empty(t, h.Problems)
	require.Len(t, h.Funcs, len(tests))
	for i, tt := range tests {
		t.Run(tt.c, func(t *testing.T) {
			p := h.Funcs[i].Params[len(h.Funcs[i].Params)-1]
			assert.Equal(t, "p", p.Name)
			assert.Equal(t, tt.want, p.Type)
			assert.Equal(t, tt.spelled, p.String())
		})
	}
}

func TestTypedefs(t *testing.T) {
	tests := []struct{ c, want string }{
		{"typedef int p;", "int"},
		{"typedef const char *p;", "const char *"},
		{"typedef char *const p;", "char *const"},
		{"typedef unsigned char p[16];", "unsigned char[16]"},
		{"typedef int p[2][3 + 1];", "int[2][4]"},
		{"typedef void (p)(void);", "void (void)"},
		{"typedef void p(int, ...);", "void (int, ...)"},
		{"typedef void (*p)(const void *, void (*)(int));", "void (*)(const void *, void (*)(int))"},
		{"typedef int (*(*p)(int a))(char);", "int (*(*)(int))(char)"},
		{"typedef int (*p[3])(char);", "int (*[3])(char)"},
		{"typedef struct doca_x *p;", "struct doca_x *"},
		{"typedef struct doca_x { int a; } p;", "struct doca_x"},
		{"typedef struct { int a; } p;", "struct p"},
		{"typedef union { int a; } p;", "union p"},
		{"typedef enum { A } p;", "enum p"},
		{"typedef enum doca_e { A } p;", "enum doca_e"},
		{"typedef int q, *p;", "int *"},
	}
	for _, tt := range tests {
		t.Run(tt.c, func(t *testing.T) {
			h := parseHeader(t, tt.c+"\n")
			require.Empty(t, h.Problems)
			td := h.Typedefs[len(h.Typedefs)-1]
			assert.Equal(t, "p", td.Name)
			assert.Equal(t, tt.want, typedefType(td))
		})
	}
}

func TestFunctions(t *testing.T) {
	h := parseHeader(t, `
struct doca_dev;
int none(void);
int unknown();
const char *text(int, char *name, ...);
struct doca_dev *(*callback(int a))(void);
typedef int doca_op_t(int a, long b);
doca_op_t by_typedef;
extern int twice(int);
int twice(int);
`)
	require.Empty(t, h.Problems)
	var lines []string
	for _, f := range h.Funcs {
		lines = append(lines, funcLine(f))
	}
	assert.Equal(t, []string{
		"int none(void)",
		"int unknown(void)",
		"const char * text(int, char *name, ...)",
		"struct doca_dev *(*callback(int a))(void)",
		"int by_typedef(int a, long b)",
		"int twice(int)",
	}, lines)
	assert.True(t, fn(t, h, "text").Variadic)
	assert.Equal(t, Pos{File: "doca_x.h", Line: 5}, fn(t, h, "text").Pos)
}

// TestUnsupported has one declaration in the middle that cannot be read.
func TestUnsupported(t *testing.T) {
	tests := []struct{ name, c, problem string }{
		{"128-bit integer", "__int128 bad(void);", "type not supported: __int128"},
		{"complex number", "void bad(double _Complex x);", "type not supported: double _Complex"},
		{"_Float128", "void bad(_Float128 x);", "type not supported: _Float128"},
		{"typeof", "__typeof__(int) bad(void);", "not understood"},
		{"_Float16", "void bad(_Float16 x);", "not understood"},
		{"nested function pointer", "void bad(int (*(*p)(int a))(char));", "not understood"},
		{"array of any length", "void bad(int a[*]);", "not understood"},
		{"nested function pointer in a struct", "struct bad {\n\tint a;\n\tint (*(*p)(int (*(*q)(int))(char)))(char);\n};", "not understood"},
		{"vector", "void bad(int x __attribute__((vector_size(16))));", "vector_size"},
		{"vector typedef", "typedef int bad __attribute__((vector_size(16)));", "vector_size"},
		{"variable", "extern const char *bad;", "bad: a variable"},
		{"definition of a variable", "static const int bad = 4;", "bad: a variable"},
		{"no type", "bad(void);", "declaration without a type"},
		{"old style definition", "int bad(a) int a; { return a; }", "without types"},
		{"array of variable length", "void bad(int n, int a[n][n]);", "array length is not a constant"},
		{"layout of a packed struct", "struct __attribute__((packed)) p { char c; int i; };\nstruct bad { char rest[64 - sizeof(struct p)]; };", "layout"},
		{"enumerator from a layout", "struct q { char c; int i; };\nenum bad { BAD = sizeof(struct q) };", "layout"},
		{"member of an unsupported type", "struct bad { int a; __int128 b; };", "struct bad: type not supported: __int128"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := parseHeader(t, "/** Before. */\nint before(void);\n/** Bad. */\n"+tt.c+"\n/** After. */\nint after(void);\n")
			assert.Equal(t, "After.", fn(t, h, "after").Doc)
			fn(t, h, "before")
			fn(t, h, "after")
			require.Len(t, h.Problems, 1)
			assert.Contains(t, h.Problems[0].Text, tt.problem)
			assert.Equal(t, "doca_x.h", h.Problems[0].Pos.File)
			assert.GreaterOrEqual(t, h.Problems[0].Pos.Line, 2)
			for _, l := range (&API{Headers: []*Header{h}}).Lines() {
				assert.NotContains(t, l, "bad")
			}
		})
	}
}

// TestSeveralUnsupported has declarations that cannot be read, and others that need them.
func TestSeveralUnsupported(t *testing.T) {
	h := parseHeader(t, `
int first(void);
typedef int (*bad_t)(int (*(*p)(int a))(char));
__typeof__(int) bad_typeof(void);
int between(int a);
void bad_user(bad_t b);
void bad_array(int a[*]);
int last(void);
`)
	var names []string
	for _, f := range h.Funcs {
		names = append(names, f.Name)
	}
	assert.Equal(t, []string{"first", "between", "last"}, names)
	var lines []int
	for _, p := range h.Problems {
		lines = append(lines, p.Pos.Line)
	}
	assert.ElementsMatch(t, []int{3, 4, 6, 7}, lines)
}
