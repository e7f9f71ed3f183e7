/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA between two processes. */

#include "rdma_peer.h"

/* One task of this side. */
static doca_error_t run(struct end *end, int (*submit)(struct end *end, struct doca_buf *src, struct doca_buf *dst),
			struct doca_buf *src, struct doca_buf *dst)
{
	int done = end->completions + end->errors, errors = end->errors;

	submit(end, src, dst);
	DRIVE(end, end, end->completions + end->errors > done);
	if (src != NULL)
		put_buf(src);
	if (dst != NULL)
		put_buf(dst);
	return end->errors == errors ? DOCA_SUCCESS : end->last_error;
}

static int do_write(struct end *end, struct doca_buf *src, struct doca_buf *dst)
{
	submit_write(end, src, dst);
	return 0;
}

static int do_read(struct end *end, struct doca_buf *src, struct doca_buf *dst)
{
	submit_read(end, src, dst);
	return 0;
}

static int do_send(struct end *end, struct doca_buf *src, struct doca_buf *dst)
{
	(void)dst;
	submit_send(end, src);
	return 0;
}

/* The peer's program does nothing, and may even be stopped. */
static void one_sided(void)
{
	struct peer peer = start_peer();
	struct end *end = end_start();

	connect_peer(end, &peer);
	memset(end->memory, 5, END_SIZE);
	EXPECT(SUCCESS, run(end, do_write, local_src(end, 0, END_SIZE), remote_dst(end, 0, END_SIZE)));
	EXPECT(SUCCESS, tell_peer(&peer, PEER_CHECK, 5, END_SIZE).result);
	tell_peer(&peer, PEER_FILL, 6, 0);
	stop_child(peer.pid);
	EXPECT(SUCCESS, run(end, do_read, remote_src(end, 100, 5000), local_dst(end, 0, 5000)));
	CHECK(end->memory[0] == 6 && end->memory[4999] == 6 && end->memory[5000] == 5);
	EXPECT(SUCCESS, run(end, do_write, local_src(end, 5000, 64), remote_dst(end, 0, 64)));
	kill(peer.pid, SIGCONT);
	EXPECT(SUCCESS, tell_peer(&peer, PEER_CHECK, 5, 64).result);
	end_destroy(end);
	quit_peer(&peer);
}

static void messages(void)
{
	struct peer peer = start_peer();
	struct end *end = end_start();
	struct doca_buf *dst;

	connect_peer(end, &peer);
	tell_peer(&peer, PEER_RECEIVE, 3, 300000);
	for (int i = 0; i < 3; i++) {
		memset(end->memory, i + 1, 300000);
		EXPECT(SUCCESS, run(end, do_send, local_src(end, 0, 300000), NULL));
	}
	CHECK(tell_peer(&peer, PEER_DRIVE, 3, 0).receives == 3);
	EXPECT(SUCCESS, tell_peer(&peer, PEER_CHECK, 1, 300000).result);
	dst = local_dst(end, 0, 1000);
	post_receive(end, dst);
	tell_peer(&peer, PEER_SEND, 1000, 0);
	DRIVE(end, end, end->receives == 1);
	CHECK(end->memory[0] == 1 && end->memory[999] == 1 && end->result_len == 1000);
	CHECK(tell_peer(&peer, PEER_DRIVE_SENDS, 1, 0).completions == 1);
	put_buf(dst);
	end_destroy(end);
	quit_peer(&peer);
}

/* The order of the two connects does not matter, nor do they wait for each other. */
static void either_first(void)
{
	for (int i = 0; i < 30; i++) {
		struct peer peer = start_peer();
		struct end *end = end_start();
		struct details of_peer = tell_peer(&peer, PEER_EXPORT, 0, 0).details, ours = end_export(end);

		if (i % 3 == 0) { /* both at once */
			struct peer_order order = {.op = PEER_CONNECT, .details = ours};

			give_order(&peer, &order);
			end_connect(end, &of_peer);
			EXPECT(SUCCESS, take_answer(&peer).result);
		} else if (i % 3 == 1) {
			EXPECT(SUCCESS, peer_connect(&peer, &ours));
			end_connect(end, &of_peer);
		} else {
			end_connect(end, &of_peer);
			EXPECT(SUCCESS, peer_connect(&peer, &ours));
		}
		tell_peer(&peer, PEER_RECEIVE, 1, 8);
		EXPECT(SUCCESS, run(end, do_send, local_src(end, 0, 8), NULL));
		end_destroy(end);
		quit_peer(&peer);
	}
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(one_sided, messages, either_first, nothing_is_left)
