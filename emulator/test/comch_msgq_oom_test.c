/* SPDX-License-Identifier: Apache-2.0 */

/* Each allocation of MsgQs, their consumers, producers and completion queues fails once: a call returns an error, and
 * nothing leaks. The program is linked so that the allocations come to this file. */

#include <sys/mman.h>

#include "comch_msgq.h"

void *__real_calloc(size_t num, size_t size);
void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_mmap(void *addr, size_t len, int protection, int flags, int fd, off_t offset);
void *__wrap_calloc(size_t num, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_mmap(void *addr, size_t len, int protection, int flags, int fd, off_t offset);

static _Thread_local long until_failure = -1; /* allocations that succeed before one fails */

static bool fails(void)
{
	return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_calloc(size_t num, size_t size)
{
	return fails() ? NULL : __real_calloc(num, size);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_mmap(void *addr, size_t len, int protection, int flags, int fd, off_t offset)
{
	return fails() ? MAP_FAILED : __real_mmap(addr, len, protection, flags, fd, offset);
}

static void idle(uint64_t arg)
{
	(void)arg;
	dev->thread_reschedule();
}
THREAD_FUNC(idle)

static const struct emu_dpa_func funcs[] = {FUNC_ENTRY(idle, 0), COMMON_FUNCS};

/* Remembers the first error and skips what depends on it. */
#define TRY(call)                                                                                                      \
	do {                                                                                                           \
		if (result == DOCA_SUCCESS)                                                                            \
			result = (call);                                                                               \
	} while (0)

static doca_error_t started(doca_error_t result)
{
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

/* What one run has made. */
struct made {
	struct doca_comch_msgq *queues[2];
	bool is_started[2];
	struct doca_comch_consumer_completion *comp;
	struct doca_comch_consumer *consumers[2]; /* here, on the DPA */
	struct doca_comch_producer *producers[2];
};

static doca_error_t make(struct lab *lab, struct doca_pe *pe, struct made *made)
{
	doca_dpa_dev_comch_consumer_completion_t handle;
	doca_error_t result = DOCA_SUCCESS;

	for (int i = 0; i < 2; i++) {
		TRY(doca_comch_msgq_create(lab->dev, &made->queues[i]));
		TRY(i == 0 ? doca_comch_msgq_set_dpa_producer(made->queues[i], lab->dpa) :
			     doca_comch_msgq_set_dpa_consumer(made->queues[i], lab->dpa));
		TRY(doca_comch_msgq_start(made->queues[i]));
		made->is_started[i] = result == DOCA_SUCCESS;
		TRY(doca_comch_msgq_consumer_create(made->queues[i], &made->consumers[i]));
		TRY(doca_comch_msgq_producer_create(made->queues[i], &made->producers[i]));
	}
	TRY(doca_comch_consumer_completion_create(&made->comp));
	TRY(doca_comch_consumer_completion_set_dpa_thread(made->comp, lab->thread));
	TRY(doca_comch_consumer_completion_set_max_num_consumers(made->comp, 1));
	TRY(doca_comch_consumer_completion_set_max_num_recv(made->comp, NUM_RECV));
	TRY(doca_comch_consumer_completion_start(made->comp));
	TRY(doca_comch_consumer_completion_get_dpa_handle(made->comp, &handle));

	TRY(doca_comch_consumer_task_post_recv_set_conf(made->consumers[0], member_received, member_recv_failed, 4));
	TRY(doca_pe_connect_ctx(pe, doca_comch_consumer_as_ctx(made->consumers[0])));
	TRY(started(doca_ctx_start(doca_comch_consumer_as_ctx(made->consumers[0]))));
	TRY(doca_comch_producer_task_send_set_conf(made->producers[1], member_sent, member_send_failed, 4));
	TRY(doca_pe_connect_ctx(pe, doca_comch_producer_as_ctx(made->producers[1])));
	TRY(doca_ctx_start(doca_comch_producer_as_ctx(made->producers[1])));

	TRY(doca_ctx_set_datapath_on_dpa(doca_comch_consumer_as_ctx(made->consumers[1]), lab->dpa));
	TRY(doca_comch_consumer_set_completion(made->consumers[1], made->comp, 0));
	TRY(doca_comch_consumer_set_dev_max_num_recv(made->consumers[1], NUM_RECV));
	TRY(doca_ctx_start(doca_comch_consumer_as_ctx(made->consumers[1])));
	TRY(doca_ctx_set_datapath_on_dpa(doca_comch_producer_as_ctx(made->producers[0]), lab->dpa));
	TRY(doca_comch_producer_dpa_completion_attach(made->producers[0], lab->send_comp));
	TRY(doca_comch_producer_set_dev_max_num_send(made->producers[0], NUM_RECV));
	TRY(doca_ctx_start(doca_comch_producer_as_ctx(made->producers[0])));
	return result;
}

static void delete_made(struct made *made, struct doca_pe *pe)
{
	for (int i = 0; i < 2; i++) {
		if (made->consumers[i] != NULL)
			(void)doca_ctx_stop(doca_comch_consumer_as_ctx(made->consumers[i]));
		if (made->producers[i] != NULL)
			(void)doca_ctx_stop(doca_comch_producer_as_ctx(made->producers[i]));
	}
	drain_pe(pe);
	for (int i = 0; i < 2; i++) {
		if (made->consumers[i] != NULL)
			MUST(doca_comch_consumer_destroy(made->consumers[i]));
		if (made->producers[i] != NULL)
			MUST(doca_comch_producer_destroy(made->producers[i]));
		if (made->is_started[i])
			MUST(doca_comch_msgq_stop(made->queues[i]));
		if (made->queues[i] != NULL)
			MUST(doca_comch_msgq_destroy(made->queues[i]));
	}
	if (made->comp == NULL)
		return;
	(void)doca_comch_consumer_completion_stop(made->comp); /* unless it could not start */
	MUST(doca_comch_consumer_completion_destroy(made->comp));
}

static void every_allocation(void)
{
	struct lab *lab = new_lab(funcs, sizeof(funcs) / sizeof(funcs[0]), FUNC(idle));
	doca_error_t result;
	long num = 0;

	do {
		struct made made = {0};
		struct doca_pe *pe;

		MUST(doca_pe_create(&pe));
		until_failure = num++;
		result = make(lab, pe, &made);
		until_failure = -1;
		CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_NO_MEMORY || result == DOCA_ERROR_INITIALIZATION);
		delete_made(&made, pe);
		MUST(doca_pe_destroy(pe));
	} while (result != DOCA_SUCCESS);
	CHECK(num > 15);
	delete_lab(lab);
}

TEST_MAIN(every_allocation, left_nothing)
