/**
 * @file doca_ctx.h
 * @brief Contexts and work queues.
 *
 * @{
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/types.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;

/** @brief A number or a pointer. */
union doca_data {
	void *ptr;    /**< Pointer. */
	uint64_t u64; /**< Number. */
};

/** @brief Where actions start. */
enum doca_action_base {
	DOCA_ACTION_SDK_RESERVED = 0,                  /**< Of the SDK. */
	DOCA_ACTION_DMA_FIRST = 1 << 16,               /**< Of DMA. */
	DOCA_ACTION_SHA_FIRST = DOCA_ACTION_DMA_FIRST * 2,
	DOCA_ACTION_LAST = (1U << 31) - 1,
	DOCA_ACTION_NONE = -1,
};

/** @brief The largest share of a queue. */
#define DOCA_CTX_SHARE (0x10 | 2)

/** @brief Says that a context is not there. */
#define DOCA_CTX_NONE ((uint64_t)-1)

/**
 * @brief What a work queue hands back.
 */
struct doca_event {
	/** Which action ended. */
	union {
		int type;
		enum doca_action_base base;
	};
	union doca_data user_data; /**< Of the job. */
	union {
		uint64_t u64;
		void *ptr;
	} result; /**< What it brought. */
};

/** @brief A job for a work queue. */
struct doca_job {
	DOCA_STRUCT_START;
	int type;                    /**< Action. */
	int flags : 3, : 5, more : 8; /**< Three bits and eight. */
	struct doca_ctx *ctx;
	union doca_data user_data;
};

/** @brief Called for an event. */
typedef void (*doca_workq_handler_t)(const struct doca_event *event, void (*next)(int, ...), void *user);

/** @brief Says what happens to an event handle. */
typedef int doca_event_handle_t;

struct doca_workq;

/** @brief Creates a work queue. */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq);

DOCA_EXPERIMENTAL doca_error_t
doca_workq_submit(struct doca_workq *workq, struct doca_job const *const job);

__DOCA_EXPERIMENTAL
doca_error_t doca_workq_progress_retrieve(struct doca_workq *workq, struct doca_event *ev, int flags);

/**
 * @brief Whether a context was started.
 */
static inline bool doca_ctx_is_started(const struct doca_ctx *ctx, const uint8_t state[static 4])
{
	/* a comment, and a brace in a string: "}" */
	return ctx != NULL && state[0] == '}';
}

#ifdef __cplusplus
}
#endif

/** @} */

#endif
