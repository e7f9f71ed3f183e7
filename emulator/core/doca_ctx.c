/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <doca_ctx.h>
#include <doca_dev.h>

#include "emu_ctx.h"
#include "emu_dev.h"
#include "emu_fault.h"
#include "emu_pe.h"

/* The number of completion vectors of a device. The emulator has no interrupts to distribute. */
#define NUM_COMPLETION_VECTORS 1

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
	EMU_CALL("doca_ctx_start");
	doca_error_t result;

	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (ctx->pe == NULL && ctx->datapath == NULL)
		return DOCA_ERROR_NOT_CONNECTED;
	if (ctx->datapath != NULL && !ctx->ops->can_run_on_dpa)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (emu_dev_is_lost(ctx->dev))
		return DOCA_ERROR_INITIALIZATION;
	result = ctx->ops->start(ctx);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		return result;
	if (ctx->ops->progress != NULL && ctx->pe != NULL)
		emu_pe_watch(ctx->pe, ctx);
	/* The callback may use, stop and even destroy the context: do not touch it after this. */
	ctx->start_is_lost = result == DOCA_ERROR_IN_PROGRESS && emu_faults_active() && emu_fault_on_start(ctx);
	emu_ctx_set_state(ctx, result == DOCA_SUCCESS ? DOCA_CTX_STATE_RUNNING : DOCA_CTX_STATE_STARTING);
	return result;
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
	EMU_CALL("doca_ctx_stop");
	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return DOCA_SUCCESS;
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return DOCA_ERROR_IN_PROGRESS;
	if (ctx->state == DOCA_CTX_STATE_RUNNING && ctx->ops->may_stop != NULL) {
		doca_error_t result = ctx->ops->may_stop(ctx);

		if (result != DOCA_SUCCESS)
			return result;
	}
	if (emu_ctx_begin_stop(ctx, ctx->state == DOCA_CTX_STATE_RUNNING))
		return DOCA_SUCCESS;
	return DOCA_ERROR_IN_PROGRESS;
}

doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num_inflight_tasks)
{
	EMU_CALL("doca_ctx_get_num_inflight_tasks");
	if (ctx == NULL || num_inflight_tasks == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_inflight_tasks = ctx->num_inflight;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data)
{
	EMU_CALL("doca_ctx_set_user_data");
	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	ctx->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data)
{
	EMU_CALL("doca_ctx_get_user_data");
	if (ctx == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = ctx->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx, doca_ctx_state_changed_callback_t cb)
{
	EMU_CALL("doca_ctx_set_state_changed_cb");
	if (ctx == NULL || cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	ctx->state_changed = cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state)
{
	EMU_CALL("doca_ctx_get_state");
	if (ctx == NULL || state == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*state = ctx->state;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector)
{
	EMU_CALL("doca_ctx_set_completion_vector");
	if (ctx == NULL || comp_vector >= NUM_COMPLETION_VECTORS)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	return DOCA_SUCCESS;
}

/* The last call counts. The DPA may be of a later start than this call: only start looks at it. */
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev)
{
	EMU_CALL("doca_ctx_set_datapath_on_dpa");
	if (ctx == NULL || dpa_dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (ctx->datapath != NULL)
		__atomic_sub_fetch(&ctx->datapath->num_contexts, 1, __ATOMIC_ACQ_REL);
	ctx->datapath = (struct emu_datapath *)dpa_dev;
	__atomic_add_fetch(&ctx->datapath->num_contexts, 1, __ATOMIC_ACQ_REL);
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
						     uint32_t *num_comp_vectors)
{
	EMU_CALL("doca_ctx_cap_get_num_completion_vectors");
	if (devinfo == NULL || num_comp_vectors == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_comp_vectors = NUM_COMPLETION_VECTORS;
	return DOCA_SUCCESS;
}

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
	if (ctx == NULL)
		return;
	if (ctx->unflushed.head != NULL)
		emu_ctx_flush(ctx);
}
