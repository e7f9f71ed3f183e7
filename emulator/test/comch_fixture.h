/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_COMCH_FIXTURE_H_
#define EMULATOR_TEST_COMCH_FIXTURE_H_

/*
 * Servers and clients for tests. Each program has its own runtime directory. The test `left_nothing`, the last of
 * each program, checks that neither the directory nor a descriptor is left.
 *
 * An end writes down what happens to it, one word each:
 *
 *   connect refused disconnect   connection events
 *   running stopping idle starting
 *   +3 -3                        consumer 3 of the peer is new, has expired
 *   anything else                a message
 */

#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doca_comch.h>

#include "fixture.h"
#include "process.h"

/* Waiting for conditions. */

static _Thread_local struct doca_pe *driven[32]; /* engines of this thread */

static inline void drive(struct doca_pe *pe)
{
	size_t i = 0;

	while (driven[i] != NULL)
		i++;
	driven[i] = pe;
}

static inline void undrive(struct doca_pe *pe)
{
	for (size_t i = 0; i < 32; i++) {
		if (driven[i] == pe)
			driven[i] = NULL;
	}
}

static inline int progress_all(void)
{
	int num = 0;

	for (size_t i = 0; i < 32; i++)
		num += driven[i] != NULL && doca_pe_progress(driven[i]);
	return num;
}

/* Nothing takes this long, however slow the machine is. */
static inline void never_after(uint64_t deadline, const char *file, int line, const char *what)
{
	if (now_ms() < deadline)
		return;
	fprintf(stderr, "%s:%d: waited in vain for %s\n", file, line, what);
	exit(1);
}

/* Drives the engines of this thread until the condition holds. */
#define UNTIL(condition)                                                                                   \
	do {                                                                                               \
		uint64_t deadline_ = now_ms() + LONG_MS;                                                   \
		while (!(condition)) {                                                                     \
			if (!progress_all()) {                                                             \
				usleep(20);                                                                \
				never_after(deadline_, __FILE__, __LINE__, #condition);                    \
			}                                                                                  \
		}                                                                                          \
	} while (0)

/* Until nothing more happens. */
static inline void settle(void)
{
	for (int quiet = 0; quiet < 20; quiet++) {
		if (progress_all())
			quiet = 0;
	}
}

static inline bool is_readable(int fd, int timeout_ms)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, timeout_ms) == 1;
}

/* Ends. */

struct end {
	bool is_server;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *conn; /* the last connection */
	int connects, refusals, disconnects, messages;
	int losses; /* disconnects without a word from the peer */
	int sent, failed;
	doca_error_t last_error;
	bool keep_tasks;
	struct doca_task *last_task;
	uint32_t consumers[256]; /* of the peer */
	int num_consumers;
	char log[4096];
	uint8_t last_msg[4096];
	uint32_t last_len;
	void (*on_connect)(struct end *end, struct doca_comch_connection *conn);
	void (*on_disconnect)(struct end *end, struct doca_comch_connection *conn);
	void (*on_message)(struct end *end, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len);
	void (*on_consumer)(struct end *end, struct doca_comch_connection *conn, uint32_t id, bool is_new);
	void (*on_state)(struct end *end, enum doca_ctx_states state);
	void (*on_sent)(struct end *end, struct doca_task *task);
	void *hook_data;
};

static inline void note(struct end *end, const char *format, ...)
{
	size_t len = strlen(end->log);
	va_list args;

	if (len != 0 && len + 1 < sizeof(end->log))
		end->log[len++] = ' ';
	va_start(args, format);
	vsnprintf(end->log + len, sizeof(end->log) - len, format, args);
	va_end(args);
}

static inline bool log_is(struct end *end, const char *expected)
{
	bool is = strcmp(end->log, expected) == 0;

	if (!is)
		fprintf(stderr, "log is \"%s\"\n", end->log);
	end->log[0] = '\0';
	return is;
}

static inline bool log_has(const struct end *end, const char *word)
{
	return strstr(end->log, word) != NULL;
}

static inline struct end *end_of(struct doca_comch_connection *conn)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(conn);
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(conn);
	union doca_data data;

	CHECK((server == NULL) != (client == NULL));
	MUST(doca_ctx_get_user_data(server != NULL ? doca_comch_server_as_ctx(server) :
						     doca_comch_client_as_ctx(client),
				    &data));
	return data.ptr;
}

static inline void end_sent(struct doca_comch_task_send *send, union doca_data task_data, union doca_data data)
{
	struct doca_task *task = doca_comch_task_send_as_task(send);
	struct end *end = data.ptr;

	(void)task_data;
	end->sent++;
	EXPECT(SUCCESS, doca_task_get_status(task));
	if (end->on_sent != NULL)
		end->on_sent(end, task);
	else if (!end->keep_tasks)
		doca_task_free(task);
	end->last_task = task;
}

static inline void end_failed(struct doca_comch_task_send *send, union doca_data task_data, union doca_data data)
{
	struct doca_task *task = doca_comch_task_send_as_task(send);
	struct end *end = data.ptr;

	(void)task_data;
	end->failed++;
	end->last_error = doca_task_get_status(task);
	CHECK(end->last_error != DOCA_SUCCESS);
	if (!end->keep_tasks)
		doca_task_free(task);
	end->last_task = task;
}

static inline void end_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			       struct doca_comch_connection *conn)
{
	struct end *end = end_of(conn);

	(void)event;
	end->messages++;
	end->last_len = len;
	memcpy(end->last_msg, bytes, len);
	if (end->on_message != NULL)
		end->on_message(end, conn, bytes, len);
	else
		note(end, "%.*s", (int)len, (char *)bytes);
	memset(bytes, 0xee, len); /* the callback's own */
}

static inline void end_connected(struct doca_comch_event_connection_status_changed *event,
				 struct doca_comch_connection *conn, uint8_t success)
{
	struct end *end = end_of(conn);

	(void)event;
	note(end, success ? "connect" : "refused");
	if (!success) {
		end->refusals++;
		return;
	}
	end->connects++;
	end->conn = conn;
	if (end->on_connect != NULL)
		end->on_connect(end, conn);
}

static inline void end_disconnected(struct doca_comch_event_connection_status_changed *event,
				    struct doca_comch_connection *conn, uint8_t success)
{
	struct end *end = end_of(conn);

	(void)event;
	end->disconnects++;
	end->losses += success == 0;
	note(end, "disconnect");
	if (end->on_disconnect != NULL)
		end->on_disconnect(end, conn);
}

static inline void end_new_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
				    uint32_t id)
{
	struct end *end = end_of(conn);

	(void)event;
	note(end, "+%u", id);
	end->consumers[end->num_consumers++] = id;
	if (end->on_consumer != NULL)
		end->on_consumer(end, conn, id, true);
}

static inline void end_expired_consumer(struct doca_comch_event_consumer *event,
					struct doca_comch_connection *conn, uint32_t id)
{
	struct end *end = end_of(conn);
	int kept = 0;

	(void)event;
	note(end, "-%u", id);
	for (int i = 0; i < end->num_consumers; i++) {
		if (end->consumers[i] != id)
			end->consumers[kept++] = end->consumers[i];
	}
	CHECK(kept == end->num_consumers - 1);
	end->num_consumers = kept;
	if (end->on_consumer != NULL)
		end->on_consumer(end, conn, id, false);
}

static inline void end_state(union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			     enum doca_ctx_states next)
{
	static const char *const names[] = {"idle", "starting", "running", "stopping"};
	struct end *end = data.ptr;

	CHECK(prev != next && ctx_state(ctx) == next);
	note(end, names[next]);
	if (next == DOCA_CTX_STATE_RUNNING && !end->is_server)
		MUST(doca_comch_client_get_connection(end->client, &end->conn));
	if (end->on_state != NULL)
		end->on_state(end, next);
}

static inline struct doca_dev_rep *open_rep(struct doca_dev *dev)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep;
	uint32_t num;

	MUST(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num));
	MUST(doca_dev_rep_open(list[0], &rep));
	MUST(doca_devinfo_rep_destroy_list(list));
	return rep;
}

#define END_TASKS 32

/* An end that is configured but not started, with an engine of its own. */
static inline struct end *new_server(const char *name)
{
	struct end *end = calloc(1, sizeof(*end));

	end->is_server = true;
	end->dev = open_dev(DPU_0);
	end->rep = open_rep(end->dev);
	MUST(doca_pe_create(&end->pe));
	drive(end->pe);
	MUST(doca_comch_server_create(end->dev, end->rep, name, &end->server));
	end->ctx = doca_comch_server_as_ctx(end->server);
	MUST(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	MUST(doca_ctx_set_state_changed_cb(end->ctx, end_state));
	MUST(doca_pe_connect_ctx(end->pe, end->ctx));
	MUST(doca_comch_server_task_send_set_conf(end->server, end_sent, end_failed, END_TASKS));
	MUST(doca_comch_server_event_msg_recv_register(end->server, end_message));
	MUST(doca_comch_server_event_connection_status_changed_register(end->server, end_connected,
									end_disconnected));
	MUST(doca_comch_server_event_consumer_register(end->server, end_new_consumer, end_expired_consumer));
	return end;
}

static inline struct end *new_client(const char *name)
{
	struct end *end = calloc(1, sizeof(*end));

	end->dev = open_dev(HOST_0);
	MUST(doca_pe_create(&end->pe));
	drive(end->pe);
	MUST(doca_comch_client_create(end->dev, name, &end->client));
	end->ctx = doca_comch_client_as_ctx(end->client);
	MUST(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	MUST(doca_ctx_set_state_changed_cb(end->ctx, end_state));
	MUST(doca_pe_connect_ctx(end->pe, end->ctx));
	MUST(doca_comch_client_task_send_set_conf(end->client, end_sent, end_failed, END_TASKS));
	MUST(doca_comch_client_event_msg_recv_register(end->client, end_message));
	MUST(doca_comch_client_event_consumer_register(end->client, end_new_consumer, end_expired_consumer));
	return end;
}

static inline enum doca_ctx_states state_of(const struct end *end)
{
	return ctx_state(end->ctx);
}

/* Begins to stop, unless it has begun already. */
static inline void stop(struct end *end)
{
	doca_error_t result = doca_ctx_stop(end->ctx);

	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
}

/* Stops it if need be. */
static inline void delete_end(struct end *end)
{
	if (end->ctx != NULL) {
		stop(end);
		UNTIL(state_of(end) == DOCA_CTX_STATE_IDLE);
		if (end->is_server)
			MUST(doca_comch_server_destroy(end->server));
		else
			MUST(doca_comch_client_destroy(end->client));
	}
	undrive(end->pe);
	MUST(doca_pe_destroy(end->pe));
	if (end->rep != NULL)
		MUST(doca_dev_rep_close(end->rep));
	MUST(doca_dev_close(end->dev));
	free(end);
}

static inline struct end *start_server(const char *name)
{
	struct end *end = new_server(name);

	MUST(doca_ctx_start(end->ctx));
	return end;
}

/* Its connection is complete after progress on both sides. */
static inline struct end *start_client(const char *name)
{
	struct end *end = new_client(name);

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(end->ctx));
	return end;
}

/* A connected server and client; their logs are empty. */
struct pair {
	struct end *server, *client;
};

static inline void connect_ends(struct end *server, struct end *client)
{
	int connects = server->connects;

	UNTIL(state_of(client) != DOCA_CTX_STATE_STARTING && server->connects > connects);
	CHECK(state_of(client) == DOCA_CTX_STATE_RUNNING);
	server->log[0] = client->log[0] = '\0';
}

static inline struct pair make_pair(const char *name)
{
	struct pair pair = {.server = start_server(name), .client = start_client(name)};

	connect_ends(pair.server, pair.client);
	return pair;
}

static inline void delete_pair(struct pair pair)
{
	delete_end(pair.client);
	delete_end(pair.server);
}

/* Sending. */

static inline doca_error_t make_send(struct end *end, struct doca_comch_connection *conn, const void *msg, uint32_t len,
				     struct doca_task **task)
{
	struct doca_comch_task_send *send = NULL;
	doca_error_t result = end->is_server ?
		doca_comch_server_task_send_alloc_init(end->server, conn, msg, len, &send) :
		doca_comch_client_task_send_alloc_init(end->client, conn, msg, len, &send);

	*task = send == NULL ? NULL : doca_comch_task_send_as_task(send);
	return result;
}

static inline doca_error_t try_send(struct end *end, const void *msg, uint32_t len)
{
	struct doca_task *task;
	doca_error_t result = make_send(end, end->conn, msg, len, &task);

	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(task);
	if (result != DOCA_SUCCESS)
		doca_task_free(task);
	return result;
}

/* Sends a text on the end's last connection. */
static inline void say(struct end *end, const char *text)
{
	MUST(try_send(end, text, (uint32_t)strlen(text)));
}

#endif /* EMULATOR_TEST_COMCH_FIXTURE_H_ */
