/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_comch.h
 * @brief Comch, control path: messages between a host and its DPU over PCIe.
 *
 * A server runs on the DPU. It belongs to one device and one representor, and accepts clients of
 * the host function of that representor. A client runs on the host and has one connection. Each
 * side has its own handle of a connection. DOCA copies messages. Bulk data goes through the
 * consumers and producers of a connection: see doca_comch_consumer.h and doca_comch_producer.h.
 *
 * Create a server or client, and set its send tasks and its message callback. A server also needs
 * connection callbacks. Connect its context to a progress engine and start it. doca_ctx_start() of
 * a server completes immediately. That of a client returns DOCA_ERROR_IN_PROGRESS, and the context
 * is running once the client is connected. If no server of the given name runs on a representor of
 * the client's function, DOCA reports DOCA_ERROR_CONNECTION_ABORTED and the context becomes idle
 * again.
 *
 * Messages of one connection and direction arrive complete and in the order of submission. A
 * consumer event that precedes the submission of a message arrives before that message.
 *
 * Only one thread at a time may use a server or client and its connections.
 */
#ifndef DOCA_COMCH_H_
#define DOCA_COMCH_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/**
 * @brief A connection between a client and a server: the handle of one of the two sides.
 *
 * DOCA owns it. On a server it is valid from its connect callback until its disconnect callback
 * returns. On a client it is valid until the context is idle.
 */
struct doca_comch_connection;

/** @brief A server: the side that accepts connections. It runs on the DPU. */
struct doca_comch_server;

/** @brief A client: the side that connects. It runs on the host. */
struct doca_comch_client;

struct doca_ctx;

/** @brief A send task: it sends a message. */
struct doca_comch_task_send;

struct doca_task;

/** @brief The event of a received message. It has no content. */
struct doca_comch_event_msg_recv;

/** @brief The event of a connection that is established or has ended. It has no content. */
struct doca_comch_event_connection_status_changed;

/** @brief The event of a consumer that has started or ended. It has no content. */
struct doca_comch_event_consumer;

/** @brief Counters of a connection, for doca_comch_connection_get_counter(). */
enum doca_comch_counter {
	DOCA_COMCH_COUNTER_SENT_MESSAGES = 1, /**< Messages sent. */
	DOCA_COMCH_COUNTER_SENT_BYTES = 2, /**< Bytes of the messages sent. */
	DOCA_COMCH_COUNTER_RECV_MESSAGES = 3, /**< Messages received. */
	DOCA_COMCH_COUNTER_RECV_BYTES = 4, /**< Bytes of the messages received. */
};

/**
 * @brief Called when a send task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. Success means that DOCA has handed the message over. The callback of the peer
 * can run before or after it. The caller owns the task again and may free it, keep it or submit it
 * again.
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
 * @brief Called when a message arrives.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * @param [in] event The event.
 * @param [in] recv_buffer The message. It is valid only until the callback returns. The callback
 * may modify it.
 * @param [in] msg_len Length of the message in bytes.
 * @param [in] comch_connection The connection of the message.
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
 * The connect callback is the first callback of a connection. The disconnect callback is the last
 * one: when it returns, the handle is no longer valid.
 *
 * @param [in] event The event.
 * @param [in] comch_connection The connection. To reject the client, call
 * doca_comch_server_disconnect() in the connect callback.
 * @param [in] change_successful 1 if the change succeeded, 0 if it failed.
 */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
		struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *comch_connection,
		uint8_t change_successful);

/**
 * @brief Called when a consumer of the peer is running, or has ended.
 *
 * It runs inside doca_pe_progress() of the engine of the server or client, on the calling thread.
 *
 * @param [in] event The event.
 * @param [in] comch_connection The connection of the consumer.
 * @param [in] id The ID of the consumer. It is unique in its connection and never 0.
 */
typedef void (*doca_comch_event_consumer_cb_t)(
		struct doca_comch_event_consumer *event,
		struct doca_comch_connection *comch_connection,
		uint32_t id);

/**
 * @brief Sets the user data of a connection.
 *
 * @param [in] connection The connection.
 * @param [in] user_data The user data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: connection is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_set_user_data(
		struct doca_comch_connection *connection,
		union doca_data user_data);

/**
 * @brief Returns the user data of a connection.
 *
 * @param [in] connection The connection. It must not be NULL.
 * @return The user data, or 0 if none was set.
 */
DOCA_STABLE
union doca_data doca_comch_connection_get_user_data(
		const struct doca_comch_connection *connection);

/**
 * @brief Returns the server of a connection.
 *
 * @param [in] connection The connection.
 * @return The server, or NULL if the connection belongs to a client.
 */
DOCA_STABLE
struct doca_comch_server *doca_comch_server_get_server_ctx(
		const struct doca_comch_connection *connection);

/**
 * @brief Returns the client of a connection.
 *
 * @param [in] connection The connection.
 * @return The client, or NULL if the connection belongs to a server.
 */
DOCA_STABLE
struct doca_comch_client *doca_comch_client_get_client_ctx(
		const struct doca_comch_connection *connection);

/**
 * @brief Returns the maximum length of the name of a server.
 *
 * @param [in] devinfo The device.
 * @param [out] max_name_len Number of bytes, including the terminating NUL.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_name_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_name_len);

/**
 * @brief Returns the maximum message size of a device, which is the limit of
 * doca_comch_server_set_max_msg_size() and doca_comch_client_set_max_msg_size().
 *
 * @param [in] devinfo The device.
 * @param [out] size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);

/**
 * @brief Returns the maximum number of messages in a receive queue.
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
 * @brief Returns the maximum number of clients that can be connected to a server at the same time.
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
 * Several servers can share a device and representor if their names differ. A server on a
 * representor of another function than the client's starts normally, but the client cannot reach
 * it.
 *
 * @param [in] dev The device. It must stay open as long as the server exists.
 * doca_comch_cap_server_is_supported() reports whether it supports servers.
 * @param [in] repr The representor of the host function whose clients the server accepts. It must
 * stay open as long as the server exists.
 * @param [in] name The name of the server, which clients connect to. It must be shorter than
 * doca_comch_cap_get_max_name_len() bytes. DOCA copies it.
 * @param [out] comch_server The new server. Destroy it with doca_comch_server_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is too long.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_INITIALIZATION: the library cannot initialise the server.
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
 * - DOCA_ERROR_IN_USE: the server is not idle, or another thread uses it.
 */
DOCA_STABLE
doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/**
 * @brief Reports whether a device supports servers. The devices of a DPU do.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support servers.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Sets the maximum message size of a server. Its clients must use the same size.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] size Number of bytes, up to doca_comch_cap_get_max_msg_size().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL, or size is out of range.
 * - DOCA_ERROR_BAD_STATE: the server is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_max_msg_size(
		struct doca_comch_server *comch_server,
		uint32_t size);

/**
 * @brief Returns the maximum message size of a server.
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
 * @brief Sets the size of the receive queue of a server.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] size Number of messages, up to doca_comch_cap_get_max_recv_queue_size().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL, or size is out of range.
 * - DOCA_ERROR_BAD_STATE: the server is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_recv_queue_size(
		struct doca_comch_server *comch_server,
		uint32_t size);

/**
 * @brief Returns the size of the receive queue of a server.
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
 * @param [out] dev The device.
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
 * @param [out] rep The representor.
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
 * doca_ctx_stop() disconnects all clients, and doca_pe_progress() completes the stop. It fails
 * while a consumer or producer of a connection is active. Destroy all consumers and producers
 * first: on some devices even an idle one blocks the stop.
 *
 * @param [in] comch_server The server. It must not be NULL.
 * @return The same object as a struct doca_ctx. It is destroyed with comch_server.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/**
 * @brief Disconnects a client from a server. The context of the client then stops.
 *
 * Messages that were submitted before the call still reach the client. Disconnect a connection
 * only once, and not after its client has disconnected.
 *
 * @param [in] comch_server The server. It must be running.
 * @param [in] connection The connection. Its consumers and producers on this side must be stopped.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_IN_USE: the connection has an active consumer or producer on this side.
 * - DOCA_ERROR_AGAIN: the send queue is full. Call doca_pe_progress() and repeat the call.
 */
DOCA_STABLE
doca_error_t doca_comch_server_disconnect(
		struct doca_comch_server *comch_server,
		struct doca_comch_connection *connection);

/**
 * @brief Creates a client.
 *
 * @param [in] dev The device. It must stay open as long as the client exists.
 * doca_comch_cap_client_is_supported() reports whether it supports clients.
 * @param [in] name The name of the server. It must be shorter than
 * doca_comch_cap_get_max_name_len() bytes. DOCA copies it.
 * @param [out] comch_client The new client. Destroy it with doca_comch_client_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is too long.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_INITIALIZATION: the library cannot initialise the client.
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
 * - DOCA_ERROR_IN_USE: the client is not idle, or another thread uses it.
 */
DOCA_STABLE
doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/**
 * @brief Reports whether a device supports clients. The devices of a host do.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support clients.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Sets the maximum message size of a client. The server must use the same size.
 *
 * @param [in] comch_client The client. It must be idle.
 * @param [in] size Number of bytes, up to doca_comch_cap_get_max_msg_size().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL, or size is out of range.
 * - DOCA_ERROR_BAD_STATE: the client is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_max_msg_size(
		struct doca_comch_client *comch_client,
		uint32_t size);

/**
 * @brief Returns the maximum message size of a client.
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
 * @brief Sets the size of the receive queue of a client.
 *
 * @param [in] comch_client The client. It must be idle.
 * @param [in] size Number of messages, up to doca_comch_cap_get_max_recv_queue_size().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL, or size is out of range.
 * - DOCA_ERROR_BAD_STATE: the client is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_recv_queue_size(
		struct doca_comch_client *comch_client,
		uint32_t size);

/**
 * @brief Returns the size of the receive queue of a client.
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
 * @param [out] dev The device.
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
 * doca_ctx_stop() disconnects the client, and doca_pe_progress() completes the stop. It fails
 * while a consumer or producer of the connection is active. Destroy all consumers and producers
 * first: on some devices even an idle one blocks the stop. If the server disconnects, the context
 * stops by itself.
 *
 * @param [in] comch_client The client. It must not be NULL.
 * @return The same object as a struct doca_ctx. It is destroyed with comch_client.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);

/**
 * @brief Returns the connection of a client.
 *
 * @param [in] comch_client The client. It must be running.
 * @param [out] connection The connection. The client owns it, and it is valid until the client is
 * idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the client is not connected.
 * - DOCA_ERROR_CONNECTION_ABORTED: the client's last start has found no server.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_connection(
		const struct doca_comch_client *comch_client,
		struct doca_comch_connection **connection);

/**
 * @brief Returns the maximum number of send tasks of a server or client, which is the limit of
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
 * @param [in] task_completion_cb Called for each task that succeeds.
 * @param [in] task_error_cb Called for each task that fails or is flushed because the context
 * stops.
 * @param [in] num_send_tasks Number of tasks in the pool, up to
 * doca_comch_cap_get_max_send_tasks().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_send_tasks is out of range.
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
 * @param [in] task_completion_cb Called for each task that succeeds.
 * @param [in] task_error_cb Called for each task that fails or is flushed because the context
 * stops.
 * @param [in] num_send_tasks Number of tasks in the pool, up to
 * doca_comch_cap_get_max_send_tasks().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_send_tasks is out of range.
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
 * @param [in] msg The message, in any memory. DOCA reads it at the latest when the task is
 * submitted.
 * @param [in] len Length of the message in bytes, up to doca_comch_server_get_max_msg_size().
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
 * @param [in] peer The connection of the client.
 * @param [in] msg The message, in any memory. DOCA reads it at the latest when the task is
 * submitted.
 * @param [in] len Length of the message in bytes, up to doca_comch_client_get_max_msg_size().
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
 * @brief Sets the callback for received messages of a server. The server cannot start without it.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] recv_event_cb Called for each received message.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the server is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_msg_recv_register(
		struct doca_comch_server *comch_server,
		doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * @brief Sets the callback for received messages of a client. The client cannot start without it.
 *
 * @param [in] comch_client The client. It must be idle.
 * @param [in] recv_event_cb Called for each received message.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the client is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_client_event_msg_recv_register(
		struct doca_comch_client *comch_client,
		doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * @brief Sets the callbacks for clients that connect and disconnect. The server cannot start
 * without it.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] connect_event_cb Called for each client that connects.
 * @param [in] disconnect_event_cb Called for each client that disconnects or fails.
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
 * @brief Updates the counters of a connection for doca_comch_connection_get_counter().
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
 * @brief Returns a counter of a connection as of the last doca_comch_connection_update_info().
 *
 * @param [in] comch_connection The connection.
 * @param [in] counter_type The counter.
 * @param [out] counter_value Number of messages or bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or counter_type is not a value of the
 *   enumeration.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_get_counter(
		const struct doca_comch_connection *comch_connection,
		enum doca_comch_counter counter_type,
		uint64_t *counter_value);

/**
 * @brief Sets the callbacks for the consumers of the clients of a server. A producer needs them to
 * learn the IDs of consumers.
 *
 * @param [in] comch_server The server. It must be idle.
 * @param [in] new_consumer_event_cb Called for each consumer that starts.
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
 * @brief Sets the callbacks for the consumers of the server of a client. A producer needs them to
 * learn the IDs of consumers.
 *
 * @param [in] comch_client The client. It must be idle.
 * @param [in] new_consumer_event_cb Called for each consumer that starts.
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
