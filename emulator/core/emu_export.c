/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <pthread.h>
#include <stdlib.h>

#include "emu_clock.h"
#include "emu_dev.h"
#include "emu_export.h"
#include "emu_export_serve.h"
#include "emu_export_table.h"
#include "emu_host.h"
#include "emu_remote.h"

/* Guards the start and stop of the service for other processes. Taken before the exports' lock. */
static pthread_mutex_t service_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t num_served; /* exports that are not drained yet; the service runs while there are any */

/* Forks. Afterwards, exports and imports belong to the parent, and the child has only a copy of them. The child
 * closes its copies of the sockets, so that the peers notice when the parent ends. */

static void before_fork(void)
{
	pthread_mutex_lock(&service_lock);
	emu_exports_lock();
	emu_remote_before_fork();
}

static void after_fork(void)
{
	emu_remote_after_fork();
	emu_exports_unlock();
	pthread_mutex_unlock(&service_lock);
}

static void in_child(void)
{
	emu_remote_forget_all();
	emu_remote_after_fork();
	emu_serve_forget();
	num_served = 0;
	emu_exports_forget();
	pthread_mutex_unlock(&service_lock);
}

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static bool knows_forks;

static void watch_forks(void)
{
	knows_forks = pthread_atfork(before_fork, after_fork, in_child) == 0;
}

void emu_export_watch_forks(void)
{
	pthread_once(&fork_once, watch_forks);
}

/* Names the process at its first export or import. */
static bool identify_process(void)
{
	pthread_once(&fork_once, watch_forks);
	return knows_forks && emu_exports_name_process();
}

/* Exports of this process. */

/* Called with the service's lock. */
static void end_service_if_unused(void)
{
	if (num_served == 0)
		emu_serve_stop();
}

doca_error_t emu_export_get(struct doca_mmap *mmap, const struct doca_dev *dev,
			    enum emu_export_kind kind, struct emu_export **export)
{
	doca_error_t result = DOCA_SUCCESS;
	struct emu_export *found;

	if (!identify_process())
		return DOCA_ERROR_DRIVER;
	pthread_mutex_lock(&service_lock);
	if (!emu_serve_start(emu_exports_process())) {
		pthread_mutex_unlock(&service_lock);
		return DOCA_ERROR_DRIVER;
	}
	emu_exports_lock();
	for (found = mmap->exports; found != NULL; found = found->next_of_mmap) {
		if (found->is_alive && found->dev == dev && found->desc.kind == kind)
			break;
	}
	if (found != NULL) {
		*export = found;
	} else {
		result = emu_export_add(mmap, dev, kind, export);
		num_served += result == DOCA_SUCCESS;
	}
	emu_exports_unlock();
	end_service_if_unused();
	pthread_mutex_unlock(&service_lock);
	return result;
}

doca_error_t emu_export_end_all(struct doca_mmap *mmap)
{
	struct emu_export **at = &mmap->exports, *export;
	doca_error_t result = DOCA_SUCCESS;
	size_t num_drained = 0;

	if (mmap->exports == NULL)
		return DOCA_SUCCESS;
	emu_exports_lock();
	while ((export = *at) != NULL) {
		if (!emu_export_is_own(&export->desc)) { /* after a fork */
			*at = export->next_of_mmap;
			emu_export_release(emu_export_unref_locked(export));
			continue;
		}
		if (export->is_alive) {
			emu_export_remove(export);
			export->is_alive = false;
			export->ended_at = emu_clock_ns();
			emu_serve_end(export);
		}
		at = &export->next_of_mmap;
	}
	emu_exports_unlock();
	at = &mmap->exports;
	while ((export = *at) != NULL) {
		if (!emu_serve_drain(export)) {
			result = DOCA_ERROR_IN_USE;
			at = &export->next_of_mmap;
			continue;
		}
		*at = export->next_of_mmap;
		emu_export_unref(export);
		num_drained++;
	}
	pthread_mutex_lock(&service_lock);
	num_served -= num_drained;
	end_service_if_unused();
	pthread_mutex_unlock(&service_lock);
	return result;
}

/* Imports. */

static doca_error_t find_remote(const struct emu_export_desc *desc, uint32_t port, struct emu_export **export)
{
	struct emu_export *made = calloc(1, sizeof(*made));
	struct emu_export_answer answer;
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_remote_open(desc, port, &made->remote, &answer);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	made->desc = *desc;
	made->addr = (uint8_t *)(uintptr_t)answer.addr;
	made->len = answer.len;
	made->permissions = answer.permissions;
	made->refcount = 1;
	made->is_alive = true;
	*export = made;
	return DOCA_SUCCESS;
}

/* An export of another host: whether it exists shows at the first access, as on hardware. */
static doca_error_t find_elsewhere(const struct emu_export_desc *desc, const struct emu_export_net *net,
				   struct emu_export **export)
{
	struct emu_export *made;

	if (net->addr == 0 || net->len == 0 || net->addr > UINTPTR_MAX || net->len > SIZE_MAX - net->addr)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->desc = *desc;
	made->net = *net;
	made->addr = (uint8_t *)(uintptr_t)net->addr;
	made->len = net->len;
	made->permissions = net->permissions;
	made->refcount = 1;
	made->is_alive = true;
	*export = made;
	return DOCA_SUCCESS;
}

doca_error_t emu_export_find(const void *desc, size_t desc_len, const struct emu_function *function,
			     bool is_event, struct emu_export **export)
{
	struct emu_export_desc wanted;
	struct emu_export_net net;
	doca_error_t result;
	bool is_own;

	result = emu_export_read_desc(desc, desc_len, &wanted, &net);
	if (result != DOCA_SUCCESS)
		return result;
	if ((wanted.kind == EMU_EXPORT_EVENT) != is_event)
		return DOCA_ERROR_INVALID_VALUE;
	if (!identify_process())
		return DOCA_ERROR_DRIVER;
	emu_exports_lock();
	is_own = emu_export_is_own(&wanted);
	result = is_own ? emu_export_admit(&wanted, function->port, export) : DOCA_SUCCESS;
	emu_exports_unlock();
	if (is_own)
		return result;
	if (wanted.kind == EMU_EXPORT_RDMA && !emu_host_is_this(net.host))
		return find_elsewhere(&wanted, &net, export);
	result = find_remote(&wanted, function->port, export);
	if (result == DOCA_SUCCESS && wanted.kind == EMU_EXPORT_RDMA)
		(*export)->net = net;
	return result;
}
