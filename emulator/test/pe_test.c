/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "fixture.h"

static int is_readable(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, 0) == 1;
}

static void life(void)
{
	struct fixture *f;
	struct doca_pe *pe, *other;
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dma *dma;
	size_t num = 7;
	int fd;

	EXPECT(ERROR_INVALID_VALUE, doca_pe_create(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_pe_destroy(NULL));
	EXPECT(SUCCESS, doca_pe_create(&pe));
	EXPECT(SUCCESS, doca_pe_create(&other));
	CHECK(doca_pe_progress(pe) == 0);
	EXPECT(SUCCESS, doca_pe_get_num_inflight_tasks(pe, &num));
	CHECK(num == 0);
	EXPECT(ERROR_INVALID_VALUE, doca_pe_get_num_inflight_tasks(NULL, &num));
	EXPECT(ERROR_INVALID_VALUE, doca_pe_get_num_inflight_tasks(pe, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_pe_get_notification_handle(pe, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_pe_get_notification_handle(NULL, &fd));
	EXPECT(ERROR_INVALID_VALUE, doca_pe_request_notification(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_pe_clear_notification(NULL, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_pe_connect_ctx(pe, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_pe_set_event_mode(pe, (enum doca_pe_event_mode)2));
	EXPECT(ERROR_INVALID_VALUE, doca_pe_set_event_mode(NULL, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	MUST(doca_dma_create(dev, &dma));
	EXPECT(ERROR_INVALID_VALUE, doca_pe_connect_ctx(NULL, doca_dma_as_ctx(dma)));
	EXPECT(SUCCESS, doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	EXPECT(ERROR_NOT_PERMITTED, doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	EXPECT(ERROR_NOT_PERMITTED, doca_pe_connect_ctx(other, doca_dma_as_ctx(dma)));
	EXPECT(ERROR_IN_USE, doca_pe_destroy(pe)); /* connected is enough */
	MUST(doca_dma_destroy(dma));
	EXPECT(SUCCESS, doca_pe_destroy(pe));
	EXPECT(SUCCESS, doca_pe_destroy(other));
	MUST(doca_dev_close(dev));

	f = fixture_create(1);
	MUST(doca_pe_create(&other));
	EXPECT(ERROR_BAD_STATE, doca_pe_connect_ctx(other, f->ctx));
	MUST(doca_pe_destroy(other));
	EXPECT(ERROR_IN_USE, doca_pe_destroy(f->pe));
	fixture_destroy(f);
}

static void one_item_per_progress(void)
{
	struct fixture *f = fixture_create(3);
	struct copy copies[3];
	size_t num;

	for (size_t i = 0; i < 3; i++) {
		copies[i] = make_copy(f, i);
		MUST(doca_task_submit(copies[i].task));
	}
	EXPECT(SUCCESS, doca_pe_get_num_inflight_tasks(f->pe, &num));
	CHECK(num == 3 && f->completions == 0); /* nothing runs before progress */
	for (int i = 1; i <= 3; i++) {
		CHECK(doca_pe_progress(f->pe) == 1);
		CHECK(f->completions == i && num_inflight(f->ctx) == (size_t)(3 - i));
	}
	CHECK(doca_pe_progress(f->pe) == 0);
	for (size_t i = 0; i < 3; i++)
		finish_copy(&copies[i]);
	fixture_destroy(f);
}

static void notification(void)
{
	struct fixture *f = fixture_create(8);
	struct copy copy;
	int fd, again;

	EXPECT(SUCCESS, doca_pe_get_notification_handle(f->pe, &fd));
	CHECK(fd >= 0 && !is_readable(fd));
	EXPECT(SUCCESS, doca_pe_request_notification(f->pe));
	EXPECT(SUCCESS, doca_pe_request_notification(f->pe));
	CHECK(!is_readable(fd)); /* nothing is pending */
	EXPECT(SUCCESS, doca_pe_clear_notification(f->pe, 12345)); /* the value is ignored */
	EXPECT(SUCCESS, doca_pe_clear_notification(f->pe, 0));     /* not armed */

	/* Armed, then submitted. */
	MUST(doca_pe_request_notification(f->pe));
	copy = make_copy(f, 0);
	MUST(doca_task_submit(copy.task));
	CHECK(is_readable(fd));
	CHECK(doca_pe_progress(f->pe) == 0 && f->completions == 0); /* must be cleared first */
	EXPECT(SUCCESS, doca_pe_clear_notification(f->pe, fd));
	CHECK(!is_readable(fd));
	CHECK(doca_pe_progress(f->pe) == 1 && f->completions == 1);
	finish_copy(&copy);
	CHECK(doca_pe_progress(f->pe) == 0);

	/* Submitted, then armed: no lost wake-up. */
	copy = make_copy(f, 0);
	MUST(doca_task_submit(copy.task));
	CHECK(!is_readable(fd));
	MUST(doca_pe_request_notification(f->pe));
	CHECK(is_readable(fd));
	MUST(doca_pe_clear_notification(f->pe, fd));
	CHECK(drain_pe(f->pe) == 1);
	finish_copy(&copy);

	/* The last free lets a stopping context become idle, which also wakes. */
	f->keep_tasks = 1;
	copy = make_copy(f, 0);
	MUST(doca_task_submit(copy.task));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
	CHECK(drain_pe(f->pe) == 1 && f->errors == 1);
	MUST(doca_pe_request_notification(f->pe));
	CHECK(!is_readable(fd));
	doca_task_free(copy.task);
	CHECK(is_readable(fd));
	MUST(doca_pe_clear_notification(f->pe, fd));
	CHECK(doca_pe_progress(f->pe) == 1 && ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);
	CHECK(doca_pe_progress(f->pe) == 0);
	finish_copy(&copy);

	EXPECT(SUCCESS, doca_pe_get_notification_handle(f->pe, &again));
	CHECK(again == fd);
	fixture_destroy(f);
}

static void event_modes(void)
{
	struct fixture *f = fixture_create(8);
	struct copy copy = make_copy(f, 0);
	struct epoll_event event = {.events = EPOLLIN};
	int fd, epoll = epoll_create1(0);

	EXPECT(SUCCESS, doca_pe_set_event_mode(f->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	MUST(doca_pe_get_notification_handle(f->pe, &fd));
	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0); /* it can be added to an epoll */
	MUST(doca_pe_request_notification(f->pe));
	CHECK(epoll_wait(epoll, &event, 1, 0) == 0);
	MUST(doca_task_submit(copy.task));
	CHECK(epoll_wait(epoll, &event, 1, 0) == 1);
	CHECK(doca_pe_progress(f->pe) == 1 && f->completions == 1); /* clear is optional */
	CHECK(doca_pe_progress(f->pe) == 0);
	MUST(doca_pe_request_notification(f->pe)); /* it clears */
	CHECK(epoll_wait(epoll, &event, 1, 0) == 0);
	finish_copy(&copy);
	MUST(doca_pe_clear_notification(f->pe, fd));
	close(epoll);
	fixture_destroy(f);
}

/* Tasks submitted without a flush wait until one comes. */
static void submit_flags(void)
{
	struct fixture *f = fixture_create(8);
	struct copy copies[4];

	for (size_t i = 0; i < 4; i++)
		copies[i] = make_copy(f, i);
	EXPECT(SUCCESS, doca_task_submit_ex(copies[0].task, DOCA_TASK_SUBMIT_FLAG_NONE));
	EXPECT(SUCCESS, doca_task_submit_ex(copies[1].task, DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS));
	CHECK(num_inflight(f->ctx) == 2);
	CHECK(drain_pe(f->pe) == 0);
	doca_ctx_flush_tasks(f->ctx);
	CHECK(drain_pe(f->pe) == 2 && f->completions == 2);
	EXPECT(SUCCESS, doca_task_submit_ex(copies[2].task, DOCA_TASK_SUBMIT_FLAG_NONE));
	CHECK(drain_pe(f->pe) == 0);
	EXPECT(SUCCESS, doca_task_submit(copies[3].task)); /* flushes the earlier ones */
	CHECK(drain_pe(f->pe) == 2 && f->completions == 4);
	for (size_t i = 0; i < 4; i++)
		finish_copy(&copies[i]);

	/* A stop ends them with errors. */
	copies[0] = make_copy(f, 0);
	MUST(doca_task_submit_ex(copies[0].task, DOCA_TASK_SUBMIT_FLAG_NONE));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
	drain_pe(f->pe);
	CHECK(f->errors == 1 && ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);
	finish_copy(&copies[0]);
	fixture_destroy(f);
}

/* Two contexts on one engine both make progress. */
static void two_contexts(void)
{
	struct fixture *f = fixture_create(4);
	struct doca_dma *dma;
	struct doca_dma_task_memcpy *task;
	struct copy a = make_copy(f, 0), b = make_copy(f, 1);
	size_t num;

	MUST(doca_dma_create(f->dev, &dma));
	MUST(doca_ctx_set_user_data(doca_dma_as_ctx(dma), (union doca_data){.ptr = f}));
	MUST(doca_dma_task_memcpy_set_conf(dma, fixture_completed, fixture_failed, 1));
	MUST(doca_pe_connect_ctx(f->pe, doca_dma_as_ctx(dma)));
	MUST(doca_ctx_start(doca_dma_as_ctx(dma)));
	MUST(doca_dma_task_memcpy_alloc_init(dma, b.src, b.dst, (union doca_data){.u64 = 0}, &task));
	MUST(doca_task_submit(a.task));
	MUST(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	EXPECT(SUCCESS, doca_pe_get_num_inflight_tasks(f->pe, &num));
	CHECK(num == 2 && num_inflight(f->ctx) == 1);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(doca_dma_as_ctx(dma)));
	drain_pe(f->pe);
	CHECK(f->completions == 1 && f->errors == 1);
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_RUNNING);
	CHECK(ctx_state(doca_dma_as_ctx(dma)) == DOCA_CTX_STATE_IDLE);
	MUST(doca_dma_destroy(dma));
	doca_task_free(b.task);
	finish_copy(&a);
	finish_copy(&b);
	fixture_destroy(f);
}

static void task_fields(void)
{
	struct fixture *f = fixture_create(1);
	struct copy copy = make_copy(f, 0);
	struct doca_dma_task_memcpy *task;

	CHECK(doca_task_get_ctx(copy.task) == f->ctx);
	CHECK(doca_task_get_user_data(copy.task).u64 == 0);
	doca_task_set_user_data(copy.task, (union doca_data){.u64 = 9});
	CHECK(doca_task_get_user_data(copy.task).u64 == 9);
	EXPECT(ERROR_NO_MEMORY, doca_dma_task_memcpy_alloc_init(f->dma, copy.src, copy.dst,
								(union doca_data){.u64 = 0}, &task));
	f->keep_tasks = 1;
	MUST(doca_task_submit(copy.task));
	EXPECT(ERROR_BAD_STATE, doca_task_submit(copy.task)); /* DOCA's until its callback */
	drain_pe(f->pe);
	EXPECT(SUCCESS, doca_task_get_status(copy.task));
	doca_task_free(copy.task);
	task = (struct doca_dma_task_memcpy *)copy.task;
	CHECK(doca_dma_task_memcpy_get_src(task) == copy.src); /* readable after the free */
	doca_task_free(copy.task); /* harmless */
	EXPECT(SUCCESS, doca_dma_task_memcpy_alloc_init(f->dma, copy.src, copy.dst,
							(union doca_data){.u64 = 4}, &task));
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	finish_copy(&copy);
	fixture_destroy(f);
}

TEST_MAIN(life, one_item_per_progress, notification, event_modes, submit_flags, two_contexts, task_fields)
