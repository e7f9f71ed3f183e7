/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_pe.h
 * @brief The progress engine, which runs the callbacks of contexts, and the tasks that they
 * execute.
 *
 * A progress engine and everything that is connected to it belong to one thread at a time.
 * Different engines are independent of each other.
 *
 * A task belongs to the caller from its allocation until it is submitted, then to DOCA until its
 * callback runs, then to the caller again, who may submit it once more, keep it or free it. A task
 * that could not be submitted stays the caller's.
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_devinfo;

/** @brief A progress engine. */
struct doca_pe;

/** @brief A piece of asynchronous work, allocated by one of the libraries. */
struct doca_task;

/** @brief Several tasks of the same kind that are submitted and completed together. */
struct doca_task_batch;

/** @brief Most tasks that a batch can hold. The values are ordinals. */
enum doca_task_batch_max_tasks_number {
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0, /**< 16 tasks. */
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1, /**< 32 tasks. */
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2, /**< 64 tasks. */
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3, /**< 128 tasks. */
};

/**
 * @brief Number of events that are delivered together. The values are ordinals, and they differ
 * from those of DOCA 2.7, where 4 events was the first.
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

/** @brief How a task is submitted: values of a bit mask for doca_task_submit_ex(). */
enum doca_task_submit_flag {
	DOCA_TASK_SUBMIT_FLAG_NONE = 0,
	/**< The task may wait until a later task, or doca_ctx_flush_tasks(), flushes it. */
	DOCA_TASK_SUBMIT_FLAG_FLUSH = 1,
	/**< The task, and those that wait, go to the device at once. */
	DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2,
	/**< The completion may be held back until a later task without this flag completes. */
};

/** @brief Which contexts doca_pe_progress() looks at after a notification was requested. */
enum doca_pe_event_mode {
	DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0,
	/**< Only those with an event or with pending tasks; the notification must be cleared
	 *   before new progress. The default. */
	DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,
	/**< All of them; clearing is optional, for the next request clears. */
};

/**
 * @brief Called when a task has ended; inside doca_pe_progress(), on the thread that runs it.
 *
 * There is one callback for success and one for failure, set when the pool of tasks is configured.
 * The task belongs to the caller again.
 *
 * @param [in] task The task; doca_task_get_status() tells how it ended.
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
 * @param [out] pe The new engine; to be destroyed with doca_pe_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated.
 */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * @brief Destroys a progress engine.
 *
 * @param [in] pe The engine. Every context that was connected to it must have been destroyed.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 * - DOCA_ERROR_IN_USE: a context that is connected to the engine still exists, even if it is idle.
 */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * @brief Does a piece of pending work of the contexts of a progress engine and runs its callbacks.
 *
 * It handles about one item per call; call it until it returns 0 to handle all there is. It does
 * not wait, and it must not be called from a callback of the same engine.
 *
 * @param [in] pe The engine; must not be NULL.
 * @return 1 when something happened: a task completed or moved on, an event was handled, or a
 * context changed its state; else 0.
 */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * @brief Returns the handle that becomes ready when an armed progress engine has something to do.
 *
 * The handle is fixed for the life of the engine and belongs to it; on Linux it is a file
 * descriptor that can be given to epoll or poll.
 *
 * To wait: doca_pe_request_notification(), wait until the handle is readable,
 * doca_pe_clear_notification(), then doca_pe_progress() until it returns 0, and from the start.
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
 * @brief Takes back the notification of a progress engine, after its handle became ready.
 *
 * In the default event mode it is needed before doca_pe_progress() is called again.
 *
 * @param [in] pe The engine.
 * @param [in] handle The handle from doca_pe_get_notification_handle(); on Linux its value is
 * ignored.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_OPERATING_SYSTEM: a system call failed.
 */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/**
 * @brief Arms a progress engine: its handle becomes ready once there is something to do. Arming it
 * twice is no error.
 *
 * @param [in] pe The engine.
 * @return DOCA_SUCCESS on success, else the reason why the engine is not armed.
 */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * @brief Returns how many tasks of all the contexts of a progress engine are in flight.
 *
 * @param [in] pe The engine.
 * @param [out] num_inflight_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/**
 * @brief Submits a task, and flushes those that were submitted before it without a flush.
 *
 * Nothing is checked: a NULL or wrong task is undefined behaviour. Use doca_task_try_submit()
 * during development.
 *
 * @param [in] task The task; DOCA's until its callback runs.
 * @return DOCA_SUCCESS when the task has been submitted; for any other code it stays the caller's.
 */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);

/**
 * @brief Submits a task as doca_task_submit() does, with a choice of flags.
 *
 * @param [in] task The task; DOCA's until its callback runs.
 * @param [in] flags Bit mask of enum doca_task_submit_flag; DOCA_TASK_SUBMIT_FLAG_FLUSH makes it
 * equal to doca_task_submit().
 * @return DOCA_SUCCESS when the task has been submitted; for any other code it stays the caller's.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * @brief Submits a batch of tasks; nothing is checked.
 *
 * @param [in] task_batch The batch; DOCA's until its callback runs.
 * @return DOCA_SUCCESS when the batch has been submitted; for any other code it stays the
 * caller's.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/**
 * @brief Submits a task as doca_task_submit() does, after checking it. Meant for development: the
 * checks cost time.
 *
 * @param [in] task The task; DOCA's until its callback runs.
 * @return DOCA_SUCCESS when the task has been submitted; for any other code it stays the caller's:
 * - DOCA_ERROR_INVALID_VALUE: a property of the task is not valid, for instance a destination that
 *   is too small.
 */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * @brief Submits a batch of tasks as doca_task_batch_submit() does, after checking it. Meant for
 * development.
 *
 * @param [in] task_batch The batch; DOCA's until its callback runs.
 * @return DOCA_SUCCESS when the batch has been submitted; for any other code it stays the
 * caller's:
 * - DOCA_ERROR_INVALID_VALUE: a property of the batch or of one of its tasks is not valid.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/**
 * @brief Returns a task to the pool of its context.
 *
 * Allowed whenever the task is not submitted, inside its own callback too. A context becomes idle
 * only after all its tasks have been freed. The buffers of the task are not released.
 *
 * @param [in] task The task; must not be NULL.
 */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/**
 * @brief Returns a batch of tasks to the pool of its context.
 *
 * A context becomes idle only after all its batches have been freed.
 *
 * @param [in] task_batch The batch, not submitted; must not be NULL.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
void doca_task_batch_free(struct doca_task_batch *task_batch);

/**
 * @brief Returns how a task ended; valid once its callback has been called.
 *
 * @param [in] task The task; must not be NULL.
 * @return DOCA_SUCCESS when the task succeeded, else why it failed, such as DOCA_ERROR_IO_FAILED.
 */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * @brief Returns how a batch of tasks ended; valid once its callback has been called.
 *
 * @param [in] task_batch The batch; must not be NULL.
 * @return DOCA_SUCCESS when the batch succeeded, else why it failed.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/**
 * @brief Sets the user data that the callback of a task receives.
 *
 * @param [in] task The task, not submitted; must not be NULL.
 * @param [in] user_data The data.
 */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * @brief Sets the user data that the callback of a batch of tasks receives.
 *
 * @param [in] task_batch The batch, not submitted; must not be NULL.
 * @param [in] user_data The data.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data);

/**
 * @brief Returns the user data of a task.
 *
 * @param [in] task The task; must not be NULL.
 * @return The data that was given at allocation or set later.
 */
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * @brief Returns the user data of a batch of tasks.
 *
 * @param [in] task_batch The batch; must not be NULL.
 * @return The data that was given at allocation or set later.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/**
 * @brief Returns the context that a task was allocated from.
 *
 * @param [in] task The task; must not be NULL.
 * @return The context.
 */
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/**
 * @brief Returns the context that a batch of tasks was allocated from.
 *
 * @param [in] task_batch The batch; must not be NULL.
 * @return The context.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/**
 * @brief Returns the user data of the context that a batch of tasks was allocated from.
 *
 * @param [in] task_batch The batch; must not be NULL.
 * @return The data that doca_ctx_set_user_data() set.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);

/**
 * @brief Returns how many tasks a batch holds.
 *
 * @param [in] task_batch The batch; must not be NULL.
 * @return Number of tasks.
 * @since 2.7
 */
DOCA_EXPERIMENTAL
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

/**
 * @brief Connects a context to a progress engine, which from then on runs its callbacks.
 *
 * An engine may have many contexts, a context only one engine. The connection lasts until the
 * context is destroyed.
 *
 * @param [in] pe The engine.
 * @param [in] ctx The context; must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_PERMITTED: the context is connected to an engine already.
 */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/**
 * @brief Sets which contexts doca_pe_progress() looks at after a notification was requested.
 *
 * May be called at any time, but not from a callback of the engine.
 *
 * @param [in] pe The engine.
 * @param [in] event_mode The mode; DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE by default.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL or event_mode is not a value of the enumeration.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H_ */
