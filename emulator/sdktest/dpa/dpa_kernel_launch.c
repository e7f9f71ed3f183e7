/* SPDX-License-Identifier: Apache-2.0 */
/* Launches a kernel that waits for an event of the host, and waits for the event that tells its end. */

#include <pthread.h>
#include <unistd.h>

#include "dpa_common.h"

DOCA_LOG_REGISTER(DPA_KERNEL_LAUNCH::MAIN);

#define WAIT_THRESHOLD 4
#define WAIT_VALUE 5
#define END_VALUE 10

extern struct doca_dpa_app *dpa_sample_app;
extern doca_dpa_func_t hello_world;

static void *set_later(void *event)
{
	doca_error_t result;

	sleep(1);
	result = doca_sync_event_update_set(event, WAIT_VALUE);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("Cannot set the event: %s", doca_error_get_descr(result));
	return NULL;
}

static doca_error_t launch(struct dpa_resources *resources, struct doca_sync_event *wait, struct doca_sync_event *end)
{
	pthread_t thread;
	uint64_t value = 1;

	TRY(doca_dpa_kernel_launch_update_set(resources->dpa, wait, WAIT_THRESHOLD, end, END_VALUE, 1, &hello_world));
	TRY(doca_sync_event_get(end, &value));
	REQUIRE(value == 0); /* it waits */
	REQUIRE(pthread_create(&thread, NULL, set_later, wait) == 0);
	doca_error_t result = doca_sync_event_wait_gt(end, END_VALUE - 1, UINT64_MAX);
	pthread_join(thread, NULL);
	TRY(result);
	TRY(doca_sync_event_get(end, &value));
	REQUIRE(value == END_VALUE);
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	struct dpa_resources resources;
	struct doca_sync_event *wait = NULL, *end = NULL;
	doca_error_t result = dpa_begin("doca_dpa_kernel_launch", dpa_sample_app, argc, argv, &resources);

	if (result == DOCA_SUCCESS)
		result = dpa_event_to_dpa(&resources, &wait);
	if (result == DOCA_SUCCESS)
		result = dpa_event_to_cpu(&resources, &end);
	if (result == DOCA_SUCCESS)
		result = launch(&resources, wait, end);
	if (end != NULL)
		CLEAN(result, doca_sync_event_destroy(end));
	if (wait != NULL)
		CLEAN(result, doca_sync_event_destroy(wait));
	return sample_finish(dpa_end(&resources, result));
}
