/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_apart.h"
#include "core/emu_clock.h"
#include "core/emu_dev.h"
#include "core/emu_log.h"

#include "emu_rdma.h"
#include "emu_rdma_conn.h"
#include "emu_rdma_hello.h"
#include "emu_rdma_link.h"
#include "emu_rdma_report.h"
#include "emu_rdma_request.h"
#include "emu_rdma_respond.h"

static struct doca_rdma *contexts;
static uint32_t last_id;

/* Contexts. */

void emu_rdma_conn_add_context(struct doca_rdma *rdma)
{
	rdma->next = contexts;
	contexts = rdma;
}

void emu_rdma_conn_remove_context(struct doca_rdma *rdma)
{
	struct doca_rdma **at = &contexts;

	while (*at != NULL && *at != rdma)
		at = &(*at)->next;
	if (*at != NULL)
		*at = rdma->next;
}

struct doca_rdma *emu_rdma_conn_contexts(void)
{
	return contexts;
}

/* Making a connection. */

static bool fill_random(uint8_t *bytes, size_t len)
{
	ssize_t n;

	do {
		n = getrandom(bytes, len, 0); /* of so few bytes it returns all */
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)len;
}

static bool can_be_reused(const struct doca_rdma_connection *conn)
{
	return conn->state == EMU_RDMA_CLOSED && conn->events == 0 && conn->sent.head == NULL &&
	       conn->unflushed.head == NULL;
}

doca_error_t emu_rdma_conn_new(struct doca_rdma *rdma, struct doca_rdma_connection **conn)
{
	struct doca_rdma_connection *found = NULL, *next;
	uint32_t num = 0, num_made = 0, id;

	for (struct doca_rdma_connection *one = rdma->conns; one != NULL; one = one->next) {
		if (can_be_reused(one))
			found = one; /* the oldest comes last */
		num += one->state != EMU_RDMA_CLOSED;
		num_made++;
	}
	if (num >= rdma->max_num_connections)
		return DOCA_ERROR_FULL;
	/* Code on a DPA uses the numbers from 0. */
	id = !emu_rdma_is_on_dpa(rdma) ? ++last_id : found != NULL ? found->id : num_made;
	if (found == NULL) {
		found = emu_calloc_apart(sizeof(*found));
		if (found == NULL)
			return DOCA_ERROR_NO_MEMORY;
		found->next = rdma->conns;
		rdma->conns = found;
	}
	next = found->next;
	*found = (struct doca_rdma_connection){.rdma = rdma, .next = next, .id = id, .expected = 1};
	if (!fill_random(found->key, sizeof(found->key))) {
		found->state = EMU_RDMA_CLOSED;
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
	*conn = found;
	return DOCA_SUCCESS;
}

void emu_rdma_conn_introduce(const struct doca_rdma_connection *conn, struct emu_rdma_hello *hello)
{
	emu_rdma_hello_init(hello);
	memcpy(hello->target, conn->peer_key, sizeof(hello->target));
	memcpy(hello->key, conn->key, sizeof(hello->key));
	hello->permissions = conn->rdma->permissions;
	hello->id = conn->id;
	memcpy(hello->ipv4, conn->rdma->ctx.dev->info.function->ipv4, sizeof(hello->ipv4));
}

static void send_hello(struct emu_rdma_link *link, uint8_t type, const struct emu_rdma_hello *hello)
{
	struct emu_rdma_frame frame = {.type = type, .len = sizeof(*hello)};

	emu_rdma_link_send(link, &frame, hello);
}

static void send_plain(struct emu_rdma_link *link, uint8_t type, uint16_t status)
{
	struct emu_rdma_frame frame = {.type = type, .status = status, .a = EMU_RDMA_VERSION};

	emu_rdma_link_send(link, &frame, NULL);
}

void emu_rdma_refuse(struct emu_rdma_link *link, enum emu_rdma_refusal why)
{
	send_plain(link, EMU_RDMA_REFUSE, (uint16_t)why);
	emu_rdma_link_close(link);
}

void emu_rdma_conn_go_on(struct doca_rdma_connection *conn)
{
	uint64_t due;

	if (conn->link == NULL)
		return;
	emu_rdma_link_flush(conn->link);
	due = emu_rdma_request_due(conn);
	if (conn->deadline != 0 && (due == 0 || conn->deadline < due))
		due = conn->deadline;
	emu_rdma_link_wake_at(conn->link, due);
}

static void establish(struct doca_rdma_connection *conn)
{
	conn->state = EMU_RDMA_ESTABLISHED;
	conn->was_established = true;
	conn->deadline = 0;
	conn->heard_at = emu_clock_ns();
	if (conn->is_by_address)
		conn->events |= EMU_RDMA_EVENT_ESTABLISHED;
	emu_rdma_notice(conn->rdma); /* tasks may have been submitted before */
	emu_rdma_conn_go_on(conn);
}

/* Ends. */

bool emu_rdma_conn_is_over(const struct doca_rdma_connection *conn)
{
	return conn->state == EMU_RDMA_LOST || conn->state == EMU_RDMA_DISCONNECTING || conn->state == EMU_RDMA_CLOSED;
}

static void drop_links(struct doca_rdma_connection *conn)
{
	if (conn->link != NULL && conn->is_copying) /* the peer takes the end of the socket for the end of that */
		conn->held_fd = fcntl(conn->link->watch.fd, F_DUPFD_CLOEXEC, 3);
	if (conn->link != NULL)
		emu_rdma_link_close(conn->link);
	if (conn->arrived != NULL)
		emu_rdma_link_close(conn->arrived);
	conn->link = NULL;
	conn->arrived = NULL;
	emu_rdma_respond_end(conn);
}

static bool has_other_connections(const struct doca_rdma_connection *conn)
{
	for (const struct doca_rdma_connection *one = conn->rdma->conns; one != NULL; one = one->next) {
		if (one != conn && !emu_rdma_conn_is_over(one))
			return true;
	}
	return false;
}

void emu_rdma_conn_lose(struct doca_rdma_connection *conn, bool is_abrupt)
{
	struct doca_rdma *rdma = conn->rdma;
	bool can_tell = rdma->ctx.pe != NULL && (conn->is_by_address || rdma->disconnection_cb != NULL);

	if (emu_rdma_conn_is_over(conn))
		return;
	drop_links(conn);
	conn->deadline = 0;
	conn->state = EMU_RDMA_LOST;
	if (conn->is_by_address && !conn->was_established) {
		conn->events = (conn->events & EMU_RDMA_EVENT_REQUEST) != 0 ? 0 : EMU_RDMA_EVENT_FAILURE;
		conn->state = EMU_RDMA_CLOSED;
	} else if (can_tell) {
		conn->events |= EMU_RDMA_EVENT_DISCONNECTED;
	} else if (is_abrupt && !has_other_connections(conn)) {
		rdma->is_lost = true;
	}
	emu_rdma_notice(rdma);
}

void emu_rdma_conn_end(struct doca_rdma_connection *conn)
{
	if (conn->link != NULL && conn->state != EMU_RDMA_CLOSED)
		send_plain(conn->link, EMU_RDMA_BYE, 0);
	if (conn->arrived != NULL)
		emu_rdma_refuse(conn->arrived, EMU_RDMA_NO_SUCH_CONNECTION);
	conn->arrived = NULL;
	drop_links(conn);
	conn->deadline = 0;
	conn->state = EMU_RDMA_CLOSED;
}

void emu_rdma_conn_has_copied(struct doca_rdma_connection *conn)
{
	conn->is_copying = false;
	if (conn->held_fd > 0)
		close(conn->held_fd);
	conn->held_fd = 0;
}

void emu_rdma_conn_cut(struct doca_rdma_connection *conn)
{
	if (conn->link != NULL)
		shutdown(conn->link->watch.fd, SHUT_RDWR); /* the thread notices */
}

/* Frames of a connection. */

static void explain_refusal(const struct emu_rdma_frame *frame)
{
	switch (frame->status) {
	case EMU_RDMA_OTHER_VERSION:
		EMU_LOG_ERR("rdma: the peer's emulator has protocol version %llu, this one has version %d: build both "
			    "programs with the same release",
			    (unsigned long long)frame->a, EMU_RDMA_VERSION);
		break;
	case EMU_RDMA_REJECTED:
		EMU_LOG_WARN("rdma: the peer has rejected the connection");
		break;
	case EMU_RDMA_IS_FULL:
		EMU_LOG_WARN("rdma: the peer has its maximum number of connections (doca_rdma_set_max_num_connections)");
		break;
	case EMU_RDMA_NOT_LISTENING:
		EMU_LOG_WARN("rdma: the peer has stopped to listen");
		break;
	default:
		EMU_LOG_ERR("rdma: the peer has no connection for these details: it has ended, or connects to another "
			    "peer");
	}
}

static bool handle_accept(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame, const uint8_t *payload)
{
	struct emu_rdma_hello hello;

	emu_rdma_hello_read(frame, payload, &hello);
	if (conn->state != EMU_RDMA_CONNECTING || !emu_rdma_hello_is_good(&hello) || !emu_rdma_is_equal_key(hello.target, conn->key) ||
	    (!conn->is_by_address && !emu_rdma_is_equal_key(hello.key, conn->peer_key)))
		return false;
	memcpy(conn->peer_key, hello.key, sizeof(conn->peer_key));
	conn->peer_permissions = hello.permissions;
	send_plain(conn->link, EMU_RDMA_CONFIRM, 0);
	establish(conn);
	return true;
}

static bool handle_refusal(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame)
{
	if (conn->state != EMU_RDMA_CONNECTING)
		return false;
	if (frame->status == EMU_RDMA_CROSSING && !conn->is_by_address) { /* the peer's HELLO is on its way */
		emu_rdma_link_close(conn->link);
		conn->link = NULL;
		return true;
	}
	explain_refusal(frame);
	emu_rdma_conn_lose(conn, true);
	return true;
}

static bool conn_frame(struct emu_rdma_link *link, const struct emu_rdma_frame *frame, const uint8_t *payload)
{
	struct doca_rdma_connection *conn = link->owner;
	bool is_good;

	switch (frame->type) {
	case EMU_RDMA_ACCEPT:
		return handle_accept(conn, frame, payload);
	case EMU_RDMA_REFUSE:
		return handle_refusal(conn, frame);
	case EMU_RDMA_CONFIRM:
		if (conn->state == EMU_RDMA_ACCEPTED)
			establish(conn);
		return true;
	case EMU_RDMA_BYE:
		emu_rdma_conn_lose(conn, false);
		return true;
	default:
		break;
	}
	if (conn->state != EMU_RDMA_ESTABLISHED)
		return false;
	is_good = frame->type >= EMU_RDMA_ACK ? emu_rdma_request_answered(conn, frame, payload) :
						emu_rdma_respond(conn, frame, payload);
	if (!is_good)
		return false;
	emu_rdma_conn_go_on(conn);
	if (conn->has_failed && conn->responses == NULL && frame->type < EMU_RDMA_ACK)
		emu_rdma_conn_lose(conn, true); /* a request of the peer has failed, and it knows */
	return true;
}

static size_t conn_produce(struct emu_rdma_link *link, uint8_t *at)
{
	struct doca_rdma_connection *conn = link->owner;
	size_t len = emu_rdma_respond_produce(conn, at);

	return len > 0 ? len : emu_rdma_request_produce(conn, at);
}

static void conn_timer(struct emu_rdma_link *link)
{
	struct doca_rdma_connection *conn = link->owner;

	if (conn->deadline != 0 && conn->deadline <= emu_clock_ns()) {
		EMU_LOG_WARN(conn->state == EMU_RDMA_ACCEPTED ? "rdma: the peer has not confirmed the connection in time" :
								"rdma: the peer has not answered the connection request in time");
		emu_rdma_conn_lose(conn, true);
	} else if (emu_rdma_request_timer(conn)) {
		EMU_LOG_ERR("rdma: the peer does not answer; is its process stopped?");
		emu_rdma_conn_lose(conn, true);
	} else {
		emu_rdma_conn_go_on(conn);
	}
}

static void conn_lost(struct emu_rdma_link *link)
{
	emu_rdma_conn_lose(link->owner, true);
}

static const struct emu_rdma_link_ops conn_ops = {conn_frame, conn_produce, conn_timer, conn_lost};

doca_error_t emu_rdma_conn_begin(struct doca_rdma_connection *conn, int fd, pid_t pid, bool is_network,
				 const struct emu_rdma_hello *hello)
{
	conn->link = emu_rdma_link_new(fd, pid, is_network, &conn_ops, conn);
	if (conn->link == NULL)
		return DOCA_ERROR_NO_MEMORY;
	conn->pid = is_network ? 0 : pid;
	conn->state = EMU_RDMA_CONNECTING;
	send_hello(conn->link, EMU_RDMA_HELLO, hello);
	emu_rdma_conn_go_on(conn);
	return DOCA_SUCCESS;
}

/* Accepting a peer. */

void emu_rdma_conn_take(struct doca_rdma_connection *conn, struct emu_rdma_link *link, uint32_t permissions)
{
	link->ops = &conn_ops;
	link->owner = conn;
	conn->link = link;
	conn->pid = link->is_network ? 0 : link->pid;
	conn->peer_permissions = permissions;
	emu_rdma_link_wake_at(link, 0);
}

static void send_accept(struct doca_rdma_connection *conn, const void *private_data, uint8_t len)
{
	struct emu_rdma_hello hello = {.private_len = len};

	emu_rdma_conn_introduce(conn, &hello);
	if (len > 0)
		memcpy(hello.private_data, private_data, len);
	send_hello(conn->link, EMU_RDMA_ACCEPT, &hello);
}

void emu_rdma_conn_accept_peer(struct doca_rdma_connection *conn, struct emu_rdma_link *link, uint32_t permissions)
{
	emu_rdma_conn_take(conn, link, permissions);
	send_accept(conn, NULL, 0);
	establish(conn);
}

bool emu_rdma_conn_adopt(struct doca_rdma_connection *conn)
{
	struct emu_rdma_link *link = conn->arrived;

	if (link == NULL)
		return false;
	conn->arrived = NULL;
	if (!emu_rdma_is_equal_key(conn->arrived_key, conn->peer_key)) {
		EMU_LOG_ERR("rdma: another peer than that of the connection details has connected; it is refused");
		emu_rdma_refuse(link, EMU_RDMA_NO_SUCH_CONNECTION);
		return false;
	}
	emu_rdma_conn_accept_peer(conn, link, conn->peer_permissions);
	return true;
}

void emu_rdma_conn_accept(struct doca_rdma_connection *conn, const void *private_data, uint8_t len)
{
	send_accept(conn, private_data, len);
	conn->state = EMU_RDMA_ACCEPTED;
	conn->deadline = emu_clock_ns() + conn->rdma->request_timeout * (EMU_NS_PER_S / 1000); /* for CONFIRM */
	emu_rdma_conn_go_on(conn);
}

void emu_rdma_conn_reject(struct doca_rdma_connection *conn)
{
	if (conn->link != NULL)
		emu_rdma_refuse(conn->link, EMU_RDMA_REJECTED);
	conn->link = NULL;
	conn->state = EMU_RDMA_CLOSED;
}

/* A peer whose connection has not been connected by the program waits. */

static bool arrived_frame(struct emu_rdma_link *link, const struct emu_rdma_frame *frame, const uint8_t *payload)
{
	(void)link;
	(void)frame;
	(void)payload;
	return false; /* it must wait for the answer; BYE ends it as well */
}

static size_t nothing(struct emu_rdma_link *link, uint8_t *at)
{
	(void)link;
	(void)at;
	return 0;
}

static void no_timer(struct emu_rdma_link *link)
{
	(void)link;
}

static void arrived_lost(struct emu_rdma_link *link)
{
	struct doca_rdma_connection *conn = link->owner;

	conn->arrived = NULL;
}

static const struct emu_rdma_link_ops arrived_ops = {arrived_frame, nothing, no_timer, arrived_lost};

void emu_rdma_conn_wait(struct doca_rdma_connection *conn, struct emu_rdma_link *link, const struct emu_rdma_hello *hello)
{
	link->ops = &arrived_ops;
	link->owner = conn;
	emu_rdma_link_wake_at(link, 0);
	conn->arrived = link;
	conn->peer_permissions = hello->permissions;
	memcpy(conn->arrived_key, hello->key, sizeof(conn->arrived_key));
}

void emu_rdma_conn_forget_all(void)
{
	contexts = NULL;
}
