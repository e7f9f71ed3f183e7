/*
 * The loop that Go's MsgQs are compared with, as a C program would have it: tasks are made once, and one whose message is
 * back takes the next.
 */
#include "msgq.h"
#include "api.h"

#include <emu_dpa_app.h>
#include <msgq_echo_args.h>

#include <stdlib.h>
#include <string.h>

#define MESSAGE 32
#define MAX_WINDOW 1024

struct msgq_bench {
	uint32_t window;
	uint64_t total, sent, back; /* of a run; they go on from run to run */
	doca_error_t status;
	uint8_t busy[MAX_WINDOW]; /* the message of the slot is being sent */
	uint64_t messages[MAX_WINDOW][MESSAGE / 8];
	struct doca_comch_producer_task_send *sends[MAX_WINDOW];
	struct doca_comch_consumer_task_post_recv *receives[MAX_WINDOW];

	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;
	doca_dpa_dev_uintptr_t arg;
	struct echo_args args;
	struct doca_comch_msgq *to, *from;
	struct doca_comch_consumer *on_dpa, *consumer;
	struct doca_comch_producer *from_dpa, *producer;
	struct doca_comch_consumer_completion *arrivals;
	struct doca_dpa_completion *reports;
};

#define TRY(call)                                                                                          \
	do {                                                                                               \
		doca_error_t rc_ = (call);                                                                 \
		if (rc_ != DOCA_SUCCESS)                                                                   \
			return rc_;                                                                        \
	} while (0)

static doca_dpa_func_t *find(const struct doca_dpa_app *app, const char *name)
{
	for (uint32_t i = 0; i < app->num_funcs; i++)
		if (strcmp(app->funcs[i].name, name) == 0)
			return app->funcs[i].func;
	return NULL;
}

static void sent(struct doca_comch_producer_task_send *task, union doca_data slot, union doca_data data)
{
	(void)task;
	((struct msgq_bench *)data.ptr)->busy[slot.u64] = 0;
}

static void send_failed(struct doca_comch_producer_task_send *task, union doca_data slot, union doca_data data)
{
	sent(task, slot, data);
	((struct msgq_bench *)data.ptr)->status = DOCA_ERROR_IO_FAILED;
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data, union doca_data data)
{
	struct msgq_bench *b = data.ptr;
	const uint64_t *message = (const void *)api.doca_comch_consumer_task_post_recv_get_imm_data(task);
	doca_error_t rc;

	(void)task_data;
	if (message[0] != b->back || message[3] != ~b->back)
		b->status = DOCA_ERROR_UNEXPECTED;
	b->back++;
	rc = api.doca_task_submit(api.doca_comch_consumer_task_post_recv_as_task(task));
	if (rc != DOCA_SUCCESS)
		b->status = rc;
}

static void receive_failed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data, union doca_data data)
{
	struct msgq_bench *b = data.ptr;

	(void)task;
	(void)task_data;
	if (b->back < b->total) /* else the consumer stops */
		b->status = DOCA_ERROR_IO_FAILED;
}

static doca_error_t start_on_pe(struct msgq_bench *b, struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
	union doca_data data = {.ptr = b};
	doca_error_t rc;

	TRY(api.doca_ctx_set_user_data(ctx, data));
	TRY(api.doca_pe_connect_ctx(b->pe, ctx));
	rc = api.doca_ctx_start(ctx);
	if (rc != DOCA_SUCCESS && rc != DOCA_ERROR_IN_PROGRESS)
		return rc;
	while (state != DOCA_CTX_STATE_RUNNING) {
		api.doca_pe_progress(b->pe);
		TRY(api.doca_ctx_get_state(ctx, &state));
	}
	return DOCA_SUCCESS;
}

static doca_error_t start_to_dpa(struct msgq_bench *b)
{
	TRY(api.doca_comch_msgq_create(b->dev, &b->to));
	TRY(api.doca_comch_msgq_set_dpa_consumer(b->to, b->dpa));
	TRY(api.doca_comch_msgq_start(b->to));
	TRY(api.doca_comch_consumer_completion_create(&b->arrivals));
	TRY(api.doca_comch_consumer_completion_set_dpa_thread(b->arrivals, b->thread));
	TRY(api.doca_comch_consumer_completion_set_max_num_consumers(b->arrivals, 1));
	TRY(api.doca_comch_consumer_completion_set_max_num_recv(b->arrivals, b->window));
	TRY(api.doca_comch_consumer_completion_start(b->arrivals));
	TRY(api.doca_comch_msgq_consumer_create(b->to, &b->on_dpa));
	TRY(api.doca_ctx_set_datapath_on_dpa(api.doca_comch_consumer_as_ctx(b->on_dpa), b->dpa));
	TRY(api.doca_comch_consumer_set_completion(b->on_dpa, b->arrivals, 0));
	TRY(api.doca_comch_consumer_set_dev_max_num_recv(b->on_dpa, b->window));
	TRY(api.doca_ctx_start(api.doca_comch_consumer_as_ctx(b->on_dpa)));
	TRY(api.doca_comch_msgq_producer_create(b->to, &b->producer));
	TRY(api.doca_comch_producer_task_send_set_conf(b->producer, sent, send_failed, b->window));
	TRY(start_on_pe(b, api.doca_comch_producer_as_ctx(b->producer)));
	TRY(api.doca_comch_consumer_get_dpa_handle(b->on_dpa, &b->args.consumer));
	return api.doca_comch_consumer_completion_get_dpa_handle(b->arrivals, &b->args.consumer_comp);
}

static doca_error_t start_from_dpa(struct msgq_bench *b)
{
	TRY(api.doca_comch_msgq_create(b->dev, &b->from));
	TRY(api.doca_comch_msgq_set_dpa_producer(b->from, b->dpa));
	TRY(api.doca_comch_msgq_start(b->from));
	TRY(api.doca_dpa_completion_create(b->dpa, b->window, &b->reports));
	TRY(api.doca_dpa_completion_start(b->reports));
	TRY(api.doca_comch_msgq_producer_create(b->from, &b->from_dpa));
	TRY(api.doca_ctx_set_datapath_on_dpa(api.doca_comch_producer_as_ctx(b->from_dpa), b->dpa));
	TRY(api.doca_comch_producer_set_dev_max_num_send(b->from_dpa, b->window));
	TRY(api.doca_comch_producer_dpa_completion_attach(b->from_dpa, b->reports));
	TRY(api.doca_ctx_start(api.doca_comch_producer_as_ctx(b->from_dpa)));
	TRY(api.doca_comch_msgq_consumer_create(b->from, &b->consumer));
	TRY(api.doca_comch_consumer_task_post_recv_set_conf(b->consumer, received, receive_failed, b->window));
	TRY(start_on_pe(b, api.doca_comch_consumer_as_ctx(b->consumer)));
	TRY(api.doca_comch_producer_get_dpa_handle(b->from_dpa, &b->args.producer));
	TRY(api.doca_dpa_completion_get_dpa_handle(b->reports, &b->args.producer_comp));
	return api.doca_comch_consumer_get_id(b->consumer, &b->args.consumer_id);
}

static doca_error_t make_tasks(struct msgq_bench *b)
{
	uint32_t to;

	TRY(api.doca_comch_consumer_get_id(b->on_dpa, &to));
	for (uint32_t i = 0; i < b->window; i++) {
		union doca_data slot = {.u64 = i};

		TRY(api.doca_comch_consumer_task_post_recv_alloc_init(b->consumer, NULL, &b->receives[i]));
		TRY(api.doca_task_submit(api.doca_comch_consumer_task_post_recv_as_task(b->receives[i])));
		TRY(api.doca_comch_producer_task_send_alloc_init(b->producer, NULL, (uint8_t *)b->messages[i], MESSAGE, to, &b->sends[i]));
		api.doca_task_set_user_data(api.doca_comch_producer_task_send_as_task(b->sends[i]), slot);
	}
	return DOCA_SUCCESS;
}

static doca_error_t setup(struct msgq_bench *b, struct doca_dpa_app *app)
{
	uint64_t zero;

	TRY(api_open_first_device(&b->dev));
	TRY(api.doca_pe_create(&b->pe));
	TRY(api.doca_dpa_create(b->dev, &b->dpa));
	TRY(api.doca_dpa_set_app(b->dpa, app));
	TRY(api.doca_dpa_start(b->dpa));
	TRY(api.doca_dpa_mem_alloc(b->dpa, sizeof(b->args), &b->arg));
	TRY(api.doca_dpa_thread_create(b->dpa, &b->thread));
	TRY(api.doca_dpa_thread_set_func_arg(b->thread, find(app, "echo"), b->arg));
	TRY(api.doca_dpa_thread_start(b->thread));
	TRY(start_to_dpa(b));
	TRY(start_from_dpa(b));
	TRY(make_tasks(b));
	TRY(api.doca_dpa_h2d_memcpy(b->dpa, b->arg, &b->args, sizeof(b->args)));
	TRY(api.doca_dpa_thread_run(b->thread));
	return api.doca_dpa_rpc(b->dpa, find(app, "echo_ready"), &zero, b->arg, b->window);
}

struct msgq_bench *msgq_bench_new(struct doca_dpa_app *app, uint32_t window, int *error)
{
	struct msgq_bench *b = calloc(1, sizeof(*b));

	*error = DOCA_ERROR_NO_MEMORY;
	if (b == NULL || window > MAX_WINDOW)
		return NULL;
	b->window = window;
	*error = setup(b, app);
	if (*error == DOCA_SUCCESS)
		return b;
	msgq_bench_free(b);
	return NULL;
}

/* AGAIN: the thread has not made room yet. */
static doca_error_t send_next(struct msgq_bench *b)
{
	uint32_t slot = (uint32_t)(b->sent % b->window);
	uint64_t *message = b->messages[slot];
	doca_error_t rc;

	message[0] = b->sent;
	message[3] = ~b->sent;
	b->busy[slot] = 1;
	rc = api.doca_task_submit(api.doca_comch_producer_task_send_as_task(b->sends[slot]));
	if (rc == DOCA_SUCCESS)
		b->sent++;
	else
		b->busy[slot] = 0;
	return rc;
}

int msgq_bench_run(struct msgq_bench *b, uint64_t messages)
{
	b->total = b->sent + messages;
	while (b->back < b->total && b->status == DOCA_SUCCESS) {
		doca_error_t rc = DOCA_SUCCESS;

		while (rc == DOCA_SUCCESS && b->sent < b->total && b->sent - b->back < b->window && !b->busy[b->sent % b->window])
			rc = send_next(b);
		if (rc != DOCA_SUCCESS && rc != DOCA_ERROR_AGAIN)
			return rc;
		api.doca_pe_progress(b->pe);
	}
	return b->status;
}

/* Stops a context of the engine, frees its tasks, and waits until it is idle. */
static void stop_on_pe(struct msgq_bench *b, struct doca_ctx *ctx, struct doca_task **tasks)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;

	api.doca_ctx_stop(ctx);
	for (int i = 0; i < MAX_WINDOW * 2; i++)
		api.doca_pe_progress(b->pe);
	for (uint32_t i = 0; i < b->window; i++)
		if (tasks[i] != NULL)
			api.doca_task_free(tasks[i]);
	while (api.doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE)
		api.doca_pe_progress(b->pe);
}

int msgq_bench_free(struct msgq_bench *b)
{
	struct doca_task *tasks[MAX_WINDOW] = {NULL};
	doca_error_t rc = DOCA_SUCCESS;

	for (uint32_t i = 0; i < b->window && b->sends[i] != NULL; i++)
		tasks[i] = api.doca_comch_producer_task_send_as_task(b->sends[i]);
	if (b->producer != NULL) {
		stop_on_pe(b, api.doca_comch_producer_as_ctx(b->producer), tasks);
		rc = api.doca_comch_producer_destroy(b->producer);
	}
	for (uint32_t i = 0; i < b->window && b->receives[i] != NULL; i++)
		tasks[i] = api.doca_comch_consumer_task_post_recv_as_task(b->receives[i]);
	if (b->consumer != NULL && rc == DOCA_SUCCESS) {
		stop_on_pe(b, api.doca_comch_consumer_as_ctx(b->consumer), tasks);
		rc = api.doca_comch_consumer_destroy(b->consumer);
	}
	if (b->from_dpa != NULL && rc == DOCA_SUCCESS) {
		api.doca_ctx_stop(api.doca_comch_producer_as_ctx(b->from_dpa));
		rc = api.doca_comch_producer_destroy(b->from_dpa);
	}
	if (b->on_dpa != NULL && rc == DOCA_SUCCESS) {
		api.doca_ctx_stop(api.doca_comch_consumer_as_ctx(b->on_dpa));
		rc = api.doca_comch_consumer_destroy(b->on_dpa);
	}
	if (b->arrivals != NULL && rc == DOCA_SUCCESS) {
		api.doca_comch_consumer_completion_stop(b->arrivals);
		rc = api.doca_comch_consumer_completion_destroy(b->arrivals);
	}
	if (b->reports != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_dpa_completion_destroy(b->reports);
	if (b->thread != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_dpa_thread_destroy(b->thread);
	for (int i = 0; i < 2 && rc == DOCA_SUCCESS; i++) {
		struct doca_comch_msgq *queue = i == 0 ? b->to : b->from;

		if (queue != NULL) {
			api.doca_comch_msgq_stop(queue);
			rc = api.doca_comch_msgq_destroy(queue);
		}
	}
	if (b->dpa != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_dpa_destroy(b->dpa);
	if (b->pe != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_pe_destroy(b->pe);
	if (b->dev != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_dev_close(b->dev);
	free(b);
	return rc;
}
