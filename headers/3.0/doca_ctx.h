/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_ctx.h
 * @brief The context: the part that all DOCA library objects with tasks or events have in common.
 *
 * Each library has a function that returns its object as a context. A program configures a context
 * while it is idle, connects it to a progress engine, starts it, uses it and stops it.
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devinfo;

/** @brief The context of a library object. DOCA destroys it with that object. */
struct doca_ctx;

/** @brief A GPU that can run the data path of a context. */
struct doca_gpu;

/** @brief A data-path accelerator (DPA) that can run the data path of a context. */
struct doca_dpa;

/** @brief States of a context. */
enum doca_ctx_states {
	DOCA_CTX_STATE_IDLE = 0,
	/**< Not started. The program may configure, start or destroy the context. It has no tasks.
	 *   */
	DOCA_CTX_STATE_STARTING = 1,
	/**< An asynchronous start is in progress. There are no tasks yet. doca_pe_progress() moves
	 *   the context to RUNNING, or back to IDLE if the start fails. */
	DOCA_CTX_STATE_RUNNING = 2,
	/**< The program may allocate and submit tasks, and events arrive. */
	DOCA_CTX_STATE_STOPPING = 3,
	/**< The program may not submit tasks. Tasks in flight end in their error callbacks. IDLE
	 *   follows once the program has freed all tasks of the context. */
};

/**
 * @brief Called after each state change of a context. The context is already in its new state.
 *
 * It runs inside doca_pe_progress(). Where doca_ctx_start() or doca_ctx_stop() changes the state
 * immediately, it runs inside that call. It may allocate and submit tasks, and stop the context.
 * Inside doca_pe_progress() it may also destroy a context that has become DOCA_CTX_STATE_IDLE.
 *
 * @param [in] user_data The user data of the context.
 * @param [in] ctx The context.
 * @param [in] prev_state The state before the change.
 * @param [in] next_state The state after the change.
 */
typedef void (*doca_ctx_state_changed_callback_t)(
		const union doca_data user_data,
		struct doca_ctx *ctx,
		enum doca_ctx_states prev_state,
		enum doca_ctx_states next_state);

/**
 * @brief Starts a context.
 *
 * Most contexts are running when the call returns. A Comch client and a Comch consumer start
 * asynchronously: the call returns DOCA_ERROR_IN_PROGRESS, and doca_pe_progress() completes the
 * start. The program cannot configure a context that has been started.
 *
 * @param [in] ctx The context. It must be idle. Unless its data path is on a GPU or DPA, it must
 * be connected to a progress engine.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_IN_PROGRESS: the start continues asynchronously. Not a failure.
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL, or the context has no device.
 * - DOCA_ERROR_NOT_SUPPORTED: the device lacks a capability that the configuration needs.
 * - DOCA_ERROR_NOT_CONNECTED: the context has neither a progress engine nor a data path on a GPU
 *   or DPA.
 * - DOCA_ERROR_INITIALIZATION: mandatory configuration is missing, or the library cannot
 *   initialise a resource.
 * - DOCA_ERROR_UNEXPECTED: the context is corrupt.
 */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/**
 * @brief Stops a context. The program can then configure, start or destroy it.
 *
 * If anything is in flight, the context moves to DOCA_CTX_STATE_STOPPING. doca_pe_progress() then
 * ends the tasks in their error callbacks. After the program has freed the last task, one more
 * doca_pe_progress() moves the context to DOCA_CTX_STATE_IDLE.
 *
 * Stopping an idle context succeeds and has no effect.
 *
 * @param [in] ctx The context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_IN_PROGRESS: the stop continues asynchronously. Not a failure. A task callback of
 *   the context always gets this result.
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 * - DOCA_ERROR_NOT_CONNECTED: the context has neither a progress engine nor a data path on a GPU
 *   or DPA.
 * - DOCA_ERROR_UNEXPECTED: the context is corrupt.
 */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/**
 * @brief Returns the number of tasks of a context that are in flight: submitted, with a callback
 * that has not returned yet.
 *
 * @param [in] ctx The context.
 * @param [out] num_inflight_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_num_inflight_tasks(
		const struct doca_ctx *ctx,
		size_t *num_inflight_tasks);

/**
 * @brief Moves the data path of a context to a GPU, which replaces the progress engine.
 *
 * @param [in] ctx The context. It must be idle.
 * @param [in] gpu_dev The GPU. It must outlive the context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev);

/**
 * @brief Sets the user data that the callbacks of a context receive.
 *
 * @param [in] ctx The context.
 * @param [in] user_data The user data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * @brief Returns the user data of a context.
 *
 * @param [in] ctx The context.
 * @param [out] user_data The user data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/**
 * @brief Sets the callback that runs after each state change of a context.
 *
 * @param [in] ctx The context.
 * @param [in] cb The callback. It replaces the previous one.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(
		struct doca_ctx *ctx,
		doca_ctx_state_changed_callback_t cb);

/**
 * @brief Returns the state of a context.
 *
 * @param [in] ctx The context.
 * @param [out] state The state.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/**
 * @brief Flushes a context: passes the tasks that were submitted without
 * DOCA_TASK_SUBMIT_FLAG_FLUSH to the device.
 *
 * @param [in] ctx The context. It must not be NULL or idle.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/**
 * @brief Moves the data path of a context to a DPA, which replaces the progress engine.
 *
 * @param [in] ctx The context. It must be idle.
 * @param [in] dpa_dev The DPA. It must outlive the context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);

/**
 * @brief Sets the completion vector of a context: the interrupt line that its notifications use.
 *
 * @param [in] ctx The context. It must be idle.
 * @param [in] comp_vector The vector, from 0 up to but not including the number that
 * doca_ctx_cap_get_num_completion_vectors() returns.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL, or comp_vector is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the context does not support the choice of a completion vector.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

/**
 * @brief Returns the number of completion vectors of a device.
 *
 * @param [in] devinfo The device.
 * @param [out] num_comp_vectors Number of vectors.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_cap_get_num_completion_vectors(
		const struct doca_devinfo *devinfo,
		uint32_t *num_comp_vectors);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CTX_H_ */
