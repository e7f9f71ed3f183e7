/* In the style of DOCA 2.2, for tests: the work queue API, which has no progress engine. */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include "doca_dev.h"

struct doca_ctx;
struct doca_workq;

enum doca_action {
	DOCA_ACTION_SDK_RESERVED = 1 << 16,
	DOCA_ACTION_DMA_FIRST,
};

/** @brief What a job has in front */
struct doca_job {
	int type;              /**< kind of job */
	int flags;             /**< see enum doca_job_flags */
	struct doca_ctx *ctx;  /**< who does it */
	union doca_data user_data;
};

struct doca_event {
	int type;
	union doca_data user_data;
	union doca_data result;
};

enum doca_job_flags {
	DOCA_JOB_FLAGS_NONE = 0,
	DOCA_JOB_FLAGS_OPTIMIZE_REPORTS = 1 << 0,
};

DOCA_STABLE
doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq);
DOCA_STABLE
doca_error_t doca_workq_destroy(struct doca_workq *workq);
DOCA_STABLE
doca_error_t doca_workq_submit(struct doca_workq *workq, struct doca_job const *const job);
DOCA_STABLE
doca_error_t doca_workq_progress_retrieve(struct doca_workq *workq, struct doca_event *ev, int flags);
DOCA_EXPERIMENTAL
doca_error_t doca_workq_get_event_handle(struct doca_workq *workq, doca_event_handle_t *handle);
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx);
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);
DOCA_STABLE
doca_error_t doca_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev);
DOCA_STABLE
doca_error_t doca_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq);

#endif
