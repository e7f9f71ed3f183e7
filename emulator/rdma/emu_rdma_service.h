/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_SERVICE_H_
#define EMU_RDMA_SERVICE_H_

/*
 * The thread that serves all RDMA connections of the process, and the lock that it shares with the engines' threads.
 * It runs while a context runs, and sleeps when it has nothing to do.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/emulator.h"

EMU_LOCAL void emu_rdma_lock(void);
EMU_LOCAL void emu_rdma_unlock(void);

/* Starts the thread, unless it runs. Each hold that returned true needs one release. Called without the lock. False: it
 * cannot start; the log says why. */
EMU_LOCAL bool emu_rdma_service_hold(void);
EMU_LOCAL void emu_rdma_service_release(void);

/* All that follows is called with the lock. */

/* A descriptor that the thread watches. It begins a larger structure, which is freed when nobody uses it any more. */
struct emu_rdma_watch {
	struct emu_rdma_watch *next;
	struct emu_rdma_watch *prev;
	int fd;
	bool is_dead;
	uint64_t due; /* emu_clock_ns; 0: never */
	/* Called by the thread. events is 0 when the time has come. */
	void (*ready)(struct emu_rdma_watch *watch, uint32_t events);
	void (*free)(struct emu_rdma_watch *watch);
};

/* Begins to watch for input (EPOLLIN). False: the system refuses. */
EMU_LOCAL bool emu_rdma_watch(struct emu_rdma_watch *watch);
EMU_LOCAL void emu_rdma_watch_for(struct emu_rdma_watch *watch, uint32_t events);
/* When ready is to be called even without an event. */
EMU_LOCAL void emu_rdma_watch_until(struct emu_rdma_watch *watch, uint64_t due);
/* Closes the descriptor, and frees the structure later. */
EMU_LOCAL void emu_rdma_unwatch(struct emu_rdma_watch *watch);

/* Waits until a descriptor of a killed or slow peer may be closed: see emu_rdma_link.h. */
EMU_LOCAL void emu_rdma_service_linger(int change);

/* What the thread does besides, when somebody has asked for it: work is called with the lock, which it may release
 * meanwhile. Watches must not be touched in between. */
EMU_LOCAL void emu_rdma_service_on_work(void (*work)(void));
EMU_LOCAL void emu_rdma_service_ask(void);
/* The same without the lock, or with any lock. */
EMU_LOCAL void emu_rdma_service_poke(void);

/* Called in the child of a fork, which has none of the connections: forgets what there is. */
EMU_LOCAL void emu_rdma_service_on_fork(void (*forget)(void));

#endif /* EMU_RDMA_SERVICE_H_ */
