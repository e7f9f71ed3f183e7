/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA and memory across PCI: a DPU sends memory of its host, and passes it on to a third process. */

#include "export_host.h"
#include "rdma_fixture.h"

#define HOST_FLAGS (DOCA_ACCESS_FLAG_PCI_READ_WRITE | END_ALL)

/* This process is the DPU; the source of what it writes and sends is imported, and where it receives as well. */
static void imported_buffers(void)
{
	struct host host = start_exporter(HOST_0, HOST_FLAGS);
	struct end *a = end_start(), *b = end_start();
	struct doca_mmap *import = must_import(&host, a->dev);
	struct doca_buf *src, *dst, *remote;

	connect_ends(a, b);
	src = src_buf(a->inventory, import, host.addr, 200000);
	remote = remote_dst(a, 0, 200000);
	submit_write(a, src, remote);
	DRIVE(a, b, a->completions == 1);
	CHECK(has_pattern(b->memory, 200000, 1));
	memset(b->memory, 0, END_SIZE);
	dst = local_dst(b, 0, 200000);
	post_receive(b, dst);
	submit_send(a, src);
	DRIVE(a, b, a->completions == 2 && b->receives == 1);
	CHECK(has_pattern(b->memory, 200000, 1));
	put_buf(src);
	put_buf(dst);
	put_buf(remote);

	/* The other way: into the host's memory, by a receive and by a read. */
	fill(b->memory, END_SIZE, 2);
	dst = dst_buf(a->inventory, import, host.addr, HOST_SIZE);
	post_receive(a, dst);
	src = local_src(b, 0, HOST_SIZE);
	submit_send(b, src);
	DRIVE(a, b, a->receives == 1 && b->completions == 1);
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 2));
	put_buf(src);
	fill(b->memory, END_SIZE, 3);
	MUST(doca_buf_reset_data_len(dst));
	remote = remote_src(a, 0, HOST_SIZE);
	submit_read(a, remote, dst);
	DRIVE(a, b, a->completions == 3);
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 3));
	put_buf(remote);
	put_buf(dst);

	/* When the host has gone, its memory cannot be sent. */
	kill_host(&host);
	src = src_buf(a->inventory, import, host.addr, 100);
	remote = remote_dst(a, 0, 100);
	submit_write(a, src, remote);
	DRIVE(a, b, a->errors == 1 && is_idle(a));
	CHECK(a->last_error == DOCA_ERROR_IO_FAILED);
	put_buf(src);
	put_buf(remote);
	MUST(doca_mmap_destroy(import));
	end_destroy(a);
	end_destroy(b);
}

/* A source without data: the task succeeds, and nothing is moved, as on hardware. */
static void no_data_source(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *src = local_dst(a, 0, 64), *remote;

	connect_ends(a, b);
	memset(a->memory, 1, 64);
	remote = remote_dst(a, 0, 64);
	submit_write(a, src, remote);
	submit_write(a, NULL, NULL);
	submit_read(a, NULL, NULL);
	DRIVE(a, b, a->completions == 3);
	CHECK(b->memory[0] == 0);
	put_buf(src);
	put_buf(remote);
	end_destroy(a);
	end_destroy(b);
}

/* The DPU between a host and a third process, which writes to and reads from the host's memory. */

static struct host passed_host;
static int dpu_fd;

struct passing {
	struct details details; /* of the DPU's connection, and of the host's memory */
};

static void run_dpu(void)
{
	struct end *end = end_start();
	struct doca_mmap *import = must_import(&passed_host, end->dev);
	struct passing out = {.details = end_export(end)}, in;
	const void *desc;
	size_t len;
	char byte;

	MUST(doca_mmap_export_rdma(import, end->dev, &desc, &len));
	memcpy(out.details.desc, desc, len);
	out.details.desc_len = len;
	out.details.addr = (uintptr_t)passed_host.addr;
	CHECK(send(dpu_fd, &out, sizeof(out), 0) == (ssize_t)sizeof(out));
	CHECK(recv(dpu_fd, &in, sizeof(in), 0) == (ssize_t)sizeof(in));
	end_connect(end, &in.details);
	CHECK(send(dpu_fd, "", 1, 0) == 1);
	CHECK(recv(dpu_fd, &byte, 1, 0) == 1); /* its program does nothing meanwhile */
	MUST(doca_mmap_stop(import)); /* ends the export, too */
	CHECK(send(dpu_fd, "", 1, 0) == 1);
	CHECK(recv(dpu_fd, &byte, 1, 0) == 1);
	MUST(doca_mmap_destroy(import));
	end_destroy(end);
}

static void passed_on(void)
{
	struct host host = start_exporter(HOST_0, HOST_FLAGS);
	struct end *end = end_start();
	struct passing dpu, ours;
	struct doca_buf *src, *dst, *remote;
	pid_t pid;
	int fds[2];
	char byte;

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
	dpu_fd = fds[1];
	passed_host = host;
	pid = start_child(run_dpu);
	close(fds[1]);
	CHECK(recv(fds[0], &dpu, sizeof(dpu), 0) == (ssize_t)sizeof(dpu));
	ours.details = end_export(end);
	CHECK(send(fds[0], &ours, sizeof(ours), 0) == (ssize_t)sizeof(ours));
	CHECK(recv(fds[0], &byte, 1, 0) == 1);
	end_connect(end, &dpu.details);
	end_import(end, &dpu.details);

	fill(end->memory, END_SIZE, 4);
	src = local_src(end, 0, HOST_SIZE);
	remote = remote_dst(end, 0, HOST_SIZE);
	submit_write(end, src, remote);
	DRIVE(end, end, end->completions == 1);
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 4));
	EXPECT(SUCCESS, tell(&host, HOST_FILL, 5));
	put_buf(remote);
	remote = remote_src(end, 0, HOST_SIZE);
	dst = local_dst(end, 0, HOST_SIZE);
	submit_read(end, remote, dst);
	DRIVE(end, end, end->completions == 2);
	CHECK(has_pattern(end->memory, HOST_SIZE, 5));

	CHECK(send(fds[0], "", 1, 0) == 1);
	CHECK(recv(fds[0], &byte, 1, 0) == 1);
	put_buf(remote);
	remote = remote_dst(end, 0, HOST_SIZE);
	submit_write(end, src, remote);
	DRIVE(end, end, end->errors == 1 && is_idle(end));
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 5));
	put_buf(remote);
	put_buf(src);
	put_buf(dst);
	CHECK(send(fds[0], "", 1, 0) == 1);
	end_destroy(end);
	close(fds[0]);
	expect_end(pid, 0);
	quit_host(&host);
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(imported_buffers, no_data_source, passed_on, nothing_is_left)
