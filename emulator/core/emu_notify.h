/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_NOTIFY_H_
#define EMU_NOTIFY_H_

/*
 * Notification of an engine: one epoll descriptor for the program. It watches an eventfd (something is pending), a
 * timerfd (a held task is due) and the descriptors of contexts that receive from other processes. It is readable
 * when one of them is, so the program may poll it or add it to an epoll descriptor of its own.
 */

#include <stdint.h>

#include <doca_error.h>

#include "emulator.h"

struct doca_pe;

EMU_LOCAL void emu_pe_notify_init(struct doca_pe *pe);
EMU_LOCAL void emu_pe_notify_fini(struct doca_pe *pe);
/* Creates the descriptors, unless they exist. Engines that are only polled never need them. */
EMU_LOCAL doca_error_t emu_pe_open_handle(struct doca_pe *pe);
/* Makes the handle unreadable and the engine not armed. */
EMU_LOCAL doca_error_t emu_pe_disarm(struct doca_pe *pe);

/* Makes the handle of an armed engine readable. For the engine's own thread. */
EMU_API void emu_pe_wake(struct doca_pe *pe);
EMU_LOCAL void emu_pe_wake_at(struct doca_pe *pe, uint64_t due);

/* Makes the engine check its contexts and their devices, and wakes it. Any thread may call this. */
EMU_API void emu_pe_signal(struct doca_pe *pe);

/* Adds a context's descriptor to the notification handle. It is readable when the context's progress has
 * something to do. OPERATING_SYSTEM: the system refused it. */
EMU_API doca_error_t emu_pe_add_fd(struct doca_pe *pe, int fd);
EMU_API void emu_pe_remove_fd(struct doca_pe *pe, int fd);

#endif /* EMU_NOTIFY_H_ */
