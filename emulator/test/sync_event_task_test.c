/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>

#include "core/emu_fault.h"
#include "sync_event_fixture.h"

#define ALL (~UINT64_C(0))

static int done, failed;
static union doca_data last;
static doca_error_t last_status;

static void on_end(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
	CHECK(ctx_data.u64 == 9);
	last = task_data;
	last_status = doca_task_get_status(task);
	done += last_status == DOCA_SUCCESS;
	failed += last_status != DOCA_SUCCESS;
	doca_task_free(task);
}

#define ON_END(kind)                                                                               \
	static void on_##kind(struct doca_sync_event_task_##kind *task, union doca_data task_data,  \
			      union doca_data ctx_data)                                             \
	{                                                                                          \
		on_end(doca_sync_event_task_##kind##_as_doca_task(task), task_data, ctx_data);     \
	}

ON_END(get)
ON_END(notify_set)
ON_END(notify_add)
ON_END(wait_eq)
ON_END(wait_neq)

struct rig {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_sync_event *event;
	struct doca_ctx *ctx;
};

static void configure(struct doca_sync_event *event)
{
	MUST(doca_sync_event_task_get_set_conf(event, on_get, on_get, 2));
	MUST(doca_sync_event_task_notify_set_set_conf(event, on_notify_set, on_notify_set, 2));
	MUST(doca_sync_event_task_notify_add_set_conf(event, on_notify_add, on_notify_add, 2));
	MUST(doca_sync_event_task_wait_eq_set_conf(event, on_wait_eq, on_wait_eq, 4));
	MUST(doca_sync_event_task_wait_neq_set_conf(event, on_wait_neq, on_wait_neq, 4));
}

static struct rig make_rig(struct doca_sync_event *event, struct doca_dev *dev)
{
	struct rig r = {.dev = dev, .event = event, .ctx = doca_sync_event_as_ctx(event)};

	done = failed = 0;
	configure(event);
	MUST(doca_pe_create(&r.pe));
	MUST(doca_ctx_set_user_data(r.ctx, (union doca_data){.u64 = 9}));
	MUST(doca_pe_connect_ctx(r.pe, r.ctx));
	MUST(doca_ctx_start(r.ctx));
	return r;
}

static struct rig open_rig(void)
{
	struct doca_dev *dev = open_dev(DPU_0);

	return make_rig(make_event(dev), dev);
}

static void close_rig(struct rig *r)
{
	doca_error_t result = doca_ctx_stop(r->ctx);

	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	drain_pe(r->pe);
	CHECK(ctx_state(r->ctx) == DOCA_CTX_STATE_IDLE);
	EXPECT(SUCCESS, doca_sync_event_destroy(r->event));
	MUST(doca_pe_destroy(r->pe));
	MUST(doca_dev_close(r->dev));
}

static const union doca_data none = {.u64 = 1};

static void set(struct rig *r, uint64_t value)
{
	struct doca_sync_event_task_notify_set *task;

	MUST(doca_sync_event_task_notify_set_alloc_init(r->event, value, none, &task));
	CHECK(doca_sync_event_task_notify_set_get_set_val(task) == value);
	MUST(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(task)));
}

static struct doca_task *wait_eq(struct rig *r, uint64_t value, uint64_t mask, uint64_t data)
{
	struct doca_sync_event_task_wait_eq *task;

	MUST(doca_sync_event_task_wait_eq_alloc_init(r->event, value, mask, (union doca_data){.u64 = data}, &task));
	CHECK(doca_sync_event_task_wait_eq_get_wait_val(task) == value && doca_sync_event_task_wait_eq_get_mask(task) == mask);
	return doca_sync_event_task_wait_eq_as_doca_task(task);
}

static struct doca_task *wait_neq(struct rig *r, uint64_t value, uint64_t mask, uint64_t data)
{
	struct doca_sync_event_task_wait_neq *task;

	MUST(doca_sync_event_task_wait_neq_alloc_init(r->event, value, mask, (union doca_data){.u64 = data}, &task));
	return doca_sync_event_task_wait_neq_as_doca_task(task);
}

static void values(void)
{
	struct rig r = open_rig();
	struct doca_sync_event_task_get *get, *more;
	struct doca_sync_event_task_notify_add *add;
	uint64_t value = 77, old = 77, *other = &old;

	set(&r, 40);
	CHECK(drain_pe(r.pe) == 1 && done == 1);
	MUST(doca_sync_event_task_notify_add_alloc_init(r.event, 2, &old, none, &add));
	CHECK(doca_sync_event_task_notify_add_get_inc_val(add) == 2);
	CHECK(doca_sync_event_task_notify_add_get_fetched_val_ptr(add) == &old);
	MUST(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(add)));
	CHECK(old == 77); /* not before progress */
	CHECK(doca_pe_progress(r.pe) == 1 && old == 40);
	MUST(doca_sync_event_task_get_alloc_init(r.event, other, none, &get));
	doca_sync_event_task_get_set_ret_val_ptr(get, &value);
	CHECK(doca_sync_event_task_get_get_ret_val_ptr(get) == &value);
	MUST(doca_task_submit(doca_sync_event_task_get_as_doca_task(get)));
	CHECK(doca_pe_progress(r.pe) == 1 && value == 42 && done == 3 && failed == 0);

	/* The pool has two. */
	MUST(doca_sync_event_task_get_alloc_init(r.event, &value, none, &get));
	MUST(doca_sync_event_task_get_alloc_init(r.event, NULL, none, &more));
	EXPECT(ERROR_NO_MEMORY, doca_sync_event_task_get_alloc_init(r.event, &value, none, &(struct doca_sync_event_task_get *){NULL}));
	EXPECT(ERROR_INVALID_VALUE, doca_task_try_submit(doca_sync_event_task_get_as_doca_task(more)));
	doca_task_free(doca_sync_event_task_get_as_doca_task(get));
	doca_task_free(doca_sync_event_task_get_as_doca_task(more));

	/* The other way to use an event is closed. */
	EXPECT(ERROR_BAD_STATE, doca_sync_event_get(r.event, &value));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_start(r.event));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_stop(r.event));
	EXPECT(ERROR_IN_USE, doca_sync_event_destroy(r.event));
	EXPECT(ERROR_NOT_PERMITTED, doca_sync_event_task_get_set_conf(r.event, on_get, on_get, 1));
	close_rig(&r);
}

static void configuration(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_sync_event *event = make_event(dev);
	struct doca_sync_event_task_get *task;

	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_task_get_set_conf(NULL, on_get, on_get, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_task_get_set_conf(event, NULL, on_get, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_task_get_set_conf(event, on_get, NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_task_get_set_conf(event, on_get, on_get, 0));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_task_get_alloc_init(event, NULL, none, &task)); /* not running */
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_task_get_alloc_init(NULL, NULL, none, &task));
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dev_close(dev));
}

static void a_wait_is_no_progress(void)
{
	struct rig r = open_rig();

	MUST(doca_task_submit(wait_eq(&r, 2, ALL, 5)));
	for (int i = 0; i < 100; i++)
		CHECK(doca_pe_progress(r.pe) == 0);
	set(&r, 1);
	CHECK(drain_pe(r.pe) == 1 && last.u64 == 1); /* the set alone */
	set(&r, 2);
	CHECK(drain_pe(r.pe) == 2 && last.u64 == 5 && done == 3);
	CHECK(num_inflight(r.ctx) == 0);
	close_rig(&r);
}

static void several_waits(void)
{
	struct rig r = open_rig();

	set(&r, 0x0102);
	drain_pe(r.pe);
	done = 0;
	MUST(doca_task_submit(wait_eq(&r, 3, 0xff, 1)));
	MUST(doca_task_submit(wait_eq(&r, 2, 0xff, 2)));
	MUST(doca_task_submit(wait_neq(&r, 0, 0xff00, 3)));
	MUST(doca_task_submit(wait_neq(&r, 0, UINT64_C(0xffffffff) << 32, 4)));
	CHECK(doca_pe_progress(r.pe) == 1 && last.u64 == 2);
	CHECK(doca_pe_progress(r.pe) == 1 && last.u64 == 3);
	CHECK(doca_pe_progress(r.pe) == 0 && num_inflight(r.ctx) == 2);
	set(&r, UINT64_C(1) << 32 | 3);
	CHECK(drain_pe(r.pe) == 3 && done == 5);
	close_rig(&r);
}

static void masks(void)
{
	static const uint64_t good[] = {0, 0xff, 0xff00, UINT64_C(0xff) << 56, 0xffff, UINT64_C(0xffff) << 48,
					0xffffffff, UINT64_C(0xffffffff) << 32, ALL};
	static const uint64_t bad[] = {1, 0x7f, 0xffffff, 0xffff00, 0xff0000ff, ALL - 1, UINT64_C(0xffffffff) << 8};
	struct rig r = open_rig();

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		EXPECT(SUCCESS, doca_task_try_submit(wait_eq(&r, 0, good[i], i)));
		CHECK(doca_pe_progress(r.pe) == 1 && last_status == DOCA_SUCCESS && last.u64 == i);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct doca_task *task = wait_eq(&r, 0, bad[i], i);

		EXPECT(ERROR_INVALID_VALUE, doca_task_try_submit(task));
		doca_task_free(task);
	}
	struct doca_task *task = wait_eq(&r, 255, ALL, 1);

	EXPECT(ERROR_INVALID_VALUE, doca_task_try_submit(task));
	doca_task_free(task);
	task = wait_neq(&r, 254, ALL, 1);
	EXPECT(SUCCESS, doca_task_try_submit(task));
	drain_pe(r.pe);
	CHECK(failed == 0);
	close_rig(&r);
}

static void a_stop_flushes(void)
{
	struct rig r = open_rig();

	MUST(doca_task_submit(wait_eq(&r, 2, ALL, 5)));
	MUST(doca_task_submit(wait_neq(&r, 0, ALL, 6)));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(r.ctx));
	CHECK(drain_pe(r.pe) == 3 && failed == 2 && last_status == DOCA_ERROR_IO_FAILED);
	CHECK(ctx_state(r.ctx) == DOCA_CTX_STATE_IDLE);
	EXPECT(SUCCESS, doca_ctx_start(r.ctx));
	set(&r, 1);
	CHECK(drain_pe(r.pe) == 1 && done == 1);
	close_rig(&r);
}

/* The program frees a wait that is submitted. */
static void an_abandoned_wait(void)
{
	struct rig r = open_rig();
	struct doca_task *task = wait_eq(&r, 2, ALL, 5);

	MUST(doca_task_submit(task));
	MUST(doca_task_submit(wait_eq(&r, 3, ALL, 6)));
	doca_task_free(task);
	CHECK(doca_pe_progress(r.pe) == 0 && num_inflight(r.ctx) == 1);
	set(&r, 3);
	CHECK(drain_pe(r.pe) == 2 && last.u64 == 6);
	close_rig(&r);
}

/* A value that another one sets wakes an engine that sleeps. */
static void sleeping(void)
{
	struct doca_dev *dev = open_dev(DPU_0), *host = open_dev(HOST_0);
	struct doca_sync_event *shared = make_shared_event(dev), *import;
	const uint8_t *blob;
	struct pollfd handle = {.events = POLLIN};
	struct rig r;
	size_t len;
	int looks = 0;

	MUST(doca_sync_event_start(shared));
	MUST(doca_sync_event_export_to_remote_pci(shared, dev, &blob, &len));
	MUST(doca_sync_event_create_from_export(host, blob, len, &import));
	r = make_rig(import, host);
	MUST(doca_pe_get_notification_handle(r.pe, &handle.fd));
	MUST(doca_pe_request_notification(r.pe));
	CHECK(poll(&handle, 1, 5) == 0); /* nothing to look at */
	MUST(doca_task_submit(wait_eq(&r, 2, ALL, 5))); /* armed */
	while (done == 0) {
		CHECK(poll(&handle, 1, 60000) == 1);
		MUST(doca_pe_clear_notification(r.pe, handle.fd));
		drain_pe(r.pe);
		if (++looks == 20)
			MUST(doca_sync_event_update_set(shared, 2));
		MUST(doca_pe_request_notification(r.pe));
	}
	CHECK(looks > 20 && last.u64 == 5);
	CHECK(poll(&handle, 1, 5) == 0); /* nothing left to look at */
	MUST(doca_pe_clear_notification(r.pe, handle.fd));

	/* The exporter ends. */
	MUST(doca_task_submit(wait_eq(&r, 3, ALL, 6)));
	CHECK(drain_pe(r.pe) == 0);
	MUST(doca_sync_event_destroy(shared));
	CHECK(drain_pe(r.pe) >= 1 && failed == 1 && last_status == DOCA_ERROR_IO_FAILED);
	CHECK(ctx_state(r.ctx) != DOCA_CTX_STATE_RUNNING); /* a failed task stops its context */
	close_rig(&r);
	MUST(doca_dev_close(dev));
}

static void faults(void)
{
	struct rig r = open_rig();

	MUST(emu_fault_set("delay=2ms", NULL, 0));
	set(&r, 3);
	MUST(doca_task_submit(wait_eq(&r, 3, ALL, 6)));
	emu_fault_clear();
	while (done < 2)
		doca_pe_progress(r.pe);
	MUST(emu_fault_set("fail-task=1:TIME_OUT", NULL, 0));
	MUST(doca_task_submit(wait_eq(&r, 1, ALL, 7)));
	emu_fault_clear();
	drain_pe(r.pe);
	CHECK(failed == 1 && last_status == DOCA_ERROR_TIME_OUT);
	close_rig(&r);
}

TEST_MAIN(values, configuration, a_wait_is_no_progress, several_waits, masks, a_stop_flushes, an_abandoned_wait, sleeping,
	  faults)
