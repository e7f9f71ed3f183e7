/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_TASK_H_
#define EMU_TASK_H_

/*
 * Tasks and their pools. The task struct of every library begins with struct doca_task.
 *
 * A pool has chunks of tasks, the first from the start of its context on, further ones when they are needed. They are
 * kept until the context is destroyed, because programs read fields of tasks that they have just freed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

#include "emulator.h"
#include "emu_fault.h"

struct doca_ctx;
struct doca_pe;
struct doca_task;
struct emu_task_pool;

enum emu_task_state {
	EMU_TASK_FREE = 0,  /* in its pool */
	EMU_TASK_OWNED,     /* the program has it */
	EMU_TASK_QUEUED,    /* submitted */
	EMU_TASK_DECIDED,   /* submitted, with a settled result: status is reported when its turn comes */
	EMU_TASK_ABANDONED, /* freed while submitted: dropped without a callback when its turn comes */
};

/* What a library supplies for one kind of task. */
struct emu_task_ops {
	/* What doca_x_task_<kind>_set_conf is named after. Faults may name it. */
	const char *kind;
	/* Does the work and returns the task's result. Runs inside doca_pe_progress. NULL for tasks that their
	 * context completes; then submit is set. */
	doca_error_t (*execute)(struct doca_task *task);
	/* Calls the program's completion callback (status SUCCESS) or error callback. */
	void (*notify)(struct doca_task *task, doca_error_t status);
	/* The checks of doca_task_try_submit. */
	doca_error_t (*validate)(const struct doca_task *task);
	/* Takes the task instead of the engine's queue. If it does not return SUCCESS, the program keeps the
	 * task. */
	doca_error_t (*submit)(struct doca_task *task, uint32_t flags);
	/* For tasks that refer to memory of which the program may do anything once they are submitted: keep has a task that stays
	 * unsent because of a fault refer to a copy, and restore, when it has been submitted after all, to the program's memory. */
	void (*keep)(struct doca_task *task);
	void (*restore)(struct doca_task *task);
	/* Looks at a task that is being submitted, after emu_fault_look. False: it fails. */
	bool (*check)(struct doca_task *task);
	/* Has a task that is being submitted fail because of a fault when its turn comes, and what follows it as well. False: it fails
	 * by itself. */
	bool (*fail)(struct doca_task *task, doca_error_t status);
	/* The program has freed a submitted task, so that it ends without notify. */
	void (*dropped)(struct doca_task *task);
	/* For tasks that use a connection: which one, and how to break it. */
	const void *(*connection)(const struct doca_task *task);
	void (*cut)(struct doca_task *task);
	/* A failed task stops the whole context, unless its status is the harmless one (SUCCESS: there is none). */
	bool failure_is_fatal;
	doca_error_t harmless;
};

/* When a task is reported, if faults hold reports back. */
enum emu_task_reports {
	EMU_REPORTS_AT_ONCE = 0,
	EMU_REPORTS_LATER,    /* with the next task that releases */
	EMU_REPORTS_RELEASES, /* reports all that were held back before */
};

/* Who learns of the end of a task besides the program: the node of a graph. */
struct emu_task_watcher {
	void (*ended)(struct emu_task_watcher *watcher, doca_error_t status);
};

/* doca_task.due of a task that the fault hold-tasks of a set holds back, with the set in the other bits: later than all times. */
#define EMU_DUE_HOLD (UINT64_C(1) << 63)

struct doca_task {
	struct doca_task *next; /* in a queue or the pool's free list */
	struct doca_ctx *ctx;
	const struct emu_task_ops *ops;
	struct emu_task_pool *pool;
	union doca_data user_data;
	doca_error_t status;
	uint8_t state; /* enum emu_task_state */
	uint8_t reports; /* enum emu_task_reports */
	bool is_unsent;	 /* a fault holds it back until a flush */
	bool is_overdue; /* see emu_pe_overdue; until it is reported */
	uint64_t due;  /* CLOCK_MONOTONIC ns at which a held task may run, or EMU_DUE_HOLD and a set */
	struct emu_task_watcher *watcher; /* of this submission, or NULL */
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

/* Moves all tasks of more, which is not empty, to the end of queue. */
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

/* Tasks in one piece of memory. */
struct emu_task_chunk {
	struct emu_task_chunk *next;
	uint32_t num_tasks;
	uint32_t num_used; /* those behind have never been handed out */
	uint8_t tasks[] __attribute__((aligned(16)));
};

struct emu_task_pool {
	struct doca_ctx *ctx;
	const struct emu_task_ops *ops;
	struct doca_task *free_list; /* most recently freed first, which is best for the cache */
	struct emu_task_chunk *chunks; /* the last one first */
	size_t task_size;
	uint32_t num_tasks; /* at most */
	uint32_t num_made;  /* in all chunks */
};

/* Allocates the first chunk, and frees those of an earlier start. */
EMU_API doca_error_t emu_task_pool_start(struct emu_task_pool *pool, struct doca_ctx *ctx,
					 const struct emu_task_ops *ops, size_t task_size,
					 uint32_t num_tasks);
EMU_API void emu_task_pool_destroy(struct emu_task_pool *pool);

/* Takes a task out of the pool. NO_MEMORY: the pool is empty. BAD_STATE: the context is not running. */
EMU_API doca_error_t emu_task_alloc(struct emu_task_pool *pool, union doca_data user_data,
				    struct doca_task **task);

/* Return a task to its pool: put a task of the program, drop one that was submitted and then freed. */
EMU_API void emu_task_put(struct doca_task *task);
EMU_API void emu_task_drop(struct doca_task *task);

/* For contexts that keep submitted tasks. finish reports a result, and is called from the context's progress
 * function. It returns false if nothing was reported: the task is held back, or the program has freed it. flush
 * makes the engine report a failure later; it is for tasks that a stop leaves undone. */
EMU_API bool emu_task_finish(struct doca_task *task, doca_error_t status);
EMU_API void emu_task_flush(struct doca_task *task);

/* Reports a task whose result is settled. */
EMU_LOCAL bool emu_task_report(struct doca_task *task);

/* Reports the tasks of an engine's queue that have a result and that matches holds for. Those that their callbacks submit
 * stay in the queue. */
EMU_API void emu_task_report_decided(struct doca_pe *pe,
				     bool (*matches)(const struct doca_task *task, const void *arg), const void *arg);

#endif /* EMU_TASK_H_ */
