/* SPDX-License-Identifier: Apache-2.0 */

/* Rings of posted buffers into which the peer writes garbage, and announcements of things that are no rings. */

#include "comch_hand.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "comch/emu_comch_ring.h"

/* A memfd like that of a ring. */
static int make_memory(off_t size, int seals, uint32_t version, uint32_t num_entries)
{
	uint32_t head[2] = {version, num_entries};
	int fd = memfd_create("by hand", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	CHECK(ftruncate(fd, size) == 0);
	if (size >= (off_t)sizeof(head))
		CHECK(pwrite(fd, head, sizeof(head), 0) == sizeof(head));
	if (seals != 0)
		CHECK(fcntl(fd, F_ADD_SEALS, seals) == 0);
	return fd;
}

#define RING_SIZE ((off_t)EMU_COMCH_MAX_BUF_SIZE + 65536)

/* Announcements with wrong descriptors: the consumer does not exist, and no descriptor stays open. */
static void bad_announcements(void)
{
	struct end *server = start_server("garbage");
	int pipes[2], fd = greeted_by_hand(server), num_fds, regular, null;
	char path[64];

	CHECK(pipe(pipes) == 0);
	snprintf(path, sizeof(path), "%s/file", test_dir);
	regular = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(ftruncate(regular, RING_SIZE) == 0);
	(void)!pwrite(regular, (uint32_t[2]){EMU_COMCH_VERSION, 1}, 8, 0);
	CHECK(unlink(path) == 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	num_fds = count_fds();
	for (int i = 0; i < 16; i++) {
		struct emu_comch_announce announce = {.id = 1, .imm_data_len = 32};
		int memory = make_memory(RING_SIZE, F_SEAL_SHRINK | F_SEAL_GROW, EMU_COMCH_VERSION, 1);
		int bell = make_bell();
		int fds[2] = {memory, bell}, num = 2, other = -1;

		switch (i) {
		case 0:
			num = 0;
			break;
		case 1:
			num = 1;
			break;
		case 2:
			fds[0] = bell;
			break;
		case 3: /* could shrink while it is mapped */
			other = fds[0] = make_memory(RING_SIZE, 0, EMU_COMCH_VERSION, 1);
			break;
		case 4:
			other = fds[0] = make_memory(4096, F_SEAL_SHRINK, EMU_COMCH_VERSION, 1);
			break;
		case 5:
			other = fds[0] = make_memory(0, F_SEAL_SHRINK, EMU_COMCH_VERSION, 1);
			break;
		case 6:
			other = fds[0] = make_memory(RING_SIZE, F_SEAL_SHRINK, EMU_COMCH_VERSION + 1, 1);
			break;
		case 7:
			other = fds[0] = make_memory(RING_SIZE, F_SEAL_SHRINK, EMU_COMCH_VERSION, 0);
			break;
		case 8:
			other = fds[0] = make_memory(4 * RING_SIZE, F_SEAL_SHRINK, EMU_COMCH_VERSION, 3);
			break;
		case 9:
			other = fds[0] = make_memory(RING_SIZE, F_SEAL_SHRINK, EMU_COMCH_VERSION, 1u << 31);
			break;
		case 10:
			fds[0] = regular;
			break;
		case 11:
			fds[0] = null;
			break;
		case 12:
			fds[0] = pipes[0];
			break;
		case 13: /* a write to it could end this process */
			fds[1] = pipes[1];
			break;
		case 14: /* a write to it could block */
			other = fds[1] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
			break;
		case 15:
			fds[1] = memory;
			break;
		}
		send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), fds, num);
		close(memory);
		close(bell);
		if (other >= 0)
			close(other);
		settle();
		CHECK(server->num_consumers == 0);
		CHECK(server->disconnects == 0);
		CHECK(count_fds() == num_fds);
	}
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
	close(regular);
	close(null);
	UNTIL(server->connects == server->disconnects);
	still_works(server);
	delete_end(server);
}

/* A ring made by hand and announced to the server. */
struct hand_ring {
	int fd, bell;
	struct emu_comch_ring *ring;
};

static struct hand_ring announce_ring(struct end *server, int fd, uint32_t id)
{
	struct emu_comch_announce announce = {.id = id, .imm_data_len = UINT32_MAX};
	struct hand_ring ring = {.bell = make_bell()};
	int known = server->num_consumers;

	ring.ring = emu_comch_ring_new(4, &ring.fd);
	send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[2]){ring.fd, ring.bell}, 2);
	UNTIL(server->num_consumers == known + 1);
	return ring;
}

static void drop_ring(struct hand_ring *ring)
{
	emu_comch_ring_unmap(ring->ring, 4);
	close(ring->fd);
	close(ring->bell);
}

/* A consumer that exists already. */
static void announced_twice(void)
{
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server);
	struct hand_ring ring = announce_ring(server, fd, 7);
	struct emu_comch_announce announce = {.id = 7};

	send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[2]){ring.fd, ring.bell}, 2);
	UNTIL(server->disconnects == 1);
	CHECK(server->num_consumers == 1);
	drop_ring(&ring);
	close(fd);
	delete_end(server);
}

/* Producers of the server send into rings with garbage. */
static void bad_rings(void)
{
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server);
	struct endpoint *producer = start_producer(server);
	struct doca_buf *small = data(producer, 0, 100), *large = data(producer, 0, 100000);

	for (uint32_t i = 0; i < 200; i++) {
		struct hand_ring ring = announce_ring(server, fd, i + 1);

		for (int j = 0; j < 4; j++) {
			ring.ring->entries[j].addr = j % 2 == 0 ? 1 : (uintptr_t)-4096; /* where there is no memory */
			ring.ring->entries[j].room = j % 2 == 0 ? UINT64_MAX : next_random();
			ring.ring->entries[j].filled = next_random();
		}
		ring.ring->num_entries = next_random(); /* changed while the producer uses it */
		ring.ring->version = next_random();
		ring.ring->posted = i % 3 == 0 ? UINT64_MAX : next_random();
		ring.ring->claimed = i % 5 == 0 ? 0 : (uint64_t)next_random() << (i % 32);
		ring.ring->armed = next_random();
		for (int j = 0; j < 6; j++) {
			(void)produce(producer, j % 2 == 0 ? small : large, "imm", 3, i + 1);
			drain_pe(producer->pe);
		}
		drop_ring(&ring);
	}
	CHECK(ctx_state(producer->ctx) == DOCA_CTX_STATE_RUNNING);
	CHECK(server->num_consumers == 200);
	server->num_consumers = 0; /* which expire with their connection */
	put_buf(small);
	put_buf(large);
	close(fd);
	UNTIL(ctx_state(producer->ctx) == DOCA_CTX_STATE_IDLE);
	delete_endpoint(producer);
	UNTIL(server->connects == server->disconnects);
	still_works(server);
	delete_end(server);
}

/* A producer made by hand writes garbage into the ring of a real consumer. */
static void bad_producer(void)
{
	struct end *server = start_server("garbage");
	int num_fds = count_fds();

	for (uint32_t i = 0; i < 200; i++) {
		int fd = greeted_by_hand(server), fds[EMU_COMCH_MAX_FDS];
		struct endpoint *consumer = new_consumer(server);
		struct emu_comch_ring *ring;
		uint32_t num_entries;
		struct doca_buf *bufs[4];

		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
		CHECK(next_frame(fd, fds) == EMU_COMCH_CONSUMER_NEW);
		ring = emu_comch_ring_map(fds[0], &num_entries);
		CHECK(ring != NULL && num_entries == ENDPOINT_TASKS);
		UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
		memset(consumer->memory, 0xaa, 8192);
		for (size_t j = 0; j < 4; j++) {
			bufs[j] = room(consumer, 512 + j * 1024, 512);
			post(consumer, bufs[j]);
		}
		for (uint32_t j = 0; j < 4; j++) {
			struct emu_comch_entry *entry = &ring->entries[j];

			entry->where = next_random() % 6;
			entry->len = next_random() % 4 == 0 ? next_random() % 600 : next_random();
			entry->imm_len = next_random() % 2 == 0 ? next_random() % 40 : next_random();
			entry->addr = next_random(); /* the consumer has its own copy */
			entry->room = UINT64_MAX;
			entry->producer_id = next_random();
			if (j < i % 5)
				__atomic_store_n(&entry->filled, j + 1, __ATOMIC_RELEASE);
		}
		ring->num_entries = next_random();
		__atomic_store_n(&ring->posted, (uint64_t)next_random(), __ATOMIC_RELEASE);
		__atomic_store_n(&ring->claimed, (uint64_t)next_random() << (i % 40), __ATOMIC_RELEASE);
		__atomic_store_n(&ring->armed, next_random(), __ATOMIC_RELEASE);
		settle();
		CHECK(consumer->done + consumer->failed == (int)(i % 5));
		for (size_t j = 0; j < 4; j++) { /* in any case, nothing outside the buffers changed */
			CHECK(data_len(bufs[j]) <= 512);
			CHECK(consumer->memory[512 + j * 1024 - 1] == 0xaa && consumer->memory[512 + j * 1024 + 512] == 0xaa);
		}
		emu_comch_ring_unmap(ring, num_entries);
		close(fds[0]);
		close(fds[1]);
		if (i % 2 == 0)
			stop_endpoint(consumer);
		close(fd);
		UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE && server->connects == server->disconnects);
		CHECK(consumer->done + consumer->failed == 4);
		for (size_t j = 0; j < 4; j++)
			put_buf(bufs[j]);
		delete_endpoint(consumer);
		CHECK(count_fds() == num_fds);
	}
	still_works(server);
	delete_end(server);
}

/* Trays belong to one entry each, both sides see them, and neither the ring nor staged data overlaps with them. Large rings have none. */
static void trays(void)
{
	static const uint32_t sizes[] = {1, 16, 4096, 8192};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint32_t num = sizes[i];
		uint8_t staged[3] = {7, 8, 9}, bytes[3];
		struct emu_comch_ring *own, *theirs;
		uint32_t num_theirs;
		int fd;

		own = emu_comch_ring_new(num, &fd);
		theirs = emu_comch_ring_map(fd, &num_theirs);
		CHECK(own != NULL && theirs != NULL && num_theirs == num);
		CHECK((emu_comch_ring_tray(own, num, 0) != NULL) == (num <= 4096));
		if (num <= 4096) {
			for (uint32_t n = 0; n < num; n++)
				memset(emu_comch_ring_tray(theirs, num, num + n), (int)(n % 251), EMU_COMCH_TRAY_SIZE);
			CHECK(emu_comch_ring_stage(fd, num, 0, staged, sizeof(staged)));
			memset(own->entries, 0xff, num * sizeof(own->entries[0]));
			for (uint32_t n = 0; n < num; n++) {
				const uint8_t *tray = emu_comch_ring_tray(own, num, n);

				CHECK(tray[0] == n % 251 && memcmp(tray, tray + 1, EMU_COMCH_TRAY_SIZE - 1) == 0);
			}
			CHECK(emu_comch_ring_unstage(fd, num, 0, bytes, sizeof(bytes)) && memcmp(bytes, staged, 3) == 0);
			CHECK(theirs->num_entries == num);
		}
		emu_comch_ring_unmap(own, num);
		emu_comch_ring_unmap(theirs, num);
		close(fd);
	}
}

TEST_MAIN(trays, bad_announcements, announced_twice, bad_rings, bad_producer, left_nothing)
