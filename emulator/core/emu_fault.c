/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu_ctx.h"
#include "emu_dev.h"
#include "emu_fault.h"
#include "emu_task.h"

enum fault_kind {
	FAULT_FAIL_TASK,
	FAULT_REFUSE_TASK,
	FAULT_DELAY,
	FAULT_RATE,
	FAULT_EXHAUST_POOL,
	FAULT_LOSE_DEVICE,
	FAULT_CUT,
	FAULT_RNR,
	FAULT_STALL_START,
	FAULT_HOLD_TASKS,
	FAULT_HOLD_UNFLUSHED,
	FAULT_HOLD_REPORTS,
	FAULT_FAIL_CALL,
};

#define EVERY UINT64_MAX

struct fault {
	enum fault_kind kind;
	uint64_t at;    /* the number of the event, from 1, or EVERY; for a delay or rate: nanoseconds */
	uint64_t count; /* events so far */
	doca_error_t code;
	uint64_t set;
	char symbol[128];	/* for FAULT_FAIL_CALL */
	const char *task_kind;	/* for FAULT_FAIL_TASK and FAULT_REFUSE_TASK, or NULL */
	const char *pci_addr;	/* the target, or NULL */
	uintptr_t object;	/* the target, or 0 */
	struct doca_dev *lost;	/* what FAULT_LOSE_DEVICE has lost */
};

#define MAX_FAULTS 64

struct plan {
	struct fault faults[MAX_FAULTS];
	size_t num_faults;
};

int emu_faults_on;
static bool looks; /* emu_fault_look was called */

static struct plan current;

/* If all faults are delays and rates of every task: what they come to, so that a submission needs no lock. */
static struct {
	bool alone;
	uint64_t delay_ns;
	uint64_t pause_ns;
} pace;

static const struct emu_fault_devices *devices;
static uint64_t last_set;
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

	if (strcmp(text, "*") == 0) {
		*count = EVERY;
		return true;
	}
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

/* The kinds of tasks: emu_task_ops.kind. */
static const char *const task_kinds[] = {
	"memcpy",
	"send",
	"post_recv",
	"receive",
	"send_imm",
	"read",
	"write",
	"write_imm",
	"atomic_cmp_swp",
	"atomic_fetch_add",
	"remote_net_sync_event_get",
	"remote_net_sync_event_notify_set",
	"remote_net_sync_event_notify_add",
};

/* [KIND:]N[:CODE] */
static bool parse_task(char *text, struct fault *fault)
{
	if (!isalpha((unsigned char)text[0]))
		return parse_count_and_code(text, fault);
	char *count = cut(text);

	for (size_t i = 0; count != NULL && i < sizeof(task_kinds) / sizeof(task_kinds[0]); i++) {
		if (strcmp(text, task_kinds[i]) == 0) {
			fault->task_kind = task_kinds[i];
			return parse_count_and_code(count, fault);
		}
	}
	return false;
}

/* The target: a PCI address or the address of an object. */
static bool parse_target(const char *text, struct fault *fault)
{
	char *end;

	if (strncmp(text, "0x", 2) == 0) {
		fault->object = (uintptr_t)strtoull(text, &end, 16);
		return *end == '\0' && fault->object != 0;
	}
	fault->pci_addr = devices->find(text);
	return fault->pci_addr != NULL;
}

/* NUMBER tasks a second, as the nanoseconds between two. */
static bool parse_rate(const char *text, uint64_t *ns)
{
	char *end;
	double rate;

	if (!isdigit((unsigned char)text[0]))
		return false;
	rate = strtod(text, &end);
	if (*end != '\0' || rate < 1e-3 || rate > 1e9)
		return false;
	*ns = (uint64_t)(1e9 / rate);
	return true;
}

/* While DOCA_EMU_FAULTS is read: the libraries that use this one have not said what can fail. */
static bool is_starting;

/* Functions that DOCA_EMU_FAULTS names and no library had. */
static int num_unknown;

/* SYMBOL:N[:CODE] */
static bool parse_call(char *text, struct fault *fault)
{
	char *count = cut(text);

	if (count == NULL || strncmp(text, "doca_", 5) != 0 || strlen(text) >= sizeof(fault->symbol))
		return false;
	if (!emu_fault_can_fail(text)) {
		if (!is_starting) {
			strcpy(fault->symbol, text); /* for the message */
			return false;
		}
		num_unknown++;
	}
	strcpy(fault->symbol, text);
	return parse_count_and_code(count, fault);
}

static bool parse_fault(const char *name, char *value, struct fault *fault)
{
	static const struct {
		const char *name;
		enum fault_kind kind;
	} counted[] = {
		{"exhaust-pool", FAULT_EXHAUST_POOL},
		{"lose-device", FAULT_LOSE_DEVICE},
		{"cut", FAULT_CUT},
		{"rnr", FAULT_RNR},
		{"stall-start", FAULT_STALL_START},
	};

	if (strcmp(name, "fail-task") == 0) {
		fault->kind = FAULT_FAIL_TASK;
		fault->code = DOCA_ERROR_IO_FAILED;
		return parse_task(value, fault);
	}
	if (strcmp(name, "refuse-task") == 0) {
		fault->kind = FAULT_REFUSE_TASK;
		fault->code = DOCA_ERROR_AGAIN;
		return parse_task(value, fault);
	}
	if (strcmp(name, "delay") == 0) {
		fault->kind = FAULT_DELAY;
		return parse_duration(value, &fault->at);
	}
	if (strcmp(name, "rate") == 0) {
		fault->kind = FAULT_RATE;
		return parse_rate(value, &fault->at);
	}
	if (strcmp(name, "fail-call") == 0) {
		fault->kind = FAULT_FAIL_CALL;
		fault->code = DOCA_ERROR_DRIVER;
		return fault->pci_addr == NULL && fault->object == 0 && parse_call(value, fault);
	}
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		if (strcmp(name, counted[i].name) == 0) {
			fault->kind = counted[i].kind;
			return parse_count(value, &fault->at);
		}
	}
	return false;
}

static bool parse_switch(const char *name, struct fault *fault)
{
	if (strcmp(name, "hold-tasks") == 0)
		fault->kind = FAULT_HOLD_TASKS;
	else if (strcmp(name, "hold-unflushed") == 0)
		fault->kind = FAULT_HOLD_UNFLUSHED;
	else if (strcmp(name, "hold-reports") == 0)
		fault->kind = FAULT_HOLD_REPORTS;
	else
		return false;
	return true;
}

static const char advice[] =
	"faults are fail-task=[KIND:]N[:CODE] and refuse-task=[KIND:]N[:CODE], where KIND is a task such as memcpy, send or write_imm, delay=DURATION, "
	"rate=NUMBER, exhaust-pool=N, lose-device=N, cut=N, rnr=N, stall-start=N, hold-tasks, hold-unflushed and hold-reports, all with an optional @TARGET (a PCI address, or the address of a context or "
	"connection), and fail-call=SYMBOL:N[:CODE], where SYMBOL is a control-path function of DOCA, such as "
	"doca_ctx_start; N counts from 1, * is every one";

static doca_error_t refuse(const char *whole, const struct fault *fault, char *err, size_t errlen)
{
	if (fault->symbol[0] == '\0' || emu_fault_can_fail(fault->symbol))
		return explain(err, errlen, "cannot read the fault \"%s\": %s", whole, advice);
	return explain(err, errlen,
		       "cannot read the fault \"%s\": %s is no function of the control path in the libraries of the "
		       "emulator that are loaded; one that can fail is %s; %s",
		       whole, fault->symbol, emu_fault_like(fault->symbol), advice);
}

static doca_error_t parse(char *spec, struct plan *plan, char *err, size_t errlen)
{
	char *rest = spec;
	char *item;

	while ((item = strsep(&rest, ",")) != NULL) {
		struct fault *fault = &plan->faults[plan->num_faults];
		char whole[256];
		char *value, *target;

		if (item[0] == '\0')
			continue;
		if (plan->num_faults == MAX_FAULTS)
			return explain(err, errlen, "more than %d faults", MAX_FAULTS);
		snprintf(whole, sizeof(whole), "%s", item);
		*fault = (struct fault){.code = DOCA_ERROR_IO_FAILED};
		target = strchr(item, '@');
		if (target != NULL)
			*target++ = '\0';
		value = strchr(item, '=');
		if (value != NULL)
			*value++ = '\0';
		if ((target != NULL && !parse_target(target, fault)) ||
		    !(value == NULL ? parse_switch(item, fault) : parse_fault(item, value, fault)))
			return refuse(whole, fault, err, errlen);
		plan->num_faults++;
	}
	return DOCA_SUCCESS;
}

void emu_fault_set_devices(const struct emu_fault_devices *known)
{
	devices = known;
}

/* Called with the lock held. */
static void set_pace(void)
{
	uint64_t delay_ns = 0, pause_ns = 0;
	bool alone = current.num_faults != 0;

	for (size_t i = 0; i < current.num_faults; i++) {
		const struct fault *fault = &current.faults[i];

		if ((fault->kind != FAULT_DELAY && fault->kind != FAULT_RATE) || fault->object != 0 || fault->pci_addr != NULL)
			alone = false;
		else if (fault->kind == FAULT_DELAY)
			delay_ns = fault->at;
		else
			pause_ns = fault->at;
	}
	__atomic_store_n(&pace.delay_ns, delay_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&pace.pause_ns, pause_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&pace.alone, alone, __ATOMIC_RELEASE);
}

/* Called with the lock held. */
static void set_on(void)
{
	set_pace();
	__atomic_store_n(&emu_faults_on, current.num_faults != 0 || looks, __ATOMIC_RELEASE);
}

void emu_fault_look(void)
{
	pthread_mutex_lock(&lock);
	looks = true;
	set_on();
	pthread_mutex_unlock(&lock);
}

/* Ends the faults of a set, or all for 0. Called with the lock held. */
static void end_faults(uint64_t set)
{
	size_t kept = 0;

	for (size_t i = 0; i < current.num_faults; i++) {
		struct fault *fault = &current.faults[i];

		if (set != 0 && fault->set != set)
			current.faults[kept++] = *fault;
		else if (fault->lost != NULL)
			devices->revive(fault->lost);
	}
	current.num_faults = kept;
	set_on();
}

/* Adds the faults of a specification, after ending all others if replace is set. */
static doca_error_t add(const char *spec, bool replace, uint64_t *set, char *err, size_t errlen)
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
	pthread_mutex_lock(&lock);
	if (result == DOCA_SUCCESS && !replace && current.num_faults + plan->num_faults > MAX_FAULTS)
		result = explain(err, errlen, "more than %d faults at once", MAX_FAULTS);
	if (result == DOCA_SUCCESS) {
		if (replace)
			end_faults(0);
		*set = ++last_set;
		for (size_t i = 0; i < plan->num_faults; i++) {
			plan->faults[i].set = last_set;
			current.faults[current.num_faults++] = plan->faults[i];
		}
		set_on();
	}
	pthread_mutex_unlock(&lock);
	free(copy);
	free(plan);
	return result;
}

doca_error_t emu_fault_set(const char *spec, char *err, size_t errlen)
{
	uint64_t set;

	return add(spec, true, &set, err, errlen);
}

doca_error_t emu_fault_add(const char *spec, uint64_t *set, char *err, size_t errlen)
{
	return add(spec, false, set, err, errlen);
}

void emu_fault_remove(uint64_t set)
{
	pthread_mutex_lock(&lock);
	if (set != 0)
		end_faults(set);
	pthread_mutex_unlock(&lock);
}

void emu_fault_clear(void)
{
	pthread_mutex_lock(&lock);
	end_faults(0);
	devices->revive(NULL);
	pthread_mutex_unlock(&lock);
}

/* After that of emu_dev.c, which sets the devices. */
static __attribute__((constructor(1001))) void set_from_environment(void)
{
	const char *spec = getenv("DOCA_EMU_FAULTS");
	char err[1024];

	emu_fault_add_calls(__start_emu_calls, __stop_emu_calls);
	is_starting = true;
	if (spec != NULL && emu_fault_set(spec, err, sizeof(err)) != DOCA_SUCCESS)
		fprintf(stderr, "DOCA emulator: DOCA_EMU_FAULTS: %s; no faults are set\n", err);
	is_starting = false;
}

/* At the first call: says which functions of DOCA_EMU_FAULTS no library has. A program that loads libraries as it needs
 * them may load one that has them later. Called with the lock held. */
static void tell_unknown(void)
{
	if (num_unknown == 0)
		return;
	num_unknown = 0;
	for (size_t i = 0; i < current.num_faults; i++) {
		const char *symbol = current.faults[i].symbol;

		if (current.faults[i].kind == FAULT_FAIL_CALL && !emu_fault_can_fail(symbol))
			fprintf(stderr,
				"DOCA emulator: DOCA_EMU_FAULTS: %s is no function of the control path in the libraries "
				"of the emulator that are loaded, so its calls do not fail unless a library that is loaded later "
				"has it; one that can fail is %s\n",
				symbol, emu_fault_like(symbol));
	}
}

/* What the other files call. */

/* ctx is NULL for what belongs to no context; task may be NULL. */
static bool is_target(const struct fault *fault, const struct doca_ctx *ctx, const struct doca_task *task)
{
	if (fault->object == 0 && fault->pci_addr == NULL)
		return true;
	if (ctx == NULL)
		return false;
	if (fault->object == 0)
		return ctx->dev != NULL && strcmp(ctx->dev->info.function->pci_addr, fault->pci_addr) == 0;
	return fault->object == (uintptr_t)ctx || (task != NULL && task->ops->connection != NULL &&
						   fault->object == (uintptr_t)task->ops->connection(task));
}

/* Counts an event. True: it is the fault's turn. */
static bool is_due(struct fault *fault)
{
	return ++fault->count == fault->at || fault->at == EVERY;
}

static bool counts_tasks(const struct fault *fault)
{
	return fault->kind == FAULT_FAIL_TASK || fault->kind == FAULT_LOSE_DEVICE || fault->kind == FAULT_CUT;
}

/* True if the fault is not for tasks of another kind. */
static bool is_for(const struct fault *fault, const struct doca_task *task)
{
	if (fault->kind == FAULT_CUT)
		return task->ops->cut != NULL;
	return fault->task_kind == NULL ||
	       (task->ops->kind != NULL && strcmp(fault->task_kind, task->ops->kind) == 0);
}

static void apply(struct fault *fault, const struct doca_task *task, struct emu_fault_verdict *verdict)
{
	switch (fault->kind) {
	case FAULT_DELAY:
		verdict->delay_ns = fault->at;
		return;
	case FAULT_RATE:
		verdict->pause_ns = fault->at;
		return;
	case FAULT_HOLD_TASKS:
		verdict->hold = fault->set;
		return;
	case FAULT_HOLD_UNFLUSHED:
		verdict->hold_unflushed = true;
		return;
	case FAULT_HOLD_REPORTS:
		verdict->hold_reports = true;
		return;
	case FAULT_CUT:
		if (is_for(fault, task) && is_due(fault))
			verdict->cut = true;
		return;
	case FAULT_REFUSE_TASK:
		if (is_for(fault, task) && is_due(fault))
			verdict->refuse = fault->code;
		return;
	default:
		break;
	}
	if (!counts_tasks(fault) || !is_for(fault, task) || !is_due(fault))
		return;
	if (fault->kind == FAULT_FAIL_TASK) {
		verdict->fail = fault->code;
	} else {
		verdict->lose_device = true;
		fault->lost = task->ctx->dev;
	}
}

struct emu_fault_verdict emu_fault_on_submit(const struct doca_task *task)
{
	struct emu_fault_verdict verdict = {.fail = DOCA_SUCCESS, .refuse = DOCA_SUCCESS};

	if (__atomic_load_n(&pace.alone, __ATOMIC_ACQUIRE)) {
		verdict.delay_ns = __atomic_load_n(&pace.delay_ns, __ATOMIC_RELAXED);
		verdict.pause_ns = __atomic_load_n(&pace.pause_ns, __ATOMIC_RELAXED);
		return verdict;
	}
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < current.num_faults; i++) {
		if (is_target(&current.faults[i], task->ctx, task))
			apply(&current.faults[i], task, &verdict);
	}
	pthread_mutex_unlock(&lock);
	return verdict;
}

void emu_fault_undo_submit(const struct doca_task *task)
{
	if (__atomic_load_n(&pace.alone, __ATOMIC_ACQUIRE))
		return; /* nothing was counted */
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < current.num_faults; i++) {
		struct fault *fault = &current.faults[i];

		if (counts_tasks(fault) && is_for(fault, task) && fault->count > 0 && is_target(fault, task->ctx, task))
			fault->count--;
	}
	pthread_mutex_unlock(&lock);
}

bool emu_fault_holds(uint64_t set)
{
	bool holds = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < current.num_faults; i++)
		holds |= current.faults[i].kind == FAULT_HOLD_TASKS && current.faults[i].set == set;
	pthread_mutex_unlock(&lock);
	return holds;
}

static bool count(enum fault_kind kind, const struct doca_ctx *ctx)
{
	bool due = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < current.num_faults; i++) {
		struct fault *fault = &current.faults[i];

		if (fault->kind == kind && is_target(fault, ctx, NULL) && is_due(fault))
			due = true;
	}
	pthread_mutex_unlock(&lock);
	return due;
}

bool emu_fault_on_alloc(const struct doca_ctx *ctx)
{
	return count(FAULT_EXHAUST_POOL, ctx);
}

bool emu_fault_on_message(const struct doca_ctx *ctx)
{
	return count(FAULT_RNR, ctx);
}

bool emu_fault_on_start(const struct doca_ctx *ctx)
{
	return count(FAULT_STALL_START, ctx);
}

doca_error_t emu_fault_on_call(const char *symbol)
{
	doca_error_t result = DOCA_SUCCESS;

	pthread_mutex_lock(&lock);
	tell_unknown();
	for (size_t i = 0; i < current.num_faults; i++) {
		struct fault *fault = &current.faults[i];

		if (fault->kind == FAULT_FAIL_CALL && strcmp(fault->symbol, symbol) == 0 && is_due(fault))
			result = fault->code;
	}
	pthread_mutex_unlock(&lock);
	return result;
}
