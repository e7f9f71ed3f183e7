/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <doca_pe.h>

#include "emu_graph.h"
#include "emu_log.h"
#include "emu_notify.h"
#include "emu_pe.h"

static void end_node(struct emu_node_run *run, doca_error_t status);

static void task_ended(struct emu_task_watcher *watcher, doca_error_t status)
{
	end_node((struct emu_node_run *)watcher, status);
}

static void start_node(struct emu_node_run *run)
{
	struct doca_graph *graph = run->instance->graph;
	doca_error_t result = DOCA_SUCCESS;

	run->instance->num_running++;
	switch (run->node->kind) {
	case EMU_NODE_CTX:
		run->watcher.ended = task_ended;
		run->task->watcher = &run->watcher;
		result = doca_task_submit(run->task);
		if (result != DOCA_SUCCESS)
			run->task->watcher = NULL;
		break;
	case EMU_NODE_GRAPH:
		result = emu_graph_submit(run->sub, run);
		break;
	case EMU_NODE_USER:
		run->next = NULL;
		*graph->ready_end = run;
		graph->ready_end = &run->next;
		emu_pe_watch(graph->ctx.pe, &graph->ctx);
		if (emu_pe_attention(graph->ctx.pe) & EMU_PE_ARMED)
			emu_pe_wake(graph->ctx.pe);
		break;
	}
	if (result != DOCA_SUCCESS)
		end_node(run, result);
}

/* The program may destroy the instance in its callback. */
static void end_instance(struct doca_graph_instance *instance)
{
	struct doca_graph *graph = instance->graph;
	struct emu_node_run *parent = instance->parent;
	doca_error_t status = instance->status;

	instance->is_inflight = false;
	graph->num_inflight--;
	(status == DOCA_SUCCESS ? graph->completion_cb : graph->error_cb)(instance, instance->user_data, graph->user_data);
	if (parent != NULL)
		end_node(parent, status);
}

/* After a failure no further node starts, and the instance ends with the last one that runs. */
static void end_node(struct emu_node_run *run, doca_error_t status)
{
	struct doca_graph_instance *instance = run->instance;
	const struct doca_graph_node *node = run->node;

	if (status != DOCA_SUCCESS && instance->status == DOCA_SUCCESS)
		instance->status = status;
	for (uint32_t i = 0; i < node->num_after && instance->status == DOCA_SUCCESS; i++) {
		struct emu_node_run *after = &instance->runs[node->after[i]->index];

		if (--after->num_missing == 0)
			start_node(after);
	}
	/* This node runs until here, so that no node that it starts ends the instance. */
	if (--instance->num_running == 0)
		end_instance(instance);
}

static bool graph_progress(struct doca_ctx *ctx)
{
	struct doca_graph *graph = (struct doca_graph *)ctx;
	struct emu_node_run *run = graph->ready;

	if (run == NULL)
		return false;
	graph->ready = run->next;
	if (graph->ready == NULL) {
		graph->ready_end = &graph->ready;
		emu_pe_unwatch(ctx->pe, ctx);
	}
	end_node(run, run->instance->status != DOCA_SUCCESS ? DOCA_SUCCESS : run->node->cb(run->cookie));
	return true;
}

static bool graph_pending(const struct doca_ctx *ctx)
{
	return ((const struct doca_graph *)ctx)->ready != NULL;
}

const struct emu_ctx_ops emu_graph_ops = {
	.progress = graph_progress,
	.pending = graph_pending,
};

static bool is_complete(const struct doca_graph_instance *instance)
{
	const struct doca_graph *graph = instance->graph;

	for (uint32_t i = 0; i < graph->num_nodes; i++) {
		const struct emu_node_run *run = &instance->runs[i];

		if (!run->is_set || (run->node->kind == EMU_NODE_CTX && run->task->ctx->pe != graph->ctx.pe))
			return false;
	}
	return true;
}

doca_error_t emu_graph_submit(struct doca_graph_instance *instance, struct emu_node_run *parent)
{
	struct doca_graph *graph = instance->graph;

	if (!graph->is_started || instance->is_inflight)
		return DOCA_ERROR_BAD_STATE;
	if (!is_complete(instance)) {
		EMU_LOG_ERR("graph: a node of the instance has no data, or a task of another progress engine");
		return DOCA_ERROR_INVALID_VALUE;
	}
	instance->is_inflight = true;
	instance->status = DOCA_SUCCESS;
	instance->parent = parent;
	instance->num_running = 1; /* the submission: nothing ends the instance meanwhile */
	graph->num_inflight++;
	for (uint32_t i = 0; i < graph->num_nodes; i++)
		instance->runs[i].num_missing = instance->runs[i].node->num_before;
	for (uint32_t i = 0; i < graph->num_nodes && instance->status == DOCA_SUCCESS; i++) {
		if (instance->runs[i].node->num_before == 0)
			start_node(&instance->runs[i]);
	}
	if (--instance->num_running > 0)
		return DOCA_SUCCESS; /* if a node has failed, the others end the instance */
	instance->is_inflight = false;
	graph->num_inflight--;
	return instance->status;
}
