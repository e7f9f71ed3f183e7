/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_pe.h
 * @brief The progress engine, which runs the callbacks of contexts, and the tasks of those
 * contexts.
 *
 * Only one thread at a time may use a progress engine and the contexts connected to it. Different
 * engines are independent of each other.
 *
 * The caller owns a task from its allocation until it submits the task. DOCA owns the task until
 * its callback runs. Then the caller owns it again, and may submit it again, keep it or free it.
 * If submission fails, the caller keeps ownership.
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stdint.h>
#include <stdlib.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_devinfo;

/** @brief A progress engine. */
struct doca_pe;

/** @brief A task: a unit of asynchronous work of a library. */
struct doca_task;

/** @brief A batch: tasks of the same kind that are submitted together and complete together. */
struct doca_task_batch;

/** @brief Maximum number of tasks in a batch. The values are ordinals. */
enum doca_task_batch_max_tasks_number {
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0, /**< 16 tasks. */
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1, /**< 32 tasks. */
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2, /**< 64 tasks. */
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3, /**< 128 tasks. */
};

/**
 * @brief Number of events that DOCA delivers together. The values are ordinals. They differ from
 * those of DOCA 2.7, which begin with 4 events.
 */
enum doca_event_batch_events_number {
	DOCA_EVENT_BATCH_EVENTS_NUMBER_1 = 0, /**< 1 event. */
	DOCA_EVENT_BATCH_EVENTS_NUMBER_2 = 1, /**< 2 events. */
	DOCA_EVENT_BATCH_EVENTS_NUMBER_4 = 2, /**< 4 events. */
	DOCA_EVENT_BATCH_EVENTS_NUMBER_8 = 3, /**< 8 events. */
	DOCA_EVENT_BATCH_EVENTS_NUMBER_16 = 4, /**< 16 events. */
	DOCA_EVENT_BATCH_EVENTS_NUMBER_32 = 5, /**< 32 events. */
	DOCA_EVENT_BATCH_EVENTS_NUMBER_64 = 6, /**< 64 events. */
	DOCA_EVENT_BATCH_EVENTS_NUMBER_128 = 7, /**< 128 events. */
};

/** @brief Options of doca_task_submit_ex(): values of a bit mask. */
enum doca_task_submit_flag {
	DOCA_TASK_SUBMIT_FLAG_NONE = 0,
	/**< The task may not reach the device until a later task or doca_ctx_flush_tasks() flushes
	 *   it. */
	DOCA_TASK_SUBMIT_FLAG_FLUSH = 1,
	/**< The task and all unflushed tasks before it go to the device immediately. */
	DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2,
	/**< DOCA may delay the callback until a later task without this flag completes. Submit the
	 *   last task of a series without this flag and with DOCA_TASK_SUBMIT_FLAG_FLUSH:
	 *   otherwise callbacks may never run. */
};

/** @brief Which contexts doca_pe_progress() handles after doca_pe_request_notification(). */
enum doca_pe_event_mode {
	DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0,
	/**< Only contexts with an event or pending tasks. The program must call
	 *   doca_pe_clear_notification() before further progress. The default. */
	DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,
	/**< All contexts. doca_pe_clear_notification() is optional, because the next request
	 *   clears the notification. */
};

/**
 * @brief Called when a task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure, when the task pool is configured. The caller owns the task again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_task_completion_cb_t)(
		struct doca_task *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Creates a progress engine.
 *
 * @param [out] pe The new engine. Destroy it with doca_pe_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * @brief Destroys a progress engine.
 *
 * @param [in] pe The engine. Every context that was connected to it must be destroyed first.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 * - DOCA_ERROR_IN_USE: a context that was connected to the engine still exists, even if it is
 *   idle.
 */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * @brief Makes progress on the contexts of a progress engine and runs their callbacks.
 *
 * One call handles about one event. Call it until it returns 0 to handle everything that is
 * pending. It does not block. A callback must not call it for its own engine.
 *
 * @param [in] pe The engine. It must not be NULL.
 * @return 1 if something happened: a task completed fully or partly, an event was handled, or a
 * context changed its state. Otherwise 0.
 */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * @brief Returns the notification handle of a progress engine, which becomes readable when an
 * armed engine has work.
 *
 * The engine owns the handle, which stays the same as long as the engine exists. On Linux it is a
 * file descriptor for epoll or poll.
 *
 * To wait for work, call doca_pe_request_notification() and wait until the handle is readable.
 * Then call doca_pe_clear_notification(), call doca_pe_progress() until it returns 0, and begin
 * again.
 *
 * @param [in] pe The engine.
 * @param [out] handle The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_pe_get_notification_handle(
		const struct doca_pe *pe,
		doca_notification_handle_t *handle);

/**
 * @brief Clears the notification of a progress engine after its handle has become readable.
 *
 * In the default event mode, call it before doca_pe_progress(): an armed engine that is not
 * cleared may report nothing new.
 *
 * @param [in] pe The engine.
 * @param [in] handle The handle from doca_pe_get_notification_handle(). Linux ignores it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_OPERATING_SYSTEM: a system call failed.
 */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/**
 * @brief Arms a progress engine: its notification handle becomes readable once there is work.
 * Arming an armed engine is not an error.
 *
 * @param [in] pe The engine.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * @brief Returns the number of tasks in flight in all contexts of a progress engine.
 *
 * @param [in] pe The engine.
 * @param [out] num_inflight_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/**
 * @brief Submits a task, and flushes the unflushed tasks before it.
 *
 * The call checks nothing: the behaviour for a NULL or invalid task is undefined. Use
 * doca_task_try_submit() during development.
 *
 * @param [in] task The task. DOCA owns it until its callback runs.
 * @return DOCA_SUCCESS if the task was submitted. For any other code the caller keeps ownership.
 */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);

/**
 * @brief Submits a task with flags.
 *
 * @param [in] task The task. DOCA owns it until its callback runs.
 * @param [in] flags Bit mask of enum doca_task_submit_flag. With DOCA_TASK_SUBMIT_FLAG_FLUSH alone
 * the call equals doca_task_submit().
 * @return DOCA_SUCCESS if the task was submitted. For any other code the caller keeps ownership.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * @brief Submits a batch of tasks. The call checks nothing.
 *
 * @param [in] task_batch The batch. DOCA owns it until its callback runs.
 * @return DOCA_SUCCESS if the batch was submitted. For any other code the caller keeps ownership.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/**
 * @brief Checks a task and submits it as doca_task_submit() does. Use it during development: the
 * checks cost time.
 *
 * @param [in] task The task. DOCA owns it until its callback runs.
 * @return DOCA_SUCCESS if the task was submitted. For any other code the caller keeps ownership:
 * - DOCA_ERROR_INVALID_VALUE: a property of the task is invalid, such as a destination that is too
 *   small.
 */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * @brief Checks a batch of tasks and submits it as doca_task_batch_submit() does. Use it during
 * development.
 *
 * @param [in] task_batch The batch. DOCA owns it until its callback runs.
 * @return DOCA_SUCCESS if the batch was submitted. For any other code the caller keeps ownership:
 * - DOCA_ERROR_INVALID_VALUE: a property of the batch or of one of its tasks is invalid.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/**
 * @brief Frees a task: returns it to the pool of its context.
 *
 * A program may free a task that is not in flight, also inside the task's own callback. A context
 * becomes idle only after all its tasks are freed. The call does not release the buffers of the
 * task.
 *
 * @param [in] task The task. It must not be NULL.
 */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/**
 * @brief Frees a batch of tasks: returns it to the pool of its context.
 *
 * A context becomes idle only after all its batches are freed.
 *
 * @param [in] task_batch The batch. It must not be NULL or in flight.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
void doca_task_batch_free(struct doca_task_batch *task_batch);

/**
 * @brief Returns the status of a task. It is valid once the callback of the task runs.
 *
 * @param [in] task The task. It must not be NULL.
 * @return DOCA_SUCCESS if the task succeeded. Otherwise the reason for its failure, such as
 * DOCA_ERROR_IO_FAILED.
 */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * @brief Returns the status of a batch of tasks. It is valid once the callback of the batch runs.
 *
 * @param [in] task_batch The batch. It must not be NULL.
 * @return DOCA_SUCCESS if the batch succeeded. Otherwise the reason for its failure.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/**
 * @brief Sets the user data that the callback of a task receives.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] user_data The user data.
 */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * @brief Sets the user data that the callback of a batch of tasks receives.
 *
 * @param [in] task_batch The batch. It must not be NULL or in flight.
 * @param [in] user_data The user data.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data);

/**
 * @brief Returns the user data of a task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The user data that was set last, at allocation or by a later call.
 */
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * @brief Returns the user data of a batch of tasks.
 *
 * @param [in] task_batch The batch. It must not be NULL.
 * @return The user data that was set last, at allocation or by a later call.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/**
 * @brief Returns the context that a task was allocated from.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The context.
 */
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/**
 * @brief Returns the context that a batch of tasks was allocated from.
 *
 * @param [in] task_batch The batch. It must not be NULL.
 * @return The context.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/**
 * @brief Returns the user data of the context that a batch of tasks was allocated from.
 *
 * @param [in] task_batch The batch. It must not be NULL.
 * @return The user data that doca_ctx_set_user_data() set.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);

/**
 * @brief Returns the number of tasks in a batch.
 *
 * @param [in] task_batch The batch. It must not be NULL.
 * @return Number of tasks.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

/**
 * @brief Connects a context to a progress engine, which then runs the callbacks of the context.
 *
 * An engine can have many contexts. A context has only one engine, and stays connected to it until
 * the context is destroyed.
 *
 * @param [in] pe The engine.
 * @param [in] ctx The context. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_PERMITTED: the context is already connected to an engine.
 */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/**
 * @brief Sets which contexts doca_pe_progress() handles after doca_pe_request_notification().
 *
 * A program may call it at any time, except from a callback of the engine.
 *
 * @param [in] pe The engine.
 * @param [in] event_mode The mode. The default is DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL, or event_mode is not a value of the enumeration.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H_ */
