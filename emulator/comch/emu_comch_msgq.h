/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_MSGQ_H_
#define EMU_COMCH_MSGQ_H_

/*
 * MsgQs: messages of immediate data between this process and its DPA.
 *
 * Everything is in one process, so there is no connection. A MsgQ has an inbox for each consumer that it may have. A
 * producer looks its consumer up by id, in the host's doca_task_submit or in a device function, and puts the message
 * there (emu_comch_inbox.h).
 *
 * Consumers and producers of the host are contexts like those of connections (emu_comch_msgq_consumer.c,
 * emu_comch_msgq_producer.c). Those on the DPA only have a start and a stop here (emu_comch_dpa_consumer.c,
 * emu_comch_dpa_producer.c), and a handle with which device code uses them (emu_comch_dpa_dev.c).
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_comch_msgq.h>

#include "core/emulator.h"
#include "dpacore/emu_dpa.h"
#include "emu_comch_ids.h"
#include "emu_comch_inbox.h"

struct emu_comch_endpoint;
struct emu_ctx_ops;

#define EMU_COMCH_MAX_DEV_NUM 16384 /* receives of one consumer on the DPA, or sends of one producer there */

struct doca_comch_msgq {
	struct doca_dev *dev;
	struct doca_dpa *dpa; /* NULL: no direction yet */
	bool leads_to_dpa;    /* its consumers are on the DPA, its producers here */
	bool is_started;
	uint32_t max_num_consumers, max_num_producers;
	struct emu_comch_inbox *inboxes; /* while it is started: of the consumers, by id from 1 */

	pthread_mutex_t lock; /* guards what follows: threads may make consumers and producers each for themselves */
	uint32_t num_endpoints;
	struct emu_comch_ids consumer_ids, producer_ids;
};

/* Makes a consumer or producer of size bytes. BAD_STATE: the MsgQ is not started. NO_MEMORY: it has as many as it may. */
EMU_LOCAL doca_error_t emu_comch_msgq_join(struct doca_comch_msgq *msgq, size_t size, const struct emu_ctx_ops *ops,
					   bool is_consumer, struct emu_comch_endpoint **endpoint);
/* Destroys it. IN_USE: it is not idle. */
EMU_LOCAL doca_error_t emu_comch_msgq_leave(struct emu_comch_endpoint *endpoint);

/* True if the endpoint's DPA is there and works. For one on the DPA, its data path must be there. Else the log says what is
 * wrong. */
EMU_LOCAL bool emu_comch_msgq_is_ready(const struct emu_comch_endpoint *endpoint);

/* Wake the engine of an endpoint of this process when the DPA has a fatal error. */
EMU_LOCAL void emu_comch_msgq_watch(struct emu_comch_endpoint *endpoint);
EMU_LOCAL void emu_comch_msgq_unwatch(struct emu_comch_endpoint *endpoint);

/* The DPA has had a fatal error, or its device is lost. */
static inline bool emu_comch_msgq_is_dead(const struct doca_comch_msgq *msgq)
{
	return emu_dpa_is_fatal(msgq->dpa);
}

/* The inbox of a consumer, which may be closed. NULL: no consumer can have that id. */
static inline struct emu_comch_inbox *emu_comch_msgq_inbox(const struct doca_comch_msgq *msgq, uint32_t id)
{
	return id == 0 || id > msgq->max_num_consumers ? NULL : &msgq->inboxes[id - 1];
}

#endif /* EMU_COMCH_MSGQ_H_ */
