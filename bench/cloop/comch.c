/*
 * The loops that Go is compared with for Comch, as a C program would have them: tasks and buffers are made
 * once, and a receive that has completed posts its buffer again in its callback.
 */
#define _GNU_SOURCE /* memfd_create and its seals */

#include "comch.h"
#include "api.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Ends the function with the error of a call that fails. */
#define TRY(call) \
	do { \
		doca_error_t try_ = (call); \
		if (try_ != DOCA_SUCCESS && try_ != DOCA_ERROR_IN_PROGRESS) \
			return try_; \
	} while (0)

struct comch {
	struct doca_dev *dpu, *host;
	struct doca_dev_rep *rep;
	struct doca_pe *server_pe, *client_pe, *producer_pe, *consumer_pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_connection *at_server, *at_client;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	struct doca_mmap *out, *in;
	struct doca_buf_inventory *inventory;
	struct doca_buf **bufs; /* the producer's, then the consumer's */
	struct doca_comch_producer_task_send **sends, **idle; /* idle is a ring, so that all buffers are used in turn */
	struct doca_comch_consumer_task_post_recv **posts;
	uint32_t num_idle, first_idle;
	uint8_t *memory; /* of the producer, then of the consumer */
	int file;	 /* of the memory: it stays open, for the emulator looks for it */
	size_t size, ping_len;
	uint32_t depth, id;
	uint64_t sent, received, pongs, wanted;
	/* Of comch_stream. The thread stays, as Go's do: where the system puts a new one says more about the system than about either side. */
	pthread_t receiver;
	int has_receiver, leave;
	sem_t begin_receiving, has_received;
	doca_error_t status, receive_status;
	uint8_t message[4096];
};

/* Control path. */

static void message_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	api.doca_task_free(api.doca_comch_task_send_as_task(task));
}

static void message_failed(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	((struct comch *)ctx_data.ptr)->status = DOCA_ERROR_IO_FAILED;
	message_sent(task, task_data, ctx_data);
}

static struct comch *of(struct doca_ctx *ctx)
{
	union doca_data data = {.ptr = NULL};

	api.doca_ctx_get_user_data(ctx, &data);
	return data.ptr;
}

static void at_server(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		      struct doca_comch_connection *connection)
{
	struct comch *b = of(api.doca_comch_server_as_ctx(api.doca_comch_server_get_server_ctx(connection)));
	struct doca_comch_task_send *task;

	(void)event;
	b->status = api.doca_comch_server_task_send_alloc_init(b->server, connection, bytes, len, &task);
	if (b->status == DOCA_SUCCESS)
		b->status = api.doca_task_submit(api.doca_comch_task_send_as_task(task));
}

static void at_client(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		      struct doca_comch_connection *connection)
{
	struct comch *b = of(api.doca_comch_client_as_ctx(api.doca_comch_client_get_client_ctx(connection)));

	(void)event;
	(void)bytes;
	b->pongs += len == b->ping_len;
}

static void connected(struct doca_comch_event_connection_status_changed *event, struct doca_comch_connection *connection,
		      uint8_t successful)
{
	struct comch *b = of(api.doca_comch_server_as_ctx(api.doca_comch_server_get_server_ctx(connection)));

	(void)event;
	if (successful)
		b->at_server = connection;
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	(void)connection;
	(void)successful;
}

static void consumer_came(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection, uint32_t id)
{
	struct doca_comch_client *client = api.doca_comch_client_get_client_ctx(connection);

	(void)event;
	if (client != NULL)
		of(api.doca_comch_client_as_ctx(client))->id = id;
}

static void consumer_went(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	(void)id;
}

int comch_ping(struct comch *b, size_t len, uint64_t rounds)
{
	b->pongs = 0;
	b->ping_len = len;
	for (uint64_t i = 1; i <= rounds; i++) {
		struct doca_comch_task_send *task;

		TRY(api.doca_comch_client_task_send_alloc_init(b->client, b->at_client, b->message, len, &task));
		TRY(api.doca_task_submit(api.doca_comch_task_send_as_task(task)));
		while (b->pongs < i && b->status == DOCA_SUCCESS) {
			api.doca_pe_progress(b->client_pe);
			api.doca_pe_progress(b->server_pe);
		}
		TRY(b->status);
	}
	return DOCA_SUCCESS;
}

/* Fast path. */

static void sent(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct comch *b = ctx_data.ptr;

	(void)task_data;
	b->idle[(b->first_idle + b->num_idle++) % b->depth] = task;
	b->sent++;
}

static void send_failed(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	((struct comch *)ctx_data.ptr)->status = DOCA_ERROR_IO_FAILED;
	sent(task, task_data, ctx_data);
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct comch *b = ctx_data.ptr;
	doca_error_t rc = api.doca_buf_reset_data_len(api.doca_comch_consumer_task_post_recv_get_buf(task));

	(void)task_data;
	if (rc == DOCA_SUCCESS)
		rc = api.doca_task_submit(api.doca_comch_consumer_task_post_recv_as_task(task));
	if (rc != DOCA_SUCCESS)
		b->receive_status = rc;
	b->received++;
}

static void receive_failed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			   union doca_data ctx_data)
{
	struct comch *b = ctx_data.ptr;

	(void)task;
	(void)task_data;
	if (b->consumer != NULL)
		b->receive_status = DOCA_ERROR_IO_FAILED;
}

static doca_error_t submit_next(struct comch *b)
{
	TRY(api.doca_task_submit(api.doca_comch_producer_task_send_as_task(b->idle[b->first_idle])));
	b->first_idle = (b->first_idle + 1) % b->depth;
	b->num_idle--;
	return DOCA_SUCCESS;
}

int comch_run(struct comch *b, uint64_t rounds)
{
	while (rounds-- > 0) {
		b->sent = b->received = 0;
		while (b->num_idle > 0)
			TRY(submit_next(b));
		while (b->sent < b->depth)
			api.doca_pe_progress(b->producer_pe);
		while (b->received < b->depth && b->receive_status == DOCA_SUCCESS)
			api.doca_pe_progress(b->consumer_pe);
		TRY(b->status);
		TRY(b->receive_status);
	}
	return DOCA_SUCCESS;
}

static void await(sem_t *sem)
{
	while (sem_wait(sem) != 0)
		; /* a signal */
}

static void *receive(void *arg)
{
	struct comch *b = arg;

	for (await(&b->begin_receiving); !b->leave; await(&b->begin_receiving)) {
		while (b->received < b->wanted && b->receive_status == DOCA_SUCCESS)
			api.doca_pe_progress(b->consumer_pe);
		sem_post(&b->has_received);
	}
	return NULL;
}

static doca_error_t start_receiver(struct comch *b)
{
	if (b->has_receiver)
		return DOCA_SUCCESS;
	if (sem_init(&b->begin_receiving, 0, 0) != 0 || sem_init(&b->has_received, 0, 0) != 0 ||
	    pthread_create(&b->receiver, NULL, receive, b) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	b->has_receiver = 1;
	return DOCA_SUCCESS;
}

static void stop_receiver(struct comch *b)
{
	if (!b->has_receiver)
		return;
	b->leave = 1;
	sem_post(&b->begin_receiving);
	pthread_join(b->receiver, NULL);
	b->has_receiver = 0;
}

static doca_error_t send_burst(struct comch *b, uint64_t messages)
{
	const uint64_t wanted = b->sent + messages;

	for (uint64_t submitted = 0; submitted < messages && b->status == DOCA_SUCCESS;) {
		while (b->num_idle > 0 && submitted < messages) {
			doca_error_t rc = submit_next(b);

			if (rc == DOCA_ERROR_AGAIN)
				break;
			TRY(rc);
			submitted++;
		}
		api.doca_pe_progress(b->producer_pe);
	}
	while (b->sent < wanted && b->status == DOCA_SUCCESS)
		api.doca_pe_progress(b->producer_pe);
	return b->status;
}

int comch_stream(struct comch *b, uint64_t bursts, uint64_t messages)
{
	doca_error_t rc = DOCA_SUCCESS;

	TRY(start_receiver(b));
	b->sent = b->received = 0;
	b->wanted = bursts * messages;
	sem_post(&b->begin_receiving);
	while (bursts-- > 0 && rc == DOCA_SUCCESS)
		rc = send_burst(b, messages);
	await(&b->has_received);
	TRY(rc);
	return b->receive_status;
}

/* Set-up and clean-up. */

static doca_error_t open_dev(const char *address, struct doca_dev **dev)
{
	struct doca_devinfo **list;
	uint32_t n;
	doca_error_t rc = DOCA_ERROR_NOT_FOUND;

	TRY(api.doca_devinfo_create_list(&list, &n));
	for (uint32_t i = 0; i < n && rc == DOCA_ERROR_NOT_FOUND; i++) {
		uint8_t equal = 0;

		if (api.doca_devinfo_is_equal_pci_addr(list[i], address, &equal) == DOCA_SUCCESS && equal)
			rc = api.doca_dev_open(list[i], dev);
	}
	api.doca_devinfo_destroy_list(list);
	return rc;
}

static doca_error_t open_rep(struct doca_dev *dev, const char *address, struct doca_dev_rep **rep)
{
	struct doca_devinfo_rep **list;
	uint32_t n;
	doca_error_t rc = DOCA_ERROR_NOT_FOUND;

	TRY(api.doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n));
	for (uint32_t i = 0; i < n && rc == DOCA_ERROR_NOT_FOUND; i++) {
		uint8_t equal = 0;

		if (api.doca_devinfo_rep_is_equal_pci_addr(list[i], address, &equal) == DOCA_SUCCESS && equal)
			rc = api.doca_dev_rep_open(list[i], rep);
	}
	api.doca_devinfo_rep_destroy_list(list);
	return rc;
}

static doca_error_t begin(struct comch *b, struct doca_ctx *ctx, struct doca_pe **pe)
{
	union doca_data data = {.ptr = b};

	TRY(api.doca_pe_create(pe));
	TRY(api.doca_ctx_set_user_data(ctx, data));
	TRY(api.doca_pe_connect_ctx(*pe, ctx));
	return api.doca_ctx_start(ctx);
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	api.doca_ctx_get_state(ctx, &state);
	return state;
}

static doca_error_t connect(struct comch *b, const char *dpu, const char *host, const char *name)
{
	struct doca_ctx *client;

	TRY(open_dev(dpu, &b->dpu));
	TRY(open_dev(host, &b->host));
	TRY(open_rep(b->dpu, host, &b->rep));
	TRY(api.doca_comch_server_create(b->dpu, b->rep, name, &b->server));
	TRY(api.doca_comch_server_task_send_set_conf(b->server, message_sent, message_failed, 64));
	TRY(api.doca_comch_server_event_msg_recv_register(b->server, at_server));
	TRY(api.doca_comch_server_event_connection_status_changed_register(b->server, connected, disconnected));
	TRY(api.doca_comch_server_event_consumer_register(b->server, consumer_came, consumer_went));
	TRY(begin(b, api.doca_comch_server_as_ctx(b->server), &b->server_pe));
	TRY(api.doca_comch_client_create(b->host, name, &b->client));
	TRY(api.doca_comch_client_task_send_set_conf(b->client, message_sent, message_failed, 64));
	TRY(api.doca_comch_client_event_msg_recv_register(b->client, at_client));
	TRY(api.doca_comch_client_event_consumer_register(b->client, consumer_came, consumer_went));
	client = api.doca_comch_client_as_ctx(b->client);
	TRY(begin(b, client, &b->client_pe));
	while (state_of(client) == DOCA_CTX_STATE_STARTING || b->at_server == NULL) {
		api.doca_pe_progress(b->client_pe);
		api.doca_pe_progress(b->server_pe);
	}
	return api.doca_comch_client_get_connection(b->client, &b->at_client);
}

static doca_error_t map(struct doca_dev *dev, uint8_t *bytes, size_t len, struct doca_mmap **mmap)
{
	TRY(api.doca_mmap_create(mmap));
	TRY(api.doca_mmap_set_memrange(*mmap, bytes, len));
	TRY(api.doca_mmap_set_permissions(*mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	TRY(api.doca_mmap_add_dev(*mmap, dev));
	return api.doca_mmap_start(*mmap);
}

static doca_error_t make_bufs(struct comch *b)
{
	TRY(map(b->host, b->memory, b->depth * b->size, &b->out));
	TRY(map(b->dpu, b->memory + b->depth * b->size, b->depth * b->size, &b->in));
	TRY(api.doca_buf_inventory_create(2 * b->depth, &b->inventory));
	TRY(api.doca_buf_inventory_start(b->inventory));
	for (uint32_t i = 0; i < 2 * b->depth; i++) {
		uint8_t *at = b->memory + i * b->size;
		int source = i < b->depth;

		TRY(api.doca_buf_inventory_buf_get_by_args(b->inventory, source ? b->out : b->in, at, b->size, at,
							   source ? b->size : 0, &b->bufs[i]));
	}
	return DOCA_SUCCESS;
}

static doca_error_t make_endpoints(struct comch *b)
{
	struct doca_ctx *consumer;

	TRY(api.doca_comch_consumer_create(b->at_server, b->in, &b->consumer));
	TRY(api.doca_comch_consumer_task_post_recv_set_conf(b->consumer, received, receive_failed, b->depth));
	consumer = api.doca_comch_consumer_as_ctx(b->consumer);
	TRY(begin(b, consumer, &b->consumer_pe));
	while (state_of(consumer) != DOCA_CTX_STATE_RUNNING || b->id == 0) {
		api.doca_pe_progress(b->consumer_pe);
		api.doca_pe_progress(b->server_pe);
		api.doca_pe_progress(b->client_pe);
	}
	TRY(api.doca_comch_producer_create(b->at_client, &b->producer));
	TRY(api.doca_comch_producer_task_send_set_conf(b->producer, sent, send_failed, b->depth));
	TRY(begin(b, api.doca_comch_producer_as_ctx(b->producer), &b->producer_pe));
	for (uint32_t i = 0; i < b->depth; i++) {
		TRY(api.doca_comch_consumer_task_post_recv_alloc_init(b->consumer, b->bufs[b->depth + i], &b->posts[i]));
		TRY(api.doca_task_submit(api.doca_comch_consumer_task_post_recv_as_task(b->posts[i])));
		TRY(api.doca_comch_producer_task_send_alloc_init(b->producer, b->bufs[i], NULL, 0, b->id, &b->sends[i]));
		b->idle[b->num_idle++] = b->sends[i];
	}
	return DOCA_SUCCESS;
}

/* Memory as that of doca.NewMemory: the emulator copies to a shared mapping of a sealed file without a system call. */
static uint8_t *shared_new(size_t size, int *file)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	uint8_t *memory = MAP_FAILED;

	*file = memfd_create("bench", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*file >= 0 && ftruncate(*file, (off_t)size) == 0 && fcntl(*file, F_ADD_SEALS, seals) == 0)
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

struct comch *comch_new(const char *dpu, const char *host, const char *name, uint32_t depth, size_t size, int *error)
{
	struct comch *b = calloc(1, sizeof(*b));

	*error = DOCA_ERROR_NO_MEMORY;
	if (b == NULL)
		return NULL;
	b->file = -1;
	b->depth = depth;
	b->size = size;
	b->bufs = calloc(2 * depth, sizeof(*b->bufs));
	b->sends = calloc(depth, sizeof(*b->sends));
	b->idle = calloc(depth, sizeof(*b->idle));
	b->posts = calloc(depth, sizeof(*b->posts));
	b->memory = shared_new(2 * depth * size, &b->file);
	if (b->bufs != NULL && b->sends != NULL && b->idle != NULL && b->posts != NULL && b->memory != NULL) {
		for (size_t i = 0; i < 2 * depth * size; i++)
			b->memory[i] = i < depth * size ? (uint8_t)(i * 31 + i / 251) : 0;
		*error = connect(b, dpu, host, name);
		if (*error == DOCA_SUCCESS)
			*error = make_bufs(b);
		if (*error == DOCA_SUCCESS)
			*error = make_endpoints(b);
	}
	if (*error == DOCA_SUCCESS)
		return b;
	comch_free(b);
	return NULL;
}

int comch_verify(const struct comch *b)
{
	/* Sources and buffers are used in different orders, so every buffer must hold some source. */
	for (uint32_t i = 0; i < b->depth; i++) {
		const uint8_t *got = b->memory + (b->depth + i) * b->size;
		uint32_t k = 0;

		while (k < b->depth && memcmp(got, b->memory + k * b->size, b->size) != 0)
			k++;
		if (k == b->depth)
			return 0;
	}
	return 1;
}

static doca_error_t stop(struct comch *b, struct doca_ctx *ctx, struct doca_pe *pe)
{
	doca_error_t rc = api.doca_ctx_stop(ctx);

	while (state_of(ctx) != DOCA_CTX_STATE_IDLE) {
		api.doca_pe_progress(pe);
		api.doca_pe_progress(b->server_pe);
		api.doca_pe_progress(b->client_pe);
	}
	return rc == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : rc;
}

static doca_error_t free_endpoints(struct comch *b)
{
	struct doca_comch_consumer *consumer = b->consumer;

	b->consumer = NULL; /* receives that fail from now on do so because of the stop */
	for (uint32_t i = 0; i < b->depth && b->posts[i] != NULL; i++)
		api.doca_task_free(api.doca_comch_consumer_task_post_recv_as_task(b->posts[i]));
	for (uint32_t i = 0; i < b->depth && b->sends[i] != NULL; i++)
		api.doca_task_free(api.doca_comch_producer_task_send_as_task(b->sends[i]));
	if (consumer != NULL) {
		if (b->consumer_pe != NULL)
			TRY(stop(b, api.doca_comch_consumer_as_ctx(consumer), b->consumer_pe));
		TRY(api.doca_comch_consumer_destroy(consumer));
	}
	if (b->producer != NULL) {
		if (b->producer_pe != NULL)
			TRY(stop(b, api.doca_comch_producer_as_ctx(b->producer), b->producer_pe));
		TRY(api.doca_comch_producer_destroy(b->producer));
	}
	return DOCA_SUCCESS;
}

static doca_error_t free_all(struct comch *b)
{
	struct doca_pe *pes[] = {b->server_pe, b->client_pe, b->producer_pe, b->consumer_pe};

	TRY(free_endpoints(b));
	if (b->client_pe != NULL)
		TRY(stop(b, api.doca_comch_client_as_ctx(b->client), b->client_pe));
	if (b->client != NULL)
		TRY(api.doca_comch_client_destroy(b->client));
	if (b->server_pe != NULL)
		TRY(stop(b, api.doca_comch_server_as_ctx(b->server), b->server_pe));
	if (b->server != NULL)
		TRY(api.doca_comch_server_destroy(b->server));
	for (uint32_t i = 0; i < 2 * b->depth && b->bufs[i] != NULL; i++)
		TRY(api.doca_buf_dec_refcount(b->bufs[i], NULL));
	if (b->inventory != NULL)
		TRY(api.doca_buf_inventory_destroy(b->inventory));
	if (b->in != NULL)
		TRY(api.doca_mmap_destroy(b->in));
	if (b->out != NULL)
		TRY(api.doca_mmap_destroy(b->out));
	for (size_t i = 0; i < sizeof(pes) / sizeof(pes[0]); i++)
		if (pes[i] != NULL)
			TRY(api.doca_pe_destroy(pes[i]));
	if (b->rep != NULL)
		TRY(api.doca_dev_rep_close(b->rep));
	if (b->host != NULL)
		TRY(api.doca_dev_close(b->host));
	if (b->dpu != NULL)
		TRY(api.doca_dev_close(b->dpu));
	return DOCA_SUCCESS;
}

int comch_free(struct comch *b)
{
	doca_error_t rc;

	stop_receiver(b);
	rc = free_all(b);
	if (b->memory != NULL)
		munmap(b->memory, 2 * b->depth * b->size);
	if (b->file >= 0)
		close(b->file);
	free(b->posts);
	free(b->idle);
	free(b->sends);
	free(b->bufs);
	free(b);
	return rc;
}
