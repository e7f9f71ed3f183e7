/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_clock.h"
#include "core/emu_ctx.h"
#include "core/emu_log.h"
#include "core/emu_peer.h"
#include "emu_comch_conn.h"
#include "emu_comch_connect.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_dir.h"
#include "emu_comch_frame.h"

/* How often a client tries to connect, and for how long, unless DOCA_EMU_COMCH_CONNECT_TIMEOUT gives another
 * number of milliseconds: its server may be starting, too. */
#define RETRY_NS (10 * EMU_NS_PER_S / 1000)
#define CONNECT_TIMEOUT_MS 2000
#define MAX_CONNECT_TIMEOUT_MS (UINT64_C(1) << 40)

uint64_t emu_comch_connect_deadline(void)
{
	const char *text = getenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT");
	uint64_t ms = CONNECT_TIMEOUT_MS;

	if (text != NULL && text[0] >= '0' && text[0] <= '9') {
		char *end;
		uint64_t given = strtoull(text, &end, 10);

		if (*end == '\0')
			ms = given < MAX_CONNECT_TIMEOUT_MS ? given : MAX_CONNECT_TIMEOUT_MS;
	}
	return emu_clock_ns() + ms * (EMU_NS_PER_S / 1000);
}

static void greet(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, enum emu_comch_frame_type type)
{
	conn->hello = (struct emu_comch_hello){
		.version = EMU_COMCH_VERSION,
		.max_msg_size = ctrl->max_msg_size,
		.recv_queue_size = ctrl->recv_queue_size,
	};
	memcpy(conn->hello.name, ctrl->name, sizeof(conn->hello.name));
	conn->hello_out = (struct emu_comch_out){.type = type, .len = sizeof(conn->hello), .bytes = &conn->hello};
	emu_comch_push(conn, &conn->hello_out);
}

/* True if the server may appear, or have time for this client, later. */
static bool is_temporary(int error)
{
	return error == ENOENT || error == ECONNREFUSED || error == EAGAIN;
}

doca_error_t emu_comch_connect_try(struct emu_comch_ctrl *ctrl)
{
	struct doca_comch_connection *conn = ctrl->conns;
	int fd = emu_comch_dir_connect(ctrl->function, ctrl->name);

	if (fd < 0 && is_temporary(-fd)) {
		emu_comch_ctrl_set_timer(ctrl, emu_clock_ns() + RETRY_NS);
		return DOCA_SUCCESS;
	}
	if (fd < 0) {
		EMU_LOG_ERR("Comch: the client of \"%s\" cannot look for its server: %s", ctrl->name, strerror(-fd));
		return DOCA_ERROR_DRIVER;
	}
	if (!emu_peer_is_ours(fd, &conn->peer_pid)) {
		EMU_LOG_ERR("Comch: the server \"%s\" belongs to another user", ctrl->name);
		close(fd);
		return DOCA_ERROR_DRIVER;
	}
	if (!emu_comch_ctrl_add_fd(ctrl, fd, conn)) {
		EMU_LOG_ERR("Comch: the client of \"%s\" cannot wait for its server: %s", ctrl->name, strerror(errno));
		close(fd);
		return DOCA_ERROR_DRIVER;
	}
	pthread_mutex_lock(&conn->lock);
	conn->fd = fd;
	emu_comch_conn_set_state(conn, EMU_COMCH_GREETED);
	greet(ctrl, conn, EMU_COMCH_HELLO);
	pthread_mutex_unlock(&conn->lock);
	return DOCA_SUCCESS;
}

bool emu_comch_connect_again(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn)
{
	uint64_t now = emu_clock_ns();

	if (emu_comch_conn_state(conn) != EMU_COMCH_GREETED || now >= conn->give_up_at)
		return false;
	pthread_mutex_lock(&conn->lock);
	emu_comch_conn_close(conn);
	conn->out = NULL; /* it has only the HELLO */
	conn->is_broken = conn->watches_output = false;
	emu_comch_conn_set_state(conn, EMU_COMCH_CONNECTING);
	pthread_mutex_unlock(&conn->lock);
	emu_comch_ctrl_set_timer(ctrl, now + RETRY_NS);
	return true;
}

void emu_comch_connect_accept(struct emu_comch_ctrl *ctrl)
{
	int fd;

	while ((fd = accept4(ctrl->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct doca_comch_connection *conn;
		pid_t pid;

		if (!emu_peer_is_ours(fd, &pid)) {
			EMU_LOG_WARN("Comch: the server \"%s\" refused a client of another user", ctrl->name);
			close(fd);
			continue;
		}
		conn = emu_comch_conn_new(ctrl, fd);
		if (conn == NULL) {
			close(fd);
			return;
		}
		conn->peer_pid = pid;
		if (!emu_comch_ctrl_add_fd(ctrl, fd, conn))
			emu_comch_ctrl_drop(conn);
	}
}

/* Returns why a client cannot be served, or NULL if it can. */
static const char *objection(const struct emu_comch_ctrl *ctrl, const struct emu_comch_hello *hello, size_t len)
{
	if (len != sizeof(*hello) || hello->version != EMU_COMCH_VERSION)
		return "it uses another version of the protocol";
	if (memcmp(hello->name, ctrl->name, sizeof(hello->name)) != 0)
		return "it looks for a server with another name";
	if (hello->max_msg_size != ctrl->max_msg_size)
		return "client and server have different maximum message sizes";
	if (ctrl->num_conns > EMU_COMCH_MAX_CLIENTS)
		return "the server has no room for another client";
	return NULL;
}

static void send_refusal(struct doca_comch_connection *conn, const char *why)
{
	struct emu_comch_out refusal = {.type = EMU_COMCH_REFUSE, .len = (uint32_t)strlen(why), .bytes = why};

	pthread_mutex_lock(&conn->lock);
	conn->out = NULL;
	emu_comch_push(conn, &refusal);
	conn->out = NULL; /* a client that does not read this notices that the socket closes */
	emu_comch_conn_drop(conn);
	pthread_mutex_unlock(&conn->lock);
}

bool emu_comch_connect_hello(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len)
{
	const struct emu_comch_hello *hello = (const struct emu_comch_hello *)(const void *)ctrl->recv_buf;
	const char *why = objection(ctrl, hello, len);
	bool was_rejected;

	if (why != NULL) {
		EMU_LOG_WARN("Comch: the server \"%s\" refused a client: %s", ctrl->name, why);
		send_refusal(conn, why);
		ctrl->connect_cb(NULL, conn, 0);
		return true;
	}
	pthread_mutex_lock(&conn->lock);
	conn->peer_queue_size = hello->recv_queue_size;
	emu_comch_conn_set_state(conn, EMU_COMCH_ESTABLISHED);
	conn->is_held = true; /* the callback may reject the client, which must not see a connection then */
	greet(ctrl, conn, EMU_COMCH_ACCEPT);
	pthread_mutex_unlock(&conn->lock);

	conn->was_reported = true;
	ctrl->connect_cb(NULL, conn, 1);

	pthread_mutex_lock(&conn->lock);
	conn->is_held = false;
	was_rejected = emu_comch_conn_state(conn) == EMU_COMCH_CLOSING && conn->hello_out.next == &conn->end_out;
	if (!was_rejected) {
		emu_comch_flush(conn);
		emu_comch_ctrl_finish_closing(conn);
	}
	pthread_mutex_unlock(&conn->lock);
	if (was_rejected)
		send_refusal(conn, "the server has rejected the connection");
	return true;
}

bool emu_comch_connect_accepted(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len)
{
	const struct emu_comch_hello *hello = (const struct emu_comch_hello *)(const void *)ctrl->recv_buf;

	if (len != sizeof(*hello))
		return emu_comch_ctrl_peer_ended(ctrl, conn, false);
	pthread_mutex_lock(&conn->lock);
	conn->peer_queue_size = hello->recv_queue_size;
	emu_comch_conn_set_state(conn, EMU_COMCH_ESTABLISHED);
	pthread_mutex_unlock(&conn->lock);
	if (ctrl->ctx.start_is_lost)
		return false;
	emu_ctx_started(&ctrl->ctx);
	return true;
}

bool emu_comch_connect_refused(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len)
{
	EMU_LOG_ERR("Comch: the server \"%s\" refused the connection: %.*s", ctrl->name, (int)len,
		    (const char *)ctrl->recv_buf);
	emu_comch_ctrl_drop(conn);
	emu_ctx_start_failed(&ctrl->ctx);
	return true;
}
