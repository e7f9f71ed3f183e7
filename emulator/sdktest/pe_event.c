/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps in epoll until the engine's notification handle reports completions. */

#include <sys/epoll.h>
#include <unistd.h>

#include "pe_common.h"

DOCA_LOG_REGISTER(PE_EVENT);

#define TIMEOUT_MS 10000

static doca_error_t wait_and_progress(struct pe_sample *sample, struct pe_dma *dma, int epoll_fd,
				      doca_notification_handle_t handle)
{
	struct epoll_event event = {.events = EPOLLIN};
	int rounds = 0;

	REQUIRE(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event) == 0);

	/* If the engine is armed and nothing has happened, the handle is not readable. */
	TRY(doca_pe_request_notification(sample->pe));
	REQUIRE(epoll_wait(epoll_fd, &event, 1, 0) == 0);
	TRY(doca_pe_clear_notification(sample->pe, handle));

	for (size_t i = 0; i < NUM_TASKS; i++)
		TRY(doca_task_submit(doca_dma_task_memcpy_as_task(dma->tasks[i])));
	while (dma->num_completed < NUM_TASKS) {
		TRY(doca_pe_request_notification(sample->pe));
		REQUIRE(epoll_wait(epoll_fd, &event, 1, TIMEOUT_MS) == 1);
		TRY(doca_pe_clear_notification(sample->pe, 0));
		while (doca_pe_progress(sample->pe) != 0)
			;
		rounds++;
	}
	DOCA_LOG_INFO("%d tasks in %d rounds", NUM_TASKS, rounds);
	return DOCA_SUCCESS;
}

static doca_error_t copy_all(struct pe_sample *sample, struct pe_dma *dma)
{
	doca_event_handle_t handle = doca_event_invalid_handle, again = doca_event_invalid_handle;
	doca_error_t result;
	int epoll_fd;

	TRY(pe_dma_create(dma, sample, NUM_TASKS, pe_on_completed, pe_on_failed));
	TRY(doca_ctx_start(dma->ctx));
	for (size_t i = 0; i < NUM_TASKS; i++)
		TRY(pe_dma_alloc(dma, i, i));
	TRY(doca_pe_get_notification_handle(sample->pe, &handle));
	TRY(doca_pe_get_notification_handle(sample->pe, &again));
	REQUIRE(handle >= 0 && handle == again);

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	REQUIRE(epoll_fd >= 0);
	result = wait_and_progress(sample, dma, epoll_fd, handle);
	close(epoll_fd);
	TRY(result);
	for (size_t i = 0; i < NUM_TASKS; i++)
		REQUIRE(pe_copy_is_right(sample, i));
	return DOCA_SUCCESS;
}

static doca_error_t run(struct pe_sample *sample)
{
	struct pe_dma dma = {0};
	doca_error_t result = copy_all(sample, &dma), destroyed = pe_dma_destroy(&dma);

	DOCA_ERROR_PROPAGATE(result, destroyed);
	return result;
}

int main(int argc, char **argv)
{
	return pe_main(argc, argv, "pe_event", run, NUM_TASKS);
}
