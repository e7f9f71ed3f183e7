/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA where the system does not let processes access each other's memory: everything works, with more copies. */

#include <errno.h>
#include <sys/uio.h>

#include "rdma_peer.h"

static bool forbids;
static int num_copies;
static struct peer *to_be_stopped; /* in the middle of the next write */

/* The peer's stop waits for the write. */
static void stop_peer_meanwhile(void)
{
	struct peer_order order = {.op = PEER_STOP};
	struct peer *peer = to_be_stopped;
	char byte;

	to_be_stopped = NULL;
	give_order(peer, &order);
	usleep(100000);
	CHECK(recv(peer->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local, const struct iovec *remote,
				unsigned long num_remote, unsigned long flags);
ssize_t __real_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				 const struct iovec *remote, unsigned long num_remote, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local, const struct iovec *remote,
				unsigned long num_remote, unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				 const struct iovec *remote, unsigned long num_remote, unsigned long flags);

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local, const struct iovec *remote,
				unsigned long num_remote, unsigned long flags)
{
	__atomic_fetch_add(&num_copies, 1, __ATOMIC_SEQ_CST);
	if (forbids) {
		errno = EPERM;
		return -1;
	}
	return __real_process_vm_readv(pid, local, num_local, remote, num_remote, flags);
}

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				 const struct iovec *remote, unsigned long num_remote, unsigned long flags)
{
	__atomic_fetch_add(&num_copies, 1, __ATOMIC_SEQ_CST);
	if (forbids) {
		errno = EPERM;
		return -1;
	}
	if (to_be_stopped != NULL)
		stop_peer_meanwhile();
	return __real_process_vm_writev(pid, local, num_local, remote, num_remote, flags);
}

static void all_operations(void)
{
	struct peer peer = start_peer();
	struct end *end = end_start();
	struct doca_buf *src, *dst, *remote, *list;

	connect_peer(end, &peer);

	/* Messages, of one buffer and of several. */
	tell_peer(&peer, PEER_RECEIVE, 3, 300000);
	memset(end->memory, 7, END_SIZE);
	src = local_src(end, 0, 300000);
	list = local_src(end, 10, 1);
	MUST(doca_buf_chain_list(list, local_src(end, 1000, 250000)));
	MUST(doca_buf_chain_list(list, local_src(end, 0, 49999)));
	submit_send(end, src);
	submit_send(end, list);
	submit_send(end, src);
	DRIVE(end, end, end->completions == 3);
	CHECK(tell_peer(&peer, PEER_DRIVE, 3, 0).receives == 3);
	EXPECT(SUCCESS, tell_peer(&peer, PEER_CHECK, 7, 900000).result);
	put_buf(src);
	put_buf(list);
	dst = local_dst(end, 0, 200);
	MUST(doca_buf_chain_list(dst, local_dst(end, 1000, 400000)));
	post_receive(end, dst);
	tell_peer(&peer, PEER_FILL, 8, 0);
	tell_peer(&peer, PEER_SEND, 400000, 0);
	DRIVE(end, end, end->receives == 1);
	CHECK(end->memory[0] == 8 && end->memory[200] == 7 && end->memory[1000] == 8 && end->memory[400799] == 8 &&
	      end->memory[400800] == 7);
	put_buf(dst);

	/* Memory. */
	src = local_src(end, 500000, 400000);
	remote = remote_dst(end, 0, 400000);
	submit_write(end, src, remote);
	DRIVE(end, end, end->completions == 4);
	EXPECT(SUCCESS, tell_peer(&peer, PEER_CHECK, 7, 400000).result);
	put_buf(remote);
	put_buf(src);
	tell_peer(&peer, PEER_FILL, 9, 0);
	remote = remote_src(end, 0, 400000);
	dst = local_dst(end, 0, 400000);
	submit_read(end, remote, dst);
	DRIVE(end, end, end->completions == 5);
	CHECK(end->memory[0] == 9 && end->memory[399999] == 9);
	put_buf(remote);
	put_buf(dst);
	remote = remote_dst(end, 0, 8);
	dst = local_dst(end, 0, 8);
	submit_fetch_add(end, remote, dst, 1);
	DRIVE(end, end, end->completions == 6);
	CHECK(end->memory[0] == 9);
	put_buf(remote);
	put_buf(dst);
	end_destroy(end);
	quit_peer(&peer);
}

static void allowed(void)
{
	num_copies = 0;
	all_operations();
	CHECK(num_copies > 0);
}

static void forbidden(void)
{
	forbids = true;
	all_operations();
	forbids = false;
}

/* When the peer's context has stopped, nothing more comes to its memory, though the map goes on. */
static void stopped_context(void)
{
	struct peer peer = start_peer();
	struct end *end = end_start();
	struct doca_buf *src, *remote;

	connect_peer(end, &peer);
	memset(end->memory, 7, END_SIZE);
	src = local_src(end, 0, 100000);
	remote = remote_dst(end, 0, 100000);
	to_be_stopped = &peer;
	submit_write(end, src, remote);
	submit_write(end, src, remote);
	DRIVE(end, end, end->completions + end->errors == 2);
	CHECK(to_be_stopped == NULL);
	(void)take_answer(&peer);
	EXPECT(SUCCESS, tell_peer(&peer, PEER_CHECK, 7, 100000).result);
	tell_peer(&peer, PEER_FILL, 8, 0);
	if (ctx_state(end->ctx) == DOCA_CTX_STATE_RUNNING) {
		int errors = end->errors;

		submit_write(end, src, remote);
		DRIVE(end, end, end->errors == errors + 1);
	}
	EXPECT(SUCCESS, tell_peer(&peer, PEER_CHECK, 8, END_SIZE).result);
	put_buf(src);
	put_buf(remote);
	end_destroy(end);
	quit_peer(&peer);
}

/* Neither does it of a process that goes on without its main thread. */
static void peer_without_main_thread(void)
{
	test_ends_main_thread = true;
	all_operations();
	test_ends_main_thread = false;
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(allowed, forbidden, peer_without_main_thread, stopped_context, nothing_is_left)
