/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/emu_apart.h"
#include "core/emu_ctx.h"
#include "core/emu_log.h"
#include "core/emu_mmap.h"
#include "core/emu_notify.h"
#include "core/emu_task.h"
#include "emu_comch_conn.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_remote.h"
#include "emu_comch_wake.h"

static struct emu_comch_ids *ids_of(struct emu_comch_endpoint *endpoint)
{
	return endpoint->is_consumer ? &endpoint->conn->consumer_ids : &endpoint->conn->producer_ids;
}

/* True if the peer's device may write to the map. */
static bool mmap_is_fit(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
	return emu_mmap_is_usable(mmap) && mmap->import == NULL &&
	       (mmap->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0 && emu_mmap_has_dev(mmap, dev);
}

/* Called with the connection's lock. */
static bool has_room(const struct emu_comch_endpoint *endpoint)
{
	const struct doca_comch_connection *conn = endpoint->conn;
	uint32_t max = emu_comch_max_consumers();

	if (!endpoint->is_consumer)
		return true;
	if (max > conn->peer_max_consumers)
		max = conn->peer_max_consumers;
	if (conn->num_consumers < max)
		return true;
	EMU_LOG_ERR("Comch: the connection has %u consumers: the processes may not open more file descriptors (see "
		    "ulimit -n)",
		    conn->num_consumers);
	return false;
}

/* Checks the connection and the map, and gives the endpoint its id and device. */
static doca_error_t admit(struct emu_comch_endpoint *endpoint, const struct doca_mmap *mmap, struct doca_dev **dev)
{
	struct doca_comch_connection *conn = endpoint->conn;
	doca_error_t result = DOCA_SUCCESS;

	pthread_mutex_lock(&conn->lock);
	if (!emu_comch_conn_is_up(conn)) {
		result = DOCA_ERROR_BAD_STATE;
	} else {
		*dev = conn->ctrl->ctx.dev;
		if (endpoint->is_consumer && !mmap_is_fit(mmap, *dev))
			result = DOCA_ERROR_INVALID_VALUE;
		else if (!has_room(endpoint) ||
			 (endpoint->id = emu_comch_ids_take(ids_of(endpoint), EMU_COMCH_MAX_ENDPOINTS)) == 0)
			result = DOCA_ERROR_NO_MEMORY;
		else {
			conn->num_endpoints++;
			conn->num_consumers += endpoint->is_consumer;
		}
	}
	pthread_mutex_unlock(&conn->lock);
	return result;
}

static void expel(struct emu_comch_endpoint *endpoint)
{
	struct doca_comch_connection *conn = endpoint->conn;

	pthread_mutex_lock(&conn->lock);
	emu_comch_ids_put(ids_of(endpoint), endpoint->id);
	conn->num_endpoints--;
	conn->num_consumers -= endpoint->is_consumer;
	/* If this one has blocked a stop, the stop can go on. */
	if (conn->num_endpoints == 0 && conn->ctrl != NULL)
		emu_comch_wake(conn->ctrl);
	pthread_mutex_unlock(&conn->lock);
}

doca_error_t emu_comch_endpoint_new(size_t size, const struct emu_ctx_ops *ops,
				    struct doca_comch_connection *connection, const struct doca_mmap *mmap,
				    struct emu_comch_endpoint **endpoint)
{
	struct emu_comch_endpoint *made = emu_calloc_apart(size);
	struct doca_dev *dev;
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->is_consumer = mmap != NULL;
	made->wake_fd = made->peer_fds[0] = made->peer_fds[1] = -1;
	made->conn = emu_comch_conn_get(connection);
	if (made->conn == NULL) {
		free(made);
		return DOCA_ERROR_BAD_STATE;
	}
	result = admit(made, mmap, &dev);
	if (result == DOCA_SUCCESS) {
		result = emu_ctx_init(&made->ctx, ops, dev);
		if (result != DOCA_SUCCESS)
			expel(made);
	}
	if (result != DOCA_SUCCESS) {
		emu_comch_conn_unref(made->conn);
		free(made);
		return result;
	}
	*endpoint = made;
	return DOCA_SUCCESS;
}

doca_error_t emu_comch_endpoint_destroy(struct emu_comch_endpoint *endpoint)
{
	doca_error_t result = emu_ctx_fini(&endpoint->ctx);

	if (result != DOCA_SUCCESS)
		return result;
	expel(endpoint);
	emu_comch_conn_unref(endpoint->conn);
	emu_task_pool_destroy(&endpoint->pool);
	free(endpoint);
	return DOCA_SUCCESS;
}

doca_error_t emu_comch_endpoint_get_id(const struct emu_comch_endpoint *endpoint, uint32_t *id)
{
	if (endpoint == NULL || id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*id = endpoint->id;
	return DOCA_SUCCESS;
}

doca_error_t emu_comch_endpoint_set_num_tasks(struct emu_comch_endpoint *endpoint, uint32_t num)
{
	if (endpoint == NULL || num == 0 || num > EMU_COMCH_MAX_ENDPOINT_TASKS)
		return DOCA_ERROR_INVALID_VALUE;
	if (endpoint->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	endpoint->num_tasks = num;
	return DOCA_SUCCESS;
}

bool emu_comch_endpoint_open(struct emu_comch_endpoint *endpoint)
{
	return emu_comch_doorbell_new(&endpoint->wake_fd, &endpoint->peer_fds[0]) &&
	       emu_pe_add_fd(endpoint->ctx.pe, endpoint->wake_fd) == DOCA_SUCCESS;
}

bool emu_comch_endpoint_join(struct emu_comch_endpoint *endpoint)
{
	struct doca_comch_connection *conn = endpoint->conn;
	struct emu_comch_endpoint **at = &conn->endpoints;
	bool is_up;

	pthread_mutex_lock(&conn->lock);
	is_up = emu_comch_conn_is_up(conn);
	if (is_up) {
		while (*at != NULL) /* in the order of starts, which is that of the announcements */
			at = &(*at)->next;
		endpoint->next = NULL;
		*at = endpoint;
		if (endpoint->wants_announcement)
			emu_comch_wake(conn->ctrl);
	}
	pthread_mutex_unlock(&conn->lock);
	return is_up;
}

void emu_comch_endpoint_close(struct emu_comch_endpoint *endpoint)
{
	struct doca_comch_connection *conn = endpoint->conn;
	struct emu_comch_endpoint **at = &conn->endpoints;

	pthread_mutex_lock(&conn->lock);
	while (*at != NULL && *at != endpoint)
		at = &(*at)->next;
	if (*at != NULL)
		*at = endpoint->next;
	pthread_mutex_unlock(&conn->lock);
	if (endpoint->wake_fd >= 0) {
		emu_pe_remove_fd(endpoint->ctx.pe, endpoint->wake_fd);
		close(endpoint->wake_fd);
	}
	endpoint->wake_fd = -1;
	emu_comch_close_fds(endpoint->peer_fds, 2);
}

const void *emu_comch_endpoint_connection(const struct doca_task *task)
{
	return ((const struct emu_comch_endpoint *)task->ctx)->conn;
}

void emu_comch_endpoint_cut(struct doca_task *task)
{
	struct doca_comch_connection *conn = ((struct emu_comch_endpoint *)task->ctx)->conn;

	pthread_mutex_lock(&conn->lock);
	emu_comch_conn_cut(conn);
	pthread_mutex_unlock(&conn->lock);
}

bool emu_comch_endpoint_peer_is_gone(struct emu_comch_endpoint *endpoint)
{
	bool is_gone;

	pthread_mutex_lock(&endpoint->conn->lock);
	is_gone = emu_comch_conn_peer_is_gone(endpoint->conn);
	pthread_mutex_unlock(&endpoint->conn->lock);
	return is_gone;
}
