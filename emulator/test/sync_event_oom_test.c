/* SPDX-License-Identifier: Apache-2.0 */

/* Each allocation of a run with events and a graph fails once: calls return errors, nothing leaks, and the next run works. The
 * program is linked so that calloc, malloc, realloc and strdup come to this file. */

#include <doca_graph.h>

#include "process.h"
#include "sync_event_fixture.h"

void *__real_calloc(size_t num, size_t size);
void *__real_malloc(size_t size);
void *__real_realloc(void *addr, size_t size);
char *__real_strdup(const char *text);
void *__wrap_calloc(size_t num, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *addr, size_t size);
char *__wrap_strdup(const char *text);

static __thread long until_failure = -1; /* allocations of this thread that succeed before one fails */

static int fails(void)
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

void *__wrap_realloc(void *addr, size_t size)
{
	return fails() ? NULL : __real_realloc(addr, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

/* Remembers the first error and skips what depends on it. */
#define TRY(call)                                                                                  \
	do {                                                                                       \
		if (result == DOCA_SUCCESS)                                                        \
			result = (call);                                                           \
	} while (0)

static int ended;

static void on_set(struct doca_sync_event_task_notify_set *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_sync_event_task_notify_set_as_doca_task(task));
}

static void on_end(struct doca_graph_instance *instance, union doca_data instance_data, union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	(void)graph_data;
	ended++;
}

static doca_error_t do_nothing(void *cookie)
{
	(void)cookie;
	return DOCA_SUCCESS;
}

static struct doca_dev *dev;

static doca_error_t run(void)
{
	struct doca_sync_event *event = NULL, *import = NULL, *tasks = NULL;
	struct doca_sync_event_remote_net *remote = NULL;
	struct doca_sync_event_task_notify_set *task = NULL;
	struct doca_graph *graph = NULL;
	struct doca_graph_instance *instance = NULL;
	struct doca_graph_node *first = NULL, *second = NULL;
	struct doca_pe *pe = NULL;
	doca_error_t result = DOCA_SUCCESS;
	const uint8_t *blob = NULL, *net = NULL;
	size_t len = 0, net_len = 0;
	bool submitted = false;

	ended = 0;
	TRY(doca_sync_event_create(&event));
	TRY(doca_sync_event_add_publisher_location_remote_pci(event));
	TRY(doca_sync_event_add_publisher_location_remote_net(event));
	TRY(doca_sync_event_add_subscriber_location_cpu(event, dev));
	TRY(doca_sync_event_start(event));
	TRY(doca_sync_event_export_to_remote_pci(event, dev, &blob, &len));
	TRY(doca_sync_event_export_to_remote_net(event, &net, &net_len));
	TRY(doca_sync_event_create_from_export(dev, blob, len, &import));
	TRY(doca_sync_event_create_from_export(dev, blob, len, &tasks));
	TRY(doca_sync_event_remote_net_create_from_export(dev, net, net_len, &remote));
	TRY(doca_sync_event_start(import));
	TRY(doca_sync_event_update_set(import, 5));
	TRY(doca_pe_create(&pe));
	TRY(doca_sync_event_task_notify_set_set_conf(tasks, on_set, on_set, 1));
	TRY(doca_pe_connect_ctx(pe, doca_sync_event_as_ctx(tasks)));
	TRY(doca_ctx_start(doca_sync_event_as_ctx(tasks)));
	TRY(doca_graph_create(pe, &graph));
	TRY(doca_graph_set_conf(graph, on_end, on_end, 1));
	TRY(doca_graph_node_create_from_ctx(graph, doca_sync_event_as_ctx(tasks), &first));
	TRY(doca_graph_node_create_from_user(graph, do_nothing, &second));
	TRY(doca_graph_add_dependency(graph, second, first));
	TRY(doca_graph_start(graph));
	TRY(doca_graph_instance_create(graph, &instance));
	TRY(doca_sync_event_task_notify_set_alloc_init(tasks, 7, (union doca_data){.u64 = 0}, &task));
	TRY(doca_graph_instance_set_ctx_node_data(instance, first, doca_sync_event_task_notify_set_as_doca_task(task)));
	TRY(doca_graph_instance_set_user_node_data(instance, second, NULL));
	TRY(doca_graph_instance_submit(instance));
	submitted = result == DOCA_SUCCESS;
	if (submitted) {
		drain_pe(pe);
		CHECK(ended == 1 && value_of(event) == 7);
	}
	until_failure = -1;
	if (instance != NULL)
		MUST(doca_graph_instance_destroy(instance));
	if (graph != NULL) {
		MUST(doca_graph_stop(graph));
		MUST(doca_graph_destroy(graph));
	}
	if (tasks != NULL) {
		MUST(doca_ctx_stop(doca_sync_event_as_ctx(tasks)));
		MUST(doca_sync_event_destroy(tasks));
	}
	if (pe != NULL)
		MUST(doca_pe_destroy(pe));
	if (remote != NULL)
		MUST(doca_sync_event_remote_net_destroy(remote));
	if (import != NULL)
		MUST(doca_sync_event_destroy(import));
	if (event != NULL)
		MUST(doca_sync_event_destroy(event));
	return result;
}

static void each_allocation_fails(void)
{
	doca_error_t result = DOCA_ERROR_UNKNOWN;
	int num = 0;

	dev = open_dev(DPU_0);
	for (; result != DOCA_SUCCESS && num < 1000; num++) {
		until_failure = num;
		result = run();
		until_failure = -1;
		CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_NO_MEMORY || result == DOCA_ERROR_DRIVER ||
		      result == DOCA_ERROR_INITIALIZATION);
	}
	CHECK(num > 10 && num < 1000);
	CHECK(run() == DOCA_SUCCESS);
	MUST(doca_dev_close(dev));
}

TEST_MAIN(each_allocation_fails, left_nothing)
