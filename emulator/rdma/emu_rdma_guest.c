/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_clock.h"
#include "core/emu_log.h"

#include "emu_rdma.h"
#include "emu_rdma_addr.h"
#include "emu_rdma_conn.h"
#include "emu_rdma_guest.h"
#include "emu_rdma_hello.h"
#include "emu_rdma_link.h"
#include "emu_rdma_report.h"

/* How long they may take, and how many there may be. */
#define HELLO_NS (5 * EMU_NS_PER_S)
#define MAX_GUESTS 64

struct guest {
	struct guest *next;
	struct emu_rdma_link *link;
	struct doca_rdma *listening; /* NULL: it did not come to a port */
	uint16_t port;
};

static struct guest *guests; /* the newest comes first */
static int num_guests;

static void remove_guest(struct guest *guest)
{
	struct guest **at = &guests;

	while (*at != guest)
		at = &(*at)->next;
	*at = guest->next;
	num_guests--;
	free(guest);
}

/* What they may want. */

static struct doca_rdma_connection *find_by_key(const uint8_t key[EMU_RDMA_KEY_SIZE])
{
	struct doca_rdma_connection *found = NULL;

	for (struct doca_rdma *rdma = emu_rdma_conn_contexts(); rdma != NULL; rdma = rdma->next) {
		for (struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
			if (!conn->is_by_address && emu_rdma_is_equal_key(conn->key, key))
				found = conn;
		}
	}
	return found;
}

static void greet_by_key(struct emu_rdma_link *link, const struct emu_rdma_hello *hello)
{
	struct doca_rdma_connection *conn = find_by_key(hello->target);

	if (conn != NULL && conn->state == EMU_RDMA_EXPORTED && conn->arrived == NULL) {
		emu_rdma_conn_wait(conn, link, hello);
		return;
	}
	if (conn == NULL || conn->state != EMU_RDMA_CONNECTING || !emu_rdma_is_equal_key(hello->key, conn->peer_key)) {
		EMU_LOG_WARN("rdma: a peer without the details of a connection of this process was refused");
		emu_rdma_refuse(link, EMU_RDMA_NO_SUCH_CONNECTION);
		return;
	}
	/* Both have connected at once. The HELLO with the smaller key counts. */
	if (conn->link != NULL && memcmp(conn->key, conn->peer_key, sizeof(conn->key)) < 0) {
		emu_rdma_refuse(link, EMU_RDMA_CROSSING);
		return;
	}
	if (conn->link != NULL)
		emu_rdma_link_close(conn->link);
	emu_rdma_conn_accept_peer(conn, link, hello->permissions);
}

static void greet_by_address(struct emu_rdma_link *link, const struct guest *guest, const struct emu_rdma_hello *hello)
{
	struct doca_rdma *rdma = guest->listening;
	struct doca_rdma_connection *conn;
	doca_error_t result;

	if (rdma == NULL) {
		emu_rdma_refuse(link, EMU_RDMA_NOT_LISTENING);
		return;
	}
	result = emu_rdma_conn_new(rdma, &conn);
	if (result != DOCA_SUCCESS) {
		EMU_LOG_WARN("rdma: a connection request on port %u was refused: the context has its maximum number of "
			     "connections",
			     guest->port);
		emu_rdma_refuse(link, EMU_RDMA_IS_FULL);
		return;
	}
	conn->is_by_address = true;
	conn->addr = emu_rdma_addr_of_peer(link->is_network ? link->watch.fd : -1, hello);
	conn->state = EMU_RDMA_REQUESTED;
	conn->events = EMU_RDMA_EVENT_REQUEST;
	memcpy(conn->peer_key, hello->key, sizeof(conn->peer_key));
	emu_rdma_conn_take(conn, link, hello->permissions);
	emu_rdma_notice(rdma);
}

static bool guest_frame(struct emu_rdma_link *link, const struct emu_rdma_frame *frame, const uint8_t *payload)
{
	struct guest *guest = link->owner;
	struct emu_rdma_hello hello;

	if (frame->type != EMU_RDMA_HELLO)
		return false;
	emu_rdma_hello_read(frame, payload, &hello);
	if (!emu_rdma_hello_is_ours(&hello))
		return false;
	if (hello.version != EMU_RDMA_VERSION) {
		EMU_LOG_ERR("rdma: a peer whose emulator has protocol version %u was refused: this one has version %d; "
			    "build both programs with the same release",
			    hello.version, EMU_RDMA_VERSION);
		remove_guest(guest);
		emu_rdma_refuse(link, EMU_RDMA_OTHER_VERSION);
		return true;
	}
	if (hello.private_len > EMU_RDMA_MAX_PRIVATE_DATA || (guest->listening != NULL) != (hello.is_by_address != 0))
		return false;
	if (hello.is_by_address)
		greet_by_address(link, guest, &hello);
	else
		greet_by_key(link, &hello);
	remove_guest(guest);
	return true;
}

static void guest_lost(struct emu_rdma_link *link)
{
	remove_guest(link->owner);
}

static void guest_timer(struct emu_rdma_link *link)
{
	remove_guest(link->owner);
	emu_rdma_link_close(link);
}

static size_t nothing(struct emu_rdma_link *link, uint8_t *at)
{
	(void)link;
	(void)at;
	return 0;
}

static const struct emu_rdma_link_ops guest_ops = {guest_frame, nothing, guest_timer, guest_lost};

void emu_rdma_greet(int fd, pid_t pid, bool is_network, struct doca_rdma *listening, uint16_t port)
{
	struct guest *guest = calloc(1, sizeof(*guest));

	if (guest == NULL) {
		close(fd);
		return;
	}
	guest->link = emu_rdma_link_new(fd, pid, is_network, &guest_ops, guest);
	if (guest->link == NULL) {
		free(guest);
		return;
	}
	guest->listening = listening;
	guest->port = port;
	guest->next = guests;
	guests = guest;
	emu_rdma_link_wake_at(guest->link, emu_clock_ns() + HELLO_NS);
	if (++num_guests > MAX_GUESTS) {
		while (guest->next != NULL)
			guest = guest->next;
		guest_timer(guest->link);
	}
}

void emu_rdma_forget_guests(const struct doca_rdma *listening, uint16_t port)
{
	for (struct guest *guest = guests, *next; guest != NULL; guest = next) {
		next = guest->next;
		if (guest->listening == listening && (port == 0 || guest->port == port))
			guest_timer(guest->link);
	}
}

void emu_rdma_guests_on_fork(void)
{
	guests = NULL;
	num_guests = 0;
}
