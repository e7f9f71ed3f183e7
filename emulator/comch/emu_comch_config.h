/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_CONFIG_H_
#define EMU_COMCH_CONFIG_H_

/* The functions that servers and clients share. They check their arguments. */

#include <stdbool.h>
#include <stdint.h>

#include <doca_comch.h>

#include "core/emulator.h"

struct emu_comch_ctrl;

EMU_LOCAL doca_error_t emu_comch_create(struct doca_dev *dev, const char *name, struct emu_comch_ctrl **ctrl);
EMU_LOCAL doca_error_t emu_comch_set_max_msg_size(struct emu_comch_ctrl *ctrl, uint32_t size);
EMU_LOCAL doca_error_t emu_comch_set_recv_queue_size(struct emu_comch_ctrl *ctrl, uint32_t size);
EMU_LOCAL doca_error_t emu_comch_set_send_conf(struct emu_comch_ctrl *ctrl,
					       doca_comch_task_send_completion_cb_t completion_cb,
					       doca_comch_task_send_completion_cb_t error_cb, uint32_t num);
EMU_LOCAL doca_error_t emu_comch_set_msg_recv(struct emu_comch_ctrl *ctrl, doca_comch_event_msg_recv_cb_t cb);
EMU_LOCAL doca_error_t emu_comch_set_consumer_events(struct emu_comch_ctrl *ctrl,
						     doca_comch_event_consumer_cb_t new_cb,
						     doca_comch_event_consumer_cb_t expired_cb);
/* True if the context has the connection. */
EMU_LOCAL bool emu_comch_owns(const struct emu_comch_ctrl *ctrl, const struct doca_comch_connection *conn);
EMU_LOCAL doca_error_t emu_comch_alloc_send(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *peer,
					    const void *msg, uint32_t len, struct doca_comch_task_send **task);

/* Answers the query of a limit, which is the same for all devices. */
EMU_LOCAL doca_error_t emu_comch_get_limit(const struct doca_devinfo *devinfo, uint32_t *out, uint32_t value);

#endif /* EMU_COMCH_CONFIG_H_ */
