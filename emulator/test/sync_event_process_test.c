/* SPDX-License-Identifier: Apache-2.0 */

/* Sync events of one process that others import. */

#include "core/emulator.h" /* first: it asks for all of the system's functions */

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "core/emu_export_wire.h"
#include "process.h"
#include "sync_event_fixture.h"

#define ALL (~UINT64_C(0))
#define ROUNDS 2000
#define NUM_ADDERS 3

struct blob {
	size_t len;
	uint8_t bytes[512];
};

/* The exporter: a child that makes an event on the host, sends its blob, and then does what it is for. */
static int child_fd, parent_fd;
static bool uses_own_memory; /* of the program, by doca_sync_event_set_addr */
static void (*child_does)(struct doca_sync_event *event);

static void be_exporter(void)
{
	struct doca_dev *dev = open_dev(HOST_0);
	struct doca_sync_event *event = make_shared_event(dev);
	int fds = (close(parent_fd), count_fds());
	static uint64_t word;
	struct blob blob;
	const uint8_t *bytes;

	if (uses_own_memory)
		MUST(doca_sync_event_set_addr(event, &word));
	MUST(doca_sync_event_start(event));
	MUST(doca_sync_event_export_to_remote_pci(event, dev, &bytes, &blob.len));
	memcpy(blob.bytes, bytes, blob.len);
	CHECK(send(child_fd, &blob, sizeof(blob), 0) == (ssize_t)sizeof(blob));
	child_does(event);
	EXPECT(SUCCESS, doca_sync_event_destroy(event));
	CHECK(count_fds() == fds);
	MUST(doca_dev_close(dev));
}

struct exporter {
	pid_t pid;
	int fd;
	struct blob blob;
	struct doca_dev *dev;
	struct doca_sync_event *event; /* the import */
};

static struct exporter start_exporter(bool own_memory, void (*does)(struct doca_sync_event *event))
{
	struct exporter e;
	int fds[2];

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
	uses_own_memory = own_memory;
	child_does = does;
	child_fd = fds[1];
	parent_fd = fds[0];
	e.pid = start_child(be_exporter);
	close(fds[1]);
	e.fd = fds[0];
	if (recv(e.fd, &e.blob, sizeof(e.blob), 0) != (ssize_t)sizeof(e.blob))
		exit(1);
	e.dev = open_dev(DPU_0);
	MUST(doca_sync_event_create_from_export(e.dev, e.blob.bytes, e.blob.len, &e.event));
	MUST(doca_sync_event_start(e.event));
	return e;
}

static void end_exporter(struct exporter *e, int signal)
{
	close(e->fd);
	expect_end(e->pid, signal);
	EXPECT(SUCCESS, doca_sync_event_destroy(e->event));
	MUST(doca_dev_close(e->dev));
}

/* Waits for a word of the parent, or its end. */
static void await_order(void)
{
	char byte;

	(void)!read(child_fd, &byte, 1);
}

static void order(const struct exporter *e)
{
	CHECK(write(e->fd, "x", 1) == 1);
}

static void publish(struct doca_sync_event *event)
{
	for (uint64_t i = 1; i <= ROUNDS; i++)
		MUST(doca_sync_event_update_set(event, i));
	await_order();
}

static void subscribe(struct doca_sync_event *event)
{
	uint64_t seen = 0;

	while (seen < ROUNDS) {
		MUST(doca_sync_event_wait_gt(event, seen, ALL));
		CHECK(value_of(event) > seen);
		seen = value_of(event);
	}
	CHECK(seen == ROUNDS);
}

static void answer(struct doca_sync_event *event)
{
	for (uint64_t i = 1; i < ROUNDS; i += 2) {
		MUST(doca_sync_event_wait_eq(event, i, ALL));
		MUST(doca_sync_event_update_set(event, i + 1));
	}
	await_order();
}

static void both_directions(void)
{
	for (int own_memory = 0; own_memory < 2; own_memory++) {
		struct exporter e = start_exporter(own_memory, publish);
		uint64_t seen = 0;

		while (seen < ROUNDS) {
			MUST(doca_sync_event_wait_gt(e.event, seen, ALL));
			CHECK(value_of(e.event) > seen);
			seen = value_of(e.event);
		}
		end_exporter(&e, 0);

		e = start_exporter(own_memory, subscribe);
		for (uint64_t i = 1; i <= ROUNDS; i++)
			MUST(doca_sync_event_update_set(e.event, i));
		end_exporter(&e, 0);

		e = start_exporter(own_memory, answer);
		for (uint64_t i = 1; i < ROUNDS; i += 2) {
			MUST(doca_sync_event_update_set(e.event, i));
			MUST(doca_sync_event_wait_eq_yield(e.event, i + 1, ALL));
		}
		end_exporter(&e, 0);
	}
}

/* Nothing is lost when all add at once. */
static struct blob adders_blob;

static void add_many(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_sync_event *event;
	uint64_t old = 0, before = 0;

	MUST(doca_sync_event_create_from_export(dev, adders_blob.bytes, adders_blob.len, &event));
	MUST(doca_sync_event_start(event));
	for (int i = 0; i < ROUNDS; i++) {
		MUST(doca_sync_event_update_add(event, 3, &old));
		CHECK(i == 0 || old > before);
		before = old;
	}
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dev_close(dev));
}

static void additions(void)
{
	for (int own_memory = 0; own_memory < 2; own_memory++) {
		struct exporter e = start_exporter(own_memory, publish);
		pid_t adders[NUM_ADDERS];

		MUST(doca_sync_event_wait_eq(e.event, ROUNDS, ALL));
		adders_blob = e.blob;
		for (int i = 0; i < NUM_ADDERS; i++)
			adders[i] = start_child(add_many);
		for (int i = 0; i < NUM_ADDERS; i++)
			expect_end(adders[i], 0);
		CHECK(value_of(e.event) == ROUNDS + 3 * NUM_ADDERS * ROUNDS);
		end_exporter(&e, 0);
	}
}

static void rest(struct doca_sync_event *event)
{
	(void)event;
	await_order();
}

static void a_killed_exporter(void)
{
	for (int own_memory = 0; own_memory < 2; own_memory++) {
		struct exporter e = start_exporter(own_memory, rest);
		uint64_t value;

		CHECK(value_of(e.event) == 0);
		kill(e.pid, SIGKILL);
		EXPECT(ERROR_IO_FAILED, doca_sync_event_wait_gt(e.event, 0, ALL));
		EXPECT(ERROR_IO_FAILED, doca_sync_event_get(e.event, &value));
		EXPECT(ERROR_IO_FAILED, doca_sync_event_update_add(e.event, 1, &value));
		end_exporter(&e, SIGKILL);
	}
}

static void stop_when_told(struct doca_sync_event *event)
{
	const uint8_t *bytes;
	size_t len;

	await_order();
	EXPECT(SUCCESS, doca_sync_event_stop(event));
	EXPECT(SUCCESS, doca_sync_event_start(event));
	EXPECT(SUCCESS, doca_sync_event_export_to_remote_pci(event, open_dev(HOST_0), &bytes, &len));
	await_order();
	CHECK(value_of(event) == 0);
}

static void an_exporter_that_stops(void)
{
	struct exporter e = start_exporter(false, stop_when_told);
	struct doca_sync_event *again;

	order(&e);
	EXPECT(ERROR_IO_FAILED, doca_sync_event_wait_neq(e.event, 0, ALL));
	EXPECT(ERROR_IO_FAILED, doca_sync_event_update_set(e.event, 9));
	/* The new export has another blob. */
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_create_from_export(e.dev, e.blob.bytes, e.blob.len, &again));
	end_exporter(&e, 0);
}

/* The value is in memory that both share: the exporter need not run. */
static void a_stopped_exporter(void)
{
	struct exporter e = start_exporter(false, rest);
	uint64_t old = 9;

	stop_child(e.pid);
	EXPECT(SUCCESS, doca_sync_event_update_add(e.event, 5, &old));
	CHECK(old == 0 && value_of(e.event) == 5);
	kill(e.pid, SIGCONT);
	end_exporter(&e, 0);
}

/* What the exporter does when the import is destroyed: nothing. */
static void wait_for_one(struct doca_sync_event *event)
{
	MUST(doca_sync_event_wait_eq_yield(event, 1, ALL));
	await_order();
}

static void an_importer_that_ends(void)
{
	struct exporter e = start_exporter(false, wait_for_one);
	struct doca_sync_event *again;

	MUST(doca_sync_event_create_from_export(e.dev, e.blob.bytes, e.blob.len, &again));
	MUST(doca_sync_event_start(again));
	MUST(doca_sync_event_destroy(e.event));
	MUST(doca_sync_event_update_set(again, 1));
	e.event = again;
	end_exporter(&e, 0);
}

/* An importer by hand, which asks for what it must not get. */
struct asked {
	struct emu_export_request request;
	uint64_t value;
};

struct answered {
	struct emu_export_reply reply;
	uint64_t before;
};

static int connect_by_hand(const struct exporter *e)
{
	const struct emu_export_desc *desc = (const struct emu_export_desc *)(const void *)e->blob.bytes;
	struct emu_export_hello hello = {.desc = *desc};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct emu_export_answer answer;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	size_t at = (size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s/", test_servers);

	for (size_t i = 0; i < EMU_EXPORT_ID_SIZE; i++)
		snprintf(address.sun_path + at + 2 * i, 3, "%02x", desc->process[i]);
	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(send(fd, &hello, sizeof(hello), 0) == (ssize_t)sizeof(hello));
	CHECK(recv(fd, &answer, sizeof(answer), 0) == (ssize_t)sizeof(answer) && answer.result == DOCA_SUCCESS);
	return fd;
}

/* Returns the result, or -1 if the exporter hangs up. */
static int ask(int fd, uint32_t op, uint32_t len, uint64_t offset, size_t size)
{
	struct asked asked = {.request = {.op = op, .len = len, .offset = offset}, .value = 3};
	struct answered answered;

	CHECK(send(fd, &asked, size, MSG_NOSIGNAL) == (ssize_t)size);
	if (recv(fd, &answered, sizeof(answered), 0) < (ssize_t)sizeof(answered.reply))
		return -1;
	return (int)answered.reply.result;
}

static void an_importer_by_hand(void)
{
	static const struct {
		uint32_t op, len;
		size_t size;
		int wants;
	} requests[] = {
		{EMU_EXPORT_READ, 8, sizeof(struct emu_export_request), DOCA_ERROR_IO_FAILED}, /* it is no memory */
		{EMU_EXPORT_WRITE, 8, sizeof(struct asked), DOCA_ERROR_IO_FAILED},
		{EMU_EXPORT_ADD_WORD, 8, sizeof(struct asked), DOCA_SUCCESS},
		{EMU_EXPORT_ADD_WORD, 4, sizeof(struct asked), -1},
		{EMU_EXPORT_SET_WORD, 8, sizeof(struct emu_export_request), -1},
		{EMU_EXPORT_ADD_WORD + 1, 8, sizeof(struct asked), -1},
		{0, 0, sizeof(struct emu_export_request), -1},
	};

	for (int own_memory = 0; own_memory < 2; own_memory++) {
		struct exporter e = start_exporter(own_memory, rest);

		for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
			int fd = connect_by_hand(&e);

			CHECK(ask(fd, requests[i].op, requests[i].len, 0, requests[i].size) == requests[i].wants);
			close(fd);
		}
		CHECK(value_of(e.event) == 3);
		end_exporter(&e, 0);
	}
}

/* Imports belong to the parent. */
static struct doca_sync_event *forked;

static void use_the_parents_import(void)
{
	uint64_t value;

	EXPECT(ERROR_IO_FAILED, doca_sync_event_get(forked, &value));
	EXPECT(ERROR_IO_FAILED, doca_sync_event_update_set(forked, 7));
	EXPECT(SUCCESS, doca_sync_event_destroy(forked));
}

static void a_fork(void)
{
	struct exporter e = start_exporter(false, rest);

	forked = e.event;
	expect_end(start_child(use_the_parents_import), 0);
	CHECK(value_of(e.event) == 0);
	end_exporter(&e, 0);
}

TEST_MAIN(both_directions, additions, a_killed_exporter, an_exporter_that_stops, a_stopped_exporter, an_importer_that_ends,
	  an_importer_by_hand, a_fork, left_nothing)
