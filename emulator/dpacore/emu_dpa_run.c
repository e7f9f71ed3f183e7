/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ucontext.h>

#include "core/emu_log.h"

#include "emu_dpa_run.h"

/* Where a run is. */
enum mode {
	OUTSIDE = 0,
	DEVICE = 1,  /* in device code: it may end at any instruction */
	LIBRARY = 2, /* in the emulator: it ends on its way out */
	GUARDED = 3, /* in the emulator, with the kernel's pointers: only a crash ends it */
	MODE_MASK = 3,
};

/* A state is an epoch and a mode. Whoever has made an object invisible to device code begins an epoch, and waits for the
 * runs that have come into the emulator before. */
static uint64_t epoch = 1;

static pthread_mutex_t runs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct emu_dpa_run *runs;

/* The handlers of signals read these: such variables have a fixed place. */
static __thread struct emu_dpa_run *current __attribute__((tls_model("initial-exec")));
static __thread bool is_our_thread __attribute__((tls_model("initial-exec")));

static inline enum mode mode_of(const struct emu_dpa_run *run)
{
	return (enum mode)(__atomic_load_n(&run->state, __ATOMIC_RELAXED) & MODE_MASK);
}

/* The lookups that follow come after it for all threads. */
static inline void go_in(struct emu_dpa_run *run, enum mode mode)
{
	uint64_t now = __atomic_load_n(&epoch, __ATOMIC_SEQ_CST);

	__atomic_exchange_n(&run->state, now << 2 | mode, __ATOMIC_SEQ_CST);
}

static inline void go_out(struct emu_dpa_run *run, enum mode mode)
{
	__atomic_store_n(&run->state, mode, __ATOMIC_RELEASE);
}

static struct emu_dpa_run *enter(const char *function, enum mode mode)
{
	struct emu_dpa_run *run = current;

	if (run == NULL) {
		EMU_LOG_ERR("%s: only code on the DPA can call it", function);
		abort();
	}
	go_in(run, mode);
	run->function = function;
	return run;
}

struct emu_dpa_run *emu_dpa_enter(const char *function)
{
	return enter(function, LIBRARY);
}

struct emu_dpa_run *emu_dpa_enter_guarded(const char *function)
{
	return enter(function, GUARDED);
}

void emu_dpa_exit(struct emu_dpa_run *run)
{
	go_out(run, DEVICE);
	/* A signal that came before has done nothing. */
	if (EMU_UNLIKELY(__atomic_load_n(&run->doomed, __ATOMIC_SEQ_CST) != 0))
		emu_dpa_leave(run, EMU_DPA_KILLED);
}

void emu_dpa_pause(struct emu_dpa_run *run)
{
	emu_dpa_exit(run);
	sched_yield();
	go_in(run, LIBRARY);
}

void emu_dpa_leave(struct emu_dpa_run *run, enum emu_dpa_end end)
{
	run->end = end;
	siglongjmp(run->leave, 1);
}

/* Signals. */

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

#define NUM_CRASHES (sizeof(crashes) / sizeof(crashes[0]))

static struct sigaction old_crashes[NUM_CRASHES];
static struct sigaction old_doom;

static int doom_signal(void)
{
	return SIGRTMAX - 3;
}

static uint64_t pc_of(const void *context)
{
#if defined(__x86_64__)
	return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return ((const ucontext_t *)context)->uc_mcontext.pc;
#else
	(void)context;
	return 0;
#endif
}

/* Calls the handler that was there before, or does what the system would have done. */
static void pass_on(const struct sigaction *old, int sig, siginfo_t *info, void *context)
{
	if ((old->sa_flags & SA_SIGINFO) != 0) {
		old->sa_sigaction(sig, info, context);
	} else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
		old->sa_handler(sig);
	} else if (info->si_code > 0) { /* of a crash */
		signal(sig, SIG_DFL); /* the instruction is tried again */
	} else if (old->sa_handler == SIG_DFL) {
		signal(sig, SIG_DFL);
		raise(sig); /* it comes when the handler has returned */
	}
}

static void on_crash(int sig, siginfo_t *info, void *context)
{
	struct emu_dpa_run *run = current;
	size_t i = 0;

	if (run != NULL && (mode_of(run) == DEVICE || mode_of(run) == GUARDED)) {
		run->signal = sig;
		run->fault_addr = (uint64_t)(uintptr_t)info->si_addr;
		run->fault_pc = pc_of(context);
		emu_dpa_leave(run, EMU_DPA_CRASHED);
	}
	while (i < NUM_CRASHES - 1 && crashes[i] != sig)
		i++;
	pass_on(&old_crashes[i], sig, info, context);
}

static void on_doom(int sig, siginfo_t *info, void *context)
{
	struct emu_dpa_run *run = current;

	if (run != NULL && mode_of(run) == DEVICE && __atomic_load_n(&run->doomed, __ATOMIC_SEQ_CST) != 0) {
		run->signal = sig;
		emu_dpa_leave(run, EMU_DPA_KILLED);
	}
	if (!is_our_thread && ((old_doom.sa_flags & SA_SIGINFO) != 0 ||
			       (old_doom.sa_handler != SIG_DFL && old_doom.sa_handler != SIG_IGN)))
		pass_on(&old_doom, sig, info, context);
}

static void install_handlers(void)
{
	struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < NUM_CRASHES; i++)
		sigaction(crashes[i], &action, &old_crashes[i]);
	action.sa_sigaction = on_doom;
	sigaction(doom_signal(), &action, &old_doom);
}

void emu_dpa_run_catch_crashes(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, install_handlers);
}

/* Our threads get no signals of the program. */
static void set_mask(void)
{
	sigset_t mask;

	sigfillset(&mask);
	for (size_t i = 0; i < NUM_CRASHES; i++)
		sigdelset(&mask, crashes[i]);
	sigdelset(&mask, SIGABRT);
	sigdelset(&mask, SIGTRAP);
	sigdelset(&mask, doom_signal());
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

#define SIGNAL_STACK_SIZE ((size_t)64 << 10)

bool emu_dpa_run_prepare_thread(struct emu_dpa_stack *stack)
{
	stack_t own = {.ss_size = SIGNAL_STACK_SIZE};

	stack->memory = mmap(NULL, SIGNAL_STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack->memory == MAP_FAILED)
		return false;
	own.ss_sp = stack->memory;
	sigaltstack(&own, &stack->old);
	is_our_thread = true;
	set_mask();
	return true;
}

/* The stack that was there before is a sanitizer's, which frees it. */
void emu_dpa_run_release_thread(struct emu_dpa_stack *stack)
{
	sigaltstack(&stack->old, NULL);
	munmap(stack->memory, SIGNAL_STACK_SIZE);
}

#define STACK_SIZE ((size_t)1 << 20)
/* A function with large variables would step over a single page, into the stack of another thread. */
#define GUARD_SIZE ((size_t)4 << 20)

bool emu_dpa_run_start_thread(pthread_t *thread, void *(*start)(void *), void *arg)
{
	pthread_attr_t attr;
	int result;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setguardsize(&attr, GUARD_SIZE);
	result = pthread_create(thread, &attr, start, arg);
	pthread_attr_destroy(&attr);
	return result == 0;
}

/* Runs. */

void emu_dpa_run_join(struct emu_dpa_run *run)
{
	run->os_thread = pthread_self();
	run->device = run->dpa;
	run->function = "";
	go_out(run, OUTSIDE);
	pthread_mutex_lock(&runs_lock);
	run->prev = NULL;
	run->next = runs;
	if (runs != NULL)
		runs->prev = run;
	runs = run;
	pthread_mutex_unlock(&runs_lock);
}

void emu_dpa_run_quit(struct emu_dpa_run *run)
{
	pthread_mutex_lock(&runs_lock);
	if (run->next != NULL)
		run->next->prev = run->prev;
	if (run->prev != NULL)
		run->prev->next = run->next;
	else
		runs = run->next;
	pthread_mutex_unlock(&runs_lock);
}

enum emu_dpa_end emu_dpa_run_call(struct emu_dpa_run *run, uint64_t (*call)(const void *args), const void *args,
				  uint64_t *result)
{
	uint64_t value;

	run->signal = 0;
	current = run;
	if (sigsetjmp(run->leave, 0) == 0) {
		go_out(run, DEVICE);
		if (__atomic_load_n(&run->doomed, __ATOMIC_SEQ_CST) != 0)
			emu_dpa_leave(run, EMU_DPA_KILLED);
		value = call(args);
		run->end = EMU_DPA_RETURNED;
		if (result != NULL)
			*result = value;
	}
	go_out(run, OUTSIDE);
	current = NULL;
	if (run->signal != 0)
		set_mask(); /* it was left in the handler of a signal */
	return run->end;
}

void emu_dpa_run_begin(struct emu_dpa_run *reader)
{
	go_in(reader, LIBRARY);
}

void emu_dpa_run_end(struct emu_dpa_run *reader)
{
	go_out(reader, OUTSIDE);
}

void emu_dpa_run_doom(bool (*matches)(const struct emu_dpa_run *run, const void *arg), const void *arg)
{
	pthread_mutex_lock(&runs_lock);
	for (struct emu_dpa_run *run = runs; run != NULL; run = run->next) {
		if (run->dpa == NULL || !matches(run, arg))
			continue;
		__atomic_store_n(&run->doomed, 1, __ATOMIC_SEQ_CST);
		if (!pthread_equal(run->os_thread, pthread_self()))
			pthread_kill(run->os_thread, doom_signal());
	}
	pthread_mutex_unlock(&runs_lock);
}

static bool is_quiet(uint64_t since)
{
	bool quiet = true;

	pthread_mutex_lock(&runs_lock);
	for (const struct emu_dpa_run *run = runs; run != NULL && quiet; run = run->next) {
		uint64_t state = __atomic_load_n(&run->state, __ATOMIC_SEQ_CST);

		quiet = (state & MODE_MASK) == OUTSIDE || (state & MODE_MASK) == DEVICE || state >> 2 >= since;
	}
	pthread_mutex_unlock(&runs_lock);
	return quiet;
}

void emu_dpa_run_quiesce(void)
{
	uint64_t since = __atomic_add_fetch(&epoch, 1, __ATOMIC_SEQ_CST);

	while (!is_quiet(since))
		sched_yield();
}
