/* SPDX-License-Identifier: Apache-2.0 */

/* The ways of data: in the ring's entry, in its tray, written into the posted buffer, or staged in the ring's memory where
 * the system forbids that. The program is linked so that process_vm_writev comes to this file. */

#include <errno.h>
#include <sys/uio.h>

#include "comch_fast.h"

ssize_t __real_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				 const struct iovec *remote, unsigned long num_remote, unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				 const struct iovec *remote, unsigned long num_remote, unsigned long flags);

static int direct_error;       /* the error of direct writes */
static size_t direct_max;      /* bytes that one direct write transfers */
static int num_direct;	       /* number of direct writes */

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				 const struct iovec *remote, unsigned long num_remote, unsigned long flags)
{
	struct iovec from = *local, to = *remote;

	num_direct++;
	if (direct_error != 0) {
		errno = direct_error;
		return -1;
	}
	if (from.iov_len > direct_max)
		from.iov_len = to.iov_len = direct_max;
	CHECK(num_local == 1 && num_remote == 1);
	return __real_process_vm_writev(pid, &from, 1, &to, 1, flags);
}

/* Sends len bytes, and compares them and the bytes around them. Returns the number of direct writes. */
static int transfer(struct endpoint *consumer, struct endpoint *producer, size_t len)
{
	struct doca_buf *dst = room(consumer, 64, len + 100), *src = data(producer, 7, len);
	int done = consumer->done;

	num_direct = 0;
	memset(consumer->memory, 0xaa, len + 300);
	post(consumer, dst);
	EXPECT(SUCCESS, produce(producer, src, "imm", 3, consumer->id));
	UNTIL(consumer->done == done + 1);
	CHECK(data_len(dst) == len && data_len(src) == len);
	CHECK(memcmp(consumer->memory + 64, producer->memory + 7, len) == 0);
	CHECK(consumer->memory[63] == 0xaa && consumer->memory[64 + len] == 0xaa);
	CHECK(consumer->last_imm_len == 3 && memcmp(consumer->last_imm, "imm", 3) == 0);
	settle();
	put_buf(dst);
	put_buf(src);
	return num_direct;
}

static const size_t sizes[] = {0, 1, 183, 184, 185, 256, 4095, 4096, 16383, 16384, 16385, 65536, 65537, 1000000};
#define NUM_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void all_ways(void)
{
	static const int errors[] = {0, EPERM, ENOSYS, ESRCH, 0};
	struct pair pair = make_pair("ways");
	struct endpoint *producer = start_producer(pair.client);

	for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
		struct endpoint *consumer = start_consumer(pair.server, pair.client);
		int total = 0;

		direct_error = errors[e];
		direct_max = e == 0 ? SIZE_MAX : 1000;
		for (size_t i = 0; i < NUM_SIZES; i++) {
			int num = transfer(consumer, producer, sizes[i]);

			CHECK(sizes[i] > 16384 || num == 0); /* small data needs no system call */
			if (sizes[i] > 16384 && errors[e] == 0)
				CHECK(num == 1); /* data that a call writes in part is staged */
			total += num;
		}
		if (errors[e] != 0)
			CHECK(total == 1); /* a refusal is not tried again */
		delete_endpoint(consumer);
		UNTIL(pair.client->num_consumers == 0);
	}
	direct_error = 0;
	delete_endpoint(producer);
	delete_pair(pair);
}

/* Data in trays and staged data of several entries at once, in a ring that has wrapped. */
static void staged_in_turn(void)
{
	struct pair pair = make_pair("staged");
	struct endpoint *consumer = start_consumer(pair.server, pair.client), *producer = start_producer(pair.client);

	direct_error = EPERM;
	for (int round = 0; round < 5; round++) {
		struct doca_buf *dst[ENDPOINT_TASKS - 3], *src[ENDPOINT_TASKS - 3];
		int num = ENDPOINT_TASKS - 3;

		memset(consumer->memory, 0, 1 << 19);
		consumer->done = 0;
		for (int i = 0; i < num; i++) {
			dst[i] = room(consumer, (size_t)i * 40000, 40000);
			src[i] = data(producer, (size_t)(round * 100 + i), (size_t)(10000 + i * 2000));
			post(consumer, dst[i]);
		}
		for (int i = 0; i < num; i++)
			EXPECT(SUCCESS, produce(producer, src[i], NULL, 0, consumer->id));
		UNTIL(consumer->done == num);
		for (int i = 0; i < num; i++) {
			CHECK(data_len(dst[i]) == (size_t)(10000 + i * 2000));
			CHECK(memcmp(consumer->memory + i * 40000, producer->memory + round * 100 + i, data_len(dst[i])) == 0);
			put_buf(dst[i]);
			put_buf(src[i]);
		}
		settle();
	}
	direct_error = 0;
	delete_endpoint(consumer);
	delete_endpoint(producer);
	delete_pair(pair);
}

/* Memory that no longer exists: send and receive fail, and the buffers are unchanged. */
static void unwritable(void)
{
	struct pair pair = make_pair("unwritable");
	struct endpoint *consumer = start_consumer(pair.server, pair.client), *producer = start_producer(pair.client);
	struct doca_buf *dst = room(consumer, 0, 20000), *src = data(producer, 0, 20000);

	direct_error = EFAULT;
	post(consumer, dst);
	EXPECT(SUCCESS, produce(producer, src, NULL, 0, consumer->id));
	UNTIL(consumer->failed == 1 && producer->failed == 1);
	CHECK(consumer->last_error == DOCA_ERROR_IO_FAILED && producer->last_error == DOCA_ERROR_IO_FAILED);
	CHECK(data_len(dst) == 0 && data_len(src) == 20000);
	direct_error = 0;
	CHECK(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING && ctx_state(producer->ctx) == DOCA_CTX_STATE_RUNNING);
	direct_max = SIZE_MAX;
	CHECK(transfer(consumer, producer, 30000) == 1);
	put_buf(dst);
	put_buf(src);
	delete_endpoint(consumer);
	delete_endpoint(producer);
	delete_pair(pair);
}

/* A buffer that is released and posted again while data is on the way to it. */
static void between_two_lives(void)
{
	struct pair pair = make_pair("lives");
	struct endpoint *consumer = start_consumer(pair.server, pair.client), *producer = start_producer(pair.client);
	struct doca_buf *dst = room(consumer, 0, 20000), *src = data(producer, 0, 20000);
	struct doca_task *task = make_recv(consumer, dst);

	direct_error = 0;
	direct_max = SIZE_MAX;
	MUST(doca_task_submit(task));
	EXPECT(SUCCESS, produce(producer, src, NULL, 0, consumer->id));
	doca_task_free(task);
	post(consumer, dst);
	EXPECT(SUCCESS, produce(producer, src, NULL, 0, consumer->id));
	UNTIL(consumer->done == 1);
	CHECK(data_len(dst) == 20000);
	put_buf(dst);
	put_buf(src);
	delete_endpoint(consumer);
	delete_endpoint(producer);
	delete_pair(pair);
}

TEST_MAIN(all_ways, staged_in_turn, unwritable, between_two_lives, left_nothing)
