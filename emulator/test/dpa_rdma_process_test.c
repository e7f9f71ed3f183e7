/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA between a context on a DPA and another process. */

#include "dpa_rdma.h"
#include "rdma_peer.h"

static void connect_to_peer(struct unit *unit, struct peer *peer)
{
	struct details of_peer = tell_peer(peer, PEER_EXPORT, 0, 0).details, of_unit = unit_export(unit);

	unit_connect(unit, &of_peer);
	EXPECT(SUCCESS, peer_connect(peer, &of_unit));
}

static void another_process(void)
{
	struct peer peer = start_peer();
	struct unit *unit = unit_start();

	connect_to_peer(unit, &peer);
	/* One side alone, at any length. */
	memset(unit->memory, 5, END_SIZE);
	ON(unit, do_write, .len = END_SIZE, .flags = FLUSH);
	CHECK(next_of(unit).type == SEND_OK);
	EXPECT(SUCCESS, tell_peer(&peer, PEER_CHECK, 5, END_SIZE).result);
	tell_peer(&peer, PEER_FILL, 6, 0);
	ON(unit, do_read, .local = 10, .remote = 100, .len = 300000, .flags = FLUSH);
	CHECK(next_of(unit).type == SEND_OK);
	CHECK(unit->memory[9] == 5 && unit->memory[10] == 6 && unit->memory[300009] == 6 && unit->memory[300010] == 5);
	tell_peer(&peer, PEER_FILL, 0, 0);
	ON(unit, do_add, .value = 7, .flags = FLUSH);
	CHECK(next_of(unit).type == SEND_OK);
	EXPECT(SUCCESS, tell_peer(&peer, PEER_CHECK, 7, 1).result);
	/* Messages, of which a long one is copied by its receiver. */
	tell_peer(&peer, PEER_RECEIVE, 2, 300000);
	memset(unit->memory, 8, END_SIZE);
	ON(unit, do_send, .len = 300000, .flags = FLUSH);
	memset(unit->memory, 9, END_SIZE); /* too late */
	ON(unit, do_send, .len = 8, .flags = FLUSH);
	CHECK(tell_peer(&peer, PEER_DRIVE, 2, 0).receives == 2);
	EXPECT(SUCCESS, tell_peer(&peer, PEER_CHECK, 8, 300000).result);
	CHECK(next_of(unit).type == SEND_OK && next_of(unit).type == SEND_OK);
	post_receives(unit, 1, 100000);
	tell_peer(&peer, PEER_SEND, 100000, 0);
	CHECK(next_of(unit).type == RECV_SEND);
	CHECK(unit->memory[0] == 8 && unit->memory[99999] == 8);
	quit_peer(&peer);
	unit_destroy(unit);
}

static void killed(void)
{
	struct peer peer = start_peer();
	struct unit *unit = unit_start();

	connect_to_peer(unit, &peer);
	post_receives(unit, 1, 8);
	ON(unit, do_send, .len = 8, .flags = FLUSH); /* the peer posts no receive */
	ON(unit, do_write, .len = 8, .flags = FLUSH);
	kill_peer(&peer);
	CHECK(next_of(unit).type == SEND_ERR && next_of(unit).type == SEND_ERR);
	CHECK(next_of(unit).type == RECV_ERR);
	ON(unit, do_write, .len = 8, .flags = FLUSH);
	CHECK(next_of(unit).type == SEND_ERR);
	unit_destroy(unit);
}

/* A peer that is stopped does not keep this side. */
static void stopped(void)
{
	struct peer peer = start_peer();
	struct unit *unit = unit_start();

	connect_to_peer(unit, &peer);
	ON(unit, do_send, .len = 8, .flags = FLUSH);
	stop_child(peer.pid);
	unit_destroy(unit);
	kill(peer.pid, SIGCONT);
	quit_peer(&peer);
}

TEST_MAIN(another_process, killed, stopped, left_nothing)
