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
`

const inlinedLibrary = `#include "doca_sieve.h"
doca_error_t doca_sieve_try(uint32_t n) { return n == 4 ? DOCA_ERROR_NOT_FOUND : n == 5 ? DOCA_ERROR_IN_USE : DOCA_SUCCESS; }
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
}
`

// What a shim has taken over of a header does what it does in C.
func TestInlineFunctions(t *testing.T) {
	t.Parallel()
	sdk := withSieve(t, inlined)
	_, skipped := layouts(t, sdk)
	assert.Empty(t, skipped)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "doca_sieve.c"), []byte(inlinedLibrary), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.c"), []byte(inlinedInC), 0o644))
	text, err := exec.Command("cc", "-I", sdk, "-I", dir, filepath.Join(dir, "main.c"), "-o", filepath.Join(dir, "main")).CombinedOutput()
	require.NoError(t, err, string(text))
	want, err := exec.Command(filepath.Join(dir, "main")).Output()
	require.NoError(t, err)
	assert.Equal(t, string(want), runOnSDK(t, bindings(t, sdk), sdk, inlinedLibrary, inlinedInGo))
}
