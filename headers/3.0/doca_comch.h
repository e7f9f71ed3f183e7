/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_comch.h
 * @brief Comch: messages between a host and its DPU, over PCIe; the control path.
 *
 * A server runs on the DPU, for one device and one representor, and accepts the clients of the
 * host function that the representor stands for. A client runs on the host and has one connection.
 * Each side has its own handle of a connection. Messages are copied; for data there are the
 * consumers and producers of doca_comch_consumer.h and doca_comch_producer.h, which belong to a
 * connection.
 *
 * To use it: create a server or client, set its send tasks and its message callback, for a server
 * also its connection callbacks; connect its context to a progress engine and start it.
 * doca_ctx_start() of a server succeeds at once; that of a client returns DOCA_ERROR_IN_PROGRESS,
 * and the context runs when it is connected.
 *
 * Messages of one connection and direction arrive complete and in the order in which they were
 * submitted; consumers that came or went before a message was submitted are reported before it.
 *
 * A server or client, and its connections, belong to one thread at a time.
 */
#ifndef DOCA_COMCH_H_
#define DOCA_COMCH_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/**
 * @brief A connection between a client and a server, as one of the two sees it.
 *
 * It belongs to DOCA. On a server it lives from its connect callback until its disconnect callback
 * returns, on a client until the context is idle.
 */
struct doca_comch_connection;

/** @brief The side that accepts connections; it runs on the DPU. */
struct doca_comch_server;

/** @brief The side that connects; it runs on the host. */
struct doca_comch_client;

struct doca_ctx;

/** @brief A task that sends a message. */
struct doca_comch_task_send;

struct doca_task;

/** @brief Marks the callback for a received message; it has no content. */
struct doca_comch_event_msg_recv;

/** @brief Marks the callbacks for a connection that came or went; it has no content. */
struct doca_comch_event_connection_status_changed;

/** @brief Marks the callbacks for a consumer that came or went; it has no content. */
struct doca_comch_event_consumer;

/** @brief What a connection counts; see doca_comch_connection_get_counter(). */
enum doca_comch_counter {
	DOCA_COMCH_COUNTER_SENT_MESSAGES = 1, /**< Messages sent. */
	DOCA_COMCH_COUNTER_SENT_BYTES = 2, /**< Bytes of the messages sent. */
	DOCA_COMCH_COUNTER_RECV_MESSAGES = 3, /**< Messages received. */
	DOCA_COMCH_COUNTER_RECV_BYTES = 4, /**< Bytes of the messages received. */
};

/**
 * @brief Called when a send task ends.
 *
 * There is one callback for success and one for failure. Success means that the message is handed
 * over; the peer's callback may run before or after. The task belongs to the caller again, who may
 * free it or submit it once more.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_comch_task_send_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context of the server or client.
 */
typedef void (*doca_comch_task_send_completion_cb_t)(
		struct doca_comch_task_send *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Called once for each received message.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * @param [in] event Marks the callback.
 * @param [in] recv_buffer The message; valid only until the callback returns, and may be written
 * to.
 * @param [in] msg_len Number of bytes of the message.
 * @param [in] comch_connection The connection that it came on.
 */
typedef void (*doca_comch_event_msg_recv_cb_t)(
		struct doca_comch_event_msg_recv *event,
		uint8_t *recv_buffer,
		uint32_t msg_len,
		struct doca_comch_connection *comch_connection);

/**
 * @brief Called on a server when a client has connected or disconnected.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * The connect callback runs before every other callback of the connection. The disconnect callback
 * is the last one: the handle ends when it returns.
 *
 * @param [in] event Marks the callback.
 * @param [in] comch_connection The connection. doca_comch_server_disconnect() in the connect
 * callback turns the client away.
 * @param [in] change_successful 1 if the change took place, 0 when it failed.
 */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
		struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *comch_connection,
		uint8_t change_successful);

/**
 * @brief Called when a consumer of the peer has started to run, or has ended; inside
 * doca_pe_progress() of the engine of the server or client, on the thread that runs it.
 *
 * @param [in] event Marks the callback.
 * @param [in] comch_connection The connection of the consumer.
 * @param [in] id The consumer's number: unique in its connection, never 0.
 */
typedef void (*doca_comch_event_consumer_cb_t)(
		struct doca_comch_event_consumer *event,
		struct doca_comch_connection *comch_connection,
		uint32_t id);

/**
 * @brief Attaches data of the caller to a connection.
 *
 * @param [in] connection The connection.
 * @param [in] user_data The data; DOCA only keeps it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: connection is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_set_user_data(
		struct doca_comch_connection *connection,
		union doca_data user_data);

/**
 * @brief Returns the data that the caller attached to a connection.
 *
 * @param [in] connection The connection. It must not be NULL.
 * @return The data; 0 when none was set.
 */
DOCA_STABLE
union doca_data doca_comch_connection_get_user_data(
		const struct doca_comch_connection *connection);

/**
 * @brief Returns the server of a connection.
 *
 * @param [in] connection The connection.
 * @return The server, or NULL when the connection is that of a client.
 */
DOCA_STABLE
struct doca_comch_server *doca_comch_server_get_server_ctx(
		const struct doca_comch_connection *connection);

/**
 * @brief Returns the client of a connection.
 *
 * @param [in] connection The connection.
 * @return The client, or NULL when the connection is that of a server.
 */
DOCA_STABLE
struct doca_comch_client *doca_comch_client_get_client_ctx(
		const struct doca_comch_connection *connection);

/**
 * @brief Returns how long the name of a server can be.
 *
 * @param [in] devinfo The device.
 * @param [out] max_name_len Number of bytes, with the terminating NUL.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_name_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_name_len);

/**
 * @brief Returns the longest message that a device can be configured for.
 *
 * @param [in] devinfo The device.
 * @param [out] size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);

/**
 * @brief Returns the most messages that a receive queue can hold.
 *
 * @param [in] devinfo The device.
 * @param [out] size Number of messages.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_recv_queue_size(
		const struct doca_devinfo *devinfo,
		uint32_t *size);

/**
 * @brief Returns the most clients that can be connected to one server at the same time.
 *
 * @param [in] devinfo The device.
 * @param [out] num_clients Number of clients.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_clients(
		const struct doca_devinfo *devinfo,
		uint32_t *num_clients);

/**
 * @brief Creates a server.
 *
 * Several servers can share a device and representor if their names differ.
 *
 * @param [in] dev The device. It must stay open as long as the server exists.
 * doca_comch_cap_server_is_supported() reports whether it can have servers.
 * @param [in] repr The representor of the host function whose clients are accepted. It must stay
 * open as long as the server exists.
 * @param [in] name The name that clients ask for; shorter than doca_comch_cap_get_max_name_len()
 * bytes. It is copied.
 * @param [out] comch_server The new server. Destroy it with doca_comch_server_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is too long.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_INITIALIZATION: the server could not be initialised.
 */
DOCA_STABLE
doca_error_t doca_comch_server_create(
		struct doca_dev *dev,
		struct doca_dev_rep *repr,
		const char *name,
		struct doca_comch_server **comch_server);

/**
 * @brief Destroys a server.
 *
 * @param [in] comch_server The server. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL.
 * - DOCA_ERROR_IN_USE: the server is not idle, or in use by another thread.
 */
DOCA_STABLE
doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/**
 * @brief Reports whether a device can have servers. Those of a DPU can.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot have servers.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Sets the longest message of a server. Clients must have the same.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] size Number of bytes, up to doca_comch_cap_get_max_msg_size().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL, or the size is out of range.
 * - DOCA_ERROR_BAD_STATE: the server is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_max_msg_size(
		struct doca_comch_server *comch_server,
		uint32_t size);

/**
 * @brief Returns the longest message of a server.
 *
 * @param [in] comch_server The server.
 * @param [out] size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the server is in a state that does not allow the call.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_max_msg_size(
		const struct doca_comch_server *comch_server,
		uint32_t *size);

/**
 * @brief Sets how many messages can wait to be received on a server.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] size Number of messages, up to doca_comch_cap_get_max_recv_queue_size().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL, or the size is out of range.
 * - DOCA_ERROR_BAD_STATE: the server is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_recv_queue_size(
		struct doca_comch_server *comch_server,
		uint32_t size);

/**
 * @brief Returns how many messages can wait to be received on a server.
 *
 * @param [in] comch_server The server.
 * @param [out] size Number of messages.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_recv_queue_size(
		const struct doca_comch_server *comch_server,
		uint32_t *size);

/**
 * @brief Returns the device of a server.
 *
 * @param [in] comch_server The server.
 * @param [out] dev The device that it was created on.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the server is in a state that does not allow the call.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device(
		const struct doca_comch_server *comch_server,
		struct doca_dev **dev);

/**
 * @brief Returns the representor of a server.
 *
 * @param [in] comch_server The server.
 * @param [out] rep The representor that it was created on.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the server is in a state that does not allow the call.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device_rep(
		const struct doca_comch_server *comch_server,
		struct doca_dev_rep **rep);

/**
 * @brief Returns a server as a struct doca_ctx.
 *
 * Stopping it disconnects all clients; it is refused while consumers or producers of a connection
 * are active, and ends in doca_pe_progress().
 *
 * @param [in] comch_server The server. It must not be NULL.
 * @return The same object as a struct doca_ctx. It is destroyed with server.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/**
 * @brief Ends one connection of a server. The client stops by itself.
 *
 * Messages that were submitted before still reach the client.
 *
 * @param [in] comch_server The server. It must be running.
 * @param [in] connection The connection; its consumers and producers must be stopped.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_IN_USE: the connection has active consumers or producers on this side.
 * - DOCA_ERROR_AGAIN: the send queue is full; progress the engine and try again.
 */
DOCA_STABLE
doca_error_t doca_comch_server_disconnect(
		struct doca_comch_server *comch_server,
		struct doca_comch_connection *connection);

/**
 * @brief Creates a client.
 *
 * @param [in] dev The device. It must stay open as long as the client exists.
 * doca_comch_cap_client_is_supported() reports whether it can have clients.
 * @param [in] name The name of the server to connect to; shorter than
 * doca_comch_cap_get_max_name_len() bytes. It is copied.
 * @param [out] comch_client The new client. Destroy it with doca_comch_client_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is too long.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_INITIALIZATION: the client could not be initialised.
 */
DOCA_STABLE
doca_error_t doca_comch_client_create(
		struct doca_dev *dev,
		const char *name,
		struct doca_comch_client **comch_client);

/**
 * @brief Destroys a client.
 *
 * @param [in] comch_client The client. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL.
 * - DOCA_ERROR_IN_USE: the client is not idle, or in use by another thread.
 */
DOCA_STABLE
doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/**
 * @brief Reports whether a device can have clients. Those of a host can.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot have clients.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Sets the longest message of a client. The server must have the same.
 *
 * @param [in] comch_client The client. It must be idle.
 * @param [in] size Number of bytes, up to doca_comch_cap_get_max_msg_size().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL, or the size is out of range.
 * - DOCA_ERROR_BAD_STATE: the client is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_max_msg_size(
		struct doca_comch_client *comch_client,
		uint32_t size);

/**
 * @brief Returns the longest message of a client.
 *
 * @param [in] comch_client The client.
 * @param [out] size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the client is in a state that does not allow the call.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_max_msg_size(
		const struct doca_comch_client *comch_client,
		uint32_t *size);

/**
 * @brief Sets how many messages can wait to be received on a client.
 *
 * @param [in] comch_client The client. It must be idle.
 * @param [in] size Number of messages, up to doca_comch_cap_get_max_recv_queue_size().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL, or the size is out of range.
 * - DOCA_ERROR_BAD_STATE: the client is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_recv_queue_size(
		struct doca_comch_client *comch_client,
		uint32_t size);

/**
 * @brief Returns how many messages can wait to be received on a client.
 *
 * @param [in] comch_client The client.
 * @param [out] size Number of messages.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_recv_queue_size(
		const struct doca_comch_client *comch_client,
		uint32_t *size);

/**
 * @brief Returns the device of a client.
 *
 * @param [in] comch_client The client.
 * @param [out] dev The device that it was created on.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the client is in a state that does not allow the call.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_device(
		const struct doca_comch_client *comch_client,
		struct doca_dev **dev);

/**
 * @brief Returns a client as a struct doca_ctx.
 *
 * Stopping it disconnects from the server; it is refused while consumers or producers of the
 * connection are active, and ends in doca_pe_progress(). When the server disconnects, the context
 * stops by itself.
 *
 * @param [in] comch_client The client. It must not be NULL.
 * @return The same object as a struct doca_ctx. It is destroyed with client.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);

/**
 * @brief Returns the connection of a client.
 *
 * @param [in] comch_client The client. It must be running.
 * @param [out] connection The connection; it belongs to the client and lives until that is idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the client is not connected.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_connection(
		const struct doca_comch_client *comch_client,
		struct doca_comch_connection **connection);

/**
 * @brief Returns the most send tasks that a server or client can have: the limit of
 * doca_comch_server_task_send_set_conf() and doca_comch_client_task_send_set_conf().
 *
 * @param [in] devinfo The device.
 * @param [out] max_send_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_send_tasks(
		const struct doca_devinfo *devinfo,
		uint32_t *max_send_tasks);

/**
 * @brief Sets the callbacks and the pool size of the send tasks of a server. The server cannot
 * start without it.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] task_completion_cb Called for each message that was handed over.
 * @param [in] task_error_cb Called for each message that was not.
 * @param [in] num_send_tasks Number of tasks in the pool, up to
 * doca_comch_cap_get_max_send_tasks().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is out of range.
 * - DOCA_ERROR_BAD_STATE: the server is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_set_conf(
		struct doca_comch_server *comch_server,
		doca_comch_task_send_completion_cb_t task_completion_cb,
		doca_comch_task_send_completion_cb_t task_error_cb,
		uint32_t num_send_tasks);

/**
 * @brief Sets the callbacks and the pool size of the send tasks of a client. The client cannot
 * start without it.
 *
 * @param [in] comch_client The client. It must be idle.
 * @param [in] task_completion_cb Called for each message that was handed over.
 * @param [in] task_error_cb Called for each message that was not.
 * @param [in] num_send_tasks Number of tasks in the pool, up to
 * doca_comch_cap_get_max_send_tasks().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is out of range.
 * - DOCA_ERROR_BAD_STATE: the client is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_set_conf(
		struct doca_comch_client *comch_client,
		doca_comch_task_send_completion_cb_t task_completion_cb,
		doca_comch_task_send_completion_cb_t task_error_cb,
		uint32_t num_send_tasks);

/**
 * @brief Allocates a send task from the pool of a server.
 *
 * @param [in] comch_server The server. It must be running.
 * @param [in] peer The connection of the client to send to.
 * @param [in] msg The message; any memory. DOCA reads it no later than when the task is submitted.
 * @param [in] len Number of bytes, up to doca_comch_server_get_max_msg_size().
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the message is too long.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_alloc_init(
		struct doca_comch_server *comch_server,
		struct doca_comch_connection *peer,
		const void *msg,
		uint32_t len,
		struct doca_comch_task_send **task);

/**
 * @brief Allocates a send task from the pool of a client.
 *
 * @param [in] comch_client The client. It must be running.
 * @param [in] peer Its connection.
 * @param [in] msg The message; any memory. DOCA reads it no later than when the task is submitted.
 * @param [in] len Number of bytes, up to doca_comch_client_get_max_msg_size().
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the message is too long.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_alloc_init(
		struct doca_comch_client *comch_client,
		struct doca_comch_connection *peer,
		const void *msg,
		uint32_t len,
		struct doca_comch_task_send **task);

/**
 * @brief Returns a send task as a struct doca_task.
 *
 * @param [in] task The send task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_STABLE
struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

/**
 * @brief Sets the callback for the messages that a server receives. Mandatory before it is
 * started.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] recv_event_cb Called for each message.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the server is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_msg_recv_register(
		struct doca_comch_server *comch_server,
		doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * @brief Sets the callback for the messages that a client receives. Mandatory before it is
 * started.
 *
 * @param [in] comch_client The client. It must be idle.
 * @param [in] recv_event_cb Called for each message.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the client is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_client_event_msg_recv_register(
		struct doca_comch_client *comch_client,
		doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * @brief Sets the callbacks for clients that come and go. The server cannot start without it.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] connect_event_cb Called for each client that connects.
 * @param [in] disconnect_event_cb Called for each client that disconnects or is lost.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the server is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_connection_status_changed_register(
		struct doca_comch_server *comch_server,
		doca_comch_event_connection_status_changed_cb_t connect_event_cb,
		doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/**
 * @brief Refreshes the counters of a connection, for doca_comch_connection_get_counter().
 *
 * @param [in] comch_connection The connection.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_connection is NULL.
 * - DOCA_ERROR_CONNECTION_INPROGRESS: the connection is not established yet.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection has ended.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection);

/**
 * @brief Returns a counter of a connection, as of the last doca_comch_connection_update_info().
 *
 * @param [in] comch_connection The connection.
 * @param [in] counter_type Which counter.
 * @param [out] counter_value Number of messages or bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or there is no such counter.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_get_counter(
		const struct doca_comch_connection *comch_connection,
		enum doca_comch_counter counter_type,
		uint64_t *counter_value);

/**
 * @brief Sets the callbacks for the consumers of a server's clients. Needed to send them data.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] new_consumer_event_cb Called for each consumer that starts to run.
 * @param [in] expired_consumer_event_cb Called for each consumer that ends.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the server is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_consumer_register(
		struct doca_comch_server *comch_server,
		doca_comch_event_consumer_cb_t new_consumer_event_cb,
		doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * @brief Sets the callbacks for the consumers of a client's server. Needed to send them data.
 *
 * @param [in] comch_client The client. It must be idle.
 * @param [in] new_consumer_event_cb Called for each consumer that starts to run.
 * @param [in] expired_consumer_event_cb Called for each consumer that ends.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the client is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_client_event_consumer_register(
		struct doca_comch_client *comch_client,
		doca_comch_event_consumer_cb_t new_consumer_event_cb,
		doca_comch_event_consumer_cb_t expired_consumer_event_cb);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_H_ */
