/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_TASK_H_
#define EMU_TASK_H_

/*
 * Tasks and their pools. Every library's task struct begins with struct doca_task.
 *
 * A pool is one array, allocated when its context starts and kept until the context is destroyed:
 * programs read fields of tasks that they have just freed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

#include "emulator.h"
#include "emu_fault.h"

struct doca_ctx;
struct doca_task;
struct emu_task_pool;

enum emu_task_state {
	EMU_TASK_FREE = 0,  /* in its pool */
	EMU_TASK_OWNED,     /* the program's */
	EMU_TASK_QUEUED,    /* submitted */
	EMU_TASK_DECIDED,   /* submitted, its result is settled: status, to be reported when its turn comes */
	EMU_TASK_ABANDONED, /* freed while submitted: dropped when its turn comes, no callback */
};

/* What a library supplies for one kind of task. */
struct emu_task_ops {
	/* Does the work and returns the task's result. Runs inside doca_pe_progress. NULL for tasks that
	 * their context completes by itself (then submit is set). */
	doca_error_t (*execute)(struct doca_task *task);
	/* Calls the program's completion callback (status SUCCESS) or error callback. */
	void (*notify)(struct doca_task *task, doca_error_t status);
	/* The checks of doca_task_try_submit. */
	doca_error_t (*validate)(const struct doca_task *task);
	/* Takes a task instead of the engine's queue; anything but SUCCESS leaves it with the program. */
	doca_error_t (*submit)(struct doca_task *task, uint32_t flags);
	/* One failed task stops the whole context. */
	bool failure_is_fatal;
};

struct doca_task {
	struct doca_task *next; /* in a queue or the pool's free list */
	struct doca_ctx *ctx;
	const struct emu_task_ops *ops;
	struct emu_task_pool *pool;
	union doca_data user_data;
	doca_error_t status;
	uint8_t state; /* enum emu_task_state */
	uint64_t due;  /* CLOCK_MONOTONIC ns at which a held task may run */
};

/* Intrusive first-in first-out queue. */
struct emu_task_queue {
	struct doca_task *head;
	struct doca_task *tail; /* valid while head is set */
};

static inline void emu_task_queue_push(struct emu_task_queue *queue, struct doca_task *task)
{
	task->next = NULL;
	if (queue->head == NULL)
		queue->head = task;
	else
		queue->tail->next = task;
	queue->tail = task;
}

/* Moves all of more, which is not empty, to the end of queue. */
static inline void emu_task_queue_append(struct emu_task_queue *queue, struct emu_task_queue *more)
{
	if (queue->head == NULL)
		queue->head = more->head;
	else
		queue->tail->next = more->head;
	queue->tail = more->tail;
	more->head = NULL;
}

static inline struct doca_task *emu_task_queue_pop(struct emu_task_queue *queue)
{
	struct doca_task *task = queue->head;

	if (task != NULL)
		queue->head = task->next;
	return task;
}

struct emu_task_pool {
	struct doca_ctx *ctx;
	const struct emu_task_ops *ops;
	struct doca_task *free_list; /* most recently freed first, for the cache's sake */
	uint8_t *tasks;
	size_t task_size;
	uint32_t num_tasks;
	uint32_t num_used; /* tasks[num_used..] have never been handed out */
};

/* Allocates the array. Frees what an earlier start has left. */
EMU_API doca_error_t emu_task_pool_start(struct emu_task_pool *pool, struct doca_ctx *ctx,
					 const struct emu_task_ops *ops, size_t task_size,
					 uint32_t num_tasks);
EMU_API void emu_task_pool_destroy(struct emu_task_pool *pool);

/* Takes a task out of the pool. NO_MEMORY: the pool is empty. BAD_STATE: the context is not running. */
EMU_API doca_error_t emu_task_alloc(struct emu_task_pool *pool, union doca_data user_data,
				    struct doca_task **task);

/* Back into the pool: a task of the program (put), or one that was submitted and is given up (drop). */
EMU_API void emu_task_put(struct doca_task *task);
EMU_API void emu_task_drop(struct doca_task *task);

/* For contexts that keep submitted tasks by themselves. finish reports a result, from the context's
 * progress function; it returns false if nothing was reported yet or ever (a held or an abandoned task).
 * flush lets the engine report a failure later: for tasks that a stop leaves undone. */
EMU_API bool emu_task_finish(struct doca_task *task, doca_error_t status);
EMU_API void emu_task_flush(struct doca_task *task);

#endif /* EMU_TASK_H_ */
