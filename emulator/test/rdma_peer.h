/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_RDMA_PEER_H_
#define EMULATOR_TEST_RDMA_PEER_H_

/*
 * A peer process, which does only what it is told: between orders its program does nothing at all.
 */

#include <sys/socket.h>

#include "rdma_fixture.h"

enum peer_op {
	PEER_EXPORT = 1, /* answers with its details */
	PEER_CONNECT,	 /* to the details of the order */
	PEER_FILL,	 /* its memory, with a number */
	PEER_CHECK,	 /* that the first number2 bytes of its memory are the number */
	PEER_RECEIVE,	 /* posts number receives of number2 bytes each, one behind the other */
	PEER_SEND,	 /* its first number bytes */
	PEER_DRIVE,	 /* until number receives have ended */
	PEER_DRIVE_SENDS,
	PEER_COUNT, /* answers with what has happened */
	PEER_STOP_MAP,
	PEER_STOP, /* its context */
	PEER_QUIT,
};

struct peer_order {
	enum peer_op op;
	size_t number, number2;
	struct details details;
};

struct peer_answer {
	doca_error_t result;
	int receives, receive_errors, completions, errors;
	struct details details;
};

struct peer {
	pid_t pid;
	int fd;
};

static int peer_fd;
static uint32_t peer_permissions = END_ALL;
static uint32_t peer_map_permissions = END_ALL;

static inline void run_order(struct end *end, const struct peer_order *order, struct peer_answer *answer)
{
	static struct doca_buf *bufs[END_TASKS];
	static int num_bufs;

	switch (order->op) {
	case PEER_EXPORT:
		answer->details = end_export(end);
		break;
	case PEER_CONNECT:
		answer->result = doca_rdma_connect(end->rdma, order->details.bytes, order->details.len, end->conn);
		if (order->details.desc_len > 0)
			end_import(end, &order->details);
		break;
	case PEER_FILL:
		memset(end->memory, (int)order->number, END_SIZE);
		break;
	case PEER_CHECK:
		for (size_t i = 0; i < order->number2; i++) {
			if (end->memory[i] != (uint8_t)order->number)
				answer->result = DOCA_ERROR_IO_FAILED;
		}
		break;
	case PEER_RECEIVE:
		for (size_t i = 0; i < order->number; i++) {
			bufs[num_bufs] = local_dst(end, i * order->number2, order->number2);
			post_receive(end, bufs[num_bufs++]);
		}
		break;
	case PEER_SEND:
		bufs[num_bufs] = local_src(end, 0, order->number);
		submit_send(end, bufs[num_bufs++]);
		break;
	case PEER_DRIVE:
		DRIVE(end, end, end->receives + end->receive_errors >= (int)order->number);
		break;
	case PEER_DRIVE_SENDS:
		DRIVE(end, end, end->completions + end->errors >= (int)order->number);
		break;
	case PEER_STOP_MAP:
		answer->result = doca_mmap_stop(end->mmap);
		break;
	case PEER_STOP:
		end_stop(end);
		break;
	case PEER_QUIT:
		end_stop(end);
		for (int i = 0; i < num_bufs; i++)
			put_buf(bufs[i]);
		num_bufs = 0;
		break;
	case PEER_COUNT:
		break;
	}
	answer->receives = end->receives;
	answer->receive_errors = end->receive_errors;
	answer->completions = end->completions;
	answer->errors = end->errors;
}

static inline void run_peer(void)
{
	struct end *end = end_create_on(HOST_0, peer_permissions);
	struct peer_order order = {.op = 0};

	if (peer_map_permissions != END_ALL) {
		MUST(doca_mmap_stop(end->mmap));
		MUST(doca_mmap_set_permissions(end->mmap, peer_map_permissions));
		MUST(doca_mmap_start(end->mmap));
	}
	MUST(doca_ctx_start(end->ctx));
	while (order.op != PEER_QUIT && recv(peer_fd, &order, sizeof(order), 0) == (ssize_t)sizeof(order)) {
		struct peer_answer answer = {.result = DOCA_SUCCESS};

		run_order(end, &order, &answer);
		CHECK(send(peer_fd, &answer, sizeof(answer), MSG_NOSIGNAL) == (ssize_t)sizeof(answer));
	}
	end_destroy(end);
}

static inline struct peer start_peer(void)
{
	struct peer peer;
	int fds[2];

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
	peer_fd = fds[1];
	peer.pid = start_child(run_peer);
	close(fds[1]);
	peer.fd = fds[0];
	return peer;
}

static inline void give_order(struct peer *peer, const struct peer_order *order)
{
	CHECK(send(peer->fd, order, sizeof(*order), MSG_NOSIGNAL) == (ssize_t)sizeof(*order));
}

static inline struct peer_answer take_answer(struct peer *peer)
{
	struct peer_answer answer;

	if (recv(peer->fd, &answer, sizeof(answer), 0) != (ssize_t)sizeof(answer)) {
		fprintf(stderr, "the peer has ended\n");
		exit(1);
	}
	return answer;
}

static inline struct peer_answer tell_peer(struct peer *peer, enum peer_op op, size_t number, size_t number2)
{
	struct peer_order order = {.op = op, .number = number, .number2 = number2};

	give_order(peer, &order);
	return take_answer(peer);
}

static inline doca_error_t peer_connect(struct peer *peer, const struct details *details)
{
	struct peer_order order = {.op = PEER_CONNECT, .details = *details};

	give_order(peer, &order);
	return take_answer(peer).result;
}

/* Connects both ways, this side first. */
static inline void connect_peer(struct end *end, struct peer *peer)
{
	struct details of_peer = tell_peer(peer, PEER_EXPORT, 0, 0).details, ours = end_export(end);

	end_connect(end, &of_peer);
	end_import(end, &of_peer);
	EXPECT(SUCCESS, peer_connect(peer, &ours));
}

static inline void quit_peer(struct peer *peer)
{
	tell_peer(peer, PEER_QUIT, 0, 0);
	close(peer->fd);
	expect_end(peer->pid, 0);
}

static inline void kill_peer(struct peer *peer)
{
	kill(peer->pid, SIGKILL);
	expect_end(peer->pid, SIGKILL);
	close(peer->fd);
}

#endif /* EMULATOR_TEST_RDMA_PEER_H_ */
