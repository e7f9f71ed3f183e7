/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_RDMA_FIXTURE_H_
#define EMULATOR_TEST_RDMA_FIXTURE_H_

/*
 * One end of RDMA connections: a context with its engine, its memory and tasks of every kind. The callbacks count and
 * record; they free tasks.
 */

#include <doca_rdma.h>

#include "fixture.h"
#include "process.h"

#define END_SIZE ((size_t)1 << 20)
#define END_TASKS 64
#define END_MAX_CONNS 16
#define END_ALL                                                                                                        \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |                 \
	 DOCA_ACCESS_FLAG_RDMA_ATOMIC)

struct end {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_buf_inventory *inventory;
	uint8_t *memory; /* END_SIZE bytes; exported for RDMA with all permissions */
	struct doca_mmap *mmap;
	struct doca_rdma_connection *conn; /* of connect_ends */
	struct doca_mmap *peer;		   /* the memory of the peer */
	uint8_t *peer_addr;

	int completions, errors, receives, receive_errors;
	doca_error_t last_error, last_receive_error;
	uint32_t result_len;
	enum doca_rdma_opcode opcode;
	doca_be32_t imm;
	const struct doca_rdma_connection *from;

	/* What the callbacks of connections have seen. */
	struct doca_rdma_connection *requests[END_MAX_CONNS];
	struct doca_rdma_connection *established[END_MAX_CONNS];
	int num_requests, num_established, num_failures, num_disconnected;
	uint64_t established_data, failure_data, disconnected_data;
	struct doca_rdma_connection *disconnected, *failed;
};

#define END_CALLBACKS(kind)                                                                                            \
	static inline void end_##kind##_done(struct doca_rdma_task_##kind *task, union doca_data user_data,             \
					     union doca_data ctx_user_data)                                            \
	{                                                                                                              \
		struct end *end = ctx_user_data.ptr;                                                                   \
                                                                                                                       \
		(void)user_data;                                                                                       \
		end->completions++;                                                                                    \
		CHECK(doca_task_get_status(doca_rdma_task_##kind##_as_task(task)) == DOCA_SUCCESS);                    \
		doca_task_free(doca_rdma_task_##kind##_as_task(task));                                                 \
	}                                                                                                              \
	static inline void end_##kind##_failed(struct doca_rdma_task_##kind *task, union doca_data user_data,           \
					       union doca_data ctx_user_data)                                          \
	{                                                                                                              \
		struct end *end = ctx_user_data.ptr;                                                                   \
                                                                                                                       \
		(void)user_data;                                                                                       \
		if (end->errors++ == 0)                                                                                \
			end->last_error = doca_task_get_status(doca_rdma_task_##kind##_as_task(task));                 \
		doca_task_free(doca_rdma_task_##kind##_as_task(task));                                                 \
	}

END_CALLBACKS(send)
END_CALLBACKS(send_imm)
END_CALLBACKS(write)
END_CALLBACKS(write_imm)
END_CALLBACKS(read)
END_CALLBACKS(atomic_cmp_swp)
END_CALLBACKS(atomic_fetch_add)

static inline void end_receive_done(struct doca_rdma_task_receive *task, union doca_data user_data,
				    union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;

	(void)user_data;
	end->receives++;
	end->result_len = doca_rdma_task_receive_get_result_len(task);
	end->opcode = doca_rdma_task_receive_get_result_opcode(task);
	end->imm = doca_rdma_task_receive_get_result_immediate_data(task);
	end->from = doca_rdma_task_receive_get_result_rdma_connection(task);
	doca_task_free(doca_rdma_task_receive_as_task(task));
}

static inline void end_receive_failed(struct doca_rdma_task_receive *task, union doca_data user_data,
				      union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;

	(void)user_data;
	if (end->receive_errors++ == 0)
		end->last_receive_error = doca_task_get_status(doca_rdma_task_receive_as_task(task));
	doca_task_free(doca_rdma_task_receive_as_task(task));
}

static inline struct end *end_create_on(const char *pci_addr, uint32_t permissions)
{
	struct end *end = calloc(1, sizeof(*end));

	if (end == NULL)
		exit(1);
	end->dev = open_dev(pci_addr);
	end->memory = aligned_alloc(4096, END_SIZE);
	memset(end->memory, 0, END_SIZE);
	MUST(doca_pe_create(&end->pe));
	MUST(doca_rdma_create(end->dev, &end->rdma));
	end->ctx = doca_rdma_as_ctx(end->rdma);
	MUST(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	MUST(doca_rdma_set_permissions(end->rdma, permissions));
	MUST(doca_rdma_set_max_num_connections(end->rdma, END_MAX_CONNS));
	MUST(doca_rdma_task_receive_set_conf(end->rdma, end_receive_done, end_receive_failed, END_TASKS));
	MUST(doca_rdma_task_send_set_conf(end->rdma, end_send_done, end_send_failed, END_TASKS));
	MUST(doca_rdma_task_send_imm_set_conf(end->rdma, end_send_imm_done, end_send_imm_failed, END_TASKS));
	MUST(doca_rdma_task_write_set_conf(end->rdma, end_write_done, end_write_failed, END_TASKS));
	MUST(doca_rdma_task_write_imm_set_conf(end->rdma, end_write_imm_done, end_write_imm_failed, END_TASKS));
	MUST(doca_rdma_task_read_set_conf(end->rdma, end_read_done, end_read_failed, END_TASKS));
	MUST(doca_rdma_task_atomic_cmp_swp_set_conf(end->rdma, end_atomic_cmp_swp_done, end_atomic_cmp_swp_failed,
						    END_TASKS));
	MUST(doca_rdma_task_atomic_fetch_add_set_conf(end->rdma, end_atomic_fetch_add_done,
						      end_atomic_fetch_add_failed, END_TASKS));
	MUST(doca_pe_connect_ctx(end->pe, end->ctx));
	end->mmap = make_mmap(end->dev, end->memory, END_SIZE, END_ALL);
	end->inventory = make_inventory(1024);
	return end;
}

static inline struct end *end_create(void)
{
	return end_create_on(DPU_0, END_ALL);
}

static inline struct end *end_start(void)
{
	struct end *end = end_create();

	MUST(doca_ctx_start(end->ctx));
	return end;
}

/* Drives one or two engines until the condition holds, or nothing should take this long. */
#define DRIVE(one, other, condition)                                                                                   \
	do {                                                                                                           \
		uint64_t deadline_ = now_ms() + LONG_MS;                                                               \
                                                                                                                       \
		while (!(condition) && now_ms() < deadline_) {                                                         \
			if (!doca_pe_progress((one)->pe) && !doca_pe_progress((other)->pe))                             \
				usleep(20);                                                                            \
		}                                                                                                      \
		CHECK(condition);                                                                                      \
	} while (0)

static inline bool is_idle(const struct end *end)
{
	return ctx_state(end->ctx) == DOCA_CTX_STATE_IDLE;
}

static inline void end_stop(struct end *end)
{
	doca_error_t result = doca_ctx_stop(end->ctx);

	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	DRIVE(end, end, is_idle(end));
}

static inline void end_destroy(struct end *end)
{
	end_stop(end);
	MUST(doca_rdma_destroy(end->rdma));
	MUST(doca_pe_destroy(end->pe));
	MUST(doca_buf_inventory_destroy(end->inventory));
	if (end->peer != NULL)
		MUST(doca_mmap_destroy(end->peer));
	MUST(doca_mmap_destroy(end->mmap));
	MUST(doca_dev_close(end->dev));
	free(end->memory);
	free(end);
}

/* What two ends tell each other by other means. */
struct details {
	size_t len, desc_len;
	uint8_t bytes[512], desc[512];
	uint64_t addr;
};

static inline struct details end_export(struct end *end)
{
	struct details details = {.addr = (uintptr_t)end->memory};
	const void *bytes;

	MUST(doca_rdma_export(end->rdma, &bytes, &details.len, &end->conn));
	CHECK(details.len <= sizeof(details.bytes));
	memcpy(details.bytes, bytes, details.len);
	MUST(doca_mmap_export_rdma(end->mmap, end->dev, &bytes, &details.desc_len));
	CHECK(details.desc_len <= sizeof(details.desc));
	memcpy(details.desc, bytes, details.desc_len);
	return details;
}

static inline void end_import(struct end *end, const struct details *peer)
{
	MUST(doca_mmap_create_from_export(NULL, peer->desc, peer->desc_len, end->dev, &end->peer));
	end->peer_addr = (uint8_t *)(uintptr_t)peer->addr;
}

static inline void end_connect(struct end *end, const struct details *peer)
{
	MUST(doca_rdma_connect(end->rdma, peer->bytes, peer->len, end->conn));
}

static inline void connect_ends(struct end *a, struct end *b)
{
	struct details of_a = end_export(a), of_b = end_export(b);

	end_connect(a, &of_b);
	end_connect(b, &of_a);
	end_import(a, &of_b);
	end_import(b, &of_a);
}

/* Each of these submits one task. Their buffers go back at once, except those that something is received in, which the
 * caller releases. */


static const union doca_data no_data = {.u64 = 0};

static inline struct doca_buf *local_src(struct end *end, size_t offset, size_t len)
{
	return src_buf(end->inventory, end->mmap, end->memory + offset, len);
}

static inline struct doca_buf *local_dst(struct end *end, size_t offset, size_t len)
{
	return dst_buf(end->inventory, end->mmap, end->memory + offset, len);
}

static inline struct doca_buf *remote_src(struct end *end, size_t offset, size_t len)
{
	return src_buf(end->inventory, end->peer, end->peer_addr + offset, len);
}

static inline struct doca_buf *remote_dst(struct end *end, size_t offset, size_t len)
{
	return dst_buf(end->inventory, end->peer, end->peer_addr + offset, len);
}

static inline void post_receive(struct end *end, struct doca_buf *buf)
{
	struct doca_rdma_task_receive *task;

	MUST(doca_rdma_task_receive_allocate_init(end->rdma, buf, no_data, &task));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_receive_as_task(task)));
}

static inline void submit_send(struct end *end, struct doca_buf *src)
{
	struct doca_rdma_task_send *task;

	MUST(doca_rdma_task_send_allocate_init(end->rdma, end->conn, src, no_data, &task));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_send_as_task(task)));
}

static inline void submit_send_imm(struct end *end, struct doca_buf *src, doca_be32_t imm)
{
	struct doca_rdma_task_send_imm *task;

	MUST(doca_rdma_task_send_imm_allocate_init(end->rdma, end->conn, src, imm, no_data, &task));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_send_imm_as_task(task)));
}

static inline void submit_write(struct end *end, struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_rdma_task_write *task;

	MUST(doca_rdma_task_write_allocate_init(end->rdma, end->conn, src, dst, no_data, &task));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_write_as_task(task)));
}

static inline void submit_write_imm(struct end *end, struct doca_buf *src, struct doca_buf *dst, doca_be32_t imm)
{
	struct doca_rdma_task_write_imm *task;

	MUST(doca_rdma_task_write_imm_allocate_init(end->rdma, end->conn, src, dst, imm, no_data, &task));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_write_imm_as_task(task)));
}

static inline void submit_read(struct end *end, struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_rdma_task_read *task;

	MUST(doca_rdma_task_read_allocate_init(end->rdma, end->conn, src, dst, no_data, &task));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_read_as_task(task)));
}

static inline void submit_cmp_swp(struct end *end, struct doca_buf *dst, struct doca_buf *result, uint64_t compare,
				  uint64_t swap)
{
	struct doca_rdma_task_atomic_cmp_swp *task;

	MUST(doca_rdma_task_atomic_cmp_swp_allocate_init(end->rdma, end->conn, dst, result, compare, swap, no_data,
							 &task));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_atomic_cmp_swp_as_task(task)));
}

static inline void submit_fetch_add(struct end *end, struct doca_buf *dst, struct doca_buf *result, uint64_t add)
{
	struct doca_rdma_task_atomic_fetch_add *task;

	MUST(doca_rdma_task_atomic_fetch_add_allocate_init(end->rdma, end->conn, dst, result, add, no_data, &task));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_atomic_fetch_add_as_task(task)));
}

#endif /* EMULATOR_TEST_RDMA_FIXTURE_H_ */
