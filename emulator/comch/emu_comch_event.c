/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/emu_log.h"
#include "core/emu_notify.h"
#include "emu_comch_conn.h"
#include "emu_comch_connect.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_event.h"
#include "emu_comch_frame.h"
#include "emu_comch_producer.h"
#include "emu_comch_remote.h"

static enum emu_comch_received message(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, uint32_t len)
{
	pthread_mutex_lock(&conn->lock);
	conn->counters[DOCA_COMCH_COUNTER_RECV_MESSAGES]++;
	conn->counters[DOCA_COMCH_COUNTER_RECV_BYTES] += len;
	pthread_mutex_unlock(&conn->lock);

	ctrl->msg_recv_cb(NULL, ctrl->recv_buf, len, conn);

	pthread_mutex_lock(&conn->lock);
	conn->delivered++;
	emu_comch_flush(conn);
	pthread_mutex_unlock(&conn->lock);
	return EMU_COMCH_MESSAGE;
}

static enum emu_comch_received visible_if(bool is_visible)
{
	return is_visible ? EMU_COMCH_VISIBLE : EMU_COMCH_INVISIBLE;
}

/* The most refusals that wait for a peer to read them. */
#define MAX_REFUSALS 64

struct refusal {
	struct emu_comch_out out;
	uint32_t id;
};

/* Tells the peer that its consumer cannot be used. False: the peer does not want to know. */
static bool refuse_consumer(struct doca_comch_connection *conn, uint32_t id)
{
	struct refusal *refusal = calloc(1, sizeof(*refusal));
	bool has_room;

	if (refusal == NULL)
		return true;
	*refusal = (struct refusal){
		.out = {.type = EMU_COMCH_CONSUMER_REFUSED, .len = sizeof(id), .bytes = &refusal->id, .is_freed = true},
		.id = id,
	};
	pthread_mutex_lock(&conn->lock);
	has_room = conn->num_refusals < MAX_REFUSALS && emu_comch_conn_is_up(conn);
	if (has_room) {
		conn->num_refusals++;
		emu_comch_push(conn, &refusal->out);
	}
	pthread_mutex_unlock(&conn->lock);
	if (!has_room)
		free(refusal);
	return has_room;
}

static void consumer_refused(struct doca_comch_connection *conn, uint32_t id)
{
	pthread_mutex_lock(&conn->lock);
	for (struct emu_comch_endpoint *endpoint = conn->endpoints; endpoint != NULL; endpoint = endpoint->next) {
		if (!endpoint->is_consumer || endpoint->id != id)
			continue;
		__atomic_store_n(&endpoint->is_refused, true, __ATOMIC_RELEASE);
		emu_pe_signal(endpoint->ctx.pe);
	}
	pthread_mutex_unlock(&conn->lock);
}

static bool consumer_new(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len, int fds[EMU_COMCH_MAX_FDS])
{
	struct emu_comch_announce announce = {.id = 0};
	struct emu_comch_remote *remote = NULL, *known;
	uint32_t id;

	memcpy(&announce, ctrl->recv_buf, len < sizeof(announce) ? len : sizeof(announce));
	id = announce.id;
	/* The peer knows how many it may have. */
	if (len < EMU_COMCH_ANNOUNCE_MIN || conn->num_remotes >= conn->hello.max_consumers) {
		EMU_LOG_ERR("Comch: \"%s\": the peer announced a consumer in a wrong way, or too many", ctrl->name);
		return emu_comch_ctrl_peer_ended(ctrl, conn, false);
	}
	if (fds[0] < 0 || fds[1] < 0 || !emu_comch_remote_has_room())
		EMU_LOG_ERR("Comch: \"%s\": cannot use a consumer of the peer: this process may not open more file "
			    "descriptors (see ulimit -n)",
			    ctrl->name);
	else if ((remote = emu_comch_remote_new(&announce, fds)) == NULL)
		EMU_LOG_ERR("Comch: \"%s\": the peer announced a consumer that cannot be used", ctrl->name);
	if (remote == NULL)
		return !refuse_consumer(conn, id) && emu_comch_ctrl_peer_ended(ctrl, conn, false);
	fds[0] = fds[1] = -1;
	pthread_mutex_lock(&conn->lock);
	known = emu_comch_conn_find_remote(conn, id);
	if (known == NULL) {
		remote->next = conn->remotes;
		conn->remotes = remote;
		conn->num_remotes++;
	}
	pthread_mutex_unlock(&conn->lock);
	if (known != NULL) {
		emu_comch_remote_unref(known);
		emu_comch_remote_unref(remote);
		return emu_comch_ctrl_peer_ended(ctrl, conn, false);
	}
	if (ctrl->new_consumer_cb == NULL)
		return false;
	ctrl->new_consumer_cb(NULL, conn, id);
	return true;
}

static bool consumer_expired(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len)
{
	struct emu_comch_remote **at, *remote;
	uint32_t id;

	if (len < sizeof(id))
		return false;
	memcpy(&id, ctrl->recv_buf, sizeof(id));
	if (ctrl->expired_consumer_cb != NULL) {
		emu_comch_producer_finish(&ctrl->ctx, conn);
		if (!emu_comch_conn_is_up(conn)) /* a callback has ended the connection */
			return true;
	}
	pthread_mutex_lock(&conn->lock);
	at = &conn->remotes;
	while (*at != NULL && (*at)->id != id)
		at = &(*at)->next;
	remote = *at;
	if (remote != NULL) {
		*at = remote->next;
		conn->num_remotes--;
	}
	pthread_mutex_unlock(&conn->lock);
	if (remote == NULL)
		return false;
	__atomic_store_n(&remote->expired, true, __ATOMIC_RELEASE);
	emu_comch_remote_unref(remote);
	if (ctrl->expired_consumer_cb == NULL)
		return false;
	ctrl->expired_consumer_cb(NULL, conn, id);
	return true;
}

static enum emu_comch_received established_frame(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn,
						 const struct emu_comch_frame *frame, int fds[EMU_COMCH_MAX_FDS])
{
	uint32_t id;

	pthread_mutex_lock(&conn->lock);
	emu_comch_hear_credit(conn, frame->delivered);
	pthread_mutex_unlock(&conn->lock);
	switch (frame->type) {
	case EMU_COMCH_CREDIT:
		return EMU_COMCH_INVISIBLE;
	case EMU_COMCH_MSG:
		if (frame->len > ctrl->max_msg_size)
			break;
		return message(ctrl, conn, frame->len);
	case EMU_COMCH_CONSUMER_NEW:
		return visible_if(consumer_new(ctrl, conn, frame->len, fds));
	case EMU_COMCH_CONSUMER_EXPIRED:
		return visible_if(consumer_expired(ctrl, conn, frame->len));
	case EMU_COMCH_CONSUMER_REFUSED:
		if (frame->len < sizeof(id))
			break;
		memcpy(&id, ctrl->recv_buf, sizeof(id));
		consumer_refused(conn, id);
		return EMU_COMCH_INVISIBLE;
	case EMU_COMCH_DISCONNECT:
		return visible_if(emu_comch_ctrl_peer_ended(ctrl, conn, true));
	default:
		if (frame->type & EMU_COMCH_OPTIONAL)
			return EMU_COMCH_INVISIBLE;
	}
	EMU_LOG_ERR("Comch: \"%s\": the peer sent an invalid frame", ctrl->name);
	return visible_if(emu_comch_ctrl_peer_ended(ctrl, conn, false));
}

enum emu_comch_received emu_comch_receive(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn)
{
	struct emu_comch_frame frame;
	enum emu_comch_received received = EMU_COMCH_INVISIBLE;
	int fds[EMU_COMCH_MAX_FDS];
	ssize_t n;

	if (conn->fd < 0)
		return EMU_COMCH_NO_FRAME;
	n = emu_comch_recv(conn->fd, &frame, ctrl->recv_buf, emu_comch_recv_size(ctrl), fds);
	if (n == -EAGAIN)
		return EMU_COMCH_NO_FRAME;
	if (n == -EPROTO)
		EMU_LOG_ERR("Comch: \"%s\": the peer sent an invalid frame", ctrl->name);
	else if (n <= 0 && emu_comch_connect_again(ctrl, conn))
		return EMU_COMCH_NO_FRAME;
	if (n <= 0)
		return visible_if(emu_comch_ctrl_peer_ended(ctrl, conn, false));
	switch (emu_comch_conn_state(conn)) {
	case EMU_COMCH_ESTABLISHED:
		received = established_frame(ctrl, conn, &frame, fds);
		break;
	case EMU_COMCH_CONNECTING:
		received = visible_if(frame.type == EMU_COMCH_HELLO ? emu_comch_connect_hello(ctrl, conn, frame.len) :
								      emu_comch_ctrl_peer_ended(ctrl, conn, false));
		break;
	case EMU_COMCH_GREETED:
		received = visible_if(frame.type == EMU_COMCH_ACCEPT ? emu_comch_connect_accepted(ctrl, conn, frame.len) :
				      frame.type == EMU_COMCH_REFUSE ? emu_comch_connect_refused(ctrl, conn, frame.len) :
								       emu_comch_ctrl_peer_ended(ctrl, conn, false));
		break;
	default: /* this side is ending the connection and ignores frames */
		break;
	}
	emu_comch_close_fds(fds, EMU_COMCH_MAX_FDS);
	return received;
}
