/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_TCP_PROXY_H_
#define EMULATOR_TEST_TCP_PROXY_H_

/*
 * A bad network for TCP: a process between client and server that passes their bytes on late and slowly, and stalls, loses
 * or cuts connections when it is told to. TCP itself repairs what a network loses.
 */

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "process.h"

enum proxy_mode {
	PROXY_PASSES,
	PROXY_STALLS, /* passes nothing on; goes on where it was */
	PROXY_LOSES,  /* the same, and loses all that comes */
	PROXY_CUTS,   /* ends all connections once, then passes */
};

/* Shared with the proxy. */
struct proxy {
	enum proxy_mode mode; /* accessed with atomics */
	uint64_t delay_ms, bytes_per_ms;
	uint64_t passed;    /* bytes, in all; accessed with atomics */
	uint64_t cut_after; /* that many bytes it cuts, if not 0; accessed with atomics */
	struct sockaddr_in server;
	uint16_t port; /* of the proxy and of the server */
};

#define PROXY_PIECE ((size_t)16 << 10)
#define PROXY_PIECES 256
#define PROXY_CONNS 64

struct proxy_piece {
	uint64_t due;
	size_t len, done; /* len 0: the sender has ended */
	uint8_t bytes[PROXY_PIECE];
};

/* One direction. */
struct proxy_flow {
	struct proxy_piece *pieces; /* a ring */
	size_t first, num;
	bool has_ended;
};

struct proxy_conn {
	int fds[2]; /* of the client and of the server; 0: none */
	struct proxy_flow flows[2];
};

static inline void proxy_close(struct proxy_conn *conn, bool is_cut)
{
	const struct linger at_once = {.l_onoff = 1};

	for (int i = 0; i < 2; i++) {
		if (is_cut)
			(void)setsockopt(conn->fds[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(conn->fds[i]);
		free(conn->flows[i].pieces);
	}
	*conn = (struct proxy_conn){.fds = {0, 0}};
}

static inline void proxy_take(struct proxy *proxy, struct proxy_flow *flow, int from, bool loses)
{
	struct proxy_piece *piece = &flow->pieces[(flow->first + flow->num) % PROXY_PIECES];
	ssize_t n;

	if (flow->num == PROXY_PIECES || flow->has_ended)
		return;
	n = recv(from, piece->bytes, PROXY_PIECE, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	flow->has_ended = n <= 0;
	if (loses && n > 0)
		return;
	piece->len = n > 0 ? (size_t)n : 0;
	piece->done = 0;
	piece->due = now_ms() + proxy->delay_ms;
	flow->num++;
}

/* Passes on what is due, up to so many bytes. False: the receiver has gone. */
static inline bool proxy_give(struct proxy *proxy, struct proxy_flow *flow, int to, uint64_t *allowance)
{
	while (flow->num > 0 && *allowance > 0) {
		struct proxy_piece *piece = &flow->pieces[flow->first];
		size_t left = piece->len - piece->done;
		ssize_t n;

		if (piece->due > now_ms())
			return true;
		if (piece->len == 0) {
			(void)shutdown(to, SHUT_WR);
		} else {
			n = send(to, piece->bytes + piece->done, left < *allowance ? left : *allowance,
				 MSG_DONTWAIT | MSG_NOSIGNAL);
			if (n < 0)
				return errno == EAGAIN || errno == EINTR;
			piece->done += (size_t)n;
			*allowance -= (uint64_t)n;
			__atomic_fetch_add(&proxy->passed, (uint64_t)n, __ATOMIC_SEQ_CST);
		}
		if (piece->done == piece->len) {
			flow->first = (flow->first + 1) % PROXY_PIECES;
			flow->num--;
		}
	}
	return true;
}

static inline void proxy_accept(const struct proxy *proxy, int listener, struct proxy_conn *conns)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC), server;

	if (fd < 0)
		return;
	server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	for (int i = 0; i < PROXY_CONNS; i++) {
		if (conns[i].fds[0] != 0 || connect(server, (const struct sockaddr *)&proxy->server, sizeof(proxy->server)) != 0)
			continue;
		conns[i] = (struct proxy_conn){.fds = {fd, server}};
		for (int j = 0; j < 2; j++)
			conns[i].flows[j].pieces = malloc(PROXY_PIECES * sizeof(struct proxy_piece));
		return;
	}
	close(server);
	close(fd);
}

static inline void proxy_serve(struct proxy *proxy, struct proxy_conn *conn, enum proxy_mode mode, uint64_t *allowance)
{
	bool is_there = true;

	for (int i = 0; i < 2 && is_there; i++) {
		proxy_take(proxy, &conn->flows[i], conn->fds[i], mode == PROXY_LOSES);
		is_there = mode != PROXY_PASSES || proxy_give(proxy, &conn->flows[i], conn->fds[1 - i], allowance);
	}
	if (!is_there || (conn->flows[0].has_ended && conn->flows[1].has_ended && conn->flows[0].num + conn->flows[1].num == 0))
		proxy_close(conn, false);
}

/* Never returns. */
static inline void run_proxy(struct proxy *proxy)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(proxy->port)};
	static struct proxy_conn conns[PROXY_CONNS];
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	uint64_t last = now_ms(), allowance = 0;

	if (bind(listener, (struct sockaddr *)&any, sizeof(any)) != 0 || listen(listener, PROXY_CONNS) != 0)
		_exit(1);
	for (;;) {
		uint64_t now = now_ms(), cut_after = __atomic_load_n(&proxy->cut_after, __ATOMIC_SEQ_CST);
		enum proxy_mode mode = __atomic_load_n(&proxy->mode, __ATOMIC_SEQ_CST);

		if (cut_after != 0 && __atomic_load_n(&proxy->passed, __ATOMIC_SEQ_CST) >= cut_after) {
			__atomic_store_n(&proxy->cut_after, 0, __ATOMIC_SEQ_CST);
			mode = PROXY_CUTS;
		}
		if (now > last) /* what was not used is lost */
			allowance = (now - last) * proxy->bytes_per_ms;
		last = now;
		proxy_accept(proxy, listener, conns);
		for (int i = 0; i < PROXY_CONNS; i++) {
			if (conns[i].fds[0] == 0)
				continue;
			if (mode == PROXY_CUTS)
				proxy_close(&conns[i], true);
			else
				proxy_serve(proxy, &conns[i], mode, &allowance);
		}
		if (mode == PROXY_CUTS)
			__atomic_store_n(&proxy->mode, PROXY_PASSES, __ATOMIC_SEQ_CST);
		usleep(300);
	}
}

static inline struct proxy *proxy_new(void)
{
	return mmap(NULL, sizeof(struct proxy), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static inline void proxy_set(struct proxy *proxy, enum proxy_mode mode)
{
	__atomic_store_n(&proxy->mode, mode, __ATOMIC_SEQ_CST);
}

#endif /* EMULATOR_TEST_TCP_PROXY_H_ */
