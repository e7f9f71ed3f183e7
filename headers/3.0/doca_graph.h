/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_graph.h
 * @brief The graph: tasks, functions of the program and other graphs, which run in the order of
 * their dependencies.
 *
 * A graph is a plan. It has nodes, each for a context, a function or another graph, and
 * dependencies between nodes. An instance is one run of the graph. It has a task, an argument or
 * another instance for each node. A graph can have several instances.
 *
 * Create a graph with doca_graph_create(), add nodes and dependencies, configure it with
 * doca_graph_set_conf() and start it with doca_graph_start(). Then create an instance with
 * doca_graph_instance_create(), set the data of each node and submit it with
 * doca_graph_instance_submit(). Call doca_pe_progress() until a callback reports the end.
 */
#ifndef DOCA_GRAPH_H_
#define DOCA_GRAPH_H_

#include <stdint.h>
#include <stddef.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_pe;
struct doca_task;

/** @brief A graph. */
struct doca_graph;

/** @brief A node of a graph. The graph owns it. */
struct doca_graph_node;

/** @brief An instance: one run of a graph. */
struct doca_graph_instance;

/**
 * @brief Creates a graph without nodes.
 *
 * @param [in] pe The progress engine of the graph.
 * @param [out] graph The new graph. Destroy it with doca_graph_destroy().
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph);

/**
 * @brief Destroys a graph and its nodes.
 *
 * @param [in] graph The graph. It must not be started.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_destroy(struct doca_graph *graph);

/**
 * @brief Called when an instance of a graph ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * One callback is set for success and one for failure. The caller owns the instance again.
 *
 * @param [in] graph_instance The instance.
 * @param [in] instance_user_data The user data of the instance.
 * @param [in] graph_user_data The user data of the graph.
 */
typedef void (*doca_graph_completion_cb_t)(
		struct doca_graph_instance *graph_instance,
		union doca_data instance_user_data,
		union doca_data graph_user_data);

/**
 * @brief Sets the callbacks and the maximum number of instances of a graph.
 *
 * @param [in] graph The graph. It must not be started.
 * @param [in] graph_completion_cb Called for each instance that succeeds.
 * @param [in] graph_error_cb Called for each instance that fails.
 * @param [in] num_instances Number of instances.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_conf(
		struct doca_graph *graph,
		doca_graph_completion_cb_t graph_completion_cb,
		doca_graph_completion_cb_t graph_error_cb,
		uint32_t num_instances);

/**
 * @brief Sets the user data of a graph.
 *
 * @param [in] graph The graph.
 * @param [in] user_data The user data, which the callbacks of all instances receive.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data);

/**
 * @brief Returns the user data of a graph.
 *
 * @param [in] graph The graph.
 * @param [out] user_data The user data.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data);

/**
 * @brief Adds a node that runs a task of a context.
 *
 * Each instance sets its task with doca_graph_instance_set_ctx_node_data().
 *
 * @param [in] graph The graph. It must not be started.
 * @param [in] ctx The context that the tasks are allocated from.
 * @param [out] node The new node. The graph owns it.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_ctx(
		struct doca_graph *graph,
		const struct doca_ctx *ctx,
		struct doca_graph_node **node);

/**
 * @brief Called for a user node when the nodes that it depends on have ended.
 *
 * @param [in] cookie The argument from doca_graph_instance_set_user_node_data().
 * @return DOCA_SUCCESS if the node succeeded. Otherwise the reason for its failure.
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/**
 * @brief Adds a node that calls a function of the program.
 *
 * Each instance sets the argument with doca_graph_instance_set_user_node_data().
 *
 * @param [in] graph The graph. It must not be started.
 * @param [in] cb The function.
 * @param [out] node The new node. The graph owns it.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_user(
		struct doca_graph *graph,
		doca_graph_user_node_cb_t cb,
		struct doca_graph_node **node);

/**
 * @brief Adds a node that runs an instance of another graph.
 *
 * Each instance sets the instance of the other graph with
 * doca_graph_instance_set_sub_graph_node_data().
 *
 * @param [in] graph The graph of the new node. It must not be started.
 * @param [in] sub_graph The graph that the node runs.
 * @param [out] node The new node. The graph owns it.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_graph(
		struct doca_graph *graph,
		struct doca_graph *sub_graph,
		struct doca_graph_node **node);

/**
 * @brief Adds a dependency: makes one node of a graph wait for another.
 *
 * @param [in] graph The graph. It must not be started.
 * @param [in] from The node that must end first. It must be a node of the graph.
 * @param [in] to The node that runs after it. It must be a node of the graph.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_add_dependency(
		struct doca_graph *graph,
		struct doca_graph_node *from,
		struct doca_graph_node *to);

/**
 * @brief Starts a graph, which ends its configuration. The program can then create instances.
 *
 * @param [in] graph The graph.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_start(struct doca_graph *graph);

/**
 * @brief Stops a graph.
 *
 * @param [in] graph The graph.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_stop(struct doca_graph *graph);

/**
 * @brief Creates an instance of a graph.
 *
 * Each node needs its data, a task, an argument or an instance of another graph, before the
 * program submits the instance.
 *
 * @param [in] graph The graph. It must be started.
 * @param [out] graph_instance The new instance. Destroy it with doca_graph_instance_destroy().
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_create(
		const struct doca_graph *graph,
		struct doca_graph_instance **graph_instance);

/**
 * @brief Destroys an instance of a graph.
 *
 * @param [in] graph_instance The instance. It must not be in flight.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance);

/**
 * @brief Sets the user data of an instance.
 *
 * @param [in] graph_instance The instance.
 * @param [in] user_data The user data, which the callback of the instance receives.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_data(
		struct doca_graph_instance *graph_instance,
		union doca_data user_data);

/**
 * @brief Returns the user data of an instance.
 *
 * @param [in] graph_instance The instance.
 * @param [out] user_data The user data.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_get_user_data(
		const struct doca_graph_instance *graph_instance,
		union doca_data *user_data);

/**
 * @brief Sets the task that a node runs in an instance.
 *
 * @param [in] graph_instance The instance.
 * @param [in] node The node, from doca_graph_node_create_from_ctx().
 * @param [in] task The task, from the context of the node. The instance submits it, and the caller
 * must not.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_ctx_node_data(
		struct doca_graph_instance *graph_instance,
		struct doca_graph_node *node,
		struct doca_task *task);

/**
 * @brief Sets the argument that a node passes to its function in an instance.
 *
 * @param [in] graph_instance The instance.
 * @param [in] node The node, from doca_graph_node_create_from_user().
 * @param [in] cookie The argument. DOCA does not dereference it.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_node_data(
		struct doca_graph_instance *graph_instance,
		struct doca_graph_node *node,
		void *cookie);

/**
 * @brief Sets the instance of another graph that a node runs in an instance.
 *
 * @param [in] graph_instance The instance.
 * @param [in] node The node, from doca_graph_node_create_from_graph().
 * @param [in] sub_graph_instance An instance of the graph of the node. The outer instance submits
 * it, and the caller must not.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_sub_graph_node_data(
		struct doca_graph_instance *graph_instance,
		struct doca_graph_node *node,
		struct doca_graph_instance *sub_graph_instance);

/**
 * @brief Submits an instance. Its nodes run in the order of their dependencies, and one of the
 * callbacks of the graph runs at the end.
 *
 * @param [in] graph_instance The instance. The data of all its nodes must be set. DOCA owns it
 * until its callback runs.
 * @return DOCA_SUCCESS if the instance was submitted. For any other code the caller keeps
 * ownership.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GRAPH_H_ */
