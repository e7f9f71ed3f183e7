package cparse

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRecords(t *testing.T) {
	tests := []struct{ c, want string }{
		{"struct doca_a;", "doca_a (opaque)"},
		{"union doca_a;", "doca_a (opaque)"},
		{"struct doca_a { int a; char *b[2]; };", "doca_a { int a; char *[2] b }"},
		{"struct doca_a { unsigned a : 3, : 2, b : 1 << 2; };", "doca_a { unsigned int a : 3; unsigned int : 2; unsigned int b : 4 }"},
		{"struct doca_a { int a, *b, c[3]; };", "doca_a { int a; int * b; int[3] c }"},
		{"struct doca_a { int n; char data[]; };", "doca_a { int n; char[] data }"},
		{"struct doca_a { int n; char data[0]; };", "doca_a { int n; char[0] data }"},
		{"struct doca_a { struct doca_a *next; };", "doca_a { struct doca_a * next }"},
		{"struct doca_a { void (*cb)(int); };", "doca_a { void (*)(int) cb }"},
		{"struct doca_a { union { int i; struct { short s, t; }; }; } ;", "doca_a { union { int i; struct { short s; short t } } }"},
		{"struct doca_a { struct { int x; } in; };", "doca_a { struct { int x } in }"},
		{"struct doca_a { char c; } __attribute__((packed));", "doca_a { char c } PackedAttr"},
		{"struct __attribute__((__packed__)) doca_a { char c; };", "doca_a { char c } PackedAttr"},
		{"struct doca_a { char c; } __attribute__((packed, aligned(8)));", "doca_a { char c } AlignedAttr,PackedAttr"},
		{"struct doca_a { char c; } __attribute__((packed)) __attribute__((unused)) __attribute__((aligned(8)));", "doca_a { char c } AlignedAttr,PackedAttr"},
		{"struct doca_a { _Static_assert(1, \"\"); int a; };", "doca_a { int a }"},
		{"struct doca_a { char pad[8 - sizeof(long) + sizeof(void *) - sizeof(struct doca_a *)]; };", "doca_a { char[0] pad }"},
		{"struct doca_a { ; int a;; int b /* here */; ; };", "doca_a { int a; int b }"},
		{"union doca_a { int i; float f; };", "doca_a { int i; float f }"},
		{"typedef struct { int a; } doca_a;", "(anonymous) { int a }"},
	}
	for _, tt := range tests {
		t.Run(tt.c, func(t *testing.T) {
			h := parseHeader(t, tt.c+"\n")
			require.Empty(t, h.Problems)
			require.Len(t, h.Records, 1)
			assert.Equal(t, tt.want, recordLine(h.Records[0]))
		})
	}
}

func TestRecordDetails(t *testing.T) {
	h := parseHeader(t, `
/** Forward. */
struct doca_later;
struct doca_twice;
struct doca_twice;
typedef struct { int a; } doca_untagged_t;
struct doca_outer {
	struct doca_inner { int x; } inner; /**< Declared in place. */
	int aligned __attribute__((aligned(16)));
	_Alignas(8) char also;
	struct { int y; } unnamed;
};
struct doca_later { int a; } __attribute__((aligned(64), packed));
`)
	require.Empty(t, h.Problems)
	var names []string
	by := map[string]*Record{}
	for _, r := range h.Records {
		names = append(names, r.Name)
		by[r.Name] = r
	}
	assert.Equal(t, []string{"doca_later", "doca_twice", "", "doca_inner", "doca_outer"}, names)
	later := by["doca_later"]
	assert.True(t, later.Complete, "the definition takes the place of the forward declaration")
	assert.Equal(t, "Forward.", later.Doc)
	assert.Equal(t, []string{"packed", "aligned(64)"}, later.Attrs)
	assert.Equal(t, "doca_untagged_t", by[""].Typedef)
	outer := by["doca_outer"]
	assert.Equal(t, &Type{Kind: Struct, Name: "doca_inner"}, outer.Fields[0].Type)
	assert.Equal(t, "Declared in place.", outer.Fields[0].Doc)
	assert.Nil(t, outer.Fields[0].Anon)
	assert.Equal(t, []string{"aligned(16)"}, outer.Fields[1].Attrs)
	assert.Equal(t, []string{"aligned(8)"}, outer.Fields[2].Attrs)
	require.NotNil(t, outer.Fields[3].Anon)
	assert.Equal(t, "y", outer.Fields[3].Anon.Fields[0].Name)
}

func TestEnums(t *testing.T) {
	tests := []struct{ c, want string }{
		{"enum doca_e { A, B = 5, C };", "doca_e { A=0, B=5, C=6 }"},
		{"enum doca_e { A = 1 << 4 | 2, B = A * 2, C = ~0, D = (int)'a', };", "doca_e { A=18, B=36, C=-1, D=97 }"},
		{"#define N 3\nenum doca_e { A = N, B = sizeof(int), C = N > 2 ? 7 : 8 };", "doca_e { A=3, B=4, C=7 }"},
		{"enum doca_e { A = 0x7fffffff };", "doca_e { A=2147483647 }"},
		{"enum { A };", "(anonymous) { A=0 }"},
		{"enum __attribute__((__packed__)) doca_e { A };", "doca_e { A=0 } PackedAttr"},
		{"enum\n__attribute__ ((packed))\ndoca_e\n{ A };", "doca_e { A=0 } PackedAttr"},
		{"enum __attribute__((packed)) { A };", "(anonymous) { A=0 } PackedAttr"},
		{"enum __attribute__((aligned(2))) doca_e { A };", "doca_e { A=0 }"},
		{"#define P __attribute__((packed))\nenum P doca_e { A };", "doca_e { A=0 } PackedAttr"},
		{"enum doca_e { A } __attribute__((packed));", "doca_e { A=0 } PackedAttr"},
		{"enum doca_e { A __attribute__((deprecated)), B };", "doca_e { A=0, B=1 }"},
	}
	for _, tt := range tests {
		t.Run(tt.c, func(t *testing.T) {
			h := parseHeader(t, tt.c+"\n")
			require.Empty(t, h.Problems)
			require.Len(t, h.Enums, 1)
			assert.Equal(t, tt.want, enumLine(h.Enums[0]))
		})
	}
}

func TestPackedEnumSize(t *testing.T) {
	h := parseHeader(t, `
enum __attribute__((packed)) doca_one { A = 255 };
enum __attribute__((packed)) doca_sign { B = -128, C = 127 };
enum __attribute__((packed)) doca_two { D = 256 };
enum __attribute__((packed)) doca_wide { E = -1, F = 40000 };
typedef enum { G } __attribute__((packed)) doca_alias;
enum doca_int { H };
void doca_f(enum doca_one a, enum doca_sign b, enum doca_two c, enum doca_wide d, doca_alias e, enum doca_int f);
`)
	require.Empty(t, h.Problems)
	var sizes []int
	for _, p := range h.Funcs[0].Params {
		t := p.Type
		if t.Kind == Named {
			t = t.Elem
		}
		sizes = append(sizes, t.Size)
	}
	assert.Equal(t, []int{1, 1, 2, 4, 1, 4}, sizes)
}
