/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_buf_pool.h>

#include "core/emu_clock.h"
#include "core/emu_fault.h"
#include "fixture.h"

/* A new process of this program, with DOCA_EMU_FAULTS set. Its exit code tells what the first two calls of
 * doca_pe_create returned. It runs the tests, of which environment is the first. */
#define CHILD "EMU_TEST_CHILD"

static void be_a_child(void)
{
	struct doca_pe *pe;
	doca_error_t first, second;

	if (getenv(CHILD) == NULL)
		return;
	first = doca_pe_create(&pe);
	if (first == DOCA_SUCCESS)
		doca_pe_destroy(pe);
	second = doca_pe_create(&pe);
	if (second == DOCA_SUCCESS)
		doca_pe_destroy(pe);
	exit((int)first * 8 + (int)(second != DOCA_SUCCESS));
}

static int run_child(const char *faults)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		setenv("DOCA_EMU_FAULTS", faults, 1);
		setenv(CHILD, "1", 1);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		execl("/proc/self/exe", "child", (char *)NULL);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void environment(void)
{
	be_a_child(); /* does not return in one */
	CHECK(run_child("") == 0);
	CHECK(run_child("fail-call=doca_pe_create:1:NO_MEMORY") == DOCA_ERROR_NO_MEMORY * 8);
	CHECK(run_child("fail-call=doca_pe_create:2") == 1);
	CHECK(run_child("nonsense,fail-call=doca_pe_create:2") == 0); /* nothing was changed */
}

static void specifications(void)
{
	static const char *const good[] = {
		"",
		"fail-task=1",
		"refuse-task=1,refuse-task=memcpy:*:NO_MEMORY@03:00.0",
		"fail-task=3:CONNECTION_RESET,fail-task=4:DOCA_ERROR_TOO_BIG,fail-task=5:17",
		"delay=1ns",
		"delay=1.5ms,exhaust-pool=2",
		"lose-device=7",
		"fail-call=doca_mmap_start:1:DRIVER",
		"fail-call=doca_dma_create:2,",
		"fail-task=*,exhaust-pool=*,fail-call=doca_dma_create:*:NO_MEMORY",
		"fail-task=1:17@03:00.0,delay=1ms@0000:B1:00.1,rate=4e6@0xabc,lose-device=1@b1:00.0",
		"cut=1,stall-start=*,hold-tasks,hold-tasks@03:00.0,hold-unflushed,hold-reports@03:00.1",
	};
	static const char *const bad[] = {
		"refuse-task", "refuse-task=0", "refuse-task=1:SUCCESS", "refuse-task=copy:1", "fail-task", "fail-task=", "fail-task=0", "fail-task=-1", "fail-task=1x", "fail-task=1:NOTHING",
		"fail-task=1:SUCCESS", "fail-task=1:31", "delay=5", "delay=0ms", "delay=ms", "delay=-1s",
		"exhaust-pool=x", "lose-device=", "fail-call=doca_mmap_start", "fail-call=doca_mmap_start:0",
		"fail-call=mmap_start:1", "fail-call=doca_pe_progress:1", "unknown=1", "fail-task=1,,delay",
		"fail-task=1@", "fail-task=1@04:00.0", "fail-task=1@0x", "fail-task=1@0x1g", "hold-reports=1", "hold-tasks=1", "rate=0",
		"rate=x", "fail-call=doca_dma_create:1@03:00.0", "cut", "*", "fail-task=**",
	};
	char err[1024];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		EXPECT(SUCCESS, emu_fault_set(good[i], err, sizeof(err)));
	MUST(emu_fault_set("fail-task=1", NULL, 0));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err[0] = '\0';
		EXPECT(ERROR_INVALID_VALUE, emu_fault_set(bad[i], err, sizeof(err)));
		CHECK(strstr(err, bad[i]) != NULL || strchr(bad[i], ',') != NULL);
		CHECK(strstr(err, "fail-task=[KIND:]N[:CODE]") != NULL); /* what can fail */
		CHECK(emu_faults_active()); /* unchanged */
	}
	EXPECT(ERROR_INVALID_VALUE, emu_fault_set(NULL, NULL, 0));
	emu_fault_clear();
	CHECK(!emu_faults_active());
	MUST(emu_fault_set("", NULL, 0));
	CHECK(!emu_faults_active());
}

static void fail_task(void)
{
	struct fixture *f = fixture_create(8);
	struct copy copies[4];

	MUST(emu_fault_set("fail-task=2:CONNECTION_RESET", NULL, 0));
	for (size_t i = 0; i < 4; i++) {
		copies[i] = make_copy(f, i);
		EXPECT(SUCCESS, doca_task_submit(copies[i].task));
	}
	CHECK(doca_pe_progress(f->pe) == 1 && f->completions == 1);
	CHECK(doca_pe_progress(f->pe) == 1 && f->errors == 1);
	CHECK(f->last_error == DOCA_ERROR_CONNECTION_RESET && f->dst[8] == 0);
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_STOPPING);
	drain_pe(f->pe);
	CHECK(f->errors == 3 && ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);
	for (size_t i = 0; i < 4; i++)
		finish_copy(&copies[i]);
	emu_fault_clear();
	fixture_destroy(f);
}

/* A refused submission does nothing: the task can be submitted again, and no other fault counts it. */
static void refuse_task(void)
{
	struct fixture *f = fixture_create(8);
	struct copy copies[3];

	MUST(emu_fault_set("refuse-task=2,refuse-task=memcpy:3:NO_MEMORY,refuse-task=send:1,fail-task=3", NULL, 0));
	for (size_t i = 0; i < 3; i++)
		copies[i] = make_copy(f, i);
	EXPECT(SUCCESS, doca_task_submit(copies[0].task));
	EXPECT(ERROR_AGAIN, doca_task_submit(copies[1].task));
	EXPECT(ERROR_NO_MEMORY, doca_task_submit_ex(copies[1].task, DOCA_TASK_SUBMIT_FLAG_NONE));
	CHECK(num_inflight(f->ctx) == 1);
	EXPECT(SUCCESS, doca_task_submit(copies[1].task));
	drain_pe(f->pe);
	CHECK(f->completions == 2 && f->errors == 0);
	EXPECT(SUCCESS, doca_task_submit(copies[2].task));
	drain_pe(f->pe);
	CHECK(f->completions == 2 && f->errors == 1);
	for (size_t i = 0; i < 3; i++)
		finish_copy(&copies[i]);
	emu_fault_clear();
	fixture_destroy(f);
}

static void delay(void)
{
	struct fixture *f = fixture_create(8);
	struct pollfd pfd = {.events = POLLIN};
	struct copy copies[3];
	uint64_t begin;

	MUST(doca_pe_get_notification_handle(f->pe, &pfd.fd));
	MUST(emu_fault_set("delay=20ms", NULL, 0));
	begin = emu_clock_ns();
	for (size_t i = 0; i < 2; i++) {
		copies[i] = make_copy(f, i);
		MUST(doca_task_submit(copies[i].task));
	}
	if (drain_pe(f->pe) != 0)
		CHECK(emu_clock_ns() - begin >= 20000000);
	MUST(doca_pe_request_notification(f->pe));
	if (poll(&pfd, 1, 0) != 0)
		CHECK(emu_clock_ns() - begin >= 20000000);
	CHECK(f->completions == 2 || poll(&pfd, 1, 60000) == 1); /* a timer wakes the engine */
	CHECK(emu_clock_ns() - begin >= 20000000);
	MUST(doca_pe_clear_notification(f->pe, pfd.fd));
	CHECK(poll(&pfd, 1, 0) == 0);
	while (f->completions < 2 && emu_clock_ns() - begin < 60000000000)
		doca_pe_progress(f->pe);
	CHECK(f->completions == 2);
	for (size_t i = 0; i < 2; i++)
		finish_copy(&copies[i]);

	/* A task behind a held one does not overtake it, and a stop waits for those that are held. */
	memset(f->dst, 0, 16);
	MUST(emu_fault_set("hold-tasks", NULL, 0));
	copies[0] = make_copy(f, 0);
	MUST(doca_task_submit(copies[0].task));
	emu_fault_clear();
	copies[1] = make_copy(f, 1);
	MUST(doca_task_submit(copies[1].task));
	CHECK(doca_pe_progress(f->pe) == 1 && f->dst[0] != 0 && f->dst[8] == 0);
	CHECK(doca_pe_progress(f->pe) == 1 && f->dst[8] != 0);
	for (size_t i = 0; i < 2; i++)
		finish_copy(&copies[i]);
	MUST(emu_fault_set("hold-tasks", NULL, 0));
	for (size_t i = 0; i < 2; i++) {
		copies[i] = make_copy(f, i);
		MUST(doca_task_submit(copies[i].task));
	}
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
	CHECK(drain_pe(f->pe) == 0 && ctx_state(f->ctx) == DOCA_CTX_STATE_STOPPING);
	MUST(doca_pe_request_notification(f->pe));
	emu_fault_clear();
	CHECK(poll(&pfd, 1, 60000) == 1);
	MUST(doca_pe_clear_notification(f->pe, pfd.fd));
	drain_pe(f->pe);
	CHECK(f->errors == 2 && ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);
	for (size_t i = 0; i < 2; i++)
		finish_copy(&copies[i]);
	fixture_destroy(f);
}

static void exhaust_pool(void)
{
	struct fixture *f = fixture_create(8);
	struct doca_dma_task_memcpy *task;
	struct doca_buf_pool *pool;
	struct doca_buf *buf, *copy;
	struct copy c;

	MUST(emu_fault_set("exhaust-pool=1,exhaust-pool=3,exhaust-pool=6,exhaust-pool=7", NULL, 0));
	EXPECT(ERROR_NO_MEMORY, doca_buf_inventory_buf_get_by_addr(f->inventory, f->dst_mmap, f->dst, 8, &buf));
	c.src = src_buf(f->inventory, f->src_mmap, f->src, 8);
	EXPECT(ERROR_NO_MEMORY, doca_dma_task_memcpy_alloc_init(f->dma, NULL, NULL, (union doca_data){.u64 = 0}, &task));
	c.dst = dst_buf(f->inventory, f->dst_mmap, f->dst, 8);
	MUST(doca_buf_chain_list(c.src, c.dst));
	EXPECT(ERROR_NO_MEMORY, doca_buf_inventory_buf_dup(f->inventory, c.src, &copy)); /* its second */
	MUST(doca_buf_pool_create(2, 8, f->dst_mmap, &pool));
	MUST(doca_buf_pool_start(pool));
	EXPECT(ERROR_EMPTY, doca_buf_pool_buf_alloc(pool, &buf));
	EXPECT(SUCCESS, doca_buf_pool_buf_alloc(pool, &buf));
	put_buf(buf);
	MUST(doca_buf_pool_destroy(pool));
	put_buf(c.src);
	emu_fault_clear();
	fixture_destroy(f);
}

static void lose_device(void)
{
	struct fixture *f = fixture_create(8), *g = fixture_create(8);
	struct pollfd pfd = {.events = POLLIN};
	struct doca_devinfo **list;
	struct doca_dev *dev;
	struct doca_dma *dma;
	struct copy copies[3];
	const void *desc;
	size_t len;
	uint32_t num;

	MUST(doca_pe_get_notification_handle(g->pe, &pfd.fd));
	MUST(doca_pe_request_notification(g->pe));
	MUST(emu_fault_set("lose-device=3", NULL, 0));
	copies[2] = make_copy(g, 0);
	EXPECT(SUCCESS, doca_task_submit(copies[2].task));
	MUST(doca_pe_clear_notification(g->pe, pfd.fd));
	CHECK(drain_pe(g->pe) == 1 && g->completions == 1);
	finish_copy(&copies[2]);
	copies[2] = make_copy(g, 0);
	MUST(doca_pe_request_notification(g->pe));
	CHECK(poll(&pfd, 1, 0) == 0);
	for (size_t i = 0; i < 2; i++) {
		copies[i] = make_copy(f, i);
		EXPECT(SUCCESS, doca_task_submit(copies[i].task));
	}
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_RUNNING); /* it shows in progress */
	CHECK(drain_pe(f->pe) == 4 && f->completions == 0 && f->errors == 2);
	CHECK(f->states[1] == DOCA_CTX_STATE_STOPPING && f->states[2] == DOCA_CTX_STATE_IDLE);

	/* It wakes the other engine. */
	CHECK(poll(&pfd, 1, 0) == 1);
	MUST(doca_pe_clear_notification(g->pe, pfd.fd));
	doca_task_free(copies[2].task);
	CHECK(drain_pe(g->pe) == 2);
	CHECK(g->states[1] == DOCA_CTX_STATE_STOPPING && g->states[2] == DOCA_CTX_STATE_IDLE);

	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(f->ctx));
	EXPECT(ERROR_INITIALIZATION, doca_dma_create(f->dev, &dma));
	MUST(doca_devinfo_create_list(&list, &num));
	EXPECT(ERROR_NOT_CONNECTED, doca_dev_open(list[0], &dev));
	EXPECT(SUCCESS, doca_dev_open(list[1], &dev)); /* another one */
	MUST(doca_dev_close(dev));
	MUST(doca_devinfo_destroy_list(list));
	MUST(doca_mmap_stop(f->src_mmap));
	MUST(doca_mmap_set_permissions(f->src_mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	MUST(doca_mmap_start(f->src_mmap));
	EXPECT(ERROR_DRIVER, doca_mmap_export_pci(f->src_mmap, f->dev, &desc, &len));
	emu_fault_clear();
	EXPECT(SUCCESS, doca_ctx_start(f->ctx));
	for (size_t i = 0; i < 3; i++)
		finish_copy(&copies[i]);
	fixture_destroy(f);
	fixture_destroy(g);
}

static void fail_call(void)
{
	struct doca_pe *pe = NULL;
	struct doca_mmap *mmap;

	MUST(emu_fault_set("fail-call=doca_pe_create:2,fail-call=doca_mmap_start:1:NO_MEMORY", NULL, 0));
	EXPECT(SUCCESS, doca_pe_create(&pe));
	MUST(doca_pe_destroy(pe));
	EXPECT(ERROR_DRIVER, doca_pe_create(&pe));
	EXPECT(SUCCESS, doca_pe_create(&pe));
	MUST(doca_pe_destroy(pe));
	MUST(doca_mmap_create(&mmap));
	EXPECT(ERROR_NO_MEMORY, doca_mmap_start(mmap));
	EXPECT(ERROR_BAD_STATE, doca_mmap_start(mmap)); /* the real result */
	MUST(doca_mmap_destroy(mmap));
	emu_fault_clear();
}

TEST_MAIN(environment, specifications, fail_task, refuse_task, delay, exhaust_pool, lose_device, fail_call)
