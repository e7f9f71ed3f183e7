/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_INITIATOR_TARGET_COMMON_H_
#define SDKTEST_INITIATOR_TARGET_COMMON_H_

/* What both samples with an initiator and a target share: one side on the DPA. */

#include "dpa_common.h"
#include "device/initiator_target_side.h"

#define VALUES 4
#define WORD 8

struct it_side {
	struct dpa_memory memory;
	struct doca_dpa_thread *thread;
	struct dpa_rdma rdma;
	doca_dpa_dev_uintptr_t arg;
	struct side_arg side;
};

/* Makes a side with its argument, but for what is the sample's own. func: of its thread; NULL: it has none. */
doca_error_t it_create(struct dpa_resources *resources, doca_dpa_func_t *func, struct it_side *side);
doca_error_t it_destroy(struct dpa_resources *resources, struct it_side *side);

/* Writes the argument to DPA memory. */
doca_error_t it_tell(struct dpa_resources *resources, struct it_side *side);

/* Waits for the event, which must then have the number of values. */
doca_error_t it_wait(struct dpa_resources *resources, struct doca_sync_event *end);

#endif /* SDKTEST_INITIATOR_TARGET_COMMON_H_ */
