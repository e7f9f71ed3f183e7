package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inlined has static inline functions of the kind that the shims take over.
const inlined = `#pragma once
#include <doca_error.h>
#include <doca_types.h>
#include <stdbool.h>
#include <stdint.h>
#define DOCA_SIEVE_TOP 0xffffffffffffffffull
#define DOCA_SIEVE_ONES 0xffffffffu
#define DOCA_SIEVE_STEP 3u
#define DOCA_SIEVE_LOW (-2147483647 - 1)
struct doca_sieve_state { int n; };
enum doca_sieve_kind { DOCA_SIEVE_KIND_A = 1, DOCA_SIEVE_KIND_B, DOCA_SIEVE_KIND_C = -5 };
typedef enum { DOCA_SIEVE_WAY_UP, DOCA_SIEVE_WAY_DOWN } doca_sieve_way_t;
struct doca_sieve_bits { uint32_t a : 5, b : 27; };

doca_error_t doca_sieve_try(uint32_t n);

static inline doca_error_t doca_sieve_try_twice(uint32_t n)
{
	doca_error_t rc = doca_sieve_try(n);
	enum doca_error again;

	if (rc != DOCA_SUCCESS)
		return rc;
	again = doca_sieve_try(n + DOCA_SIEVE_STEP);
	switch (again) {
	case DOCA_ERROR_NOT_FOUND:
	case DOCA_ERROR_AGAIN:
		return DOCA_ERROR_DRIVER;
	case DOCA_SUCCESS: {
		rc = again;
		break;
	}
	default:
		return again;
	}
	return rc;
}

static inline uint64_t doca_sieve_weigh(enum doca_sieve_kind kind, doca_sieve_way_t way)
{
	enum doca_sieve_kind k = kind;
	doca_sieve_way_t w = way;

	switch (k) {
	case DOCA_SIEVE_KIND_A: return DOCA_SIEVE_TOP - (w == DOCA_SIEVE_WAY_DOWN);
	case DOCA_SIEVE_KIND_B: return (uint64_t)(DOCA_SIEVE_ONES + 1);
	default: return ~DOCA_SIEVE_ONES + DOCA_SIEVE_TOP / DOCA_SIEVE_STEP;
	}
}

static inline uint32_t doca_sieve_below(int a)
{
	bool negative = a & 0x100;
	float half = 0.5f;

	return (a - DOCA_SIEVE_STEP < 10) + 2 * negative + 4 * (DOCA_SIEVE_LOW < a) + (uint32_t)(8 * half * 2) + (UINT32_MAX > 5u ? 16 : 0);
}

enum doca_sieve_far { DOCA_SIEVE_NEAR, DOCA_SIEVE_FAR = 0xffffffff };
struct doca_sieve_held { doca_sieve_way_t way; bool on; };
bool doca_sieve_is(bool *p);

/* Enumerations without negative values are unsigned, their parameters, members, constants and those of calls. */
static inline uint64_t doca_sieve_signs(doca_sieve_way_t way, enum doca_sieve_kind kind)
{
	struct doca_sieve_held held = { .way = way, .on = 0x100 };
	struct doca_gather_list list = { .len = 5 };

	return (way - 1) / 2 + 2 * ((kind - 7) / 2) + 4 * ((held.way - 1) / 2) + 8 * held.on + 16 * ((doca_sieve_try(0) - 1) / 2) +
		list.len * (uint64_t)(DOCA_SIEVE_FAR + 1) + 32 * ~DOCA_SIEVE_FAR + way;
}

static inline bool doca_sieve_any(uint32_t bits, bool *seen)
{
	*seen = bits & 0x200;
	return bits & 0x300;
}

static inline enum doca_sieve_far doca_sieve_farther(int32_t DOCA_SIEVE_LATER) { return DOCA_SIEVE_LATER ? DOCA_SIEVE_FAR : DOCA_SIEVE_NEAR; }
static inline uint32_t doca_sieve_after(void) { return 3; }
#define DOCA_SIEVE_LATER 4

static inline uint32_t doca_sieve_shadow(void) { uint32_t DOCA_SIEVE_FAR = 3; return DOCA_SIEVE_FAR; }
static inline bool doca_sieve_calls(void) { bool b = true; return doca_sieve_is(&b); }
`

const inlinedLibrary = `#include "doca_sieve.h"
doca_error_t doca_sieve_try(uint32_t n) { return n == 4 ? DOCA_ERROR_NOT_FOUND : n == 5 ? DOCA_ERROR_IN_USE : DOCA_SUCCESS; }
bool doca_sieve_is(bool *p) { return *p; }
`

const inlinedInC = `#include "doca_sieve.c"
#include <stdio.h>
int main(void)
{
	for (uint32_t n = 0; n < 7; n++)
		printf("%d\n", doca_sieve_try_twice(n));
	for (int kind = 0; kind < 4; kind++)
		printf("%lu\n", (unsigned long)doca_sieve_weigh((enum doca_sieve_kind)kind, (doca_sieve_way_t)(kind & 1)));
	for (int a = -300; a < 300; a += 37)
		printf("%u\n", doca_sieve_below(a));
	for (int n = 0; n < 3; n++)
		printf("%lu\n", (unsigned long)doca_sieve_signs((doca_sieve_way_t)n, (enum doca_sieve_kind)n));
	for (uint32_t bits = 0; bits < 0x400; bits += 0x100) {
		bool seen, any = doca_sieve_any(bits, &seen);
		printf("%d %d\n", any, seen);
	}
	printf("%u %u\n", doca_sieve_farther(0), doca_sieve_farther(1));
	return 0;
}
`

const inlinedInGo = `package main

import (
	"errors"
	"fmt"

	"example.com/user/bindings/sieve"
	"github.com/go-doca/go-doca/generated/abi"
)

func main() {
	for n := range uint32(7) {
		var code abi.Error
		if err := sieve.TryTwice(n); err != nil && !errors.As(err, &code) {
			panic(err)
		}
		fmt.Println(int32(code))
	}
	for kind := range int32(4) {
		w, err := sieve.Weigh(sieve.Kind(kind), sieve.Way(kind&1))
		if err != nil {
			panic(err)
		}
		fmt.Println(w)
	}
	for a := int32(-300); a < 300; a += 37 {
		n, err := sieve.Below(a)
		if err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
	for n := range int32(3) {
		bits, err := sieve.Signs(sieve.Way(n), sieve.Kind(n))
		if err != nil {
			panic(err)
		}
		fmt.Println(bits)
	}
	number := map[bool]int{true: 1}
	for bits := uint32(0); bits < 0x400; bits += 0x100 {
		seen, any, err := sieve.Any(bits)
		if err != nil {
			panic(err)
		}
		fmt.Println(number[any], number[seen])
	}
	near, _ := sieve.Farther(0)
	far, _ := sieve.Farther(1)
	fmt.Println(uint32(near), uint32(far))
}
`

// What a shim has taken over of a header does what it does in C.
func TestInlineFunctions(t *testing.T) {
	t.Parallel()
	sdk := withSieve(t, inlined)
	_, skipped := layouts(t, sdk)
	assert.Equal(t, map[string]string{
		"doca_sieve_shadow": "static inline with a variable DOCA_SIEVE_FAR, which the headers have as well",
		"doca_sieve_calls":  "static inline that calls doca_sieve_is, to which bools are bytes",
	}, skipped)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "doca_sieve.c"), []byte(inlinedLibrary), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.c"), []byte(inlinedInC), 0o644))
	text, err := exec.Command("cc", "-I", sdk, "-I", dir, filepath.Join(dir, "main.c"), "-o", filepath.Join(dir, "main")).CombinedOutput()
	require.NoError(t, err, string(text))
	want, err := exec.Command(filepath.Join(dir, "main")).Output()
	require.NoError(t, err)
	assert.Equal(t, string(want), runOnSDK(t, bindings(t, sdk), sdk, inlinedLibrary, inlinedInGo))
}
