/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that crash, hang or misuse handles: their context fails, and all else goes on. */
#include "dpa_call.h"

#include <doca_mmap.h>
#include <doca_sync_event.h>

#include "catch_log.h"

/* The mistakes of kernels. Sanitizers would find them first. */
#define UNCHECKED __attribute__((no_sanitize_address, no_sanitize_undefined, no_sanitize_thread, noinline))

static volatile uintptr_t nowhere = 8;

static UNCHECKED void write_to_null(void *arg)
{
	(void)arg;
	*(volatile uint32_t *)nowhere = 1;
}

static UNCHECKED void jump_to_nowhere(void *arg)
{
	(void)arg;
	((void (*)(void))nowhere)();
}

static UNCHECKED void divide_by_zero(void *arg)
{
	volatile uint32_t zero = 0;

	*(volatile uint32_t *)arg = 100 / zero;
}

static UNCHECKED void illegal_instruction(void *arg)
{
	(void)arg;
	__builtin_trap();
}

static UNCHECKED uint64_t fall(volatile uint8_t *from)
{
	volatile uint8_t frame[1024];

	frame[0] = from == NULL ? 1 : (uint8_t)(from[0] + 1);
	return nowhere == 0 ? 0 : fall(frame) + frame[0];
}

static UNCHECKED void overflow_stack(void *arg)
{
	*(volatile uint64_t *)arg = fall(NULL);
}

static UNCHECKED void tell_frame(void *arg)
{
	*(uintptr_t *)arg = (uintptr_t)__builtin_frame_address(0);
}

/* Pointers of the kernel that the emulator uses. */

static void add_to_table(void *arg)
{
	device->hash_table_add(*(uint64_t *)arg, 1, 1);
}

static UNCHECKED void take_to_nowhere(void *arg)
{
	device->hash_table_find(*(uint64_t *)arg, 1, (uint64_t *)nowhere);
}

static void log_from(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	device->log(30, format, args);
	va_end(args);
}

static UNCHECKED void log_nothing(void *arg)
{
	(void)arg;
	log_from("%s", (const char *)nowhere);
}

static UNCHECKED void copy_buf_at_nowhere(void *arg)
{
	(void)arg;
	device->post_buf_memcpy(1, 8, 8, 0);
}

static UNCHECKED void spin(void *arg)
{
	(void)arg;
	for (;;)
		__asm__ volatile("");
}

static UNCHECKED void spin_in_calls(void *arg)
{
	(void)arg;
	for (;;)
		device->thread_rank();
}

static void return_at_once(void *arg)
{
	(void)arg;
}

/* The context has failed: nothing works but what ends it. */
static void check_failed(struct doca_dpa *dpa, struct doca_dev *dev)
{
	doca_dpa_dev_uintptr_t addr;
	struct doca_dpa_thread *thread;
	struct doca_dpa *more;
	unsigned int num;

	EXPECT(ERROR_BAD_STATE, doca_dpa_peek_at_last_error(dpa));
	EXPECT(ERROR_BAD_STATE, doca_dpa_peek_at_last_error(dpa)); /* looking does not clear it */
	EXPECT(ERROR_DRIVER, doca_dpa_mem_alloc(dpa, 8, &addr));
	EXPECT(ERROR_DRIVER, try_on_dpa(dpa, return_at_once, NULL));
	EXPECT(ERROR_DRIVER, doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1,
							      (doca_dpa_func_t *)(void *)call_kernel, UINT64_C(0)));
	EXPECT(ERROR_DRIVER, doca_dpa_device_extend(dpa, dev, &more));
	EXPECT(SUCCESS, doca_dpa_get_core_num(dpa, &num));
	EXPECT(SUCCESS, doca_dpa_thread_create(dpa, &thread));
	EXPECT(SUCCESS, doca_dpa_thread_set_func_arg(thread, (doca_dpa_func_t *)(void *)call_thread, 0));
	EXPECT(ERROR_DRIVER, doca_dpa_thread_start(thread));
	EXPECT(SUCCESS, doca_dpa_thread_destroy(thread));
}

static void crash_once(void (*run)(void *arg), void *arg)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev), *healthy = start_dpa(dev);

	EXPECT(ERROR_DRIVER, try_on_dpa(dpa, run, arg));
	check_failed(dpa, dev);
	EXPECT(SUCCESS, doca_dpa_stop(dpa));
	EXPECT(ERROR_BAD_STATE, doca_dpa_peek_at_last_error(dpa));
	EXPECT(ERROR_DRIVER, doca_dpa_start(dpa));
	EXPECT(SUCCESS, doca_dpa_destroy(dpa));
	EXPECT(SUCCESS, try_on_dpa(healthy, return_at_once, NULL));
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(healthy));
	MUST(doca_dpa_destroy(healthy));
	MUST(doca_dev_close(dev));
}

static void test_crashes(void)
{
	void (*const crashes[])(void *arg) = {write_to_null,  jump_to_nowhere, divide_by_zero, illegal_instruction,
					      overflow_stack, log_nothing,     copy_buf_at_nowhere};
	uint64_t word = 0;

	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		crash_once(crashes[i], &word);
}

/* A function with large variables steps over a page below its stack: there must be more that cannot be written. */
static void test_guard_of_stack(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	uintptr_t frame = 0, from, to, below = 0, guard = 0;
	char line[512], access[5];
	FILE *maps;

	on_dpa(dpa, tell_frame, &frame);
	maps = fopen("/proc/self/maps", "r");
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		if (sscanf(line, "%lx-%lx %4s", &from, &to, access) != 3)
			break;
		if (frame >= from && frame < to) {
			CHECK(below == from);
			CHECK(guard >= (uintptr_t)4 << 20);
			break;
		}
		below = to;
		guard = access[0] == '-' && access[1] == '-' ? to - from : 0;
	}
	CHECK(maps != NULL && frame >= from && frame < to);
	fclose(maps);
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

static void test_bad_result_pointer(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_dpa_hash_table *ht;
	uint64_t handle;

	MUST(doca_dpa_hash_table_create(dpa, 4, &ht));
	MUST(doca_dpa_hash_table_get_dpa_handle(ht, &handle));
	EXPECT(SUCCESS, try_on_dpa(dpa, take_to_nowhere, &handle)); /* there is nothing to store */
	on_dpa(dpa, add_to_table, &handle);
	IS_FATAL(dpa, take_to_nowhere, &handle);
	EXPECT(SUCCESS, doca_dpa_hash_table_destroy(ht));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

/* A crash ends the other kernels of the context, and its completion event stays. */
static void test_crash_ends_all(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_sync_event *event;
	struct job spins = {spin, NULL}, calls = {spin_in_calls, NULL}, crash = {write_to_null, NULL};
	uint64_t value;

	MUST(doca_sync_event_create(&event));
	MUST(doca_sync_event_add_publisher_location_dpa(event, dpa));
	MUST(doca_sync_event_add_subscriber_location_cpu(event, dev));
	MUST(doca_sync_event_start(event));
	for (int i = 0; i < 2; i++) {
		const struct job *job = i == 0 ? &spins : &calls;

		MUST(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, event, 1, 2, (doca_dpa_func_t *)(void *)call_kernel,
						       (uint64_t)(uintptr_t)job));
	}
	launch_on_dpa(dpa, &crash);
	WAIT_UNTIL(doca_dpa_peek_at_last_error(dpa) != DOCA_SUCCESS);
	MUST(doca_sync_event_get(event, &value));
	CHECK(value == 0);
	EXPECT(SUCCESS, doca_sync_event_destroy(event));
	EXPECT(SUCCESS, doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

/* A kernel that never returns ends after the maximum run time. */
static void test_hang(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	unsigned long long max;

	setenv("DOCA_EMU_DPA_MAX_RUN_TIME", "100", 1);
	for (int i = 0; i < 2; i++) {
		struct doca_dpa *dpa = start_dpa(dev);

		MUST(doca_dpa_get_kernel_max_run_time(dpa, &max));
		CHECK(max == 100);
		EXPECT(ERROR_DRIVER, try_on_dpa(dpa, i == 0 ? spin : spin_in_calls, NULL));
		check_failed(dpa, dev);
		MUST(doca_dpa_destroy(dpa));
	}
	unsetenv("DOCA_EMU_DPA_MAX_RUN_TIME");
	MUST(doca_dev_close(dev));
}

/* Stopping ends kernels that run, and those that wait for a thread. */
static void test_stop_in_flight(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct job spins = {spin, NULL}, calls = {spin_in_calls, NULL};

	/* The kernels take all cores: the launches beside them may last longer than a kernel may run. */
	setenv("DOCA_EMU_DPA_MAX_RUN_TIME", "3600000", 1);
	for (int i = 0; i < 4; i++) {
		struct doca_dpa *dpa = start_dpa(dev);

		for (int k = 0; k < 20; k++) {
			const struct job *job = i % 2 == 0 ? &spins : &calls;

			MUST(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 40,
							       (doca_dpa_func_t *)(void *)call_kernel,
							       (uint64_t)(uintptr_t)job));
		}
		EXPECT(SUCCESS, i < 2 ? doca_dpa_stop(dpa) : DOCA_SUCCESS);
		EXPECT(SUCCESS, doca_dpa_peek_at_last_error(dpa)); /* that is no error */
		if (i < 2) {
			MUST(doca_dpa_start(dpa));
			on_dpa(dpa, return_at_once, NULL);
		}
		EXPECT(SUCCESS, doca_dpa_destroy(dpa));
	}
	unsetenv("DOCA_EMU_DPA_MAX_RUN_TIME");
	MUST(doca_dev_close(dev));
}

/* Handles. */

static struct doca_dpa_completion *make_completion(struct doca_dpa *dpa, uint64_t *handle)
{
	struct doca_dpa_completion *comp;

	MUST(doca_dpa_completion_create(dpa, 4, &comp));
	MUST(doca_dpa_completion_start(comp));
	MUST(doca_dpa_completion_get_dpa_handle(comp, handle));
	return comp;
}

static void take(void *arg)
{
	uint64_t element;

	device->get_completion(*(uint64_t *)arg, &element);
}

static void read_type(void *arg)
{
	device->get_completion_type(*(uint64_t *)arg);
}

static void ack_one(void *arg)
{
	device->completion_ack(*(uint64_t *)arg, 1);
}

static void set_device(void *arg)
{
	device->device_set(*(uint64_t *)arg);
}

static void notify(void *arg)
{
	device->thread_notify(*(uint64_t *)arg);
}

static void copy_with(void *arg)
{
	device->post_memcpy(*(uint64_t *)arg, 1, 0, 1, 0, 1, 1);
}

static void map_ptr(void *arg)
{
	device->mmap_get_external_ptr(*(uint32_t *)arg, 0);
}

static void reschedule(void *arg)
{
	(void)arg;
	device->thread_reschedule();
}

static void finish(void *arg)
{
	(void)arg;
	device->thread_finish();
}

static void local_storage(void *arg)
{
	(void)arg;
	device->thread_get_local_storage();
}

static void read_msgq(void *arg)
{
	uint64_t element;

	device->comch_consumer_get_completion(*(uint64_t *)arg, &element);
}

static void post_rdma(void *arg)
{
	device->rdma_post_receive(*(uint64_t *)arg, 0, 0, 0);
}

static void read_devemu(void *arg)
{
	device->devemu_pci_db_get_value(*(uint64_t *)arg);
}

static void fail_with(void (*run)(void *arg), uint64_t handle, const char *message)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);

	forget_log();
	IS_FATAL(dpa, run, &handle);
	if (message != NULL && strstr(caught, message) == NULL) {
		fprintf(stderr, "%s is not in: %s\n", message, caught);
		CHECK(false);
	}
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

static void test_wrong_handles(void)
{
	void (*const all[])(void *arg) = {take,	  read_type, ack_one,	 add_to_table, set_device, notify,     copy_with,
					  map_ptr, reschedule, finish, local_storage, read_msgq, post_rdma, read_devemu};
	const uint64_t wrong[] = {0, 1, UINT64_MAX, UINT64_C(6) << 56, UINT64_C(0x86) << 56 | UINT64_C(0xffffff) << 32 | 7};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++)
			fail_with(all[i], wrong[k], NULL);
	}
	fail_with(take, 77, "call_rpc: doca_dpa_dev_get_completion: 0x000000000000004d is not the handle of a completion queue");
	fail_with(reschedule, 0, "only DPA threads can call it");
	fail_with(read_devemu, 0, "the emulator has no such object");
}

static void test_foreign_handles(void)
{
	struct doca_dev *dev = open_dev(DPU_0), *other_dev = open_dev(DPU_1);
	struct doca_dpa *dpa = start_dpa(dev), *ext;
	struct doca_dpa_completion *comp, *ext_comp;
	uint64_t handle, ext_handle, base;

	/* Another context's. */
	comp = make_completion(dpa, &handle);
	fail_with(take, handle, "is of another DPA context");
	MUST(doca_dpa_get_dpa_handle(dpa, &base));
	fail_with(set_device, base, "is of another DPA context");
	/* An extended context's, which is not selected. */
	MUST(doca_dpa_device_extend(dpa, other_dev, &ext));
	ext_comp = make_completion(ext, &ext_handle);
	on_dpa(ext, take, &ext_handle);
	on_dpa(dpa, take, &handle);
	MUST(doca_dpa_completion_destroy(ext_comp));
	MUST(doca_dpa_completion_destroy(comp));
	/* A freed one. */
	IS_FATAL(dpa, take, &handle);
	IS_FATAL(ext, return_at_once, NULL); /* they share their fate */
	MUST(doca_dpa_destroy(ext));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(other_dev));
	MUST(doca_dev_close(dev));
}

static void take_selected(void *arg)
{
	uint64_t *handles = arg, element;

	device->device_set(handles[0]);
	device->get_completion(handles[1], &element);
}

/* Device code selects the context whose objects it uses. */
static void test_device_set(void)
{
	struct doca_dev *dev = open_dev(DPU_0), *other_dev = open_dev(DPU_1);
	struct doca_dpa *dpa = start_dpa(dev), *ext;
	struct doca_dpa_completion *comp;
	uint64_t handles[2];

	MUST(doca_dpa_device_extend(dpa, other_dev, &ext));
	MUST(doca_dpa_get_dpa_handle(ext, &handles[0]));
	comp = make_completion(ext, &handles[1]);
	on_dpa(dpa, take_selected, handles);
	forget_log();
	IS_FATAL(dpa, take, &handles[1]);
	CHECK(strstr(caught, "doca_dpa_dev_device_set") != NULL);
	MUST(doca_dpa_completion_destroy(comp));
	EXPECT(ERROR_IN_USE, doca_dpa_destroy(dpa));
	MUST(doca_dpa_destroy(ext));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(other_dev));
	MUST(doca_dev_close(dev));
}

/* Device functions are for the DPA: a program that calls one itself ends, with a message. */
static void test_call_on_host(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		device->thread_rank();
		_exit(0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

/* What becomes of a process with a DPA that gets a signal of a crash, sent or by a crash of its own. */
static int status_after(int sig, void (*handler)(int), bool is_sent)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		struct doca_dev *dev = open_dev(DPU_0);

		signal(sig, handler);
		(void)start_dpa(dev);
		if (is_sent)
			raise(sig);
		else
			write_to_null(NULL);
		_exit(0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void leave_well(int sig)
{
	_exit(sig);
}

/* The same as of a process without one. Before the first start in this process, whose handlers a child would have. */
static void test_signals_of_the_program(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		CHECK(status_after(signals[i], SIG_DFL, true) == signals[i]);
		CHECK(status_after(signals[i], SIG_IGN, true) == 0);
		CHECK(status_after(signals[i], leave_well, true) == -signals[i]);
	}
	CHECK(status_after(SIGSEGV, SIG_DFL, false) == SIGSEGV);
	CHECK(status_after(SIGSEGV, SIG_IGN, false) == SIGSEGV);
	CHECK(status_after(SIGSEGV, leave_well, false) == -SIGSEGV);
}

static void begin(void)
{
	catch_log();
}

TEST_MAIN(begin, test_signals_of_the_program, test_crashes, test_guard_of_stack, test_bad_result_pointer, test_crash_ends_all, test_hang,
	  test_stop_in_flight, test_wrong_handles, test_foreign_handles, test_device_set, test_call_on_host)
