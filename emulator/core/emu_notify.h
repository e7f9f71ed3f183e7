/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_NOTIFY_H_
#define EMU_NOTIFY_H_

/*
 * Notification of an engine: one epoll descriptor for the program, which holds an eventfd (something is
 * pending), a timerfd (a held task comes due) and the descriptors of contexts that hear from other
 * processes. Readiness follows from theirs, so the program may poll it or add it to an epoll of its own.
 */

#include <stdint.h>

#include <doca_error.h>

#include "emulator.h"

struct doca_pe;

EMU_LOCAL void emu_pe_notify_init(struct doca_pe *pe);
EMU_LOCAL void emu_pe_notify_fini(struct doca_pe *pe);
/* Many engines are only ever polled: the descriptors are made when the first call wants them. */
EMU_LOCAL doca_error_t emu_pe_open_handle(struct doca_pe *pe);
/* The handle is not readable any more, and the engine not armed. */
EMU_LOCAL doca_error_t emu_pe_disarm(struct doca_pe *pe);

/* Makes the handle of an armed engine readable; for the engine's own thread. */
EMU_API void emu_pe_wake(struct doca_pe *pe);
EMU_LOCAL void emu_pe_wake_at(struct doca_pe *pe, uint64_t due);

/* Asks the engine, from any thread, to check its contexts' devices, and wakes it. */
EMU_LOCAL void emu_pe_signal(struct doca_pe *pe);

/* Adds a descriptor of a context to the notification handle: readable means that the context's progress
 * has something to do. OPERATING_SYSTEM when that fails. */
EMU_API doca_error_t emu_pe_add_fd(struct doca_pe *pe, int fd);
EMU_API void emu_pe_remove_fd(struct doca_pe *pe, int fd);

#endif /* EMU_NOTIFY_H_ */
