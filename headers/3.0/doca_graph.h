/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_graph.h
 * @brief The graph: tasks, functions of the program and other graphs that run in the order of
 * their dependencies.
 *
 * A graph is the plan. It has nodes, each for a context, a function or another graph, and
 * dependencies between them. An instance is one run of it, with a task, an argument or an instance
 * for each node; a graph can have several.
 *
 * To use it: doca_graph_create(), add nodes and dependencies, doca_graph_set_conf(),
 * doca_graph_start(); then doca_graph_instance_create(), set the data of each node,
 * doca_graph_instance_submit(), and progress the engine until a callback tells how it ended.
 */
#ifndef DOCA_GRAPH_H_
#define DOCA_GRAPH_H_

#include <stdint.h>

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

/** @brief A node of a graph. It belongs to the graph. */
struct doca_graph_node;

/** @brief One run of a graph. */
struct doca_graph_instance;

/**
 * @brief Creates a graph without nodes.
 *
 * @param [in] pe The progress engine that drives the graph.
 * @param [out] graph The new graph. Destroy it with doca_graph_destroy().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph);

/**
 * @brief Destroys a graph together with its nodes.
 *
 * @param [in] graph The graph. It must not be started.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_destroy(struct doca_graph *graph);

/**
 * @brief Called when an instance of a graph has ended.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * There is one callback for success and one for failure. The instance belongs to the caller again.
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
 * @brief Sets the callbacks of a graph and how many instances it can have.
 *
 * @param [in] graph The graph. It must not be started.
 * @param [in] graph_completion_cb Called for each instance that succeeded.
 * @param [in] graph_error_cb Called for each instance that failed.
 * @param [in] num_instances Number of instances.
 * @return DOCA_SUCCESS on success, else an error code.
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
 * @param [in] user_data The data; the callbacks of all its instances receive it.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data);

/**
 * @brief Returns the user data of a graph.
 *
 * @param [in] graph The graph.
 * @param [out] user_data The data that doca_graph_set_user_data() set.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data);

/**
 * @brief Adds a node that runs a task of a context.
 *
 * Each instance names its task with doca_graph_instance_set_ctx_node_data().
 *
 * @param [in] graph The graph. It must not be started.
 * @param [in] ctx The context that the tasks are allocated from.
 * @param [out] node The new node. It belongs to the graph.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_ctx(
		struct doca_graph *graph,
		const struct doca_ctx *ctx,
		struct doca_graph_node **node);

/**
 * @brief The function of a user node, called when the nodes that it depends on have ended.
 *
 * @param [in] cookie What doca_graph_instance_set_user_node_data() set for the node.
 * @return DOCA_SUCCESS if the node succeeded, else why it failed.
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/**
 * @brief Adds a node that calls a function of the program.
 *
 * Each instance names the argument of the call with doca_graph_instance_set_user_node_data().
 *
 * @param [in] graph The graph. It must not be started.
 * @param [in] cb The function.
 * @param [out] node The new node. It belongs to the graph.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_user(
		struct doca_graph *graph,
		doca_graph_user_node_cb_t cb,
		struct doca_graph_node **node);

/**
 * @brief Adds a node that runs an instance of another graph.
 *
 * Each instance names the instance of the other graph with
 * doca_graph_instance_set_sub_graph_node_data().
 *
 * @param [in] graph The graph that gets the node. It must not be started.
 * @param [in] sub_graph The graph that the node runs.
 * @param [out] node The new node. It belongs to graph.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_graph(
		struct doca_graph *graph,
		struct doca_graph *sub_graph,
		struct doca_graph_node **node);

/**
 * @brief Makes one node of a graph wait for another.
 *
 * @param [in] graph The graph. It must not be started.
 * @param [in] from The node that must have ended first; one of the graph.
 * @param [in] to The node that runs after it; one of the graph.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_add_dependency(
		struct doca_graph *graph,
		struct doca_graph_node *from,
		struct doca_graph_node *to);

/**
 * @brief Starts a graph, which ends its configuration: from then on it can have instances.
 *
 * @param [in] graph The graph.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_start(struct doca_graph *graph);

/**
 * @brief Stops a graph, which doca_graph_start() has started.
 *
 * @param [in] graph The graph.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_stop(struct doca_graph *graph);

/**
 * @brief Creates an instance of a graph.
 *
 * Before it is submitted, each of its nodes needs its data: a task, an argument, or an instance of
 * another graph.
 *
 * @param [in] graph The graph. It must be started.
 * @param [out] graph_instance The new instance. Destroy it with doca_graph_instance_destroy().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_create(
		const struct doca_graph *graph,
		struct doca_graph_instance **graph_instance);

/**
 * @brief Destroys an instance of a graph.
 *
 * @param [in] graph_instance The instance; not submitted, or its callback has been called.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance);

/**
 * @brief Sets the user data of an instance.
 *
 * @param [in] graph_instance The instance.
 * @param [in] user_data The data; its callback receives them.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_data(
		struct doca_graph_instance *graph_instance,
		union doca_data user_data);

/**
 * @brief Returns the user data of an instance.
 *
 * @param [in] graph_instance The instance.
 * @param [out] user_data The data that doca_graph_instance_set_user_data() set.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_get_user_data(
		const struct doca_graph_instance *graph_instance,
		union doca_data *user_data);

/**
 * @brief Sets the task that a node runs in an instance.
 *
 * @param [in] graph_instance The instance.
 * @param [in] node The node, made by doca_graph_node_create_from_ctx().
 * @param [in] task The task, of the context of the node; not submitted by the caller: the instance
 * does it.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_ctx_node_data(
		struct doca_graph_instance *graph_instance,
		struct doca_graph_node *node,
		struct doca_task *task);

/**
 * @brief Sets the argument that the function of a node is called with in an instance.
 *
 * @param [in] graph_instance The instance.
 * @param [in] node The node, made by doca_graph_node_create_from_user().
 * @param [in] cookie The argument; DOCA does not follow the pointer.
 * @return DOCA_SUCCESS on success, else an error code.
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
 * @param [in] node The node, made by doca_graph_node_create_from_graph().
 * @param [in] sub_graph_instance An instance of the graph of the node; not submitted by the
 * caller: the outer instance does it.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_sub_graph_node_data(
		struct doca_graph_instance *graph_instance,
		struct doca_graph_node *node,
		struct doca_graph_instance *sub_graph_instance);

/**
 * @brief Submits an instance: its nodes run in the order of their dependencies, and one of the
 * callbacks of the graph follows.
 *
 * @param [in] graph_instance The instance, with the data of all its nodes set; DOCA's until its
 * callback runs.
 * @return DOCA_SUCCESS if the instance has been submitted; for any other code it stays the
 * caller's.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GRAPH_H_ */
