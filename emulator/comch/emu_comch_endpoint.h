/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_ENDPOINT_H_
#define EMU_COMCH_ENDPOINT_H_

/* What consumers and producers have in common. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emu_ctx.h"
#include "core/emu_task.h"
#include "core/emulator.h"
#include "dpacore/emu_dpa_watch.h"
#include "emu_comch_frame.h"

#define EMU_COMCH_MAX_ENDPOINT_TASKS 16384

struct doca_comch_connection;
struct doca_comch_msgq;
struct doca_mmap;

/* A consumer or producer. Their structs begin with this. */
struct emu_comch_endpoint {
	struct doca_ctx ctx;
	struct emu_task_pool pool;
	struct doca_comch_connection *conn; /* NULL: of a MsgQ */
	struct doca_comch_msgq *msgq;
	bool is_consumer;
	uint32_t id;
	uint32_t num_tasks; /* 0: not configured */

	/* While not IDLE. */
	int wake_fd; /* a consumer's end of its doorbell */
	int peer_fds[2]; /* the peer's, until they are sent: its end of the doorbell, and the file of a consumer's memory */
	struct emu_comch_endpoint *next; /* the connection's other consumers and producers */
	bool wants_announcement;	 /* a consumer that starts */
	bool is_registered;		 /* its announcement is queued; accessed with atomics */
	bool is_refused;		 /* the peer has no room for it; accessed with atomics */
	struct emu_comch_out announce;
	struct emu_comch_announce announce_bytes;
	int announce_fds[EMU_COMCH_MAX_FDS];
	struct emu_dpa_watcher watcher; /* of a MsgQ's endpoint of this process */
};

/* Makes a consumer or producer of size bytes. mmap is the map that peers write to, or NULL for a producer.
 * BAD_STATE: there is no such connection, or it is not established. INVALID_VALUE: peers may not write to the
 * map. */
EMU_LOCAL doca_error_t emu_comch_endpoint_new(size_t size, const struct emu_ctx_ops *ops,
					      struct doca_comch_connection *connection, const struct doca_mmap *mmap,
					      struct emu_comch_endpoint **endpoint);
EMU_LOCAL doca_error_t emu_comch_endpoint_destroy(struct emu_comch_endpoint *endpoint);

/* These check their arguments, which may be NULL. */
EMU_LOCAL doca_error_t emu_comch_endpoint_get_id(const struct emu_comch_endpoint *endpoint, uint32_t *id);
EMU_LOCAL doca_error_t emu_comch_endpoint_set_num_tasks(struct emu_comch_endpoint *endpoint, uint32_t num);

/* The start of a consumer calls open, which makes its doorbell. Each start then calls join, which adds the endpoint
 * to its connection. close undoes both. open sets errno; join returns false if the connection is not established. */
EMU_LOCAL bool emu_comch_endpoint_open(struct emu_comch_endpoint *endpoint);
EMU_LOCAL bool emu_comch_endpoint_join(struct emu_comch_endpoint *endpoint);
EMU_LOCAL void emu_comch_endpoint_close(struct emu_comch_endpoint *endpoint);

/* For the ops of tasks. */
EMU_LOCAL const void *emu_comch_endpoint_connection(const struct doca_task *task);
EMU_LOCAL void emu_comch_endpoint_cut(struct doca_task *task);

/* Checks the connection's socket, which belongs to another thread. */
EMU_LOCAL bool emu_comch_endpoint_peer_is_gone(struct emu_comch_endpoint *endpoint);

#endif /* EMU_COMCH_ENDPOINT_H_ */
