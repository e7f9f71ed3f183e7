/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
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
#include "emu_comch_remote.h"

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
		.max_consumers = emu_comch_max_consumers(),
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

/* Clients that have not said hello. */

/* How many there may be, in all and of one process, and for how long. One that must go although it meant well
 * connects again. */
#define MAX_SILENT 64
#define MAX_SILENT_OF_PROCESS 16
#define HELLO_NS (5 * EMU_NS_PER_S)

/* The most clients that are accepted at once. */
#define MAX_ACCEPTED 64

/* How long a server does not listen if it cannot even refuse clients. */
#define DEAF_NS (EMU_NS_PER_S / 10)

static bool has_said_something(const struct doca_comch_connection *conn)
{
	struct pollfd input = {.fd = conn->fd, .events = POLLIN};

	return poll(&input, 1, 0) > 0;
}

/* Drops the oldest one, if there are too many. */
static void limit_silence(struct emu_comch_ctrl *ctrl, pid_t pid)
{
	struct doca_comch_connection *oldest = NULL, *oldest_of_process = NULL;
	uint32_t num = 0, num_of_process = 0;

	if (ctrl->num_silent <= MAX_SILENT_OF_PROCESS)
		return;
	for (struct doca_comch_connection *conn = ctrl->conns; conn != NULL; conn = conn->next) {
		if (!conn->is_silent || conn->fd < 0 || has_said_something(conn))
			continue;
		num++;
		oldest = conn; /* the list begins with the newest */
		if (conn->peer_pid == pid) {
			num_of_process++;
			oldest_of_process = conn;
		}
	}
	if (num_of_process > MAX_SILENT_OF_PROCESS)
		oldest = oldest_of_process;
	else if (num <= MAX_SILENT)
		return;
	EMU_LOG_WARN("Comch: the server \"%s\" closes a connection of process %d, which has opened many and not said "
		     "what it wants",
		     ctrl->name, (int)oldest->peer_pid);
	emu_comch_ctrl_drop(oldest);
}

static void set_deaf(struct emu_comch_ctrl *ctrl, bool is_deaf)
{
	struct epoll_event event = {.events = is_deaf ? 0 : EPOLLIN, .data.ptr = &ctrl->listen_fd};

	ctrl->is_deaf = is_deaf;
	epoll_ctl(ctrl->epoll_fd, EPOLL_CTL_MOD, ctrl->listen_fd, &event);
}

void emu_comch_connect_spare(struct emu_comch_ctrl *ctrl)
{
	if (ctrl->spare_fd < 0)
		ctrl->spare_fd = fcntl(ctrl->timer_fd, F_DUPFD_CLOEXEC, 0);
}

void emu_comch_connect_time_out(struct emu_comch_ctrl *ctrl, uint64_t now)
{
	if (ctrl->is_deaf && ctrl->listen_fd >= 0) {
		emu_comch_connect_spare(ctrl);
		set_deaf(ctrl, false);
	}
	for (struct doca_comch_connection *conn = ctrl->conns; conn != NULL; conn = conn->next) {
		if (!conn->is_silent || conn->fd < 0)
			continue;
		if (now < conn->give_up_at) {
			emu_comch_ctrl_set_timer(ctrl, conn->give_up_at);
			continue;
		}
		if (has_said_something(conn))
			continue;
		EMU_LOG_WARN("Comch: the server \"%s\" closes a connection of process %d, which has not said what it "
			     "wants; is it stopped?",
			     ctrl->name, (int)conn->peer_pid);
		emu_comch_ctrl_drop(conn);
	}
}

/* Refusing clients. */

#define MAX_OBJECTION 200

struct refusal {
	uint32_t len;
	char bytes[MAX_OBJECTION + sizeof(uint32_t)];
};

/* Without a code (SUCCESS), the client's program learns no reason. */
static struct refusal refusal_new(const char *why, doca_error_t code)
{
	const uint32_t number = (uint32_t)code;
	struct refusal refusal = {.len = (uint32_t)strnlen(why, MAX_OBJECTION - 1) + 1};

	memcpy(refusal.bytes, why, refusal.len - 1);
	memcpy(refusal.bytes + refusal.len, &number, sizeof(number));
	refusal.len += sizeof(number);
	return refusal;
}

/* Returns the code of a refusal. */
static doca_error_t refusal_code(const uint8_t *bytes, size_t len)
{
	const uint8_t *end = memchr(bytes, '\0', len);
	uint32_t number;

	if (end == NULL || len - (size_t)(end + 1 - bytes) < sizeof(number))
		return DOCA_SUCCESS;
	memcpy(&number, end + 1, sizeof(number));
	return number == DOCA_ERROR_FULL || number == DOCA_ERROR_TOO_BIG || number == DOCA_ERROR_UNSUPPORTED_VERSION ?
		       (doca_error_t)number :
		       DOCA_SUCCESS;
}

/* Accepting clients. */

/* Refuses a client with the descriptor that is kept for this. False: there is none. */
static bool refuse_for_want(struct emu_comch_ctrl *ctrl)
{
	static const char why[] = "the server has no file descriptor left (see ulimit -n)";
	struct refusal refusal = refusal_new(why, DOCA_ERROR_FULL);
	struct emu_comch_frame frame = {.type = EMU_COMCH_REFUSE, .len = refusal.len};
	struct iovec iov[2] = {{&frame, sizeof(frame)}, {refusal.bytes, refusal.len}};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};
	int fd;

	if (ctrl->spare_fd < 0)
		return false;
	close(ctrl->spare_fd);
	ctrl->spare_fd = -1;
	fd = accept4(ctrl->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0) {
		EMU_LOG_WARN("Comch: the server \"%s\" refused a client: %s", ctrl->name, why);
		(void)sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
		close(fd);
	}
	emu_comch_connect_spare(ctrl);
	return fd >= 0;
}

static bool accept_one(struct emu_comch_ctrl *ctrl, int fd)
{
	struct doca_comch_connection *conn;
	pid_t pid;

	if (!emu_peer_is_ours(fd, &pid)) {
		EMU_LOG_WARN("Comch: the server \"%s\" refused a client of another user", ctrl->name);
		close(fd);
		return true;
	}
	conn = emu_comch_conn_new(ctrl, fd);
	if (conn == NULL) {
		close(fd);
		return false;
	}
	conn->peer_pid = pid;
	conn->is_silent = true;
	ctrl->num_silent++;
	if (!emu_comch_ctrl_add_fd(ctrl, fd, conn)) {
		emu_comch_ctrl_drop(conn);
		return true;
	}
	conn->give_up_at = emu_clock_ns() + HELLO_NS;
	emu_comch_ctrl_set_timer(ctrl, conn->give_up_at);
	limit_silence(ctrl, pid);
	return true;
}

void emu_comch_connect_accept(struct emu_comch_ctrl *ctrl)
{
	for (int i = 0; i < MAX_ACCEPTED; i++) {
		int fd = accept4(ctrl->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			if (!accept_one(ctrl, fd))
				return;
			continue;
		}
		if (errno == ECONNABORTED || errno == EINTR)
			continue;
		if (errno == EAGAIN)
			return;
		if ((errno == EMFILE || errno == ENFILE) && refuse_for_want(ctrl))
			continue;
		set_deaf(ctrl, true); /* otherwise the engine could not sleep */
		emu_comch_ctrl_set_timer(ctrl, emu_clock_ns() + DEAF_NS);
		return;
	}
}

/* Says why a client cannot be served, and the code for it. False: it can. */
static bool objects(const struct emu_comch_ctrl *ctrl, const struct emu_comch_hello *hello, size_t len,
		    char why[MAX_OBJECTION], doca_error_t *code)
{
	const char *text = NULL;

	*code = DOCA_SUCCESS;
	if (len >= sizeof(hello->version) && hello->version != EMU_COMCH_VERSION) {
		snprintf(why, MAX_OBJECTION,
			 "its emulator has version %u of the protocol, the server's has version %d: build both programs "
			 "with the same release",
			 hello->version, EMU_COMCH_VERSION);
		*code = DOCA_ERROR_UNSUPPORTED_VERSION;
		return true;
	}
	if (len < sizeof(*hello)) {
		text = "its first message is damaged";
	} else if (memcmp(hello->name, ctrl->name, sizeof(hello->name)) != 0) {
		text = "it looks for a server with another name";
	} else if (hello->max_msg_size != ctrl->max_msg_size) {
		text = "client and server have different maximum message sizes";
		*code = DOCA_ERROR_TOO_BIG;
	} else if (ctrl->num_conns - ctrl->num_silent > EMU_COMCH_MAX_CLIENTS) {
		text = "the server has no room for another client";
		*code = DOCA_ERROR_FULL;
	}
	if (text != NULL)
		snprintf(why, MAX_OBJECTION, "%s", text);
	return text != NULL;
}

static void send_refusal(struct doca_comch_connection *conn, const char *why, doca_error_t code)
{
	struct refusal refusal = refusal_new(why, code);
	struct emu_comch_out out = {.type = EMU_COMCH_REFUSE, .len = refusal.len, .bytes = refusal.bytes};

	pthread_mutex_lock(&conn->lock);
	conn->out = NULL;
	emu_comch_push(conn, &out);
	conn->out = NULL; /* a client that does not read this notices that the socket closes */
	emu_comch_conn_drop(conn);
	pthread_mutex_unlock(&conn->lock);
}

bool emu_comch_connect_hello(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len)
{
	const struct emu_comch_hello *hello = (const struct emu_comch_hello *)(const void *)ctrl->recv_buf;
	char why[MAX_OBJECTION];
	doca_error_t code;
	bool was_rejected;

	conn->is_silent = false;
	ctrl->num_silent--;
	if (objects(ctrl, hello, len, why, &code)) {
		EMU_LOG_WARN("Comch: the server \"%s\" refused a client: %s", ctrl->name, why);
		send_refusal(conn, why, code);
		ctrl->connect_cb(NULL, conn, 0);
		return true;
	}
	pthread_mutex_lock(&conn->lock);
	conn->peer_queue_size = hello->recv_queue_size;
	conn->peer_max_consumers = hello->max_consumers;
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
		send_refusal(conn, "the server has rejected the connection", DOCA_SUCCESS);
	return true;
}

bool emu_comch_connect_accepted(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len)
{
	const struct emu_comch_hello *hello = (const struct emu_comch_hello *)(const void *)ctrl->recv_buf;

	if (len >= sizeof(hello->version) && hello->version != EMU_COMCH_VERSION) {
		EMU_LOG_ERR("Comch: the server \"%s\" has version %u of the emulator's protocol, this client has version "
			    "%d: build both programs with the same release",
			    ctrl->name, hello->version, EMU_COMCH_VERSION);
		ctrl->start_error = DOCA_ERROR_UNSUPPORTED_VERSION;
	}
	if (len < sizeof(*hello) || hello->version != EMU_COMCH_VERSION)
		return emu_comch_ctrl_peer_ended(ctrl, conn, false);
	pthread_mutex_lock(&conn->lock);
	conn->peer_queue_size = hello->recv_queue_size;
	conn->peer_max_consumers = hello->max_consumers;
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
	ctrl->start_error = refusal_code(ctrl->recv_buf, len);
	emu_comch_ctrl_drop(conn);
	emu_ctx_start_failed(&ctrl->ctx);
	return true;
}
