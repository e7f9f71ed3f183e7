/* SPDX-License-Identifier: Apache-2.0 */

/* Each allocation of a whole run, and each descriptor, fails once: every call returns an error, and nothing
 * leaks or hangs. The program is linked so that calloc and malloc come to this file. */

#include <sys/resource.h>

#include "comch_fast.h"

void *__real_calloc(size_t num, size_t size);
void *__real_malloc(size_t size);
void *__wrap_calloc(size_t num, size_t size);
void *__wrap_malloc(size_t size);

static long until_failure = -1; /* allocations that succeed before one fails */

static int fails(void)
{
	return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_calloc(size_t num, size_t size)
{
	return fails() ? NULL : __real_calloc(num, size);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

static struct rlimit limit;

static void set_max_fds(int num)
{
	struct rlimit lower = {.rlim_cur = num < 0 ? limit.rlim_cur : (rlim_t)num, .rlim_max = limit.rlim_max};

	CHECK(setrlimit(RLIMIT_NOFILE, &lower) == 0);
}

/* Remembers the first error and skips what depends on it. */
#define TRY(call)                                                                                  \
	do {                                                                                       \
		if (result == DOCA_SUCCESS)                                                        \
			result = (call);                                                           \
	} while (0)

static doca_error_t started(doca_error_t result)
{
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

static struct end ends[2]; /* client and server */
static struct endpoint endpoints[2];

/* Drives both engines until nothing happens any more. They may need something that is missing. */
static doca_error_t settle_until(enum doca_ctx_states state, struct doca_ctx *ctx, const int *count)
{
	settle();
	return ctx_state(ctx) == state && (count == NULL || *count == 1) ? DOCA_SUCCESS : DOCA_ERROR_NOT_CONNECTED;
}

static doca_error_t make_ends(void)
{
	doca_error_t result = DOCA_SUCCESS;
	struct end *client = &ends[0], *server = &ends[1];

	TRY(doca_pe_create(&server->pe));
	if (result == DOCA_SUCCESS)
		drive(server->pe);
	TRY(doca_pe_create(&client->pe));
	if (result == DOCA_SUCCESS)
		drive(client->pe);
	TRY(doca_comch_server_create(server->dev, server->rep, "oom", &server->server));
	TRY(doca_comch_client_create(client->dev, "oom", &client->client));
	if (result != DOCA_SUCCESS)
		return result;
	server->ctx = doca_comch_server_as_ctx(server->server);
	client->ctx = doca_comch_client_as_ctx(client->client);
	for (int i = 0; i < 2; i++) {
		MUST(doca_ctx_set_user_data(ends[i].ctx, (union doca_data){.ptr = &ends[i]}));
		MUST(doca_ctx_set_state_changed_cb(ends[i].ctx, end_state));
		MUST(doca_pe_connect_ctx(ends[i].pe, ends[i].ctx));
	}
	MUST(doca_comch_server_task_send_set_conf(server->server, end_sent, end_failed, END_TASKS));
	MUST(doca_comch_server_event_msg_recv_register(server->server, end_message));
	MUST(doca_comch_server_event_connection_status_changed_register(server->server, end_connected,
									end_disconnected));
	MUST(doca_comch_server_event_consumer_register(server->server, end_new_consumer, end_expired_consumer));
	MUST(doca_comch_client_task_send_set_conf(client->client, end_sent, end_failed, END_TASKS));
	MUST(doca_comch_client_event_msg_recv_register(client->client, end_message));
	TRY(doca_ctx_start(server->ctx));
	TRY(started(doca_ctx_start(client->ctx)));
	TRY(settle_until(DOCA_CTX_STATE_RUNNING, client->ctx, &server->connects));
	return result;
}

static doca_error_t make_endpoints(void)
{
	doca_error_t result = DOCA_SUCCESS;
	struct endpoint *consumer = &endpoints[0], *producer = &endpoints[1];

	TRY(doca_comch_consumer_create(ends[0].conn, consumer->mmap, &consumer->consumer));
	TRY(doca_comch_producer_create(ends[1].conn, &producer->producer));
	if (consumer->consumer != NULL)
		consumer->ctx = doca_comch_consumer_as_ctx(consumer->consumer);
	if (producer->producer != NULL)
		producer->ctx = doca_comch_producer_as_ctx(producer->producer);
	if (result != DOCA_SUCCESS)
		return result;
	MUST(doca_comch_consumer_task_post_recv_set_conf(consumer->consumer, endpoint_received,
							 endpoint_recv_failed, 4));
	MUST(doca_comch_consumer_set_imm_data_len(consumer->consumer, 8));
	MUST(doca_comch_producer_task_send_set_conf(producer->producer, endpoint_sent, endpoint_send_failed, 4));
	for (int i = 0; i < 2; i++) {
		MUST(doca_ctx_set_user_data(endpoints[i].ctx, (union doca_data){.ptr = &endpoints[i]}));
		MUST(doca_pe_connect_ctx(ends[i].pe, endpoints[i].ctx));
	}
	TRY(started(doca_ctx_start(consumer->ctx)));
	TRY(doca_ctx_start(producer->ctx));
	TRY(settle_until(DOCA_CTX_STATE_RUNNING, consumer->ctx, &ends[1].num_consumers));
	return result;
}

static void stop_ctx(struct doca_ctx *ctx)
{
	doca_error_t result = doca_ctx_stop(ctx);

	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	UNTIL(ctx_state(ctx) == DOCA_CTX_STATE_IDLE);
}

static uint8_t memory[64];

static doca_error_t scenario(void)
{
	doca_error_t result = make_ends();

	if (result == DOCA_SUCCESS)
		result = make_endpoints();
	for (int i = 0; i < 2; i++) /* a task keeps what its first message has allocated */
		TRY(try_send(&ends[i], "first", 5));
	if (result == DOCA_SUCCESS)
		UNTIL(ends[0].messages == 1 && ends[1].messages == 1 && ends[0].sent == 1 && ends[1].sent == 1);
	if (result == DOCA_SUCCESS) { /* from then on the data path allocates nothing */
		struct doca_buf *src = src_buf(endpoints[1].inventory, endpoints[1].mmap, memory, 5);

		until_failure = 0;
		say(&ends[0], "hello");
		say(&ends[1], "hello");
		post(&endpoints[0], NULL);
		EXPECT(ERROR_INVALID_VALUE, produce(&endpoints[1], src, NULL, 0, ends[1].consumers[0]));
		EXPECT(SUCCESS, produce(&endpoints[1], NULL, "imm", 3, ends[1].consumers[0]));
		UNTIL(ends[0].messages == 2 && ends[1].messages == 2 && endpoints[0].done == 1 &&
		      endpoints[1].done == 1);
		until_failure = -1;
		put_buf(src);
	}
	until_failure = -1;
	set_max_fds(-1);
	for (int i = 0; i < 2; i++) {
		if (endpoints[i].ctx != NULL)
			stop_ctx(endpoints[i].ctx);
	}
	if (endpoints[0].consumer != NULL)
		MUST(doca_comch_consumer_destroy(endpoints[0].consumer));
	if (endpoints[1].producer != NULL)
		MUST(doca_comch_producer_destroy(endpoints[1].producer));
	for (int i = 0; i < 2; i++) {
		if (ends[i].ctx != NULL)
			stop_ctx(ends[i].ctx);
	}
	if (ends[0].client != NULL)
		MUST(doca_comch_client_destroy(ends[0].client));
	if (ends[1].server != NULL)
		MUST(doca_comch_server_destroy(ends[1].server));
	for (int i = 0; i < 2; i++) {
		if (ends[i].pe != NULL) {
			undrive(ends[i].pe);
			MUST(doca_pe_destroy(ends[i].pe));
		}
	}
	return result;
}

/* Runs the scenario after allocating what only the test needs. */
static doca_error_t run(long allocations, int fds)
{
	doca_error_t result;
	int before;

	memset(ends, 0, sizeof(ends));
	memset(endpoints, 0, sizeof(endpoints));
	ends[0].dev = open_dev(HOST_0);
	ends[1].is_server = true;
	ends[1].dev = open_dev(DPU_0);
	ends[1].rep = open_rep(ends[1].dev);
	for (int i = 0; i < 2; i++) {
		endpoints[i].mmap = make_mmap(ends[i].dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		endpoints[i].inventory = make_inventory(1);
	}
	before = count_fds();
	set_max_fds(fds);
	until_failure = allocations;
	result = scenario();
	CHECK(count_fds() == before);
	if (result == DOCA_SUCCESS)
		CHECK(!there_are_servers());
	else
		rmdir(test_servers); /* it was created but could not be opened; the next server removes it, too */
	CHECK(!there_are_servers());
	for (int i = 0; i < 2; i++) {
		MUST(doca_mmap_destroy(endpoints[i].mmap));
		MUST(doca_buf_inventory_destroy(endpoints[i].inventory));
	}
	MUST(doca_dev_rep_close(ends[1].rep));
	MUST(doca_dev_close(ends[0].dev));
	MUST(doca_dev_close(ends[1].dev));
	return result;
}

static void every_allocation(void)
{
	long num_failed = 0;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "0", 1);
	EXPECT(SUCCESS, run(-1, -1));
	while (run(num_failed, -1) != DOCA_SUCCESS)
		num_failed++;
	CHECK(num_failed >= 18);
}

static void every_descriptor(void)
{
	int num_failed = 0;

	while (run(-1, count_fds() - 1 + num_failed) != DOCA_SUCCESS) /* counting needs one itself */
		num_failed++;
	CHECK(num_failed >= 12);
}

TEST_MAIN(every_allocation, every_descriptor, left_nothing)
