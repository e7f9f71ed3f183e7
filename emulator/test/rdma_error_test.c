/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA: what must fail, how, and what is left afterwards. */

#include "catch_log.h"
#include "rdma_peer.h"

/* A task of this side must fail, and the context must stop. */
#define FAILS(end, other, ...)                                                                                         \
	do {                                                                                                           \
		int errors_ = (end)->errors;                                                                           \
                                                                                                                       \
		__VA_ARGS__;                                                                                           \
		DRIVE(end, other, (end)->errors == errors_ + 1 && is_idle(end));                                       \
		CHECK((end)->last_error == DOCA_ERROR_IO_FAILED);                                                      \
	} while (0)

static void bounds(void)
{
	static const struct {
		size_t offset, len;
	} ranges[] = {{END_SIZE - 7, 8}, {END_SIZE, 1}, {(size_t)0 - 1, 2}, {0, END_SIZE + 1}};

	for (size_t i = 0; i < 8; i++) {
		struct end *a = end_start(), *b = end_start();
		struct doca_buf *local, *remote;
		size_t offset = ranges[i % 4].offset, len = ranges[i % 4].len;

		connect_ends(a, b);
		if (i < 4) {
			local = local_src(a, 0, len < END_SIZE ? len : END_SIZE);
			remote = remote_dst(a, offset, len);
			if (len > END_SIZE) { /* the room is too large by one, the source has to be, too */
				put_buf(local);
				local = local_src(a, 0, END_SIZE);
				MUST(doca_buf_chain_list(local, local_src(a, 0, 1)));
			}
			FAILS(a, b, submit_write(a, local, remote));
		} else {
			local = local_dst(a, 0, END_SIZE);
			remote = remote_src(a, offset, len);
			FAILS(a, b, submit_read(a, remote, local));
			CHECK(data_len(local) == 0);
		}
		put_buf(local);
		put_buf(remote);
		end_destroy(a);
		end_destroy(b);
	}
}

/* One of several writes at once fails: those before it are carried out, those behind it are not. */
static void one_of_many(void)
{
	for (int i = 0; i < 2; i++) {
		struct end *a = end_start(), *b = end_start();
		uint8_t *more = aligned_alloc(4096, 4096);
		struct doca_mmap *exported = make_mmap(b->dev, more, 4096, END_ALL), *imported;
		struct doca_buf *src[5], *dst[5];
		const void *desc;
		size_t len;

		connect_ends(a, b);
		memset(more, 0, 4096);
		MUST(doca_mmap_export_rdma(exported, b->dev, &desc, &len));
		MUST(doca_mmap_create_from_export(NULL, desc, len, a->dev, &imported));
		if (i == 1)
			MUST(doca_mmap_stop(exported));
		for (int k = 0; k < 5; k++) {
			a->memory[64 * k] = (uint8_t)(k + 1);
			src[k] = local_src(a, 64 * k, 8);
			dst[k] = remote_dst(a, 64 * k, 8);
		}
		put_buf(dst[2]);
		dst[2] = i == 0 ? remote_dst(a, END_SIZE - 7, 8) : dst_buf(a->inventory, imported, more, 8);
		for (int k = 0; k < 5; k++)
			submit_write(a, src[k], dst[k]);
		DRIVE(a, b, a->completions + a->errors == 5 && is_idle(a));
		CHECK(a->completions == 2 && a->errors == 3);
		for (int k = 0; k < 5; k++)
			CHECK(b->memory[64 * k] == (k < 2 ? k + 1 : 0));
		CHECK(more[0] == 0 && b->memory[END_SIZE - 7] == 0);
		for (int k = 0; k < 5; k++) {
			put_buf(src[k]);
			put_buf(dst[k]);
		}
		MUST(doca_mmap_destroy(imported));
		MUST(doca_mmap_destroy(exported));
		end_destroy(a);
		end_destroy(b);
		free(more);
	}
}

/* Buffers that are not what the task needs. */
static void wrong_buffers(void)
{
	for (int i = 0; i < 9; i++) {
		struct end *a = end_start(), *b = end_start();
		struct doca_buf *src = local_src(a, 0, 16), *dst = NULL, *result = local_dst(a, 64, 8);

		connect_ends(a, b);
		switch (i) {
		case 0: /* a write to local memory */
			dst = local_dst(a, 100, 16);
			FAILS(a, b, submit_write(a, src, dst));
			break;
		case 1: /* a write from remote memory */
			dst = remote_dst(a, 0, 16);
			put_buf(src);
			src = remote_src(a, 0, 16);
			FAILS(a, b, submit_write(a, src, dst));
			break;
		case 2: /* a write to nowhere */
			FAILS(a, b, submit_write(a, src, NULL));
			break;
		case 3: /* a read without room */
			dst = local_dst(a, 0, 15);
			put_buf(src);
			src = remote_src(a, 0, 16);
			FAILS(a, b, submit_read(a, src, dst));
			break;
		case 4: /* an atomic operation on an odd address */
			dst = remote_dst(a, 4, 8);
			FAILS(a, b, submit_fetch_add(a, dst, result, 1));
			break;
		case 5: /* on 4 bytes */
			dst = remote_dst(a, END_SIZE - 4, 8);
			FAILS(a, b, submit_fetch_add(a, dst, result, 1));
			break;
		case 6: /* without a result */
			dst = remote_dst(a, 0, 8);
			FAILS(a, b, submit_cmp_swp(a, dst, NULL, 0, 1));
			break;
		case 7: /* a message from memory that has stopped */
			MUST(doca_mmap_stop(a->mmap));
			FAILS(a, b, submit_send(a, src));
			break;
		default: /* a list that is too long */
			for (int n = 0; n < 32; n++)
				MUST(doca_buf_chain_list(src, local_src(a, 0, 1)));
			FAILS(a, b, submit_send(a, src));
		}
		if (src != NULL)
			put_buf(src);
		if (dst != NULL)
			put_buf(dst);
		put_buf(result);
		end_destroy(a);
		end_destroy(b);
	}
}

/* A message that is longer than the receive fails on both sides. */
static void too_long(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *src = local_src(a, 0, 100000), *dst = local_dst(b, 0, 99999);

	connect_ends(a, b);
	post_receive(b, dst);
	FAILS(a, b, submit_send(a, src));
	DRIVE(a, b, b->receive_errors == 1 && is_idle(b));
	CHECK(b->last_receive_error == DOCA_ERROR_IO_FAILED && data_len(dst) == 0);
	put_buf(src);
	put_buf(dst);
	end_destroy(a);
	end_destroy(b);
}

/* All tasks behind a failed one are flushed, receives as well; then the context can be used again. */
static void flush(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *bufs[12], *remote;

	connect_ends(a, b);
	for (int i = 0; i < 10; i++) {
		bufs[i] = local_src(a, 0, 10);
		post_receive(a, NULL);
	}
	remote = remote_dst(a, END_SIZE - 5, 10);
	submit_write(a, bufs[0], remote);
	for (int i = 1; i < 10; i++)
		submit_send(a, bufs[i]);
	DRIVE(a, b, is_idle(a));
	CHECK(a->errors == 10 && a->receive_errors == 10 && a->completions == 0);
	for (int i = 0; i < 10; i++)
		put_buf(bufs[i]);
	put_buf(remote);
	end_stop(b);
	MUST(doca_mmap_destroy(a->peer));
	MUST(doca_mmap_destroy(b->peer));
	MUST(doca_ctx_start(a->ctx));
	MUST(doca_ctx_start(b->ctx));
	connect_ends(a, b);
	post_receive(b, NULL);
	submit_send(a, NULL);
	DRIVE(a, b, a->completions == 1 && b->receives == 1);
	end_destroy(a);
	end_destroy(b);
}

static void receiver_never_ready(void)
{
	struct end *a = end_create(), *b = end_start();
	uint64_t begin;

	EXPECT(ERROR_INVALID_VALUE, doca_rdma_set_rnr_retry_count(a->rdma, 8));
	EXPECT(SUCCESS, doca_rdma_set_rnr_retry_count(a->rdma, 3));
	MUST(doca_ctx_start(a->ctx));
	connect_ends(a, b);
	begin = now_ms();
	FAILS(a, b, submit_send(a, NULL));
	CHECK(now_ms() - begin >= 20); /* it has tried again */
	end_destroy(a);
	end_destroy(b);
}

/* Each operation needs the permission of the peer's map and of its context. */
static void permissions(void)
{
	static const uint32_t local = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
	static const uint32_t flags[] = {DOCA_ACCESS_FLAG_RDMA_READ, DOCA_ACCESS_FLAG_RDMA_WRITE,
					 DOCA_ACCESS_FLAG_RDMA_ATOMIC};

	for (int i = 0; i < 18; i++) {
		uint32_t others = END_ALL & ~flags[i % 3];
		struct peer peer;
		struct end *end;
		struct doca_buf *src, *dst, *remote;

		peer_permissions = i / 3 % 3 == 1 ? others : i / 3 % 3 == 2 ? (local | flags[i % 3]) : END_ALL;
		peer_map_permissions = i / 3 % 3 == 0 ? others : i / 3 % 3 == 2 ? (local | flags[i % 3]) : END_ALL;
		if (i >= 9) { /* of the map and of the context together */
			peer_permissions = END_ALL;
			peer_map_permissions = END_ALL;
		}
		peer = start_peer();
		end = end_start();
		connect_peer(end, &peer);
		src = local_src(end, 0, 8);
		dst = local_dst(end, 0, 8);
		remote = i % 3 == 0 ? remote_src(end, 0, 8) : remote_dst(end, 0, 8);
		if (i % 3 == 0)
			submit_read(end, remote, dst);
		else if (i % 3 == 1)
			submit_write(end, src, remote);
		else
			submit_fetch_add(end, remote, dst, 1);
		DRIVE(end, end, end->errors + end->completions == 1);
		CHECK(end->completions == (i >= 6));
		put_buf(src);
		put_buf(dst);
		put_buf(remote);
		end_destroy(end);
		quit_peer(&peer);
	}
	peer_permissions = END_ALL;
	peer_map_permissions = END_ALL;
}

/* Details of another build: the log names both versions. */
static void other_version(void)
{
	struct end *a = end_start(), *b = end_start();
	struct details of_b = end_export(b);
	const char *text;

	end_export(a);
	catch_log();
	of_b.bytes[8] = 99;
	EXPECT(ERROR_UNSUPPORTED_VERSION, doca_rdma_connect(a->rdma, of_b.bytes, of_b.len, a->conn));
	text = strstr(caught, "version 99");
	CHECK(text != NULL && strstr(text, "has version 1:") != NULL);
	end_destroy(a);
	end_destroy(b);
}

/* Details that are not what the peer has exported. */
static void damaged_details(void)
{
	struct end *a = end_start(), *b = end_start();
	struct details good = end_export(b), mine = end_export(a), bad;
	struct doca_mmap *import;

	for (size_t i = 0; i < good.len; i++) {
		doca_error_t result;

		bad = good;
		bad.bytes[i] ^= 0x10;
		result = doca_rdma_connect(a->rdma, bad.bytes, bad.len, a->conn);
		CHECK(result == (i >= 8 && i < 12 ? DOCA_ERROR_UNSUPPORTED_VERSION : DOCA_ERROR_INVALID_VALUE));
		EXPECT(ERROR_INVALID_VALUE, doca_rdma_connect(a->rdma, good.bytes, i, a->conn));
	}
	for (size_t i = 0; i < good.desc_len; i++) {
		bad = good;
		bad.desc[i] ^= 0x10;
		CHECK(doca_mmap_create_from_export(NULL, bad.desc, bad.desc_len, a->dev, &import) != DOCA_SUCCESS);
	}
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_connect(a->rdma, mine.bytes, mine.len, a->conn)); /* its own */
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_connect(a->rdma, good.bytes, good.len, b->conn));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_connect(a->rdma, NULL, good.len, a->conn));
	EXPECT(SUCCESS, doca_rdma_connect(a->rdma, good.bytes, sizeof(good.bytes), a->conn)); /* with zeros behind */
	EXPECT(ERROR_BAD_STATE, doca_rdma_connect(a->rdma, good.bytes, good.len, a->conn));
	end_destroy(a);
	end_destroy(b);
}

static void states(void)
{
	struct end *a = end_create();
	struct doca_rdma_connection *conn;
	struct doca_rdma_task_send *task;
	const void *bytes;
	size_t len;

	EXPECT(ERROR_BAD_STATE, doca_rdma_export(a->rdma, &bytes, &len, &conn));
	EXPECT(ERROR_BAD_STATE, doca_rdma_task_send_allocate_init(a->rdma, NULL, NULL, no_data, &task));
	EXPECT(ERROR_NOT_SUPPORTED, doca_rdma_set_transport_type(a->rdma, DOCA_RDMA_TRANSPORT_TYPE_DC));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_set_permissions(a->rdma, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	EXPECT(SUCCESS, doca_rdma_set_permissions(a->rdma, DOCA_ACCESS_FLAG_RDMA_WRITE));
	MUST(doca_ctx_start(a->ctx));
	EXPECT(ERROR_BAD_STATE, doca_rdma_set_permissions(a->rdma, END_ALL));
	EXPECT(ERROR_BAD_STATE, doca_rdma_task_send_set_conf(a->rdma, end_send_done, end_send_failed, 1));
	EXPECT(ERROR_BAD_STATE, doca_rdma_destroy(a->rdma));
	EXPECT(ERROR_NOT_SUPPORTED, doca_rdma_start_listen_to_port(a->rdma, 5));
	EXPECT(SUCCESS, doca_rdma_export(a->rdma, &bytes, &len, &a->conn));
	MUST(doca_rdma_task_send_allocate_init(a->rdma, NULL, NULL, no_data, &task));
	EXPECT(ERROR_INVALID_VALUE, doca_task_try_submit(doca_rdma_task_send_as_task(task)));
	EXPECT(ERROR_INVALID_VALUE, doca_task_submit(doca_rdma_task_send_as_task(task)));
	doca_rdma_task_send_set_rdma_connection(task, a->conn);
	CHECK(doca_rdma_task_send_get_rdma_connection(task) == a->conn);
	EXPECT(ERROR_BAD_STATE, doca_task_submit(doca_rdma_task_send_as_task(task))); /* not connected */
	doca_task_free(doca_rdma_task_send_as_task(task));
	EXPECT(SUCCESS, doca_rdma_connection_disconnect(a->conn));
	EXPECT(ERROR_CONNECTION_ABORTED, doca_rdma_connection_disconnect(a->conn));
	end_destroy(a);
}

/* A peer with the details of a connection that does not belong to it. */
static void stolen_details(void)
{
	struct end *a = end_start(), *b = end_start(), *thief = end_start();
	struct details of_a = end_export(a), of_b = end_export(b);

	end_export(thief);
	end_connect(thief, &of_b);
	submit_send(thief, NULL);
	usleep(20000); /* it has arrived */
	CHECK(thief->errors == 0);
	end_connect(b, &of_a);
	DRIVE(thief, b, thief->errors == 1 && is_idle(thief)); /* refused */
	end_connect(a, &of_b);
	post_receive(b, NULL);
	submit_send(a, NULL);
	DRIVE(a, b, a->completions == 1 && b->receives == 1);
	MUST(doca_ctx_start(thief->ctx));
	end_export(thief);
	end_connect(thief, &of_b); /* too late */
	submit_send(thief, NULL);
	DRIVE(thief, b, thief->errors == 2 && is_idle(thief));
	submit_send(a, NULL);
	post_receive(b, NULL);
	DRIVE(a, b, a->completions == 2 && b->receives == 2);
	end_destroy(a);
	end_destroy(b);
	end_destroy(thief);
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(bounds, one_of_many, wrong_buffers, too_long, flush, receiver_never_ready, permissions, other_version, damaged_details, states,
	  stolen_details, nothing_is_left)
