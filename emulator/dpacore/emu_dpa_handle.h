/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_HANDLE_H_
#define EMU_DPA_HANDLE_H_

/*
 * Handles of objects for device code. A handle holds its kind, an index and a generation, so that a wrong or
 * freed one is noticed. A completion that device code has taken is an element: the index of its queue and a sequence
 * number.
 */

#include <stdint.h>

#include <doca_error.h>

#include "core/emulator.h"

struct doca_dpa;
struct emu_dpa_run;

enum emu_dpa_kind {
	EMU_DPA_CONTEXT = 1,
	EMU_DPA_HASH_TABLE,
	EMU_DPA_SYNC_EVENT,
	EMU_DPA_REMOTE_SYNC_EVENT,
	EMU_DPA_MMAP,
	/* From here on: only usable while the context of the object is selected (doca_dpa_dev_device_set). */
	EMU_DPA_COMPLETION,
	EMU_DPA_NOTIFICATION,
	EMU_DPA_ASYNC_OPS,
	EMU_DPA_RDMA,
	EMU_DPA_CONSUMER,
	EMU_DPA_CONSUMER_COMPLETION,
	EMU_DPA_PRODUCER,
	EMU_DPA_NUM_KINDS,
};

/* Makes a handle of an object of the context. dpa: NULL for memory maps. NO_MEMORY: there is none, or too many handles. */
EMU_API doca_error_t emu_dpa_handle_open(enum emu_dpa_kind kind, struct doca_dpa *dpa, void *object, uint64_t *handle);

/* Ends a handle (0: none), and waits for the device functions that use its object. Call it without locks that they take. */
EMU_API void emu_dpa_handle_close(uint64_t handle);

/* Returns the object of a handle, until the device function exits. Ends the run if the handle is wrong. */
EMU_API void *emu_dpa_lookup(struct emu_dpa_run *run, uint64_t handle, enum emu_dpa_kind kind);

/* The same without a run: NULL if the handle is wrong. The caller is between emu_dpa_run_begin and emu_dpa_run_end. */
EMU_LOCAL void *emu_dpa_peek(uint64_t handle, enum emu_dpa_kind kind);
EMU_API void *emu_dpa_peek_short(uint32_t handle, enum emu_dpa_kind kind);

/* An element of the queue with the handle. lookup returns the queue and stores the sequence number. */
EMU_API uint64_t emu_dpa_element(uint64_t handle, uint32_t sequence);
EMU_API void *emu_dpa_lookup_element(struct emu_dpa_run *run, uint64_t element, enum emu_dpa_kind kind,
				     uint32_t *sequence);

/* Memory maps have handles of 32 bits. */
EMU_API uint32_t emu_dpa_handle_short(uint64_t handle);
EMU_API void *emu_dpa_lookup_short(struct emu_dpa_run *run, uint32_t handle, enum emu_dpa_kind kind);

#endif /* EMU_DPA_HANDLE_H_ */
