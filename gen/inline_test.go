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
#include <stdio.h>
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
static inline bool doca_sieve_calls(uint32_t bits) { bool b = bits & 0x100; return doca_sieve_is(&b); }

/* What is called has the types of C: bools are 0 or 1, enumerations have signs, and what is behind a call is of its result. */
doca_sieve_way_t *doca_sieve_ways(void);
bool doca_sieve_not(bool on);
doca_error_t doca_sieve_turn(doca_sieve_way_t *way);
static inline uint32_t doca_sieve_called(uint32_t bits)
{
	doca_sieve_way_t way = DOCA_SIEVE_WAY_UP;
	doca_error_t rc = doca_sieve_turn(&way);

	return doca_sieve_not(bits & 0x200) + 2 * (doca_sieve_ways()[1] - 3 > 0) + 4 * way + 8 * rc + 16 * (uint32_t)sizeof doca_sieve_ways()[0] +
		128 * doca_sieve_not(doca_sieve_not(bits));
}

static inline bool doca_sieve_among(const uint32_t *list, size_t n, uint32_t x)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == x)
			return true;
	return false;
}

/* A macro makes functions. */
#define DOCA_SIEVE_GETTER(member) static inline int doca_sieve_get_##member(const struct doca_sieve_state *state) { return state->member; }
DOCA_SIEVE_GETTER(n)

/* Of a record that is not bound, members cannot be used; nor can a function. */
struct doca_sieve_odd { uint8_t a; uint32_t : 3; uint8_t b; };
struct doca_sieve_odds { struct doca_sieve_odd *odd; uint32_t n; };
static inline uint8_t doca_sieve_odd_a(const struct doca_sieve_odds *odds) { return odds->odd->a; }
static inline uint32_t doca_sieve_odd_n(const struct doca_sieve_odds *odds) { return odds->odd != NULL ? odds->n : 0; }
doca_error_t doca_sieve_print(FILE *to);
static inline doca_error_t doca_sieve_print_to(void (*from)(struct doca_sieve_state *state, void *data)) { return from ? doca_sieve_print(NULL) : DOCA_SUCCESS; }
`

const inlinedLibrary = `#include "doca_sieve.h"
doca_error_t doca_sieve_try(uint32_t n) { return n == 4 ? DOCA_ERROR_NOT_FOUND : n == 5 ? DOCA_ERROR_IN_USE : DOCA_SUCCESS; }
bool doca_sieve_is(bool *p) { return *p; }
doca_sieve_way_t *doca_sieve_ways(void) { static doca_sieve_way_t ways[] = { DOCA_SIEVE_WAY_UP, DOCA_SIEVE_WAY_DOWN }; return ways; }
bool doca_sieve_not(bool on) { return !on; }
doca_error_t doca_sieve_turn(doca_sieve_way_t *way) { *way = DOCA_SIEVE_WAY_DOWN; return DOCA_ERROR_AGAIN; }
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
	for (uint32_t bits = 0; bits < 0x400; bits += 0x100)
		printf("%d %u\n", doca_sieve_calls(bits), doca_sieve_called(bits));
	printf("%d %u\n", doca_sieve_get_n(&(struct doca_sieve_state){7}), doca_sieve_odd_n(&(struct doca_sieve_odds){0}));
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
	for bits := uint32(0); bits < 0x400; bits += 0x100 {
		calls, _ := sieve.Calls(bits)
		called, err := sieve.Called(bits)
		if err != nil {
			panic(err)
		}
		fmt.Println(number[calls], called)
	}
	n, _ := sieve.GetN(&sieve.State{N: 7})
	none, _ := sieve.OddN(&sieve.Odds{})
	fmt.Println(n, none)
}
`

// What a shim has taken over of a header does what it does in C.
func TestInlineFunctions(t *testing.T) {
	t.Parallel()
	sdk := withSieve(t, inlined)
	_, skipped := layouts(t, sdk)
	assert.Equal(t, map[string]string{
		"doca_sieve_shadow":   "static inline with a variable DOCA_SIEVE_FAR, which the headers have as well",
		"DOCA_SIEVE_GETTER":   "function-like macro: C source, not a symbol",
		"doca_sieve_odd":      "doca_sieve.h:113: unnamed bit-field: its type aligns the record on arm64 and does not on amd64",
		"doca_sieve_odd_a":    "static inline that uses members of struct doca_sieve_odd, which is not bound",
		"doca_sieve_print":    "parameter to is a FILE *, a stream of C's stdio: Go has none to pass",
		"doca_sieve_print_to": "static inline that calls doca_sieve_print, which is not bound",
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

// inlinedTasks has tasks whose functions are partly inline: there is nothing of these in the table of symbols.
const inlinedTasks = `#pragma once
#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_types.h>
struct doca_sieve_bits { uint32_t a : 5, b : 27; };
struct doca_sieve;
doca_error_t doca_sieve_create(struct doca_sieve **sieve);
static inline struct doca_ctx *doca_sieve_as_ctx(struct doca_sieve *sieve) { return (struct doca_ctx *)(void *)sieve; }
struct doca_sieve_peer;
struct doca_sieve *doca_sieve_peer_get_sieve(const struct doca_sieve_peer *peer);
typedef void (*doca_sieve_peer_cb_t)(struct doca_sieve_peer *peer, uint32_t n);
doca_error_t doca_sieve_peer_register(struct doca_sieve *sieve, doca_sieve_peer_cb_t joined_cb);

#define DOCA_SIEVE_TASK(name) \
	struct doca_sieve_task_##name; \
	typedef void (*doca_sieve_task_##name##_cb_t)(struct doca_sieve_task_##name *task, union doca_data task_user_data, union doca_data ctx_user_data); \
	doca_error_t doca_sieve_task_##name##_set_conf(struct doca_sieve *sieve, doca_sieve_task_##name##_cb_t task_completion_cb, \
		doca_sieve_task_##name##_cb_t task_error_cb, uint32_t num_tasks); \
	doca_error_t doca_sieve_task_##name##_alloc_init(struct doca_sieve *sieve, const struct doca_buf *src, struct doca_buf *dst, \
		union doca_data user_data, struct doca_sieve_task_##name **task); \
	void doca_sieve_task_##name##_set_dst(struct doca_sieve_task_##name *task, struct doca_buf *dst);
DOCA_SIEVE_TASK(plain)
DOCA_SIEVE_TASK(cast)
DOCA_SIEVE_TASK(read)
struct doca_task *doca_sieve_task_plain_as_task(struct doca_sieve_task_plain *task);
void doca_sieve_task_plain_set_src(struct doca_sieve_task_plain *task, const struct doca_buf *src);
static inline struct doca_task *doca_sieve_task_cast_as_task(struct doca_sieve_task_cast *task) { return (struct doca_task *)(void *)task; }
struct doca_task *doca_sieve_task_read_as_task(struct doca_sieve_task_read *task);
static inline void doca_sieve_task_read_set_src(struct doca_sieve_task_read *task, const struct doca_buf *src) { (void)task; (void)src; }
static inline uint32_t doca_sieve_task_read_get_len(const struct doca_sieve_task_read *task) { return task != NULL; }

#define DOCA_SIEVE_MESSAGE(name) \
	struct doca_sieve_task_##name; \
	typedef void (*doca_sieve_task_##name##_cb_t)(struct doca_sieve_task_##name *task, union doca_data task_user_data, union doca_data ctx_user_data); \
	doca_error_t doca_sieve_task_##name##_set_conf(struct doca_sieve *sieve, doca_sieve_task_##name##_cb_t task_completion_cb, \
		doca_sieve_task_##name##_cb_t task_error_cb, uint32_t num_tasks); \
	doca_error_t doca_sieve_task_##name##_alloc_init(struct doca_sieve *sieve, struct doca_sieve_peer *task, uint32_t typed, \
		const void *rc, uint32_t len, uint64_t task_user_data, struct doca_sieve_task_##name **out);
DOCA_SIEVE_MESSAGE(say)
DOCA_SIEVE_MESSAGE(shout)
struct doca_task *doca_sieve_task_say_as_task(struct doca_sieve_task_say *task);
static inline struct doca_task *doca_sieve_task_shout_as_task(struct doca_sieve_task_shout *task) { return (struct doca_task *)(void *)task; }

/* Records of another library, which nothing but members and calls lead to. */
struct doca_sieve_pieces { uint32_t n; const struct doca_gather_list *first; };
const struct doca_gather_list *doca_sieve_piece(uint32_t n);
static inline uint64_t doca_sieve_all(const struct doca_sieve_pieces *pieces) { return pieces->first->len * pieces->n; }
static inline uint64_t doca_sieve_one(uint32_t n) { return doca_sieve_piece(n)->len; }

/* What a device changes. */
struct doca_sieve_bell { volatile uint32_t rung; };
static inline uint32_t doca_sieve_wait(const volatile uint32_t *word, struct doca_sieve_bell *bell)
{
	while (*word == 0 && bell->rung == 0)
		;
	return *word;
}
`

// Bindings compile whichever functions of a task are inline; what needs their symbols is left out.
func TestInlineFunctionsOfTasks(t *testing.T) {
	t.Parallel()
	sdk := withSieve(t, inlinedTasks)
	dir := filepath.Join(bindings(t, sdk), "sieve")
	shim, err := os.ReadFile(filepath.Join(dir, "shim.h"))
	require.NoError(t, err)
	assert.Contains(t, string(shim), "volatile uint32_t rung;")
	text, err := os.ReadFile(filepath.Join(dir, "shim.c"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "godoca_inline_doca_sieve_wait(volatile const uint32_t *word, struct doca_sieve_bell *bell)")
	text, err = os.ReadFile(filepath.Join(dir, "sieve.go"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "func TaskPlainSubmitBatch(")
	assert.NotContains(t, string(text), "func TaskCastSubmit")
	assert.Contains(t, string(text), "func TaskSaySubmit(")
	assert.NotContains(t, string(text), "func TaskShoutSubmit(")
	assert.Contains(t, string(text), "func TaskCastAsTask(")
	assert.Contains(t, string(text), "func TaskReadSubmitBatch(")
	assert.Contains(t, string(text), "func TaskReadSetSrc(")
}
