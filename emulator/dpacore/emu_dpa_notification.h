/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_NOTIFICATION_H_
#define EMU_DPA_NOTIFICATION_H_

#include <stdint.h>

struct doca_dpa;
struct doca_dpa_thread;

struct doca_dpa_notification_completion {
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;
	uint64_t handle; /* 0: not started */
};

#endif /* EMU_DPA_NOTIFICATION_H_ */
