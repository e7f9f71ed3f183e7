/* SPDX-License-Identifier: Apache-2.0 */

/* Faults on RDMA tasks, connections and messages. */

#include "core/emu_fault.h"

#include "rdma_cm.h"

static void set(const char *format, const void *object)
{
	char spec[128], err[1024] = "";

	snprintf(spec, sizeof(spec), format, object);
	if (emu_fault_set(spec, err, sizeof(err)) != DOCA_SUCCESS) {
		fprintf(stderr, "%s: %s\n", spec, err);
		CHECK(false);
	}
}

static void kinds(void)
{
	char err[1024];

	EXPECT(ERROR_INVALID_VALUE, emu_fault_set("fail-task=wrte:1", err, sizeof(err)));
	EXPECT(ERROR_INVALID_VALUE, emu_fault_set("fail-task=write", err, sizeof(err)));
	for (int i = 0; i < 2; i++) {
		struct end *a = end_start(), *b = end_start();
		struct doca_buf *src, *dst;

		connect_ends(a, b);
		src = local_src(a, 0, 8);
		dst = remote_dst(a, 0, 8);
		set(i == 0 ? "fail-task=write:2:TIME_OUT@%p" : "fail-task=write:2:TIME_OUT", a->ctx);
		post_receive(b, NULL);
		submit_send(a, NULL);
		submit_write(a, src, dst);
		DRIVE(a, b, a->completions == 2);
		submit_write(a, src, dst);
		DRIVE(a, b, a->errors == 1 && is_idle(a));
		CHECK(a->last_error == DOCA_ERROR_TIME_OUT);
		emu_fault_clear();
		put_buf(src);
		put_buf(dst);
		end_destroy(a);
		end_destroy(b);
	}
}

/* What was submitted before a task that fails is carried out, and what comes after it is not. */
static void order(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *src, *dst;

	connect_ends(a, b);
	src = local_src(a, 0, 8);
	dst = remote_dst(a, 0, 8);
	for (int i = 0; i < 3; i++)
		post_receive(b, NULL);
	set("fail-task=send:2:TIME_OUT@%p", a->ctx);
	submit_send(a, NULL);
	submit_write(a, src, dst); /* this process carries it out */
	for (int i = 0; i < 3; i++)
		submit_send(a, NULL);
	DRIVE(b, b, b->receives == 1);
	for (int i = 0; i < 100; i++) {
		(void)doca_pe_progress(b->pe);
		usleep(200);
	}
	CHECK(b->receives == 1);
	DRIVE(a, b, a->completions == 2 && a->errors == 3 && is_idle(a));
	CHECK(b->receives == 1 && a->last_error == DOCA_ERROR_TIME_OUT);
	emu_fault_clear();
	put_buf(src);
	put_buf(dst);
	end_destroy(a);
	end_destroy(b);
}

/* Both sides notice, as if the other was killed. */
static void cuts(void)
{
	struct end *server = cm_listen(), *client = cm_start(HOST_0);

	cm_connect(client, server);
	set("cut=2@%p", client->conn);
	cm_send(server, client, 100); /* not on that connection object */
	cm_send(client, server, 100);
	submit_send(client, NULL);
	DRIVE(client, server, client->num_disconnected == 1 && server->num_disconnected == 1);
	CHECK(client->errors == 1 && client->last_error == DOCA_ERROR_NOT_CONNECTED);
	CHECK(ctx_state(client->ctx) == DOCA_CTX_STATE_RUNNING);
	emu_fault_clear();
	cm_connect(client, server);
	cm_send(client, server, 100);
	end_destroy(client);
	end_destroy(server);
}

static void delays(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *src, *dst;
	uint64_t begin;

	connect_ends(a, b);
	src = local_src(a, 0, 8);
	dst = remote_dst(a, 0, 8);
	set("delay=50ms@%p", a->ctx);
	begin = now_ms();
	submit_write(a, src, dst);
	post_receive(b, NULL);
	submit_send(a, NULL);
	DRIVE(b, b, b->receives == 1 || a->completions == 1 || now_ms() > begin + 20);
	DRIVE(a, b, a->completions == 2 && b->receives == 1);
	CHECK(now_ms() - begin >= 50);
	emu_fault_clear();
	put_buf(src);
	put_buf(dst);
	end_destroy(a);
	end_destroy(b);
}

/* The receiver is said not to be ready, although it is. */
static void receiver_not_ready(void)
{
	struct end *a = end_create(), *b = end_start();

	EXPECT(SUCCESS, doca_rdma_set_rnr_retry_count(a->rdma, 2));
	MUST(doca_ctx_start(a->ctx));
	connect_ends(a, b);
	post_receive(b, NULL);
	post_receive(b, NULL);
	set("rnr=1@%p,rnr=2", b->ctx);
	submit_send(a, NULL);
	DRIVE(a, b, a->completions == 1 && b->receives == 1);
	set("rnr=*@%p", b->ctx);
	submit_send(a, NULL);
	DRIVE(a, b, a->errors == 1 && is_idle(a));
	CHECK(b->receives == 1);
	emu_fault_clear();
	end_destroy(a);
	end_destroy(b);
}

static void lost_device(void)
{
	struct end *a = end_start(), *b = end_create_on(HOST_0, END_ALL);

	MUST(doca_ctx_start(b->ctx));
	connect_ends(a, b);
	post_receive(a, NULL);
	post_receive(b, NULL);
	set("lose-device=1@%p", a->ctx);
	submit_send(a, NULL);
	DRIVE(a, b, is_idle(a) && a->receive_errors == 1 && a->errors + a->completions == 1);
	emu_fault_clear();
	end_destroy(a);
	end_destroy(b);
}

static void calls_and_pools(void)
{
	struct end *a = end_start();
	struct doca_rdma_connection *conn;
	struct doca_rdma_task_send *task;
	const void *bytes;
	size_t len;

	set("fail-call=doca_rdma_export:1,exhaust-pool=1@%p", a->ctx);
	EXPECT(ERROR_DRIVER, doca_rdma_export(a->rdma, &bytes, &len, &conn));
	EXPECT(SUCCESS, doca_rdma_export(a->rdma, &bytes, &len, &conn));
	EXPECT(ERROR_NO_MEMORY, doca_rdma_task_send_allocate_init(a->rdma, conn, NULL, no_data, &task));
	EXPECT(SUCCESS, doca_rdma_task_send_allocate_init(a->rdma, conn, NULL, no_data, &task));
	doca_task_free(doca_rdma_task_send_as_task(task));
	emu_fault_clear();
	end_destroy(a);
}

/* A task with the flush flag takes along what was submitted before it, and comes after it. */
static void unsent(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *first = local_dst(b, 0, 8), *second = local_dst(b, 8, 8), *src[2];

	connect_ends(a, b);
	post_receive(b, first);
	post_receive(b, second);
	emu_fault_clear();
	set("hold-unflushed@%p", a->ctx);
	for (int i = 0; i < 2; i++) {
		const union doca_data none = {.u64 = 0};
		struct doca_rdma_task_send *task;

		src[i] = local_src(a, (size_t)i * 8, i == 0 ? 3 : 5);
		MUST(doca_rdma_task_send_allocate_init(a->rdma, a->conn, src[i], none, &task));
		MUST(doca_task_submit_ex(doca_rdma_task_send_as_task(task),
					 i == 0 ? DOCA_TASK_SUBMIT_FLAG_NONE : DOCA_TASK_SUBMIT_FLAG_FLUSH));
		if (i == 0) {
			for (int j = 0; j < 100; j++)
				(void)(doca_pe_progress(a->pe) + doca_pe_progress(b->pe));
			CHECK(a->completions == 0 && b->receives == 0);
		}
	}
	DRIVE(a, b, a->completions == 2 && b->receives == 2);
	CHECK(data_len(first) == 3 && data_len(second) == 5);
	emu_fault_clear();
	for (int i = 0; i < 2; i++)
		put_buf(src[i]);
	put_buf(first);
	put_buf(second);
	end_destroy(a);
	end_destroy(b);
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(kinds, order, cuts, delays, receiver_not_ready, lost_device, calls_and_pools, unsent, nothing_is_left)
