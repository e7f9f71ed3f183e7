/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs instances of one graph at the same time: two copies, then a function of the program that compares them, then a
 * sync event that counts the instances. Another sync event starts the copies of all.
 *
 *	start -> copy --+
 *	start -> copy --+-> compare -> count
 */

#include <doca_graph.h>
#include <doca_sync_event.h>

#include "pe_common.h"

DOCA_LOG_REGISTER(GRAPH);

#define NUM_INSTANCES 10
#define NUM_COPIES (2 * NUM_INSTANCES)

struct plan;

struct instance {
	struct plan *plan;
	struct doca_graph_instance *graph_instance;
	size_t first_copy;
	uint64_t before; /* what the event had counted */
	struct doca_sync_event_task_wait_eq *wait;
	struct doca_sync_event_task_notify_add *count;
	bool is_compared;
};

struct plan {
	struct pe_sample *sample;
	struct pe_dma dma;
	struct doca_sync_event *event;
	struct doca_ctx *event_ctx;
	struct doca_graph *graph;
	struct doca_graph_node *start, *copies[2], *compare, *count;
	struct instance instances[NUM_INSTANCES];
	int num_completed;
	int num_failed;
	int num_tasks; /* of the events that have ended */
};

/* ---- Callbacks ---- */

static doca_error_t compare(void *cookie)
{
	struct instance *instance = cookie;

	instance->is_compared = true;
	for (size_t i = 0; i < 2; i++) {
		if (!pe_copy_is_right(instance->plan->sample, instance->first_copy + i))
			return DOCA_ERROR_UNEXPECTED;
	}
	return DOCA_SUCCESS;
}

static void on_completed(struct doca_graph_instance *instance, union doca_data instance_data, union doca_data graph_data)
{
	struct plan *plan = graph_data.ptr;

	if (((struct instance *)instance_data.ptr)->graph_instance == instance)
		plan->num_completed++;
}

static void on_failed(struct doca_graph_instance *instance, union doca_data instance_data, union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	((struct plan *)graph_data.ptr)->num_failed++;
}

static void on_waited(struct doca_sync_event_task_wait_eq *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	((struct plan *)ctx_data.ptr)->num_tasks++;
	doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(task));
}

static void on_counted(struct doca_sync_event_task_notify_add *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	((struct plan *)ctx_data.ptr)->num_tasks++;
	doca_task_free(doca_sync_event_task_notify_add_as_doca_task(task));
}

/* ---- The graph ---- */

static doca_error_t make_event(struct plan *plan)
{
	struct doca_dev *dev = plan->sample->dev;

	TRY(doca_sync_event_create(&plan->event));
	TRY(doca_sync_event_add_publisher_location_cpu(plan->event, dev));
	TRY(doca_sync_event_add_subscriber_location_cpu(plan->event, dev));
	plan->event_ctx = doca_sync_event_as_ctx(plan->event);
	TRY(doca_sync_event_task_wait_eq_set_conf(plan->event, on_waited, on_waited, NUM_INSTANCES));
	TRY(doca_sync_event_task_notify_add_set_conf(plan->event, on_counted, on_counted, NUM_INSTANCES + 1));
	TRY(doca_ctx_set_user_data(plan->event_ctx, (union doca_data){.ptr = plan}));
	TRY(doca_pe_connect_ctx(plan->sample->pe, plan->event_ctx));
	TRY(doca_ctx_start(plan->event_ctx));
	return DOCA_SUCCESS;
}

static doca_error_t make_graph(struct plan *plan)
{
	TRY(doca_graph_create(plan->sample->pe, &plan->graph));
	TRY(doca_graph_node_create_from_ctx(plan->graph, plan->event_ctx, &plan->start));
	TRY(doca_graph_node_create_from_user(plan->graph, compare, &plan->compare));
	for (size_t i = 0; i < 2; i++) {
		TRY(doca_graph_node_create_from_ctx(plan->graph, plan->dma.ctx, &plan->copies[i]));
		TRY(doca_graph_add_dependency(plan->graph, plan->start, plan->copies[i]));
		TRY(doca_graph_add_dependency(plan->graph, plan->copies[i], plan->compare));
	}
	TRY(doca_graph_node_create_from_ctx(plan->graph, plan->event_ctx, &plan->count));
	TRY(doca_graph_add_dependency(plan->graph, plan->compare, plan->count));
	TRY(doca_graph_set_conf(plan->graph, on_completed, on_failed, NUM_INSTANCES));
	TRY(doca_graph_set_user_data(plan->graph, (union doca_data){.ptr = plan}));
	TRY(doca_graph_start(plan->graph));
	return DOCA_SUCCESS;
}

static doca_error_t make_instance(struct plan *plan, struct instance *instance, size_t first_copy)
{
	const union doca_data none = {.u64 = 0};

	instance->plan = plan;
	instance->first_copy = first_copy;
	TRY(doca_graph_instance_create(plan->graph, &instance->graph_instance));
	TRY(doca_graph_instance_set_user_data(instance->graph_instance, (union doca_data){.ptr = instance}));
	/* The first byte of the value says when to start, the others count. */
	TRY(doca_sync_event_task_wait_eq_alloc_init(plan->event, 1, 0xff, none, &instance->wait));
	TRY(doca_graph_instance_set_ctx_node_data(instance->graph_instance, plan->start,
						  doca_sync_event_task_wait_eq_as_doca_task(instance->wait)));
	for (size_t i = 0; i < 2; i++) {
		TRY(pe_dma_alloc(&plan->dma, first_copy + i, first_copy + i));
		TRY(doca_graph_instance_set_ctx_node_data(instance->graph_instance, plan->copies[i],
							  doca_dma_task_memcpy_as_task(plan->dma.tasks[first_copy + i])));
	}
	TRY(doca_graph_instance_set_user_node_data(instance->graph_instance, plan->compare, instance));
	TRY(doca_sync_event_task_notify_add_alloc_init(plan->event, 0x100, &instance->before, none, &instance->count));
	TRY(doca_graph_instance_set_ctx_node_data(instance->graph_instance, plan->count,
						  doca_sync_event_task_notify_add_as_doca_task(instance->count)));
	return DOCA_SUCCESS;
}

static doca_error_t run_graph(struct plan *plan)
{
	struct doca_sync_event_task_notify_add *go;
	uint64_t before = 99;

	TRY(pe_dma_create(&plan->dma, plan->sample, NUM_COPIES, pe_on_completed, pe_on_failed));
	TRY(doca_ctx_start(plan->dma.ctx));
	TRY(make_event(plan));
	TRY(make_graph(plan));
	for (size_t i = 0; i < NUM_INSTANCES; i++) {
		TRY(make_instance(plan, &plan->instances[i], 2 * i));
		TRY(doca_graph_instance_submit(plan->instances[i].graph_instance));
	}
	REQUIRE(doca_pe_progress(plan->sample->pe) == 0); /* all wait for the start */
	TRY(doca_sync_event_task_notify_add_alloc_init(plan->event, 1, &before, (union doca_data){.u64 = 0}, &go));
	TRY(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(go)));
	while (plan->num_completed + plan->num_failed < NUM_INSTANCES)
		sample_progress(plan->sample->pe);
	REQUIRE(plan->num_failed == 0 && before == 0 && plan->dma.num_completed == NUM_COPIES);
	REQUIRE(plan->num_tasks == 2 * NUM_INSTANCES + 1);
	for (size_t i = 0; i < NUM_INSTANCES; i++) {
		REQUIRE(plan->instances[i].is_compared && (plan->instances[i].before & 0xff) == 1);
		TRY(doca_graph_instance_destroy(plan->instances[i].graph_instance));
		plan->instances[i].graph_instance = NULL;
	}
	DOCA_LOG_INFO("All graph instances have completed");
	return DOCA_SUCCESS;
}

static doca_error_t run(struct pe_sample *sample)
{
	struct plan plan = {.sample = sample};
	doca_error_t result = run_graph(&plan), destroyed;

	for (size_t i = 0; i < NUM_INSTANCES; i++) {
		if (plan.instances[i].graph_instance != NULL)
			CLEAN(result, doca_graph_instance_destroy(plan.instances[i].graph_instance));
	}
	if (plan.graph != NULL) {
		CLEAN(result, doca_graph_stop(plan.graph));
		CLEAN(result, doca_graph_destroy(plan.graph));
	}
	if (plan.event != NULL) {
		CLEAN(result, doca_ctx_stop(plan.event_ctx));
		CLEAN(result, doca_sync_event_destroy(plan.event));
	}
	destroyed = pe_dma_destroy(&plan.dma);
	DOCA_ERROR_PROPAGATE(result, destroyed);
	return result;
}

int main(int argc, char **argv)
{
	return pe_main(argc, argv, "graph", run, NUM_COPIES);
}
