/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <pthread.h>

#include "emu_dpa.h"
#include "emu_dpa_watch.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct emu_dpa_watcher *watchers;

void emu_dpa_watch(struct emu_dpa_watcher *watcher, struct doca_dpa *dpa)
{
	pthread_mutex_lock(&lock);
	watcher->base = dpa->base;
	watcher->prev = NULL;
	watcher->next = watchers;
	if (watchers != NULL)
		watchers->prev = watcher;
	watchers = watcher;
	pthread_mutex_unlock(&lock);
}

void emu_dpa_unwatch(struct emu_dpa_watcher *watcher)
{
	pthread_mutex_lock(&lock);
	if (watcher->base != NULL) {
		if (watcher->prev != NULL)
			watcher->prev->next = watcher->next;
		else
			watchers = watcher->next;
		if (watcher->next != NULL)
			watcher->next->prev = watcher->prev;
		watcher->base = NULL;
	}
	pthread_mutex_unlock(&lock);
}

void emu_dpa_watch_tell(struct doca_dpa *base)
{
	pthread_mutex_lock(&lock);
	for (struct emu_dpa_watcher *watcher = watchers; watcher != NULL; watcher = watcher->next) {
		if (watcher->base == base)
			watcher->failed(watcher);
	}
	pthread_mutex_unlock(&lock);
}
