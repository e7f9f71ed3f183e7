/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_SYNCEVENT_H_
#define EMU_SYNCEVENT_H_

/*
 * The value of a sync event, wherever it is, and what other libraries need of events.
 *
 * The value is 8 bytes: of the event, of the program (doca_sync_event_set_addr, doca_sync_event_set_doca_buf), or, if
 * the event is for a peer across PCI, in a page that importing processes map. All change it with atomics. Where the
 * memory is the program's, importing processes ask the exporting one to read or change it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_sync_event.h>

#include "core/emu_ctx.h"
#include "core/emu_mmap.h"
#include "core/emu_task.h"
#include "core/emulator.h"

struct doca_dpa;
struct emu_export;

/* The locations of an event: bits. */
enum {
	EMU_EVENT_PUBLISHER = 1 << 0,
	EMU_EVENT_SUBSCRIBER = 1 << 1,
	EMU_EVENT_REMOTE_PCI = 1 << 2,
	EMU_EVENT_REMOTE_NET = 1 << 3,
};

enum emu_event_task_kind {
	EMU_EVENT_TASK_GET,
	EMU_EVENT_TASK_SET,
	EMU_EVENT_TASK_ADD,
	EMU_EVENT_TASK_WAIT_EQ,
	EMU_EVENT_TASK_WAIT_NEQ,
	EMU_EVENT_NUM_TASKS,
};

struct emu_event_tasks {
	struct emu_task_pool pool;
	uint32_t num; /* 0: not configured */
	void (*completion_cb)(void); /* of the type that the kind has in doca_sync_event.h */
	void (*error_cb)(void);
};

#define EMU_EVENT_KEY_SIZE 16

/* What a handle of a remote event knows of the event: a secret of 128 random bits. */
struct emu_event_key {
	uint8_t bytes[EMU_EVENT_KEY_SIZE];
};

#define EMU_EVENT_NET_VERSION 2

/* The blob for a peer across the network. Blobs begin with magic and version in all versions. */
struct emu_event_net_desc {
	char magic[8];
	uint32_t version;
	uint32_t checksum; /* of the key */
	struct emu_event_key key;
};

struct doca_sync_event {
	struct doca_ctx ctx; /* its device is the first one that the program names */
	uint32_t locations;
	struct doca_dpa *publisher;  /* the DPA that may change it, or NULL */
	struct doca_dpa *subscriber; /* the DPA that may read it, or NULL */
	uint64_t publisher_handle;   /* of theirs; 0: none */
	uint64_t subscriber_handle;
	bool is_started;		 /* by doca_sync_event_start */
	uint64_t own;			 /* the value, unless it is elsewhere */
	uint64_t *addr;			 /* the program's memory, or NULL */
	bool addr_is_buf;		 /* it is of a buffer, whose map has these permissions */
	uint32_t permissions;
	struct doca_mmap map;		 /* what is exported: the value */
	struct emu_export *import;	 /* what the event was made from, or NULL */
	uint64_t checked_at;		 /* when the exporting process was last seen; accessed with atomics */
	struct emu_event_net_desc net;	 /* exported across the network, if is_net */
	bool is_net;
	struct doca_sync_event *net_next; /* in the list of those */
	struct emu_event_tasks tasks[EMU_EVENT_NUM_TASKS];
	struct emu_task_queue waiting; /* submitted wait tasks */
};

struct doca_sync_event_remote_net {
	struct emu_event_key key;
	struct doca_dpa *dpa; /* that has the handle, or NULL */
	uint64_t handle;
};

enum emu_event_op {
	EMU_EVENT_GET = 1,
	EMU_EVENT_SET,
	EMU_EVENT_ADD,
};

/*
 * For the library that reaches events across the network. The side of the handle sends its key to the process of the
 * event, which carries the operation out. Nothing else gives access to the event. Any thread may call both.
 */

/* Returns what is to be sent. */
EMU_API const struct emu_event_key *emu_event_remote_key(const struct doca_sync_event_remote_net *event);

/* Carries out an operation on the event of this process that has the key. value: what to set or add. old: the value
 * before, or NULL. NOT_FOUND: the process has no such event, or its export has ended. */
EMU_API doca_error_t emu_event_apply(const struct emu_event_key *key, enum emu_event_op op, uint64_t value,
				     uint64_t *old);

/* A fork takes the locks of the handlers that were registered last first. So a library that calls emu_event_apply with a lock that
 * its own handlers take calls this before it registers them. */
EMU_API void emu_event_watch_forks(void);

/* True if it is started, in either way. */
static inline bool emu_event_is_running(const struct doca_sync_event *event)
{
	return event->is_started || event->ctx.state == DOCA_CTX_STATE_RUNNING;
}

/* Configuration ends with the start, and is the exporter's for an event that was made from an export: then BAD_STATE. */
static inline doca_error_t emu_event_may_configure(const struct doca_sync_event *event)
{
	if (event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return event->is_started || event->ctx.state != DOCA_CTX_STATE_IDLE || event->import != NULL ?
		       DOCA_ERROR_BAD_STATE :
		       DOCA_SUCCESS;
}

/* Makes the blob of an event, or finds it. DRIVER: the system has no random bytes. */
EMU_LOCAL doca_error_t emu_event_net_export(struct doca_sync_event *event);
EMU_LOCAL void emu_event_net_end(struct doca_sync_event *event);
/* INVALID_VALUE: the bytes are not such a blob. UNSUPPORTED_VERSION: they are of another version. */
EMU_LOCAL doca_error_t emu_event_net_read(const uint8_t *bytes, size_t len, struct emu_event_key *key);

/* Carries out an operation on the value of a started event. IO_FAILED: the event was imported, and its exporter has
 * ended or does not answer. NOT_CONNECTED: its device is lost. */
EMU_API doca_error_t emu_event_access(struct doca_sync_event *event, enum emu_event_op op, uint64_t value,
				      uint64_t *old);

#endif /* EMU_SYNCEVENT_H_ */
