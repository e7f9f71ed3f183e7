/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>

#include <doca_graph.h>

#include "emu_ctx.h"
#include "emu_fault.h"
#include "emu_graph.h"
#include "emu_log.h"
#include "emu_pe.h"

/* Graphs. */

doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph)
{
	EMU_CALL("doca_graph_create");
	struct doca_graph *made;
	doca_error_t result;

	if (pe == NULL || graph == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->ready_end = &made->ready;
	result = emu_ctx_init(&made->ctx, &emu_graph_ops, NULL);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	emu_pe_connect(pe, &made->ctx);
	*graph = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_destroy(struct doca_graph *graph)
{
	EMU_CALL("doca_graph_destroy");
	struct doca_graph_node *node;

	if (graph == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (graph->num_instances != 0)
		return DOCA_ERROR_IN_USE;
	emu_ctx_fini(&graph->ctx);
	while ((node = graph->nodes) != NULL) {
		graph->nodes = node->next;
		free(node->after);
		free(node);
	}
	free(graph);
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_set_conf(struct doca_graph *graph, doca_graph_completion_cb_t graph_completion_cb,
				 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances)
{
	EMU_CALL("doca_graph_set_conf");
	if (graph == NULL || graph_completion_cb == NULL || graph_error_cb == NULL || num_instances == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->is_started)
		return DOCA_ERROR_BAD_STATE;
	graph->completion_cb = graph_completion_cb;
	graph->error_cb = graph_error_cb;
	graph->max_instances = num_instances;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data)
{
	EMU_CALL("doca_graph_set_user_data");
	if (graph == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	graph->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data)
{
	EMU_CALL("doca_graph_get_user_data");
	if (graph == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = graph->user_data;
	return DOCA_SUCCESS;
}

/* Finds a node that depends, by what remains, on no other one. */
static struct doca_graph_node *find_first(const struct doca_graph *graph, const uint32_t *num_missing)
{
	for (struct doca_graph_node *node = graph->nodes; node != NULL; node = node->next) {
		if (num_missing[node->index] == 0)
			return node;
	}
	return NULL;
}

/* SUCCESS: there is an order in which all nodes can run. */
static doca_error_t find_order(const struct doca_graph *graph)
{
	uint32_t *num_missing = calloc(graph->num_nodes, sizeof(*num_missing));
	struct doca_graph_node *node;
	uint32_t num_done = 0;

	if (num_missing == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (node = graph->nodes; node != NULL; node = node->next)
		num_missing[node->index] = node->num_before;
	while ((node = find_first(graph, num_missing)) != NULL) {
		num_missing[node->index] = UINT32_MAX;
		for (uint32_t i = 0; i < node->num_after; i++)
			num_missing[node->after[i]->index]--;
		num_done++;
	}
	free(num_missing);
	if (num_done == graph->num_nodes)
		return DOCA_SUCCESS;
	EMU_LOG_ERR("graph: the dependencies go in a circle");
	return DOCA_ERROR_INVALID_VALUE;
}

static void use_sub_graphs(const struct doca_graph *graph, uint32_t num)
{
	for (struct doca_graph_node *node = graph->nodes; node != NULL; node = node->next) {
		if (node->kind == EMU_NODE_GRAPH)
			node->sub_graph->num_users += num;
	}
}

doca_error_t doca_graph_start(struct doca_graph *graph)
{
	EMU_CALL("doca_graph_start");
	bool has_tasks = false;
	doca_error_t result;

	if (graph == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->is_started || graph->max_instances == 0)
		return DOCA_ERROR_BAD_STATE;
	for (const struct doca_graph_node *node = graph->nodes; node != NULL; node = node->next) {
		if (node->kind == EMU_NODE_GRAPH && !node->sub_graph->is_started)
			return DOCA_ERROR_BAD_STATE;
		has_tasks |= node->kind != EMU_NODE_USER;
	}
	if (!has_tasks) {
		EMU_LOG_ERR("graph: it needs a node with a context");
		return DOCA_ERROR_BAD_STATE;
	}
	result = find_order(graph);
	if (result != DOCA_SUCCESS)
		return result;
	use_sub_graphs(graph, 1);
	graph->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_stop(struct doca_graph *graph)
{
	EMU_CALL("doca_graph_stop");
	if (graph == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!graph->is_started)
		return DOCA_SUCCESS;
	if (graph->num_inflight != 0 || graph->num_users != 0)
		return DOCA_ERROR_IN_USE;
	use_sub_graphs(graph, UINT32_MAX); /* one less */
	graph->is_started = false;
	return DOCA_SUCCESS;
}

/* Nodes. */

/* After an instance was made, its nodes have their places. */
static doca_error_t add_node(struct doca_graph *graph, enum emu_node_kind kind, struct doca_graph_node **node)
{
	struct doca_graph_node *made;

	if (graph->is_started || graph->num_instances != 0)
		return DOCA_ERROR_BAD_STATE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->graph = graph;
	made->kind = kind;
	made->index = graph->num_nodes++;
	made->next = graph->nodes;
	graph->nodes = made;
	*node = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
					     struct doca_graph_node **node)
{
	EMU_CALL("doca_graph_node_create_from_ctx");
	doca_error_t result;

	if (graph == NULL || ctx == NULL || node == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = add_node(graph, EMU_NODE_CTX, node);
	if (result == DOCA_SUCCESS)
		(*node)->ctx = ctx;
	return result;
}

doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph, doca_graph_user_node_cb_t cb,
					      struct doca_graph_node **node)
{
	EMU_CALL("doca_graph_node_create_from_user");
	doca_error_t result;

	if (graph == NULL || cb == NULL || node == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = add_node(graph, EMU_NODE_USER, node);
	if (result == DOCA_SUCCESS)
		(*node)->cb = cb;
	return result;
}

doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph, struct doca_graph *sub_graph,
					       struct doca_graph_node **node)
{
	EMU_CALL("doca_graph_node_create_from_graph");
	doca_error_t result;

	if (graph == NULL || sub_graph == NULL || sub_graph == graph || sub_graph->ctx.pe != graph->ctx.pe || node == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = add_node(graph, EMU_NODE_GRAPH, node);
	if (result == DOCA_SUCCESS)
		(*node)->sub_graph = sub_graph;
	return result;
}

doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
				       struct doca_graph_node *to)
{
	EMU_CALL("doca_graph_add_dependency");
	struct doca_graph_node **after;

	if (graph == NULL || from == NULL || to == NULL || from == to || from->graph != graph || to->graph != graph)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph->is_started || graph->num_instances != 0)
		return DOCA_ERROR_BAD_STATE;
	after = realloc(from->after, (from->num_after + 1) * sizeof(struct doca_graph_node *));
	if (after == NULL)
		return DOCA_ERROR_NO_MEMORY;
	from->after = after;
	from->after[from->num_after++] = to;
	to->num_before++;
	return DOCA_SUCCESS;
}

/* Instances. */

doca_error_t doca_graph_instance_create(const struct doca_graph *graph, struct doca_graph_instance **graph_instance)
{
	EMU_CALL("doca_graph_instance_create");
	struct doca_graph *owner = (struct doca_graph *)(uintptr_t)graph;
	struct doca_graph_instance *made;

	if (graph == NULL || graph_instance == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!graph->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (graph->num_instances == graph->max_instances)
		return DOCA_ERROR_NO_MEMORY;
	made = calloc(1, sizeof(*made) + graph->num_nodes * sizeof(made->runs[0]));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->graph = owner;
	owner->num_instances++;
	for (const struct doca_graph_node *node = graph->nodes; node != NULL; node = node->next) {
		made->runs[node->index].instance = made;
		made->runs[node->index].node = node;
	}
	*graph_instance = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
{
	EMU_CALL("doca_graph_instance_destroy");
	if (graph_instance == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (graph_instance->is_inflight)
		return DOCA_ERROR_IN_USE;
	graph_instance->graph->num_instances--;
	free(graph_instance);
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance, union doca_data user_data)
{
	EMU_CALL("doca_graph_instance_set_user_data");
	if (graph_instance == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	graph_instance->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
					       union doca_data *user_data)
{
	EMU_CALL("doca_graph_instance_get_user_data");
	if (graph_instance == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = graph_instance->user_data;
	return DOCA_SUCCESS;
}

/* Finds the place of a node of that kind, to set its data. */
static doca_error_t find_run(struct doca_graph_instance *instance, const struct doca_graph_node *node,
			     enum emu_node_kind kind, struct emu_node_run **run)
{
	if (instance == NULL || node == NULL || node->graph != instance->graph || node->kind != kind)
		return DOCA_ERROR_INVALID_VALUE;
	if (instance->is_inflight)
		return DOCA_ERROR_BAD_STATE;
	*run = &instance->runs[node->index];
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
						   struct doca_graph_node *node, struct doca_task *task)
{
	EMU_CALL("doca_graph_instance_set_ctx_node_data");
	struct emu_node_run *run;
	doca_error_t result = task == NULL ? DOCA_ERROR_INVALID_VALUE : find_run(graph_instance, node, EMU_NODE_CTX, &run);

	if (result != DOCA_SUCCESS)
		return result;
	if (task->ctx != node->ctx)
		return DOCA_ERROR_INVALID_VALUE;
	run->task = task;
	run->is_set = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
						    struct doca_graph_node *node, void *cookie)
{
	EMU_CALL("doca_graph_instance_set_user_node_data");
	struct emu_node_run *run;
	doca_error_t result = find_run(graph_instance, node, EMU_NODE_USER, &run);

	if (result != DOCA_SUCCESS)
		return result;
	run->cookie = cookie;
	run->is_set = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
							 struct doca_graph_node *node,
							 struct doca_graph_instance *sub_graph_instance)
{
	EMU_CALL("doca_graph_instance_set_sub_graph_node_data");
	struct emu_node_run *run;
	doca_error_t result = sub_graph_instance == NULL ? DOCA_ERROR_INVALID_VALUE :
							   find_run(graph_instance, node, EMU_NODE_GRAPH, &run);

	if (result != DOCA_SUCCESS)
		return result;
	if (sub_graph_instance->graph != node->sub_graph)
		return DOCA_ERROR_INVALID_VALUE;
	run->sub = sub_graph_instance;
	run->is_set = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance)
{
	EMU_CALL("doca_graph_instance_submit");
	return graph_instance == NULL ? DOCA_ERROR_INVALID_VALUE : emu_graph_submit(graph_instance, NULL);
}
