/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_GRAPH_H_
#define EMU_GRAPH_H_

/*
 * A graph is a context of its engine that the program does not see: doca_pe_progress calls its user nodes, one per call.
 * Tasks of context nodes are submitted when the nodes before them have ended, and tell the graph of their end, after
 * the program's callback.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_graph.h>

#include "emu_ctx.h"
#include "emu_task.h"
#include "emulator.h"

enum emu_node_kind {
	EMU_NODE_CTX,
	EMU_NODE_USER,
	EMU_NODE_GRAPH,
};

struct doca_graph_node {
	struct doca_graph_node *next; /* of the graph */
	struct doca_graph *graph;
	enum emu_node_kind kind;
	uint32_t index;
	const struct doca_ctx *ctx;
	doca_graph_user_node_cb_t cb;
	struct doca_graph *sub_graph;
	uint32_t num_before; /* dependencies */
	uint32_t num_after;
	struct doca_graph_node **after;
};

/* A node in an instance. */
struct emu_node_run {
	struct emu_task_watcher watcher; /* of the task */
	struct emu_node_run *next;		 /* of the user nodes that are ready */
	struct doca_graph_instance *instance;
	const struct doca_graph_node *node;
	bool is_set;
	struct doca_task *task;
	void *cookie;
	struct doca_graph_instance *sub;
	uint32_t num_missing; /* nodes before it that have not ended */
};

struct doca_graph_instance {
	struct doca_graph *graph;
	union doca_data user_data;
	bool is_inflight;
	doca_error_t status;   /* of the first node that failed */
	uint32_t num_running;  /* nodes, and the submission itself */
	struct emu_node_run *parent;    /* the node of another graph that it runs for, or NULL */
	struct emu_node_run runs[];     /* by the nodes' indices */
};

struct doca_graph {
	struct doca_ctx ctx;
	union doca_data user_data;
	doca_graph_completion_cb_t completion_cb;
	doca_graph_completion_cb_t error_cb;
	uint32_t max_instances; /* 0: not configured */
	uint32_t num_instances;
	uint32_t num_inflight;
	bool is_started;
	uint32_t num_nodes;
	struct doca_graph_node *nodes; /* the newest first */
	uint32_t num_users;	       /* nodes of started graphs that run it */
	struct emu_node_run *ready;	       /* user nodes */
	struct emu_node_run **ready_end;
};

extern EMU_LOCAL const struct emu_ctx_ops emu_graph_ops;

/* Submits an instance, for a node of another one or for the program (NULL). If it does not return SUCCESS, nothing runs. */
EMU_LOCAL doca_error_t emu_graph_submit(struct doca_graph_instance *instance, struct emu_node_run *parent);

#endif /* EMU_GRAPH_H_ */
