/* SPDX-License-Identifier: Apache-2.0 */

/* Posted buffers in a shared mapping of a sealed file: the producer maps it, too, and copies without a system call. Nothing else
 * changes. The program is linked so that process_vm_writev, poll and memcpy come to this file. */

#include "core/emulator.h" /* first: it asks for all of the system's functions */

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

#include "comch_hand.h"
#include "comch/emu_comch_ring.h"
#include "export_wrap.h"

#define FILE_SIZE ((size_t)ENDPOINT_MEMORY + 65536)
#define START 12345 /* of the memory in the file */
#define PIECE ((size_t)256 << 10)

static int file = -1;
static int seals = F_SEAL_SHRINK;

static uint8_t *of_file(void)
{
	uint8_t *base;

	file = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CHECK(file >= 0 && ftruncate(file, (off_t)FILE_SIZE) == 0 && fcntl(file, F_ADD_SEALS, seals) == 0);
	base = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(base != MAP_FAILED);
	return base + START;
}

static void unmap(uint8_t *memory)
{
	CHECK(munmap(memory - START, FILE_SIZE) == 0);
	close(file);
}

/* The consumer's memory is of a file, all other memory is not. */
static struct endpoint *consumer_of_file(struct end *end)
{
	struct endpoint *consumer;

	endpoint_memory = of_file;
	consumer = new_consumer(end);
	endpoint_memory = NULL;
	return consumer;
}

static struct endpoint *start_of_file(struct end *end, struct end *peer)
{
	struct endpoint *consumer = consumer_of_file(end);
	int known = peer->num_consumers;

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING && peer->num_consumers == known + 1);
	return consumer;
}

static void delete_of_file(struct endpoint *consumer)
{
	endpoint_memory_free = unmap;
	delete_endpoint(consumer);
	endpoint_memory_free = NULL;
}

/* What happens in the middle of a copy to the file. */
static void (*in_copy)(size_t len);

void *__real_memcpy(void *to, const void *from, size_t len);
void *__wrap_memcpy(void *to, const void *from, size_t len);

void *__wrap_memcpy(void *to, const void *from, size_t len)
{
	if (in_copy != NULL && len > 4096)
		in_copy(len);
	return __real_memcpy(to, from, len);
}

/* Before the system writes to a process, the producer asks whether it is still that of the peer. */
static unsigned long num_polls;

int __real_poll(struct pollfd *fds, nfds_t num, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t num, int timeout);

int __wrap_poll(struct pollfd *fds, nfds_t num, int timeout)
{
	num_polls++;
	return __real_poll(fds, num, timeout);
}

static const size_t sizes[] = {0, 1, 184, 185, 16384, 16385, 65537, PIECE, PIECE + 1, 1000000};
#define NUM_SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* Sends data of all sizes. Returns how many writes needed the system. */
static unsigned long transfer(struct endpoint *consumer, struct endpoint *producer)
{
	unsigned long before = vm_calls, polls = num_polls;

	for (size_t i = 0; i < NUM_SIZES; i++) {
		const size_t len = sizes[i];
		struct doca_buf *dst = room(consumer, 64, len + 100), *src = data(producer, 7, len);
		int done = consumer->done;

		memset(consumer->memory, 0xaa, len + 300);
		post(consumer, dst);
		EXPECT(SUCCESS, produce(producer, src, "imm", 3, consumer->id));
		UNTIL(consumer->done == done + 1);
		CHECK(data_len(dst) == len && memcmp(consumer->memory + 64, producer->memory + 7, len) == 0);
		CHECK(consumer->memory[63] == 0xaa && consumer->memory[64 + len] == 0xaa);
		CHECK(consumer->last_imm_len == 3);
		settle();
		put_buf(dst);
		put_buf(src);
	}
	CHECK(num_polls - polls == vm_calls - before);
	return vm_calls - before;
}

/* A file that may shrink is not mapped, nor is memory of no file. */
static void ways(void)
{
	struct pair pair = make_pair("ways");
	const int num_fds = count_fds();
	struct endpoint *producer = start_producer(pair.client), *consumer;

	for (int i = 0; i < 3; i++) {
		seals = i == 1 ? F_SEAL_GROW : F_SEAL_SHRINK;
		consumer = start_of_file(pair.server, pair.client);
		CHECK((transfer(consumer, producer) == 0) == (i != 1));
		if (i == 2) { /* again */
			stop_endpoint(consumer);
			UNTIL(pair.client->num_consumers == 0);
			EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
			UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING && pair.client->num_consumers == 1);
			CHECK(transfer(consumer, producer) == 0);
		}
		delete_of_file(consumer);
		UNTIL(pair.client->num_consumers == 0);
	}
	consumer = start_consumer(pair.server, pair.client);
	CHECK(transfer(consumer, producer) == NUM_SIZES - 5);
	delete_endpoint(consumer);
	delete_endpoint(producer);
	settle();
	CHECK(count_fds() == num_fds);
	delete_pair(pair);
}

/* A client made by hand gets the consumer of the server. */
struct by_hand {
	struct end *server;
	struct endpoint *consumer;
	struct doca_buf *buf;
	int fd, fds[EMU_COMCH_MAX_FDS];
	struct emu_comch_ring *ring;
	uint32_t num_entries;
};

static struct by_hand claimed_by_hand(void)
{
	struct by_hand hand = {.server = start_server("garbage")};

	hand.fd = greeted_by_hand(hand.server);
	hand.consumer = consumer_of_file(hand.server);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(hand.consumer->ctx));
	CHECK(next_frame(hand.fd, hand.fds) == EMU_COMCH_CONSUMER_NEW && hand.fds[2] >= 0);
	hand.ring = emu_comch_ring_map(hand.fds[0], &hand.num_entries);
	UNTIL(ctx_state(hand.consumer->ctx) == DOCA_CTX_STATE_RUNNING);
	hand.buf = room(hand.consumer, 0, 100000);
	post(hand.consumer, hand.buf);
	__atomic_store_n(&hand.ring->claimed, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&hand.ring->entries[0].copying, 1, __ATOMIC_SEQ_CST);
	return hand;
}

static void delete_by_hand(struct by_hand *hand)
{
	UNTIL(ctx_state(hand->consumer->ctx) == DOCA_CTX_STATE_IDLE);
	CHECK(hand->consumer->failed == 1);
	put_buf(hand->buf);
	emu_comch_close_fds(hand->fds, EMU_COMCH_MAX_FDS);
	emu_comch_ring_unmap(hand->ring, hand->num_entries);
	delete_of_file(hand->consumer);
	if (hand->fd >= 0)
		close(hand->fd);
	UNTIL(hand->server->disconnects == 1);
	delete_end(hand->server);
}

static void wait_ms(int ms)
{
	struct timespec end, now;

	clock_gettime(CLOCK_MONOTONIC, &end);
	do {
		settle();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - end.tv_sec) * 1000 + (now.tv_nsec - end.tv_nsec) / 1000000 < ms);
}

/* A consumer that stops has its buffers only when the producer no longer copies. */
static void stops_in_copy(void)
{
	struct by_hand hand = claimed_by_hand();

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(hand.consumer->ctx));
	wait_ms(1200);
	CHECK(__atomic_load_n(&hand.ring->entries[0].room, __ATOMIC_SEQ_CST) == 0);
	CHECK(ctx_state(hand.consumer->ctx) == DOCA_CTX_STATE_STOPPING && hand.consumer->failed == 0);
	__atomic_store_n(&hand.ring->entries[0].copying, 0, __ATOMIC_SEQ_CST);
	delete_by_hand(&hand);
}

/* A peer that says so for ever, and has left, does not keep it. */
static void liar(void)
{
	struct by_hand hand = claimed_by_hand();

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(hand.consumer->ctx));
	close(hand.fd);
	hand.fd = -1;
	delete_by_hand(&hand);
}

/* The consumer takes its buffer back while the producer copies: nothing is written after the piece that it is at. */
static struct emu_comch_ring *revoked;
static int num_pieces;

static void take_back(size_t len)
{
	CHECK(len <= PIECE);
	CHECK(__atomic_load_n(&revoked->entries[0].copying, __ATOMIC_SEQ_CST) == 1);
	if (++num_pieces == 2)
		__atomic_store_n(&revoked->entries[0].room, 0, __ATOMIC_SEQ_CST);
}

static void revoked_in_copy(void)
{
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server), memory, bell = make_bell();
	uint8_t *bytes = of_file();
	struct endpoint *producer;
	struct emu_comch_announce announce = {.id = 1, .addr = 0x1000, .len = ENDPOINT_MEMORY, .offset = START};
	struct doca_buf *src;

	revoked = emu_comch_ring_new(1, &memory);
	send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[3]){memory, bell, file}, 3);
	UNTIL(server->num_consumers == 1);
	producer = start_producer(server);
	src = data(producer, 0, 1000000);
	revoked->entries[0].addr = 0x1000;
	revoked->entries[0].room = 1000000;
	revoked->posted = 1;
	in_copy = take_back;
	EXPECT(SUCCESS, produce(producer, src, NULL, 0, 1));
	in_copy = NULL;
	UNTIL(producer->failed == 1);
	CHECK(producer->last_error == DOCA_ERROR_IO_FAILED && num_pieces == 2);
	CHECK(memcmp(bytes, producer->memory, 2 * PIECE) == 0 && bytes[2 * PIECE] == 0);
	CHECK(revoked->entries[0].copying == 0);
	put_buf(src);
	delete_endpoint(producer);
	emu_comch_ring_unmap(revoked, 1);
	close(memory);
	close(bell);
	close(fd);
	unmap(bytes);
	UNTIL(server->disconnects == 1);
	delete_end(server);
}

/* An announcement with memory that its file does not have, and entries outside of the memory, are not copied to. */
static void nonsense(void)
{
	static const struct {
		uint64_t addr, len, offset, entry;
	} cases[] = {
		{0x1000, FILE_SIZE + 1, 0, 0x1000},	      {0x1000, 1, FILE_SIZE, 0x1000},	    {0x1000, UINT64_MAX, 8, 0x1000},
		{0x1000, 4096, UINT64_MAX, 0x1000},	      {0x1000, 0, 0, 0x1000},		    {0x1000, 100000, 0, 0xfff},
		{0x1000, 100000, 0, 0x1000 + 100000 - 19999}, {0x1000, 100000, 0, UINT64_MAX - 10},
	};
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server);

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int memory, bell = make_bell();
		uint8_t *bytes = of_file();
		struct emu_comch_announce announce = {
			.id = i + 1, .addr = cases[i].addr, .len = cases[i].len, .offset = cases[i].offset};
		struct emu_comch_ring *ring = emu_comch_ring_new(1, &memory);
		struct endpoint *producer;
		struct doca_buf *src;

		send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[3]){memory, bell, file}, 3);
		UNTIL(server->num_consumers == (int)i + 1);
		producer = start_producer(server);
		src = data(producer, 0, 20000);
		ring->entries[0].addr = cases[i].entry;
		ring->entries[0].room = 20000;
		ring->posted = 1;
		EXPECT(SUCCESS, produce(producer, src, NULL, 0, i + 1));
		CHECK(ring->entries[0].where == EMU_COMCH_STAGED); /* the announcement says nothing of direct writes */
		CHECK(bytes[0] == 0 && memcmp(bytes, bytes + 1, FILE_SIZE - START - 1) == 0);
		put_buf(src);
		delete_endpoint(producer);
		emu_comch_ring_unmap(ring, 1);
		close(memory);
		close(bell);
		unmap(bytes);
	}
	close(fd);
	UNTIL(server->disconnects == 1);
	delete_end(server);
}

TEST_MAIN(ways, stops_in_copy, liar, revoked_in_copy, nonsense)
