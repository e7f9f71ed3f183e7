/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_WATCH_H_
#define EMU_DPA_WATCH_H_

/*
 * Contexts of the host that must learn of a fatal error of the DPA: their engines may sleep.
 */

#include "core/emulator.h"

struct doca_dpa;

struct emu_dpa_watcher {
	struct doca_dpa *base; /* NULL: it does not watch */
	/* Runs on any thread, with locks held. */
	void (*failed)(struct emu_dpa_watcher *watcher);
	struct emu_dpa_watcher *next;
	struct emu_dpa_watcher *prev;
};

/* Begins to watch a context, which may have failed already. */
EMU_API void emu_dpa_watch(struct emu_dpa_watcher *watcher, struct doca_dpa *dpa);
/* Ends it. failed does not run afterwards. */
EMU_API void emu_dpa_unwatch(struct emu_dpa_watcher *watcher);

/* Calls the watchers of a base context. */
EMU_LOCAL void emu_dpa_watch_tell(struct doca_dpa *base);

#endif /* EMU_DPA_WATCH_H_ */
