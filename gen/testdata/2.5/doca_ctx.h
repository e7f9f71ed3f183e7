/* The names and types of DOCA 2.5's doca_ctx.h, for tests. */
#ifndef G_doca_ctx_h
#define G_doca_ctx_h
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdarg.h>
#include <linux/types.h>
#include "doca_error.h"
#include "doca_types.h"
#include "doca_compat.h"
#include "doca_version.h"
#include "doca_log.h"
#include "doca_argp.h"
#include "doca_dev.h"
enum doca_ctx_states {
	DOCA_CTX_STATE_IDLE = 0,
	DOCA_CTX_STATE_STARTING = 1,
	DOCA_CTX_STATE_RUNNING = 2,
	DOCA_CTX_STATE_STOPPING = 3,
};
struct doca_ctx;
struct doca_gpu;
struct doca_dpa;
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data, struct doca_ctx *, enum doca_ctx_states, enum doca_ctx_states);
DOCA_STABLE doca_error_t doca_ctx_start(struct doca_ctx * ctx);
DOCA_STABLE doca_error_t doca_ctx_stop(struct doca_ctx * ctx);
DOCA_STABLE doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx * ctx, size_t * num_inflight_tasks);
DOCA_EXPERIMENTAL doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx * ctx, struct doca_gpu * gpu_dev);
DOCA_STABLE doca_error_t doca_ctx_set_user_data(struct doca_ctx * ctx, union doca_data user_data);
DOCA_STABLE doca_error_t doca_ctx_get_user_data(const struct doca_ctx * ctx, union doca_data * user_data);
DOCA_STABLE doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx * ctx, doca_ctx_state_changed_callback_t cb);
DOCA_STABLE doca_error_t doca_ctx_get_state(const struct doca_ctx * ctx, enum doca_ctx_states * state);
DOCA_EXPERIMENTAL doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx * ctx, struct doca_dpa * dpa_dev);
#endif
