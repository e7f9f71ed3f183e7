/* SPDX-License-Identifier: Apache-2.0 */

/* A function of its own for each function of the emulator. All arguments of DOCA's functions are integers and pointers, so
 * ten words are enough for each; those that a caller has not given are not looked at. */

#include "liar.h"

#include <stdatomic.h>
#include <string.h>

#include "core/emu_release.h"
#include "symbols.h"

#define MAX_THUNKS 2000

typedef uint64_t function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

struct thunk {
	const char *name;
	function *real;
	atomic_int calls;
	atomic_int kind;
	int nth, arg, any;
	int32_t code, real_code;
	const char *text;
};

static struct thunk thunks[MAX_THUNKS];
static int num_thunks;
static const char *version_text;

static uint64_t call(struct thunk *t, uint64_t *a)
{
	int n = atomic_fetch_add(&t->calls, 1) + 1, kind = atomic_load(&t->kind);
	uint64_t result;

	if (kind != LIE_NONE && t->nth != 0 && t->nth != n)
		kind = LIE_NONE;
	if (kind == LIE_IN)
		a[t->arg] += 192;
	result = t->real(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
	if (kind == LIE_CODE && (t->any || (int32_t)result == t->real_code))
		result = (uint32_t)t->code;
	if (kind == LIE_TEXT && (int32_t)a[0] >= t->code)
		result = (uintptr_t)t->text;
	if (kind == LIE_RESULT)
		result ^= 1;
	if (kind == LIE_OUT && a[t->arg] != 0)
		*(uint8_t *)(uintptr_t)a[t->arg] ^= 1;
	return result;
}

#define THUNK(i)                                                                                                               \
	static uint64_t thunk_##i(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,          \
				  uint64_t h, uint64_t j, uint64_t k)                                                          \
	{                                                                                                                      \
		return call(&thunks[i], (uint64_t[]){a, b, c, d, e, f, g, h, j, k});                                           \
	}
#define ENTRY(i) thunk_##i,
#define TEN(X, i) X(i##0) X(i##1) X(i##2) X(i##3) X(i##4) X(i##5) X(i##6) X(i##7) X(i##8) X(i##9)
#define HUNDRED(X, i)                                                                                                          \
	TEN(X, i##0) TEN(X, i##1) TEN(X, i##2) TEN(X, i##3) TEN(X, i##4) TEN(X, i##5) TEN(X, i##6) TEN(X, i##7) TEN(X, i##8)   \
	TEN(X, i##9)
#define THOUSAND(X)                                                                                                            \
	HUNDRED(X, 10) HUNDRED(X, 11) HUNDRED(X, 12) HUNDRED(X, 13) HUNDRED(X, 14) HUNDRED(X, 15) HUNDRED(X, 16)               \
	HUNDRED(X, 17) HUNDRED(X, 18) HUNDRED(X, 19)

/* The numbers have four digits, so that none is taken for an octal one. */
#define FIRST_THUNK 1000
THOUSAND(THUNK)
static function *const entries[] = {THOUSAND(ENTRY)};

_Static_assert(sizeof(entries) / sizeof(entries[0]) == MAX_THUNKS - FIRST_THUNK, "each entry has its thunk");

void liar_set_version(const char *version) { version_text = version; }

static const char *version(void) { return version_text; }

void *liar_real(const char *library, const char *name)
{
	for (const struct emu_symbol *s = emu_symbols; s < emu_symbols + emu_num_symbols; s++) {
		if (strcmp(s->library, library) == 0 && strcmp(s->name, name) == 0 &&
		    (s->since == NULL || emu_release_has(s->since)))
			return (void *)(uintptr_t)s->fn;
	}
	return NULL;
}

void *liar_thunk(const char *library, const char *name)
{
	void *real = liar_real(library, name);

	if (real == NULL)
		return NULL;
	if (version_text != NULL && strncmp(name, "doca_version", strlen("doca_version")) == 0)
		return (void *)(uintptr_t)version;
	for (int i = 0; i < num_thunks; i++) {
		if (strcmp(thunks[FIRST_THUNK + i].name, name) == 0)
			return (void *)(uintptr_t)entries[i];
	}
	if (num_thunks == MAX_THUNKS - FIRST_THUNK)
		return real;
	thunks[FIRST_THUNK + num_thunks].name = strdup(name);
	thunks[FIRST_THUNK + num_thunks].real = (function *)(uintptr_t)real;
	return (void *)(uintptr_t)entries[num_thunks++];
}

void liar_tell(const char *name, int kind, int nth, int arg, int32_t code, int32_t real, int any,
	       const char *text)
{
	for (int i = 0; i < num_thunks; i++) {
		struct thunk *t = &thunks[FIRST_THUNK + i];

		if (strcmp(t->name, name) != 0)
			continue;
		t->nth = nth;
		t->arg = arg;
		t->code = code;
		t->real_code = real;
		t->any = any;
		t->text = text;
		atomic_store(&t->kind, kind);
	}
}

void liar_reset(void)
{
	for (int i = 0; i < num_thunks; i++) {
		atomic_store(&thunks[FIRST_THUNK + i].kind, LIE_NONE);
		atomic_store(&thunks[FIRST_THUNK + i].calls, 0);
	}
}

int liar_count(void) { return num_thunks; }

int liar_calls(int i) { return atomic_load(&thunks[FIRST_THUNK + i].calls); }

const char *liar_name(int i) { return thunks[FIRST_THUNK + i].name; }
