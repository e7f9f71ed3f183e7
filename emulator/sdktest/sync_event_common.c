/* SPDX-License-Identifier: Apache-2.0 */
#include "sync_event_common.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <doca_argp.h>

DOCA_LOG_REGISTER(SYNC_EVENT_COMMON);

#define SERVER_NAME "sync_event_cc"
#define PATIENCE_S 30

/* ---- The connection ---- */

static void on_received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t len,
			struct doca_comch_connection *connection)
{
	struct sync_event_peer *peer = (struct sync_event_peer *)comch_endpoint_of(connection);

	(void)event;
	if (peer->is_blob || len > sizeof(peer->blob)) {
		comch_keep_error(&peer->endpoint, DOCA_ERROR_UNEXPECTED);
		return;
	}
	memcpy(peer->blob, message, len);
	peer->blob_len = len;
	peer->is_blob = true;
}

static bool is_connected(const struct sync_event_peer *peer)
{
	return peer->endpoint.connection != NULL;
}

static bool is_left(const struct sync_event_peer *peer)
{
	return peer->endpoint.connection == NULL;
}

static bool has_blob(const struct sync_event_peer *peer)
{
	return peer->is_blob;
}

static doca_error_t wait_until(struct sync_event_peer *peer, bool (*is_so)(const struct sync_event_peer *peer))
{
	time_t end = time(NULL) + PATIENCE_S;

	while (!is_so(peer)) {
		sample_progress(peer->endpoint.pe);
		TRY(peer->endpoint.result);
		if (time(NULL) > end)
			return DOCA_ERROR_TIME_OUT;
		if (peer->endpoint.state == DOCA_CTX_STATE_IDLE)
			return DOCA_ERROR_NOT_CONNECTED;
	}
	return DOCA_SUCCESS;
}

doca_error_t sync_event_connect(struct sync_event_peer *peer)
{
	static const struct comch_callbacks callbacks = {.state_changed = comch_on_state,
							 .sent = comch_on_sent,
							 .received = on_received,
							 .connected = comch_on_connected};

#ifdef DOCA_ARCH_DPU
	TRY(comch_start_server(&peer->endpoint, &peer->config->comch, SERVER_NAME, &callbacks));
#else
	TRY(comch_start_client(&peer->endpoint, &peer->config->comch, SERVER_NAME, &callbacks));
#endif
	TRY(wait_until(peer, is_connected));
	return DOCA_SUCCESS;
}

doca_error_t sync_event_receive(struct sync_event_peer *peer)
{
	TRY(wait_until(peer, has_blob));
	return DOCA_SUCCESS;
}

doca_error_t sync_event_end(struct sync_event_peer *peer)
{
	DOCA_LOG_INFO("Done");
#ifdef DOCA_ARCH_DPU
	TRY(wait_until(peer, is_left));
#endif
	(void)is_left;
	(void)peer;
	return DOCA_SUCCESS;
}

/* ---- The event ---- */

#define ON_END(kind)                                                                                       \
	static void on_##kind(struct doca_sync_event_task_##kind *task, union doca_data task_data,          \
			      union doca_data ctx_data)                                                     \
	{                                                                                                  \
		struct sync_event_peer *peer = ctx_data.ptr;                                               \
		struct doca_task *base = doca_sync_event_task_##kind##_as_doca_task(task);                 \
                                                                                                           \
		(void)task_data;                                                                           \
		peer->task_result = doca_task_get_status(base);                                            \
		doca_task_free(base);                                                                      \
	}

ON_END(notify_set)
ON_END(notify_add)
ON_END(wait_eq)

doca_error_t sync_event_begin(struct sync_event_peer *peer)
{
	uint32_t num = (uint32_t)peer->config->num_tasks;
	struct doca_ctx *ctx;

	if (!peer->config->is_async) {
		TRY(doca_sync_event_start(peer->event));
		return DOCA_SUCCESS;
	}
	ctx = doca_sync_event_as_ctx(peer->event);
	TRY(doca_sync_event_task_notify_set_set_conf(peer->event, on_notify_set, on_notify_set, num));
	TRY(doca_sync_event_task_notify_add_set_conf(peer->event, on_notify_add, on_notify_add, num));
	TRY(doca_sync_event_task_wait_eq_set_conf(peer->event, on_wait_eq, on_wait_eq, num));
	TRY(doca_pe_create(&peer->pe));
	TRY(doca_pe_connect_ctx(peer->pe, ctx));
	TRY(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = peer}));
	TRY(doca_ctx_start(ctx));
	return DOCA_SUCCESS;
}

/* The first progress that says so has ended the task. */
static doca_error_t run_task(struct sync_event_peer *peer, struct doca_task *task)
{
	time_t end = time(NULL) + PATIENCE_S;

	peer->task_result = DOCA_ERROR_IN_PROGRESS;
	TRY(doca_task_submit(task));
	while (doca_pe_progress(peer->pe) == 0) {
		if (time(NULL) > end)
			return DOCA_ERROR_TIME_OUT;
	}
	TRY(peer->task_result);
	return DOCA_SUCCESS;
}

static doca_error_t set(struct sync_event_peer *peer, uint64_t value)
{
	struct doca_sync_event_task_notify_set *task;

	if (!peer->config->is_async)
		return doca_sync_event_update_set(peer->event, value);
	TRY(doca_sync_event_task_notify_set_alloc_init(peer->event, value, (union doca_data){0}, &task));
	return run_task(peer, doca_sync_event_task_notify_set_as_doca_task(task));
}

static doca_error_t add(struct sync_event_peer *peer)
{
	struct doca_sync_event_task_notify_add *task;

	if (!peer->config->is_async)
		return doca_sync_event_update_add(peer->event, 1, &peer->fetched);
	TRY(doca_sync_event_task_notify_add_alloc_init(peer->event, 1, &peer->fetched, (union doca_data){0}, &task));
	return run_task(peer, doca_sync_event_task_notify_add_as_doca_task(task));
}

doca_error_t sync_event_signal(struct sync_event_peer *peer, uint64_t value)
{
	DOCA_LOG_INFO("Signalling %llu", (unsigned long long)value);
	if (!peer->config->is_atomic) {
		TRY(set(peer, value));
		return DOCA_SUCCESS;
	}
	TRY(add(peer));
	REQUIRE(peer->fetched == value - 1);
	return DOCA_SUCCESS;
}

doca_error_t sync_event_await(struct sync_event_peer *peer, uint64_t value)
{
	struct doca_sync_event_task_wait_eq *task;

	DOCA_LOG_INFO("Waiting for %llu", (unsigned long long)value);
	if (!peer->config->is_async) {
		TRY(doca_sync_event_wait_gt(peer->event, value - 1, UINT64_MAX));
		return DOCA_SUCCESS;
	}
	TRY(doca_sync_event_task_wait_eq_alloc_init(peer->event, value, UINT64_MAX, (union doca_data){0}, &task));
	TRY(run_task(peer, doca_sync_event_task_wait_eq_as_doca_task(task)));
	return DOCA_SUCCESS;
}

static doca_error_t destroy(struct sync_event_peer *peer)
{
	doca_error_t result = DOCA_SUCCESS;

	if (peer->event != NULL) {
		if (peer->pe != NULL)
			CLEAN(result, doca_ctx_stop(doca_sync_event_as_ctx(peer->event)));
		CLEAN(result, doca_sync_event_destroy(peer->event));
	}
	if (peer->pe != NULL)
		CLEAN(result, doca_pe_destroy(peer->pe));
	CLEAN(result, comch_destroy(&peer->endpoint));
	if (peer->dev != NULL)
		CLEAN(result, doca_dev_close(peer->dev));
	return result;
}

/* ---- Arguments ---- */

static doca_error_t set_pci_addr(void *value, void *cfg)
{
	struct sync_event_config *config = cfg;

	return sample_copy_value("PCI address", value, config->comch.pci_addr, sizeof(config->comch.pci_addr));
}

static doca_error_t set_async(void *value, void *cfg)
{
	((struct sync_event_config *)cfg)->is_async = *(bool *)value;
	return DOCA_SUCCESS;
}

static doca_error_t set_atomic(void *value, void *cfg)
{
	((struct sync_event_config *)cfg)->is_atomic = *(bool *)value;
	return DOCA_SUCCESS;
}

static doca_error_t set_num_tasks(void *value, void *cfg)
{
	int num = *(int *)value;

	if (num < 1)
		return DOCA_ERROR_INVALID_VALUE;
	((struct sync_event_config *)cfg)->num_tasks = num;
	return DOCA_SUCCESS;
}

#ifdef DOCA_ARCH_DPU
static doca_error_t set_rep_pci_addr(void *value, void *cfg)
{
	struct sync_event_config *config = cfg;

	return sample_copy_value("PCI address", value, config->comch.rep_pci_addr, sizeof(config->comch.rep_pci_addr));
}
#endif

static doca_error_t add_params(void)
{
	TRY(sample_add_param("d", "pci-addr", "PCI address of the device", set_pci_addr, DOCA_ARGP_TYPE_STRING, true));
#ifdef DOCA_ARCH_DPU
	TRY(sample_add_param("r", "rep-pci", "PCI address of the host function, as the host sees it", set_rep_pci_addr,
			     DOCA_ARGP_TYPE_STRING, true));
#endif
	TRY(sample_add_param(NULL, "async", "Use tasks", set_async, DOCA_ARGP_TYPE_BOOLEAN, false));
	TRY(sample_add_param(NULL, "async-num-tasks", "Number of tasks of each kind", set_num_tasks, DOCA_ARGP_TYPE_INT,
			     false));
	TRY(sample_add_param(NULL, "atomic", "Signal by adding to the value instead of setting it", set_atomic,
			     DOCA_ARGP_TYPE_BOOLEAN, false));
	return DOCA_SUCCESS;
}

static doca_error_t run(const struct sync_event_config *config, capability_check check,
			doca_error_t (*talk)(struct sync_event_peer *peer))
{
	struct sync_event_peer peer = {.config = config};
	doca_error_t result, destroyed;

	result = sample_open_device(config->comch.pci_addr, check, &peer.dev);
	if (result == DOCA_SUCCESS)
		result = talk(&peer);
	destroyed = destroy(&peer);
	DOCA_ERROR_PROPAGATE(result, destroyed);
	return result;
}

int sync_event_main(int argc, char **argv, const char *name, capability_check check,
		    doca_error_t (*talk)(struct sync_event_peer *peer))
{
	struct sync_event_config config = {.comch.max_msg_size = SYNC_EVENT_MAX_BLOB, .num_tasks = 1};
	doca_error_t result;

	if (sample_start_log() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	DOCA_LOG_INFO("Starting the sample");
	result = doca_argp_init(name, &config);
	if (result == DOCA_SUCCESS) {
		result = add_params();
		if (result == DOCA_SUCCESS)
			result = doca_argp_start(argc, argv);
		if (result == DOCA_SUCCESS)
			result = run(&config, check, talk);
		(void)doca_argp_destroy();
	}
	return sample_finish(result);
}
