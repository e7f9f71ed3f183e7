/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA peers that are killed or stopped at every stage: an error in bounded time, and nothing is left. */

#include "rdma_cm.h"
#include "rdma_peer.h"

/* Stages of connections by details at which the peer is killed. */
enum stage { EXPORTED, ARRIVED, CONNECTED, RECEIVING, IN_MESSAGES, NUM_STAGES };

static void killed_peers(void)
{
	for (int stage = 0; stage < NUM_STAGES * 3; stage++) {
		struct peer peer = start_peer();
		struct end *end = end_start();
		struct details of_peer = tell_peer(&peer, PEER_EXPORT, 0, 0).details, ours = end_export(end);
		struct doca_buf *src = local_src(end, 0, 100000), *remote = NULL;
		doca_error_t result = DOCA_SUCCESS;

		end_import(end, &of_peer);
		remote = remote_dst(end, 0, 100000);
		if (stage % NUM_STAGES >= ARRIVED)
			EXPECT(SUCCESS, peer_connect(&peer, &ours));
		if (stage % NUM_STAGES >= CONNECTED)
			end_connect(end, &of_peer);
		if (stage % NUM_STAGES == RECEIVING)
			post_receive(end, NULL);
		if (stage % NUM_STAGES == IN_MESSAGES) {
			for (int i = 0; i < 10; i++)
				submit_send(end, src); /* for which there is no receive */
		}
		kill_peer(&peer);
		if (stage % NUM_STAGES < CONNECTED)
			result = doca_rdma_connect(end->rdma, of_peer.bytes, of_peer.len, end->conn);
		if (result == DOCA_SUCCESS && ctx_state(end->ctx) == DOCA_CTX_STATE_RUNNING) {
			if (stage / NUM_STAGES == 0)
				submit_send(end, src);
			else if (stage / NUM_STAGES == 1)
				submit_write(end, src, remote);
			DRIVE(end, end, is_idle(end));
			CHECK(end->completions == 0);
			CHECK(end->errors == (stage % NUM_STAGES == IN_MESSAGES ? 10 : 0) + (stage / NUM_STAGES < 2));
			CHECK(end->receive_errors == (stage % NUM_STAGES == RECEIVING));
		} else {
			CHECK(stage % NUM_STAGES < CONNECTED && result == DOCA_ERROR_CONNECTION_ABORTED);
		}
		put_buf(src);
		put_buf(remote);
		end_destroy(end);
	}
}

/* By address. */

static void run_cm_server(void)
{
	struct end *end = cm_listen();

	CHECK(write(peer_fd, "x", 1) == 1);
	for (;;) {
		if (!doca_pe_progress(end->pe))
			usleep(20);
	}
}

static void run_cm_client(void)
{
	struct end *end = cm_start(HOST_0);

	cm_dial(end, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 0);
	for (;;) {
		if (!doca_pe_progress(end->pe))
			usleep(20);
	}
}


static void killed_server(void)
{
	int fds[2];
	char byte;
	pid_t pid;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	peer_fd = fds[1];
	for (int i = 0; i < 4; i++) {
		struct end *end;

		cm_answer = i == 0 ? CM_WAIT : CM_ACCEPT;
		pid = start_child(run_cm_server);
		CHECK(read(fds[0], &byte, 1) == 1);
		end = cm_start(HOST_0);
		cm_dial(end, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 0);
		if (i > 0)
			DRIVE(end, end, end->num_established == 1);
		if (i == 2)
			submit_send(end, NULL);
		if (i == 3)
			post_receive(end, NULL);
		kill(pid, SIGKILL);
		expect_end(pid, SIGKILL);
		DRIVE(end, end, end->num_disconnected + end->num_failures == 1);
		CHECK(end->num_failures == (i == 0) && end->errors == (i == 2));
		CHECK(ctx_state(end->ctx) == DOCA_CTX_STATE_RUNNING && end->receive_errors == 0);
		end_destroy(end);
	}
	cm_answer = CM_ACCEPT;
	close(fds[0]);
	close(fds[1]);
}

static void killed_clients(void)
{
	struct end *end = cm_listen();
	int fds = count_fds();

	cm_peers_die = true;
	for (int i = 0; i < 6; i++) {
		pid_t pid = start_child(run_cm_client);

		if (i % 3 == 0) {
			usleep(10000); /* nobody answers yet */
		} else {
			DRIVE(end, end, end->num_requests > 0);
			if (i % 3 == 2)
				DRIVE(end, end, end->num_established > 0);
		}
		kill(pid, SIGKILL);
		expect_end(pid, SIGKILL);
		/* What it has asked for may still arrive: then it ends, too. */
		DRIVE(end, end, end->num_disconnected + end->num_failures == end->num_requests && count_fds() == fds);
		end->num_requests = end->num_established = end->num_failures = end->num_disconnected = 0;
	}
	DRIVE(end, end, end->num_disconnected + end->num_failures == end->num_requests && count_fds() == fds);
	cm_peers_die = false;
	end_destroy(end);
}

/* A peer that is stopped leaves messages unanswered: after some time the connection ends. Memory can be accessed. */
static void stopped_peer(void)
{
	struct peer peer;
	struct end *end;
	struct doca_buf *src, *remote;

	setenv("DOCA_EMU_RDMA_TIMEOUT", "6000", 1); /* the peer may be slow before it is stopped */
	peer = start_peer();
	end = end_start();
	connect_peer(end, &peer);
	src = local_src(end, 0, 64);
	remote = remote_dst(end, 0, 64);
	tell_peer(&peer, PEER_RECEIVE, 1, 64);
	submit_send(end, src);
	DRIVE(end, end, end->completions == 1);
	stop_child(peer.pid);
	submit_write(end, src, remote);
	DRIVE(end, end, end->completions == 2);
	submit_send(end, src);
	DRIVE(end, end, end->errors == 1 && is_idle(end));
	kill(peer.pid, SIGCONT);
	put_buf(src);
	put_buf(remote);
	end_destroy(end);
	quit_peer(&peer);
	unsetenv("DOCA_EMU_RDMA_TIMEOUT");
}

/* In time, a peer that continues is none the wiser. */
static void continued_peer(void)
{
	struct peer peer = start_peer();
	struct end *end = end_start();

	connect_peer(end, &peer);
	tell_peer(&peer, PEER_RECEIVE, 1, 8);
	stop_child(peer.pid);
	submit_send(end, NULL);
	for (int i = 0; i < 50; i++) {
		CHECK(doca_pe_progress(end->pe) == 0);
		usleep(1000);
	}
	kill(peer.pid, SIGCONT);
	DRIVE(end, end, end->completions == 1);
	end_destroy(end);
	quit_peer(&peer);
}

/* After a fork the child has no connections; those of the parent are as before. */
static void use_inherited(void)
{
	struct end *end;

	end = end_start();
	post_receive(end, NULL);
	end_destroy(end);
}

static void forks(void)
{
	struct end *a = end_start(), *b = end_start();
	pid_t pid;

	connect_ends(a, b);
	pid = start_child(use_inherited);
	expect_end(pid, 0);
	post_receive(b, NULL);
	submit_send(a, NULL);
	DRIVE(a, b, a->completions == 1 && b->receives == 1);
	end_destroy(a);
	end_destroy(b);
}

static void details_rounds(void)
{
	struct peer peer = start_peer();
	struct end *end = end_start(), *other = end_start();
	int fds = 0;

	for (int i = 0; i < 1000; i++) {
		struct details one = end_export(end), two = end_export(other);

		end_connect(end, &two);
		end_connect(other, &one);
		post_receive(other, NULL);
		submit_send(end, NULL);
		DRIVE(end, other, end->completions == i + 1 && other->receives == i + 1);
		EXPECT(SUCCESS, doca_rdma_connection_disconnect(i % 2 == 0 ? end->conn : other->conn));
		for (int wait = 0; wait < 10000; wait++) { /* the other side learns it without an event */
			if (doca_rdma_connection_disconnect(i % 2 == 0 ? other->conn : end->conn) == DOCA_SUCCESS)
				break;
		}
		if (i == 10)
			fds = count_fds();
	}
	CHECK(count_fds() == fds);
	end_destroy(end);
	end_destroy(other);
	quit_peer(&peer);
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(killed_peers, killed_server, killed_clients, stopped_peer, continued_peer, forks, details_rounds,
	  nothing_is_left)
