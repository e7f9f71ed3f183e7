/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_ctx.h
 * @brief The context: what every DOCA library object that runs tasks or events has in common.
 *
 * A library object (such as struct doca_dma) is turned into its context by the as_ctx function of
 * the library. The context is configured while it is idle, connected to a progress engine,
 * started, used and stopped.
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devinfo;

/** @brief The context of a library object. It belongs to the object and is destroyed with it. */
struct doca_ctx;

/** @brief A GPU that runs the data path of a context. */
struct doca_gpu;

/** @brief A data-path accelerator (DPA) that runs the data path of a context. */
struct doca_dpa;

/** @brief States of a context. */
enum doca_ctx_states {
	DOCA_CTX_STATE_IDLE = 0,
	/**< Not started: may be configured, started and destroyed; has no tasks. */
	DOCA_CTX_STATE_STARTING = 1,
	/**< An asynchronous start is under way: no tasks yet; progressing the engine leads to
	 *   RUNNING, or back to IDLE when the start fails. */
	DOCA_CTX_STATE_RUNNING = 2,
	/**< Tasks may be allocated and submitted, and events arrive. */
	DOCA_CTX_STATE_STOPPING = 3,
	/**< No new submissions; tasks in flight end in their error callbacks, and IDLE follows
	 *   once all tasks of the context have been freed. */
};

/**
 * @brief Called after each change of state of a context, which already is in its new state.
 *
 * It runs inside doca_pe_progress(), except for a start or stop that succeeds at once: then it
 * runs inside doca_ctx_start() or doca_ctx_stop(). It may allocate and submit tasks, stop the
 * context and, when the new state is DOCA_CTX_STATE_IDLE and doca_pe_progress() is running,
 * destroy it.
 *
 * @param [in] user_data What doca_ctx_set_user_data() set.
 * @param [in] ctx The context.
 * @param [in] prev_state The state it left.
 * @param [in] next_state The state it is in now.
 */
typedef void (*doca_ctx_state_changed_callback_t)(
		const union doca_data user_data,
		struct doca_ctx *ctx,
		enum doca_ctx_states prev_state,
		enum doca_ctx_states next_state);

/**
 * @brief Starts a context, which ends its configuration.
 *
 * Most contexts run when the call returns. A Comch client and a Comch consumer start
 * asynchronously: the call returns DOCA_ERROR_IN_PROGRESS, and the context leaves
 * DOCA_CTX_STATE_STARTING while its progress engine is progressed.
 *
 * @param [in] ctx The context; must be idle, and connected to a progress engine unless its data
 * path is on a GPU or DPA.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_IN_PROGRESS: the start goes on asynchronously. Not a failure.
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL or has no device.
 * - DOCA_ERROR_NOT_SUPPORTED: the device lacks a capability that the configuration needs.
 * - DOCA_ERROR_NOT_CONNECTED: the context has neither a progress engine nor a data path on a GPU
 *   or DPA.
 * - DOCA_ERROR_INITIALIZATION: mandatory configuration is missing, or a resource could not be
 *   initialised.
 * - DOCA_ERROR_UNEXPECTED: the context is damaged.
 */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/**
 * @brief Stops a context, so that it can be configured again or destroyed.
 *
 * When something is in flight the context moves to DOCA_CTX_STATE_STOPPING: tasks end in their
 * error callbacks while the progress engine is progressed, and one more doca_pe_progress() after
 * the last task has been freed moves the context to DOCA_CTX_STATE_IDLE. Stopping an idle context
 * is a success without any effect.
 *
 * @param [in] ctx The context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_IN_PROGRESS: the stop goes on asynchronously. Not a failure; always the answer
 *   inside a task callback of the context.
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 * - DOCA_ERROR_NOT_CONNECTED: the context has neither a progress engine nor a data path on a GPU
 *   or DPA.
 * - DOCA_ERROR_UNEXPECTED: the context is damaged.
 */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/**
 * @brief Returns how many tasks of a context are in flight: submitted, and their callback has not
 * returned yet.
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
 * @brief Moves the data path of a context to a GPU, in place of a progress engine.
 *
 * @param [in] ctx The context; must be idle.
 * @param [in] gpu_dev The GPU; must live as long as the context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev);

/**
 * @brief Sets the data that the callbacks of a context receive.
 *
 * @param [in] ctx The context.
 * @param [in] user_data The data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * @brief Returns the data that doca_ctx_set_user_data() set.
 *
 * @param [in] ctx The context.
 * @param [out] user_data The data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/**
 * @brief Sets the callback that runs after each change of state of a context.
 *
 * @param [in] ctx The context.
 * @param [in] cb The callback. It replaces the one that was set before.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(
		struct doca_ctx *ctx,
		doca_ctx_state_changed_callback_t cb);

/**
 * @brief Returns the state that a context is in.
 *
 * @param [in] ctx The context.
 * @param [out] state The state.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/**
 * @brief Hands the tasks to the device that were submitted without DOCA_TASK_SUBMIT_FLAG_FLUSH.
 *
 * @param [in] ctx The context; must not be NULL and must not be idle.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/**
 * @brief Moves the data path of a context to a DPA, in place of a progress engine.
 *
 * @param [in] ctx The context; must be idle.
 * @param [in] dpa_dev The DPA; must live as long as the context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);

/**
 * @brief Chooses the completion vector, the interrupt line that the notifications of a context
 * use.
 *
 * @param [in] ctx The context; must be idle.
 * @param [in] comp_vector The vector, from 0 to one less than
 * doca_ctx_cap_get_num_completion_vectors() returns.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL or comp_vector is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the context cannot choose its completion vector.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

/**
 * @brief Returns how many completion vectors a device has.
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
