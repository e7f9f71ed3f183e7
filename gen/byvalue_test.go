package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// byValue has records of each way in which the ABIs pass them: in registers of either kind, in both, in memory, and
// of alignments that Go does not know; and parameters called what the shims call something else.
const byValue = `#pragma once
#include <doca_error.h>
#include <doca_types.h>
#include <stdbool.h>
#include <stdint.h>
struct doca_sieve_small { uint32_t a; uint16_t b; bool c; };
struct doca_sieve_reals { double x; float y, z; };
struct doca_sieve_mixed { double x; uint64_t n; };
struct doca_sieve_large { uint64_t n[9]; struct doca_sieve_small s; };
struct __attribute__((packed)) doca_sieve_packed { uint8_t a; uint32_t b; };
struct doca_sieve_line { uint64_t n; uint8_t m; } __attribute__((aligned(64)));
struct doca_sieve_bits { uint32_t a : 5, b : 27; };
union doca_sieve_either { uint64_t n; uint8_t bytes[12]; };
typedef struct { int16_t a, b, c; } doca_sieve_untagged_t;
struct doca_sieve_tail { uint32_t n; uint8_t bytes[]; };
struct doca_sieve_end { uint32_t m; struct doca_sieve_tail tail; };
struct doca_sieve_inner { uint32_t m; struct { uint32_t k; uint8_t rest[]; }; };
union doca_sieve_any { struct doca_sieve_tail tail; uint64_t n; };
struct doca_sieve_middle { uint8_t none[0]; uint32_t n; };
struct doca_sieve_fixed { const uint32_t a; const uint8_t b; };

struct doca_sieve_small doca_sieve_small_turn(struct doca_sieve_small v, uint32_t by);
struct doca_sieve_reals doca_sieve_reals_turn(float by, const struct doca_sieve_reals v);
struct doca_sieve_mixed doca_sieve_mixed_turn(struct doca_sieve_mixed v, struct doca_sieve_mixed w);
struct doca_sieve_large doca_sieve_large_turn(struct doca_sieve_large v);
struct doca_sieve_packed doca_sieve_packed_turn(struct doca_sieve_packed v);
struct doca_sieve_line doca_sieve_line_turn(uint8_t by, struct doca_sieve_line v);
struct doca_sieve_bits doca_sieve_bits_turn(struct doca_sieve_bits v);
union doca_sieve_either doca_sieve_either_turn(union doca_sieve_either v);
doca_sieve_untagged_t doca_sieve_untagged_turn(doca_sieve_untagged_t value);
doca_error_t doca_sieve_sum(struct doca_sieve_small v, struct doca_sieve_reals result, uint64_t *sum);
static inline struct doca_sieve_small doca_sieve_small_twice(struct doca_sieve_small v) { v.a *= 2; return v; }
doca_error_t doca_sieve_tail_send(struct doca_sieve_tail v);
struct doca_sieve_tail doca_sieve_tail_make(void);
doca_error_t doca_sieve_end_send(struct doca_sieve_end v);
doca_error_t doca_sieve_inner_send(struct doca_sieve_inner v);
doca_error_t doca_sieve_any_send(union doca_sieve_any v);
struct doca_sieve_middle doca_sieve_middle_turn(struct doca_sieve_middle v);
struct doca_sieve_fixed doca_sieve_fixed_turn(struct doca_sieve_fixed v);
struct doca_sieve_small doca_sieve_names(struct doca_sieve_small v, uint32_t v_value, uint32_t value_, union doca_data *u, uint32_t u_data,
	uint32_t ring, uint32_t ring_, uint32_t result, uint32_t result_, uint32_t local_v, uint32_t godoca_sym, uint32_t arg_result, uint32_t *rc);
`

const byValueLibrary = `#include "doca_sieve.h"
struct doca_sieve_small doca_sieve_small_turn(struct doca_sieve_small v, uint32_t by) { v.a += by; v.b++; v.c = !v.c; return v; }
struct doca_sieve_reals doca_sieve_reals_turn(float by, struct doca_sieve_reals v) { v.x += by; v.y *= 2; v.z = -v.z; return v; }
struct doca_sieve_mixed doca_sieve_mixed_turn(struct doca_sieve_mixed v, struct doca_sieve_mixed w) { v.x -= w.x; v.n -= w.n; return v; }
struct doca_sieve_large doca_sieve_large_turn(struct doca_sieve_large v) { v.n[0] += v.n[8]; v.s.b++; return v; }
struct doca_sieve_packed doca_sieve_packed_turn(struct doca_sieve_packed v) { v.a++; v.b++; return v; }
struct doca_sieve_line doca_sieve_line_turn(uint8_t by, struct doca_sieve_line v) { v.n += by + ((uintptr_t)&v & 63); v.m++; return v; }
struct doca_sieve_bits doca_sieve_bits_turn(struct doca_sieve_bits v) { v.a++; v.b--; return v; }
union doca_sieve_either doca_sieve_either_turn(union doca_sieve_either v) { v.n++; v.bytes[11]++; return v; }
doca_sieve_untagged_t doca_sieve_untagged_turn(doca_sieve_untagged_t v) { v.c = v.a + v.b; return v; }
struct doca_sieve_middle doca_sieve_middle_turn(struct doca_sieve_middle v) { v.n++; return v; }
struct doca_sieve_fixed doca_sieve_fixed_turn(struct doca_sieve_fixed v) { return (struct doca_sieve_fixed){ v.b, v.a }; }
struct doca_sieve_small doca_sieve_names(struct doca_sieve_small v, uint32_t v_value, uint32_t value_, union doca_data *u, uint32_t u_data,
	uint32_t ring, uint32_t ring_, uint32_t result, uint32_t result_, uint32_t local_v, uint32_t godoca_sym, uint32_t arg_result, uint32_t *rc)
{
	u->u64 = 17;
	*rc = u_data + 10 * ring + 100 * ring_ + 1000 * result + 10000 * result_ + 100000 * local_v + 1000000 * godoca_sym + 10000000 * arg_result;
	v.a += v_value;
	v.b += value_;
	return v;
}
doca_error_t doca_sieve_sum(struct doca_sieve_small v, struct doca_sieve_reals r, uint64_t *sum) { *sum = v.a + v.b + (uint64_t)(r.x + r.y + r.z); return v.c ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE; }
`

const byValueProgram = `package main

import (
	"fmt"

	"example.com/user/bindings/sieve"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	fmt.Println(must(sieve.SmallTurn(sieve.Small{A: 1, B: 2, C: true}, 10)))
	fmt.Println(must(sieve.RealsTurn(0.5, sieve.Reals{X: 1, Y: 2, Z: 3})))
	fmt.Println(must(sieve.MixedTurn(sieve.Mixed{X: 5, N: 6}, sieve.Mixed{X: 1, N: 2})))
	fmt.Println(must(sieve.LargeTurn(sieve.Large{N: [9]uint64{1, 2, 8: 9}, S: sieve.Small{B: 4}})))
	packed := sieve.Packed{A: 1}
	packed.SetB(1 << 20)
	packed = must(sieve.PackedTurn(packed))
	fmt.Println(packed.A, packed.B())
	line := must(sieve.LineTurn(3, sieve.Line{N: 4, M: 5}))
	fmt.Println(line.N, line.M)
	var bits sieve.Bits
	bits.SetA(6)
	bits.SetB(7)
	bits = must(sieve.BitsTurn(bits))
	fmt.Println(bits.A(), bits.B())
	var either sieve.Either
	*either.N() = 5
	either = must(sieve.EitherTurn(either))
	fmt.Println(*either.Bytes())
	fmt.Println(must(sieve.UntaggedTurn(sieve.Untagged{A: -3, B: 5})))
	fmt.Println(must(sieve.Sum(sieve.Small{A: 1, B: 2, C: true}, sieve.Reals{X: 3, Y: 4, Z: 5})))
	_, err := sieve.Sum(sieve.Small{}, sieve.Reals{})
	fmt.Println(err)
	fmt.Println(must(sieve.SmallTwice(sieve.Small{A: 4})))
	fmt.Println(must(sieve.MiddleTurn(sieve.Middle{N: 4})).N)
	fmt.Println(must(sieve.FixedTurn(sieve.Fixed{A: 4, B: 5})))
	u, rc, small, err := sieve.Names(sieve.Small{A: 1, B: 2}, 10, 20, 1, 2, 3, 4, 5, 6, 7, 8)
	fmt.Println(u, rc, small, err)
}
`

// Records go to C and come back by value, as its compiler passes them.
func TestRecordsByValue(t *testing.T) {
	t.Parallel()
	sdk := withSieve(t, byValue)
	_, skipped := layouts(t, sdk)
	assert.Equal(t, map[string]string{
		"doca_sieve_tail_send":  "parameter v: struct doca_sieve_tail by value, whose bytes is a flexible array: C does not pass that",
		"doca_sieve_tail_make":  "result: struct doca_sieve_tail by value, whose bytes is a flexible array: C does not pass that",
		"doca_sieve_end_send":   "parameter v: struct doca_sieve_end by value, whose bytes is a flexible array: C does not pass that",
		"doca_sieve_inner_send": "parameter v: struct doca_sieve_inner by value, whose rest is a flexible array: C does not pass that",
		"doca_sieve_any_send":   "parameter v: union doca_sieve_any by value, whose bytes is a flexible array: C does not pass that",
	}, skipped)
	assert.Equal(t, `{11 3 false}
{1.5 4 -3}
{4 4}
{[10 2 0 0 0 0 0 0 9] {0 5 false}}
2 1048577
7 6
7 6
[6 0 0 0 0 0 0 0 0 0 0 1]
{-3 5 2}
15
doca_sieve_sum: DOCA_ERROR_BAD_STATE
{8 0 false}
5
{5 4}
17 87654321 {11 22 false} <nil>
`, runOnSDK(t, bindings(t, sdk), sdk, byValueLibrary, byValueProgram))
}

// runOnSDK runs a program that uses bindings of a library doca_sieve, which is made of the source.
func runOnSDK(t *testing.T, bindings, sdk, source, program string) string {
	t.Helper()
	mod, lib := filepath.Dir(bindings), t.TempDir()
	for soname, source := range map[string]string{"libdoca_common.so.2": "#include <doca_error.h>\n", "libdoca_sieve.so.2": source} {
		path := filepath.Join(lib, soname+".c")
		require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
		text, err := exec.Command("cc", "-shared", "-fPIC", "-I", sdk, path, "-o", filepath.Join(lib, soname)).CombinedOutput()
		require.NoError(t, err, string(text))
	}
	require.NoError(t, os.WriteFile(filepath.Join(mod, "main.go"), []byte(program), 0o644))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = mod
	cmd.Env = append(os.Environ(), "DOCA_PROVIDER=sdk", "LD_LIBRARY_PATH="+lib)
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, string(text))
	return string(text)
}
