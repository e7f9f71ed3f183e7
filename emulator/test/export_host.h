/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_EXPORT_HOST_H_
#define EMULATOR_TEST_EXPORT_HOST_H_

/*
 * Two processes and the memory of one: a host, which does only what it is told with its memory map, and in the
 * test's own process a DPU that copies through an import.
 */

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "fixture.h"
#include "process.h"

#define HOST_SIZE ((size_t)300000) /* several pieces and a rest */

/* The host. */

enum host_op {
	HOST_EXPORT = 1, /* over PCI, through its device */
	HOST_EXPORT_RDMA,
	HOST_FILL,  /* with the pattern of that number */
	HOST_CHECK, /* checks that it has the pattern */
	HOST_STOP,
	HOST_START,
	HOST_DESTROY,
	HOST_UNMAP,
	HOST_QUIT,
};

struct host_order {
	enum host_op op;
	uint32_t number;
};

struct host_answer {
	doca_error_t result;
	uint64_t addr;
	uint64_t desc_len;
	uint8_t desc[512];
};

struct host {
	pid_t pid;
	int fd;
	uint8_t *addr; /* of its memory */
	uint8_t desc[512];
	size_t desc_len;
};

static inline uint8_t pattern(size_t i, uint32_t number)
{
	return (uint8_t)(i * 13 + i / 256 + number * 31);
}

static inline void fill(uint8_t *bytes, size_t len, uint32_t number)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = pattern(i, number);
}

static inline bool has_pattern(const uint8_t *bytes, size_t len, uint32_t number)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != pattern(i, number))
			return false;
	}
	return true;
}

static int host_fd;
static uint32_t host_permissions;
static const char *host_dev;
static uint8_t *(*host_memory)(void); /* makes its memory, of HOST_SIZE bytes; NULL: private memory */

static inline void run_host(void)
{
	struct doca_dev *dev = open_dev(host_dev);
	uint8_t *memory = host_memory != NULL ? host_memory() :
						mmap(NULL, HOST_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fds = count_fds();
	struct doca_mmap *map = make_mmap(dev, memory, HOST_SIZE, host_permissions);
	struct host_order order = {.op = 0};

	while (order.op != HOST_QUIT && recv(host_fd, &order, sizeof(order), 0) == (ssize_t)sizeof(order)) {
		struct host_answer answer = {.addr = (uintptr_t)memory};
		const void *desc = NULL;
		size_t len = 0;

		switch (order.op) {
		case HOST_EXPORT:
			answer.result = doca_mmap_export_pci(map, dev, &desc, &len);
			break;
		case HOST_EXPORT_RDMA:
			answer.result = doca_mmap_export_rdma(map, dev, &desc, &len);
			break;
		case HOST_FILL:
			fill(memory, HOST_SIZE, order.number);
			break;
		case HOST_CHECK:
			answer.result = has_pattern(memory, HOST_SIZE, order.number) ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
			break;
		case HOST_STOP:
			answer.result = doca_mmap_stop(map);
			break;
		case HOST_START:
			answer.result = doca_mmap_start(map);
			break;
		case HOST_DESTROY:
			answer.result = doca_mmap_destroy(map);
			map = NULL;
			break;
		case HOST_UNMAP:
			munmap(memory, HOST_SIZE);
			break;
		case HOST_QUIT:
			if (map != NULL)
				answer.result = doca_mmap_destroy(map);
			CHECK(count_fds() == fds);
			MUST(doca_dev_close(dev));
			break;
		}
		if (desc != NULL) {
			CHECK(len <= sizeof(answer.desc));
			memcpy(answer.desc, desc, len);
			answer.desc_len = len;
		}
		CHECK(send(host_fd, &answer, sizeof(answer), 0) == (ssize_t)sizeof(answer));
	}
}

static inline doca_error_t tell(struct host *host, enum host_op op, uint32_t number)
{
	struct host_order order = {.op = op, .number = number};
	struct host_answer answer;

	CHECK(send(host->fd, &order, sizeof(order), MSG_NOSIGNAL) == (ssize_t)sizeof(order));
	if (recv(host->fd, &answer, sizeof(answer), 0) != (ssize_t)sizeof(answer)) {
		fprintf(stderr, "the host has ended\n");
		exit(1);
	}
	host->addr = (uint8_t *)(uintptr_t)answer.addr;
	if (answer.desc_len != 0) {
		memcpy(host->desc, answer.desc, answer.desc_len);
		host->desc_len = answer.desc_len;
	}
	return answer.result;
}

/* A host with a started map, filled with pattern 1. */
static inline struct host start_host(const char *dev, uint32_t permissions)
{
	struct host host = {.pid = 0};
	int fds[2];

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
	host_dev = dev;
	host_permissions = permissions;
	host_fd = fds[1];
	host.pid = start_child(run_host);
	close(fds[1]);
	host.fd = fds[0];
	EXPECT(SUCCESS, tell(&host, HOST_FILL, 1));
	return host;
}

/* The same, with an export over PCI. */
static inline struct host start_exporter(const char *dev, uint32_t permissions)
{
	struct host host = start_host(dev, permissions);

	EXPECT(SUCCESS, tell(&host, HOST_EXPORT, 0));
	return host;
}

static inline void quit_host(struct host *host)
{
	EXPECT(SUCCESS, tell(host, HOST_QUIT, 0));
	close(host->fd);
	expect_end(host->pid, 0);
}

static inline void kill_host(struct host *host)
{
	kill(host->pid, SIGKILL);
	expect_end(host->pid, SIGKILL);
	close(host->fd);
}

/* The DPU. */

struct dpu {
	struct fixture *f;
	uint8_t *memory;
	struct doca_mmap *map;
};

static inline struct dpu make_dpu(void)
{
	struct dpu dpu = {.f = fixture_create(8), .memory = malloc(HOST_SIZE)};

	memset(dpu.memory, 0, HOST_SIZE);
	dpu.map = make_mmap(dpu.f->dev, dpu.memory, HOST_SIZE, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	return dpu;
}

static inline void delete_dpu(struct dpu *dpu)
{
	MUST(doca_mmap_destroy(dpu->map));
	fixture_destroy(dpu->f);
	free(dpu->memory);
}

static inline doca_error_t import_host(const struct host *host, struct doca_dev *dev, struct doca_mmap **import)
{
	return doca_mmap_create_from_export(NULL, host->desc, host->desc_len, dev, import);
}

static inline struct doca_mmap *must_import(const struct host *host, struct doca_dev *dev)
{
	struct doca_mmap *import;

	MUST(import_host(host, dev, &import));
	return import;
}

/* One task from one address to another. */
static inline doca_error_t dma_copy(struct fixture *f, struct doca_mmap *src_map, void *src,
				    struct doca_mmap *dst_map, void *dst, size_t len)
{
	struct doca_buf *from = src_buf(f->inventory, src_map, src, len);
	struct doca_buf *to = dst_buf(f->inventory, dst_map, dst, len);
	int errors = f->errors;
	doca_error_t result;

	MUST(doca_task_submit(make_task(f, from, to)));
	drain_pe(f->pe);
	result = f->errors == errors ? DOCA_SUCCESS : f->last_error;
	CHECK(data_len(to) == (result == DOCA_SUCCESS ? len : 0));
	CHECK(ctx_state(f->ctx) == (result == DOCA_SUCCESS ? DOCA_CTX_STATE_RUNNING : DOCA_CTX_STATE_IDLE));
	put_buf(from);
	put_buf(to);
	if (result != DOCA_SUCCESS)
		MUST(doca_ctx_start(f->ctx));
	f->states[0] = DOCA_CTX_STATE_RUNNING; /* the callbacks note more states than there is room for */
	f->num_states = 1;
	return result;
}

/* Reads all of the host's memory, or writes it. */
static inline doca_error_t pull(struct dpu *dpu, struct doca_mmap *import, const struct host *host)
{
	return dma_copy(dpu->f, import, host->addr, dpu->map, dpu->memory, HOST_SIZE);
}

static inline doca_error_t push(struct dpu *dpu, struct doca_mmap *import, const struct host *host)
{
	return dma_copy(dpu->f, dpu->map, dpu->memory, import, host->addr, HOST_SIZE);
}

#endif /* EMULATOR_TEST_EXPORT_HOST_H_ */
