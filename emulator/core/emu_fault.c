/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu_fault.h"

enum fault_kind {
	FAULT_FAIL_TASK,
	FAULT_DELAY,
	FAULT_EXHAUST_POOL,
	FAULT_LOSE_DEVICE,
	FAULT_FAIL_CALL,
};

struct fault {
	enum fault_kind kind;
	uint64_t at;       /* the number of the event, from 1; for a delay: nanoseconds */
	doca_error_t code;
	char symbol[128];  /* for FAULT_FAIL_CALL; calls counts its calls so far */
	uint64_t calls;
};

#define MAX_FAULTS 64

struct plan {
	struct fault faults[MAX_FAULTS];
	size_t num_faults;
	uint64_t num_submits;
	uint64_t num_allocs;
};

int emu_faults_on;

static struct plan current;
static void (*end_hook)(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Reading a specification. */

static __attribute__((format(printf, 3, 4))) doca_error_t explain(char *err, size_t errlen,
								   const char *format, ...)
{
	va_list args;

	if (err != NULL && errlen > 0) {
		va_start(args, format);
		vsnprintf(err, errlen, format, args);
		va_end(args);
	}
	return DOCA_ERROR_INVALID_VALUE;
}

static bool parse_count(const char *text, uint64_t *count)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	*count = strtoull(text, &end, 10);
	return *end == '\0' && *count > 0;
}

static bool parse_code(const char *text, doca_error_t *code)
{
	static const char prefix[] = "DOCA_ERROR_";
	uint64_t number;

	if (parse_count(text, &number) && number <= DOCA_ERROR_SKIPPED) {
		*code = (doca_error_t)number;
		return true;
	}
	if (strncmp(text, prefix, sizeof(prefix) - 1) == 0)
		text += sizeof(prefix) - 1;
	for (int i = DOCA_ERROR_UNKNOWN; i <= DOCA_ERROR_SKIPPED; i++) {
		const char *name = doca_error_get_name((doca_error_t)i);

		if (strcmp(name + sizeof(prefix) - 1, text) == 0) {
			*code = (doca_error_t)i;
			return true;
		}
	}
	return false;
}

static bool parse_duration(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}};
	char *end;
	double value;

	if (!isdigit((unsigned char)text[0]))
		return false;
	value = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit) == 0) {
			value *= units[i].ns;
			*ns = (uint64_t)value;
			return value >= 1 && value < 1e18;
		}
	}
	return false;
}

/* Cuts text at the next colon. Returns what follows the colon, or NULL. */
static char *cut(char *text)
{
	char *colon = strchr(text, ':');

	if (colon == NULL)
		return NULL;
	*colon = '\0';
	return colon + 1;
}

/* N[:CODE] */
static bool parse_count_and_code(char *text, struct fault *fault)
{
	char *code = cut(text);

	return parse_count(text, &fault->at) && (code == NULL || parse_code(code, &fault->code));
}

/* True if a function begins with EMU_CALL. In the shared libraries, libdoca_common does not know the functions
 * of the others. */
#ifdef DOCA_EMU_EMBEDDED
extern const char __start_emu_calls[], __stop_emu_calls[]; /* defined by the linker */

static bool can_fail(const char *symbol)
{
	for (const char *at = __start_emu_calls; at < __stop_emu_calls; at += strlen(at) + 1) {
		if (strcmp(at, symbol) == 0)
			return true;
	}
	return false;
}
#else
static bool can_fail(const char *symbol)
{
	return strncmp(symbol, "doca_", 5) == 0;
}
#endif

/* SYMBOL:N[:CODE] */
static bool parse_call(char *text, struct fault *fault)
{
	char *count = cut(text);

	if (count == NULL || !can_fail(text) || strlen(text) >= sizeof(fault->symbol))
		return false;
	strcpy(fault->symbol, text);
	return parse_count_and_code(count, fault);
}

static bool parse_fault(const char *name, char *value, struct fault *fault)
{
	*fault = (struct fault){.code = DOCA_ERROR_IO_FAILED};
	if (strcmp(name, "fail-task") == 0) {
		fault->kind = FAULT_FAIL_TASK;
		return parse_count_and_code(value, fault);
	}
	if (strcmp(name, "delay") == 0) {
		fault->kind = FAULT_DELAY;
		return parse_duration(value, &fault->at);
	}
	if (strcmp(name, "exhaust-pool") == 0) {
		fault->kind = FAULT_EXHAUST_POOL;
		return parse_count(value, &fault->at);
	}
	if (strcmp(name, "lose-device") == 0) {
		fault->kind = FAULT_LOSE_DEVICE;
		return parse_count(value, &fault->at);
	}
	if (strcmp(name, "fail-call") == 0) {
		fault->kind = FAULT_FAIL_CALL;
		fault->code = DOCA_ERROR_DRIVER;
		return parse_call(value, fault);
	}
	return false;
}

static doca_error_t parse(char *spec, struct plan *plan, char *err, size_t errlen)
{
	char *rest = spec;
	char *item;

	while ((item = strsep(&rest, ",")) != NULL) {
		char whole[256];
		char *value;

		if (item[0] == '\0')
			continue;
		if (plan->num_faults == MAX_FAULTS)
			return explain(err, errlen, "more than %d faults", MAX_FAULTS);
		snprintf(whole, sizeof(whole), "%s", item);
		value = strchr(item, '=');
		if (value != NULL)
			*value++ = '\0';
		if (value == NULL || !parse_fault(item, value, &plan->faults[plan->num_faults]))
			return explain(err, errlen, "cannot read the fault \"%s\"", whole);
		plan->num_faults++;
	}
	return DOCA_SUCCESS;
}

void emu_fault_set_end_hook(void (*hook)(void))
{
	end_hook = hook;
}

static void end_faults(void)
{
	if (end_hook != NULL)
		end_hook();
}

doca_error_t emu_fault_set(const char *spec, char *err, size_t errlen)
{
	struct plan *plan;
	char *copy;
	doca_error_t result;

	if (spec == NULL)
		return explain(err, errlen, "the specification is NULL");
	copy = strdup(spec);
	plan = calloc(1, sizeof(*plan));
	if (copy == NULL || plan == NULL) {
		free(copy);
		free(plan);
		explain(err, errlen, "out of memory");
		return DOCA_ERROR_NO_MEMORY;
	}
	result = parse(copy, plan, err, errlen);
	if (result == DOCA_SUCCESS) {
		end_faults();
		pthread_mutex_lock(&lock);
		current = *plan;
		__atomic_store_n(&emu_faults_on, plan->num_faults != 0, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&lock);
	}
	free(copy);
	free(plan);
	return result;
}

void emu_fault_clear(void)
{
	end_faults();
	pthread_mutex_lock(&lock);
	current = (struct plan){0};
	__atomic_store_n(&emu_faults_on, 0, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}

static __attribute__((constructor)) void set_from_environment(void)
{
	const char *spec = getenv("DOCA_EMU_FAULTS");
	char err[300];

	if (spec != NULL && emu_fault_set(spec, err, sizeof(err)) != DOCA_SUCCESS)
		fprintf(stderr, "DOCA emulator: DOCA_EMU_FAULTS: %s; no faults are set\n", err);
}

/* What the other files call. */

struct emu_fault_verdict emu_fault_on_submit(void)
{
	struct emu_fault_verdict verdict = {.fail = DOCA_SUCCESS};

	pthread_mutex_lock(&lock);
	current.num_submits++;
	for (size_t i = 0; i < current.num_faults; i++) {
		const struct fault *fault = &current.faults[i];

		if (fault->kind == FAULT_DELAY)
			verdict.delay_ns = fault->at;
		else if (fault->at != current.num_submits)
			continue;
		else if (fault->kind == FAULT_FAIL_TASK)
			verdict.fail = fault->code;
		else if (fault->kind == FAULT_LOSE_DEVICE)
			verdict.lose_device = true;
	}
	pthread_mutex_unlock(&lock);
	return verdict;
}

void emu_fault_undo_submit(void)
{
	pthread_mutex_lock(&lock);
	if (current.num_submits > 0)
		current.num_submits--;
	pthread_mutex_unlock(&lock);
}

bool emu_fault_on_alloc(void)
{
	bool exhausted = false;

	pthread_mutex_lock(&lock);
	current.num_allocs++;
	for (size_t i = 0; i < current.num_faults; i++) {
		const struct fault *fault = &current.faults[i];

		if (fault->kind == FAULT_EXHAUST_POOL && fault->at == current.num_allocs)
			exhausted = true;
	}
	pthread_mutex_unlock(&lock);
	return exhausted;
}

doca_error_t emu_fault_on_call(const char *symbol)
{
	doca_error_t result = DOCA_SUCCESS;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < current.num_faults; i++) {
		struct fault *fault = &current.faults[i];

		if (fault->kind == FAULT_FAIL_CALL && strcmp(fault->symbol, symbol) == 0 &&
		    ++fault->calls == fault->at)
			result = fault->code;
	}
	pthread_mutex_unlock(&lock);
	return result;
}
