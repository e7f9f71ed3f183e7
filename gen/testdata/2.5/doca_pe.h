/* The names and types of DOCA 2.5's doca_pe.h, for tests. */
#ifndef G_doca_pe_h
#define G_doca_pe_h
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
#include "doca_ctx.h"
struct doca_pe;
struct doca_task;
typedef void (*doca_task_completion_cb_t)(struct doca_task *, union doca_data, union doca_data);
DOCA_STABLE doca_error_t doca_pe_create(struct doca_pe ** pe);
DOCA_STABLE doca_error_t doca_pe_destroy(struct doca_pe * pe);
DOCA_STABLE uint8_t doca_pe_progress(struct doca_pe * pe);
DOCA_STABLE doca_error_t doca_pe_get_notification_handle(const struct doca_pe * pe, doca_notification_handle_t * handle);
DOCA_STABLE doca_error_t doca_pe_clear_notification(struct doca_pe * pe, doca_notification_handle_t handle);
DOCA_STABLE doca_error_t doca_pe_request_notification(struct doca_pe * pe);
DOCA_STABLE doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe * pe, size_t * num_inflight_tasks);
DOCA_STABLE doca_error_t doca_task_submit(struct doca_task * task);
DOCA_STABLE doca_error_t doca_task_try_submit(struct doca_task * task);
DOCA_STABLE void doca_task_free(struct doca_task * task);
DOCA_STABLE doca_error_t doca_task_get_status(const struct doca_task * task);
DOCA_STABLE void doca_task_set_user_data(struct doca_task * task, union doca_data user_data);
DOCA_STABLE union doca_data doca_task_get_user_data(const struct doca_task * task);
DOCA_STABLE struct doca_ctx * doca_task_get_ctx(const struct doca_task * task);
DOCA_STABLE doca_error_t doca_pe_connect_ctx(struct doca_pe * pe, struct doca_ctx * ctx);
#endif
