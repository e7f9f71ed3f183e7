/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_rdma.h
 * @brief RDMA: messages to a peer across the network, and reads, writes and atomic operations on
 * its memory.
 *
 * Create a context with doca_rdma_create() and set its permissions and other properties. Call the
 * set_conf function of each kind of task that it will use. Connect it to a progress engine and
 * start it with doca_ctx_start(), which completes immediately. Then connect to a peer, and
 * allocate and submit tasks.
 *
 * There are two ways to connect. With doca_rdma_export() and doca_rdma_connect(), the program
 * exchanges the connection details of both sides itself. With RDMA-CM, the connection manager, one
 * side listens on a port and the other side connects to its address. The callbacks of
 * doca_rdma_set_connection_state_callbacks() then report on both sides.
 *
 * To access memory of the peer, create a memory map with doca_mmap_create_from_export() from what
 * the peer exported with doca_mmap_export_rdma(). If the permissions of that map or of the peer's
 * context do not allow an operation, the operation fails and the context moves to
 * DOCA_CTX_STATE_STOPPING.
 *
 * A program can configure a context while it is idle. DOCA may round values up. The get functions
 * return the values in use.
 */
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

/* With rdma-core installed its types come along; without it their names are enough. */
#if __has_include(<rdma/rdma_cma.h>)
#include <rdma/rdma_cma.h>
#else
struct rdma_cm_id;
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_task;

/** @brief A completion queue, which code on the DPA reads. */
struct doca_dpa_completion;

/** @brief A synchronisation event of a peer across the network. See doca_sync_event.h. */
struct doca_sync_event_remote_net;

/** @brief Handle of an RDMA context for code that runs on a GPU. */
struct doca_gpu_dev_rdma;

/** @brief An RDMA context. */
struct doca_rdma;

/** @brief The address of a peer, for connections through RDMA-CM. */
struct doca_rdma_addr;

/** @brief A connection of an RDMA context. The context owns it. */
struct doca_rdma_connection;

/** @brief A receive task: it posts a buffer for a message from a peer. */
struct doca_rdma_task_receive;

/** @brief A send task: it sends a message to a receive task of the peer. */
struct doca_rdma_task_send;

/**
 * @brief A send-with-immediate task: it sends a message and 4 bytes of immediate data to a receive
 * task of the peer.
 */
struct doca_rdma_task_send_imm;

/** @brief A read task: it copies remote memory to local memory. */
struct doca_rdma_task_read;

/** @brief A write task: it copies local memory to remote memory. */
struct doca_rdma_task_write;

/**
 * @brief A write-with-immediate task: it copies local memory to remote memory, and completes a
 * receive task of the peer with immediate data.
 */
struct doca_rdma_task_write_imm;

/**
 * @brief A compare-and-swap task: it replaces 8 bytes of remote memory if they have an expected
 * value.
 */
struct doca_rdma_task_atomic_cmp_swp;

/** @brief A fetch-and-add task: it adds to 8 bytes of remote memory. */
struct doca_rdma_task_atomic_fetch_add;

/** @brief An event-get task: it reads the value of a remote synchronisation event. */
struct doca_rdma_task_remote_net_sync_event_get;

/** @brief An event-set task: it sets the value of a remote synchronisation event. */
struct doca_rdma_task_remote_net_sync_event_notify_set;

/** @brief An event-add task: it adds to the value of a remote synchronisation event. */
struct doca_rdma_task_remote_net_sync_event_notify_add;

/** @brief A global identifier (GID): the address of a port of an RDMA device. */
struct doca_rdma_gid {
	uint8_t raw[16]; /**< The bytes of the GID. */
};

/** @brief Transport type of a connection. */
enum doca_rdma_transport_type {
	DOCA_RDMA_TRANSPORT_TYPE_RC = 0, /**< Reliable connection. */
	DOCA_RDMA_TRANSPORT_TYPE_DC = 1, /**< Dynamically connected. */
};

/** @brief Type of an address. */
enum doca_rdma_addr_type {
	DOCA_RDMA_ADDR_TYPE_IPv4 = 0, /**< An IPv4 address. */
	DOCA_RDMA_ADDR_TYPE_IPv6 = 1, /**< An IPv6 address. */
	DOCA_RDMA_ADDR_TYPE_GID = 2, /**< A global identifier (GID). */
};

/** @brief The operation of the peer that completed a receive task. */
enum doca_rdma_opcode {
	DOCA_RDMA_OPCODE_RECV_SEND = 0, /**< A send. */
	DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM = 1, /**< A send with immediate data. */
	DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM = 2, /**< A write with immediate data. */
};

/** @brief Handle of an RDMA context for code that runs on a DPA. */
typedef uint64_t doca_dpa_dev_rdma_t;

/**
 * @brief Creates an RDMA context on a device.
 *
 * @param [in] dev The device. It must stay open as long as the context exists.
 * @param [out] rdma The new context. Destroy it with doca_rdma_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_INITIALIZATION: the library cannot initialise the context.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma);

/**
 * @brief Destroys an RDMA context and disconnects it from its progress engine.
 *
 * @param [in] rdma The context. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/**
 * @brief Returns an RDMA context as a struct doca_ctx.
 *
 * doca_ctx_start() completes immediately and needs no connection. After a restart, the program
 * must connect again.
 *
 * @param [in] rdma The RDMA context. It must not be NULL.
 * @return The same context as a struct doca_ctx. It is destroyed with rdma.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/**
 * @brief Creates a connection and exports its details, which the program sends to the peer.
 *
 * Both sides export, exchange their details by any means, and pass the details of the peer to
 * doca_rdma_connect(). Each connection needs its own export.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [out] local_rdma_conn_details The connection details. DOCA owns them, and the caller must
 * not free them. The program may copy and send them.
 * @param [out] local_rdma_conn_details_size Length of the details in bytes.
 * @param [out] rdma_connection The new connection, which is not connected yet. The context owns
 * it. Its ID from doca_rdma_connection_get_id() is already valid.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection failed.
 * - DOCA_ERROR_FULL: the context has its maximum number of connections. See
 *   doca_rdma_set_max_num_connections().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_export(
		struct doca_rdma *rdma,
		const void **local_rdma_conn_details,
		size_t *local_rdma_conn_details_size,
		struct doca_rdma_connection **rdma_connection);

/**
 * @brief Connects to a peer with the connection details that the peer exported.
 *
 * The program can allocate and submit tasks as soon as the call returns. They wait until the peer
 * has connected too. Success does not mean that the peer is ready.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] remote_rdma_conn_details The connection details from doca_rdma_export() of the peer.
 * @param [in] remote_rdma_conn_details_size Length of the details in bytes.
 * @param [in] rdma_connection The connection from doca_rdma_export().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the details are malformed.
 * - DOCA_ERROR_BAD_STATE: the context is not running, or the connection is already connected.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect(
		struct doca_rdma *rdma,
		const void *remote_rdma_conn_details,
		size_t remote_rdma_conn_details_size,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Creates an address for doca_rdma_connect_to_addr().
 *
 * @param [in] addr_type The type of the address.
 * @param [in] address The address as text, NUL-terminated.
 * @param [in] port The port that the peer listens on.
 * @param [out] addr The new address. Destroy it with doca_rdma_addr_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or address does not match addr_type.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_create(
		enum doca_rdma_addr_type addr_type,
		const char *address,
		uint16_t port,
		struct doca_rdma_addr **addr);

/**
 * @brief Destroys an address of doca_rdma_addr_create().
 *
 * @param [in] addr The address.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: addr is NULL.
 * - DOCA_ERROR_BAD_STATE: the address is in a state that does not allow the call.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr);

/**
 * @brief Listens on a port for connection requests of peers through RDMA-CM.
 *
 * Each request calls the request callback of doca_rdma_set_connection_state_callbacks(), which
 * accepts or rejects the peer.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] port The port.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow RDMA-CM.
 * - DOCA_ERROR_CONNECTION_ABORTED: the library cannot listen on the port.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * @brief Stops listening on a port. Existing connections remain.
 *
 * @param [in] rdma The RDMA context.
 * @param [in] port The port of doca_rdma_start_listen_to_port().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow RDMA-CM.
 * - DOCA_ERROR_CONNECTION_ABORTED: the library cannot stop listening.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * @brief Accepts a connection request. The established callback then runs on both sides.
 *
 * @param [in] rdma_connection The connection from the request callback. The call is allowed inside
 * that callback.
 * @param [in] private_data Data that DOCA sends to the peer with the answer.
 * @param [in] private_data_len Length of private_data in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL.
 * - DOCA_ERROR_CONNECTION_ABORTED: the library cannot accept the connection.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_accept(
		struct doca_rdma_connection *rdma_connection,
		void *private_data,
		uint8_t private_data_len);

/**
 * @brief Rejects a connection request.
 *
 * @param [in] rdma_connection The connection from the request callback.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL.
 * - DOCA_ERROR_CONNECTION_ABORTED: the library cannot reject the connection.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *rdma_connection);

/**
 * @brief Connects to a listening peer through RDMA-CM.
 *
 * The call does not wait for the peer. The established or the failure callback of
 * doca_rdma_set_connection_state_callbacks() reports the result, and receives the connection.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] addr The address of the peer.
 * @param [in] connection_user_data User data of the new connection, which its callbacks receive.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow RDMA-CM.
 * - DOCA_ERROR_CONNECTION_ABORTED: the library cannot request the connection.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect_to_addr(
		struct doca_rdma *rdma,
		struct doca_rdma_addr *addr,
		union doca_data connection_user_data);

/**
 * @brief Disconnects a connection that was made through RDMA-CM.
 *
 * Call it in the disconnection callback too, after the peer has disconnected.
 *
 * @param [in] rdma_connection The connection.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL.
 * - DOCA_ERROR_CONNECTION_ABORTED: the library cannot disconnect.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection);

/**
 * @brief Prepares a connection on an rdma_cm ID, for programs that use RDMA-CM themselves.
 *
 * doca_rdma_bridge_accept() and doca_rdma_bridge_established() complete it.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] cm_id The rdma_cm ID. The caller keeps ownership.
 * @param [out] rdma_connection The new connection, which is not connected yet. The context owns
 * it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_FULL: the context has its maximum number of connections. See
 *   doca_rdma_set_max_num_connections().
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow the call.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_prepare_connection(
		struct doca_rdma *rdma,
		struct rdma_cm_id *cm_id,
		struct doca_rdma_connection **rdma_connection);

/**
 * @brief Accepts a connection of doca_rdma_bridge_prepare_connection().
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] private_data Data that DOCA sends to the peer with the answer.
 * @param [in] private_data_len Length of private_data in bytes.
 * @param [in] rdma_connection The connection.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow the call.
 * - DOCA_ERROR_CONNECTION_ABORTED: the library cannot accept the connection.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_accept(
		struct doca_rdma *rdma,
		void *private_data,
		uint8_t private_data_len,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Notifies a context that a connection of doca_rdma_bridge_prepare_connection() is
 * established, as RDMA-CM has reported to the program.
 *
 * @param [in] rdma The RDMA context.
 * @param [in] rdma_connection The connection.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow the call.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_established(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the maximum size of a receive queue, which is the limit of
 * doca_rdma_set_recv_queue_size().
 *
 * @param [in] devinfo The device.
 * @param [out] max_recv_queue_size Number of receives.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_recv_queue_size(
		const struct doca_devinfo *devinfo,
		uint32_t *max_recv_queue_size);

/**
 * @brief Returns the maximum size of a send queue, which is the limit of
 * doca_rdma_set_send_queue_size().
 *
 * @param [in] devinfo The device.
 * @param [out] max_send_queue_size Number of operations.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_send_queue_size(
		const struct doca_devinfo *devinfo,
		uint32_t *max_send_queue_size);

/**
 * @brief Returns the maximum number of elements of the local buffer list of a task other than a
 * receive task, which is the limit of doca_rdma_set_max_send_buf_list_len().
 *
 * @param [in] devinfo The device.
 * @param [out] max_send_buf_list_len Number of elements.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_send_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_send_buf_list_len);

/**
 * @brief Returns the maximum size of a message.
 *
 * @param [in] devinfo The device.
 * @param [out] max_message_size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_message_size(
		const struct doca_devinfo *devinfo,
		uint32_t *max_message_size);

/**
 * @brief Returns the number of entries in the GID table of a device.
 *
 * @param [in] devinfo The device.
 * @param [out] gid_table_size Number of entries.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid_table_size(
		const struct doca_devinfo *devinfo,
		uint32_t *gid_table_size);

/**
 * @brief Reads entries of the GID table of a device.
 *
 * @param [in] devinfo The device.
 * @param [in] start_index Index of the first entry to read. It starts at 0.
 * @param [in] num_entries Number of entries to read. start_index + num_entries must not exceed
 * doca_rdma_cap_get_gid_table_size().
 * @param [out] gid_array Array of the caller that receives the num_entries GIDs.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the table does not have the entries.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid(
		const struct doca_devinfo *devinfo,
		uint32_t start_index,
		uint32_t num_entries,
		struct doca_rdma_gid *gid_array);

/**
 * @brief Reports whether a device supports a transport type.
 *
 * @param [in] devinfo The device.
 * @param [in] transport_type The transport type.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL, or transport_type is not a value of the
 *   enumeration.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support the transport type.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_transport_type_is_supported(
		const struct doca_devinfo *devinfo,
		enum doca_rdma_transport_type transport_type);

/**
 * @brief Sets the size of the send queue of an RDMA context.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] send_queue_size Number of operations, up to doca_rdma_cap_get_max_send_queue_size().
 * DOCA rounds it up to a power of two.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support the size.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size);

/**
 * @brief Sets the size of the receive queue of an RDMA context with its data path on a GPU or DPA.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] recv_queue_size Number of receives, up to doca_rdma_cap_get_max_recv_queue_size().
 * DOCA rounds it up to a power of two.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device or the data path does not support the size.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size);

/**
 * @brief Sets the maximum number of elements of the local buffer lists of the tasks of an RDMA
 * context, except receive tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] max_send_buf_list_len Number of elements, up to
 * doca_rdma_cap_get_max_send_buf_list_len(). DOCA may round it up.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or max_send_buf_list_len is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_send_buf_list_len(
		struct doca_rdma *rdma,
		uint32_t max_send_buf_list_len);

/**
 * @brief Sets the transport type of an RDMA context.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] transport_type The transport type. With DOCA_RDMA_TRANSPORT_TYPE_DC, the context
 * connects only through doca_rdma_export() and doca_rdma_connect().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or transport_type is not a value of the enumeration.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it. See
 *   doca_rdma_cap_transport_type_is_supported().
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_transport_type(
		struct doca_rdma *rdma,
		enum doca_rdma_transport_type transport_type);

/**
 * @brief Sets the maximum transmission unit (MTU) of the connections of an RDMA context.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] mtu The MTU.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or mtu is not a value of the enumeration.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_UNEXPECTED: the library found an internal inconsistency.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu);

/**
 * @brief Sets the permissions of an RDMA context: what its peers may do with local memory.
 *
 * An operation of a peer also needs the permission of the exported memory map.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] permissions Bit mask of DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
 * DOCA_ACCESS_FLAG_RDMA_READ, DOCA_ACCESS_FLAG_RDMA_WRITE and DOCA_ACCESS_FLAG_RDMA_ATOMIC of enum
 * doca_access_flag.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or another bit is set.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions);

/**
 * @brief Enables or disables the global routing header (GRH) of the packets of an RDMA context.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] grh_enabled 1 to enable the GRH, 0 to disable it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled);

/**
 * @brief Sets the index of the GID that an RDMA context uses.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] gid_index Index in the GID table, less than doca_rdma_cap_get_gid_table_size(). It
 * usually goes with doca_rdma_set_grh_enabled().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or gid_index is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);

/**
 * @brief Sets the service level of the connections of an RDMA context.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] sl The service level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or sl is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl);

/**
 * @brief Sets the timeout of a connection request through RDMA-CM.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] timeout The timeout. The interface does not state its unit.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma, uint16_t timeout);

/**
 * @brief Sets the user data of a connection, which its callbacks receive.
 *
 * The call is also allowed inside the request callback, after doca_rdma_connection_accept().
 *
 * @param [in] rdma_connection The connection.
 * @param [in] connection_user_data The user data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_set_user_data(
		struct doca_rdma_connection *rdma_connection,
		union doca_data connection_user_data);

/**
 * @brief Sets the maximum number of connections of an RDMA context.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] max_num_connections Number of connections. DOCA may round it up.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or max_num_connections is out of range.
 * - DOCA_ERROR_NOT_SUPPORTED: the context does not support this number.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_num_connections(
		struct doca_rdma *rdma,
		uint16_t max_num_connections);

/**
 * @brief Sets the number of retries of an RDMA context if a peer has no posted receive task
 * (receiver not ready).
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] rnr_retry_count Number of retries.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or rnr_retry_count is out of range.
 * - DOCA_ERROR_NOT_SUPPORTED: the context does not support it.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count);

/**
 * @brief Returns the size of the send queue of an RDMA context.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] send_queue_size The number in use. It can be larger than the number that was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size);

/**
 * @brief Returns the size of the receive queue of an RDMA context with its data path on a GPU or
 * DPA.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] recv_queue_size The number in use. It can be larger than the number that was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the data path of the context has no receive queue size.
 * - DOCA_ERROR_BAD_STATE: the context is in a state that does not allow the call.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size);

/**
 * @brief Returns the maximum number of elements of the local buffer lists of the tasks of an RDMA
 * context, except receive tasks.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] max_send_buf_list_len The number in use. It can be larger than the number that was
 * set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_send_buf_list_len(
		const struct doca_rdma *rdma,
		uint32_t *max_send_buf_list_len);

/**
 * @brief Returns the transport type of an RDMA context.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] transport_type The transport type.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_transport_type(
		const struct doca_rdma *rdma,
		enum doca_rdma_transport_type *transport_type);

/**
 * @brief Returns the maximum transmission unit (MTU) of the connections of an RDMA context.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] mtu The MTU.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu);

/**
 * @brief Returns the permissions of an RDMA context: what its peers may do with local memory.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] permissions Bit mask of enum doca_access_flag.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions);

/**
 * @brief Reports whether the packets of an RDMA context have a global routing header (GRH).
 *
 * @param [in] rdma The RDMA context.
 * @param [out] grh_enabled 1 if they do, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled);

/**
 * @brief Returns the index of the GID that an RDMA context uses.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] gid_index Index in the GID table.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index);

/**
 * @brief Returns the service level of the connections of an RDMA context.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] sl The service level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl);

/**
 * @brief Returns the handle of an RDMA context for code that runs on a DPA.
 *
 * @param [in] rdma The context. It must be started, with its data path on a DPA.
 * @param [out] dpa_rdma The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not started, or its data path is not on a DPA.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma);

/**
 * @brief Returns the handle of an RDMA context for code that runs on a GPU.
 *
 * @param [in] rdma The context. It must be started, with its data path on a GPU.
 * @param [out] gpu_rdma The handle. The context owns it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not started, or its data path is not on a GPU.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gpu_handle(struct doca_rdma *rdma, struct doca_gpu_dev_rdma **gpu_rdma);

/**
 * @brief Returns the timeout of a connection request through RDMA-CM.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] timeout The timeout, in the unit of doca_rdma_set_connection_request_timeout().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_connection_request_timeout(
		const struct doca_rdma *rdma,
		uint16_t *timeout);

/**
 * @brief Returns the address of a connection that was made through RDMA-CM.
 *
 * @param [in] rdma_connection The connection.
 * @param [out] addr The address, for doca_rdma_addr_get_params().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_addr(
		const struct doca_rdma_connection *rdma_connection,
		struct doca_rdma_addr **addr);

/**
 * @brief Returns the parts of an address.
 *
 * @param [in] addr The address.
 * @param [out] addr_type The type of the address.
 * @param [out] address The address as text, NUL-terminated. addr owns it, and the caller must not
 * free it.
 * @param [out] port The port.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_get_params(
		struct doca_rdma_addr *addr,
		enum doca_rdma_addr_type *addr_type,
		const char **address,
		uint16_t *port);

/**
 * @brief Returns the user data of a connection.
 *
 * @param [in] rdma_connection The connection.
 * @param [out] connection_user_data The user data that doca_rdma_connection_set_user_data() or
 * doca_rdma_connect_to_addr() set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_user_data(
		const struct doca_rdma_connection *rdma_connection,
		union doca_data *connection_user_data);

/**
 * @brief Returns the ID of a connection, with which code on a DPA addresses it.
 *
 * @param [in] rdma_connection The connection. doca_rdma_export() already gives it an ID.
 * @param [out] connection_id The ID. It is unique in the context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_id(
		const struct doca_rdma_connection *rdma_connection,
		uint32_t *connection_id);

/**
 * @brief Returns the maximum number of connections of an RDMA context.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] max_num_connections The number in use. It can be larger than the number that was
 * set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_num_connections(
		struct doca_rdma *rdma,
		uint16_t *max_num_connections);

/**
 * @brief Returns the number of retries of an RDMA context if a peer has no posted receive task
 * (receiver not ready).
 *
 * @param [in] rdma The RDMA context.
 * @param [out] rnr_retry_count Number of retries.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count);

/**
 * @brief Called when a peer requests a connection through RDMA-CM.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * The program must answer with doca_rdma_connection_accept() or doca_rdma_connection_reject().
 *
 * @param [in] rdma_connection The new connection, which is not established yet. The context owns
 * it.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_connection_request_cb_t)(
		struct doca_rdma_connection *rdma_connection,
		union doca_data ctx_user_data);

/**
 * @brief Called on both sides when a connection through RDMA-CM is established.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * The program can then submit tasks on the connection.
 *
 * @param [in] rdma_connection The connection.
 * @param [in] connection_user_data The user data of the connection.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_connection_established_cb_t)(
		struct doca_rdma_connection *rdma_connection,
		union doca_data connection_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Called when a connection through RDMA-CM fails.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * @param [in] rdma_connection The connection.
 * @param [in] connection_user_data The user data of the connection.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_connection_failure_cb_t)(
		struct doca_rdma_connection *rdma_connection,
		union doca_data connection_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Called when the peer disconnects a connection that was made through RDMA-CM.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * The program must answer with doca_rdma_connection_disconnect().
 *
 * @param [in] rdma_connection The connection.
 * @param [in] connection_user_data The user data of the connection.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_connection_disconnection_cb_t)(
		struct doca_rdma_connection *rdma_connection,
		union doca_data connection_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks of connections through RDMA-CM.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] doca_rdma_connect_request_cb Called when a peer requests a connection. It may be
 * NULL if the context does not listen.
 * @param [in] doca_rdma_connect_established_cb Called when a connection is established.
 * @param [in] doca_rdma_connect_failure_cb Called when a connection fails.
 * @param [in] doca_rdma_disconnect_cb Called when a peer disconnects.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_connection_state_callbacks(
		struct doca_rdma *rdma,
		doca_rdma_connection_request_cb_t doca_rdma_connect_request_cb,
		doca_rdma_connection_established_cb_t doca_rdma_connect_established_cb,
		doca_rdma_connection_failure_cb_t doca_rdma_connect_failure_cb,
		doca_rdma_connection_disconnection_cb_t doca_rdma_disconnect_cb);

/**
 * @brief Reports whether a device supports receive tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Returns the maximum number of elements of the buffer list of a receive task, which is the
 * limit of doca_rdma_task_receive_set_dst_buf_list_len().
 *
 * @param [in] devinfo The device.
 * @param [in] transport_type The transport type of the context.
 * @param [out] max_buf_list_len Number of elements.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or transport_type is not a value of the
 *   enumeration.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_receive_get_max_dst_buf_list_len(
		const struct doca_devinfo *devinfo,
		enum doca_rdma_transport_type transport_type,
		uint32_t *max_buf_list_len);

/**
 * @brief Called when a receive task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_receive_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_receive_completion_cb_t)(
		struct doca_rdma_task_receive *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the receive tasks of an RDMA context. Without
 * this call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_receive_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_receive_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Sets the maximum number of elements of the buffer lists of the receive tasks of an RDMA
 * context.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] buf_list_len Number of elements, up to
 * doca_rdma_cap_task_receive_get_max_dst_buf_list_len(). DOCA may round it up.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or buf_list_len is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(
		struct doca_rdma *rdma,
		uint32_t buf_list_len);

/**
 * @brief Returns the maximum number of elements of the buffer lists of the receive tasks of an
 * RDMA context.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] buf_list_len The number in use. It can be larger than the number that was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is in a state that does not allow the call.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(
		const struct doca_rdma *rdma,
		uint32_t *buf_list_len);

/**
 * @brief Allocates a receive task from the pool of an RDMA context, and sets its arguments and
 * user data.
 *
 * The task completes when a peer sends a message or writes with immediate data. DOCA writes the
 * message after the data of the buffer and extends the data.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] dst_buf The destination, in local memory. It may be a list of up to
 * doca_rdma_task_receive_get_dst_buf_list_len() elements, or NULL for messages without data. The
 * caller keeps ownership and must not touch the buffer or its memory while the task is in flight.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_allocate_init(
		struct doca_rdma *rdma,
		struct doca_buf *dst_buf,
		union doca_data user_data,
		struct doca_rdma_task_receive **task);

/**
 * @brief Returns a receive task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task);

/**
 * @brief Sets the destination of a receive task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] dst_buf The destination, in local memory. It may be a list of up to
 * doca_rdma_task_receive_get_dst_buf_list_len() elements, or NULL for messages without data. The
 * caller keeps ownership and must not touch the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_receive_set_dst_buf(
		struct doca_rdma_task_receive *task,
		struct doca_buf *dst_buf);

/**
 * @brief Returns the destination of a receive task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The destination that was set last. It may be NULL.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_receive_get_dst_buf(const struct doca_rdma_task_receive *task);

/**
 * @brief Returns the operation of the peer that completed a receive task.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return The operation.
 */
DOCA_EXPERIMENTAL
enum doca_rdma_opcode doca_rdma_task_receive_get_result_opcode(
		const struct doca_rdma_task_receive *task);

/**
 * @brief Returns the number of bytes that a receive task received.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return Number of bytes.
 */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task);

/**
 * @brief Returns the immediate data that a receive task received.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return The immediate data, in network byte order. It is valid if the operation that
 * doca_rdma_task_receive_get_result_opcode() returns has immediate data.
 */
DOCA_EXPERIMENTAL
doca_be32_t doca_rdma_task_receive_get_result_immediate_data(
		const struct doca_rdma_task_receive *task);

/**
 * @brief Returns the connection that a receive task received from.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return The connection. The context owns it.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_receive_get_result_rdma_connection(
		const struct doca_rdma_task_receive *task);

/**
 * @brief Reports whether a device supports send tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a send task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_send_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_send_completion_cb_t)(
		struct doca_rdma_task_send *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the send tasks of an RDMA context. Without this
 * call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_send_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_send_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a send task from the pool of an RDMA context, and sets its arguments and user
 * data.
 *
 * The message is the data of all elements of the source list. A receive task of the peer receives
 * it.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection.
 * @param [in] src_buf The data to send, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements, or NULL to send no data. The caller keeps
 * ownership and must not change the buffer or its memory while the task is in flight.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_allocate_init(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection,
		const struct doca_buf *src_buf,
		union doca_data user_data,
		struct doca_rdma_task_send **task);

/**
 * @brief Returns a send task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task);

/**
 * @brief Sets the source of a send task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] src_buf The data to send, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements, or NULL to send no data. The caller keeps
 * ownership and must not change the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_set_src_buf(
		struct doca_rdma_task_send *task,
		const struct doca_buf *src_buf);

/**
 * @brief Returns the source of a send task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The source that was set last. It may be NULL.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_send_get_src_buf(const struct doca_rdma_task_send *task);

/**
 * @brief Sets the connection of a send task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] rdma_connection The connection.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_set_rdma_connection(
		struct doca_rdma_task_send *task,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the connection of a send task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The connection that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_send_get_rdma_connection(
		const struct doca_rdma_task_send *task);

/**
 * @brief Reports whether a device supports send-with-immediate tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a send-with-immediate task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_send_imm_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_send_imm_completion_cb_t)(
		struct doca_rdma_task_send_imm *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the send-with-immediate tasks of an RDMA context.
 * Without this call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_imm_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_send_imm_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_send_imm_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a send-with-immediate task from the pool of an RDMA context, and sets its
 * arguments and user data.
 *
 * The message is the data of all elements of the source list. A receive task of the peer receives
 * it together with the immediate data.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection.
 * @param [in] src_buf The data to send, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements, or NULL to send no data. The caller keeps
 * ownership and must not change the buffer or its memory while the task is in flight.
 * @param [in] immediate_data The immediate data, in network byte order.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_imm_allocate_init(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection,
		const struct doca_buf *src_buf,
		doca_be32_t immediate_data,
		union doca_data user_data,
		struct doca_rdma_task_send_imm **task);

/**
 * @brief Returns a send-with-immediate task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_send_imm_as_task(struct doca_rdma_task_send_imm *task);

/**
 * @brief Sets the source of a send-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] src_buf The data to send, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements, or NULL to send no data. The caller keeps
 * ownership and must not change the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_src_buf(
		struct doca_rdma_task_send_imm *task,
		const struct doca_buf *src_buf);

/**
 * @brief Returns the source of a send-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The source that was set last. It may be NULL.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_send_imm_get_src_buf(
		const struct doca_rdma_task_send_imm *task);

/**
 * @brief Sets the immediate data of a send-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] immediate_data The immediate data, in network byte order.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_immediate_data(
		struct doca_rdma_task_send_imm *task,
		doca_be32_t immediate_data);

/**
 * @brief Returns the immediate data of a send-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The immediate data, in network byte order.
 */
DOCA_EXPERIMENTAL
doca_be32_t doca_rdma_task_send_imm_get_immediate_data(const struct doca_rdma_task_send_imm *task);

/**
 * @brief Sets the connection of a send-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] rdma_connection The connection.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_rdma_connection(
		struct doca_rdma_task_send_imm *task,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the connection of a send-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The connection that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_send_imm_get_rdma_connection(
		const struct doca_rdma_task_send_imm *task);

/**
 * @brief Reports whether a device supports read tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a read task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_read_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_read_completion_cb_t)(
		struct doca_rdma_task_read *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the read tasks of an RDMA context. Without this
 * call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_read_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_read_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_read_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a read task from the pool of an RDMA context, and sets its arguments and user
 * data.
 *
 * The task copies the data of the source. It writes after the data of the destination and extends
 * the data of the destination. The CPU of the peer is not involved.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection.
 * @param [in] src_buf The data to read, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_READ. Only the head of a list is used. The caller keeps ownership. It may
 * be NULL together with dst_buf, to read nothing.
 * @param [in] dst_buf The destination, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements. It may be NULL together with src_buf. The caller
 * keeps ownership and must not touch the buffer or its memory while the task is in flight.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_read_allocate_init(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection,
		const struct doca_buf *src_buf,
		struct doca_buf *dst_buf,
		union doca_data user_data,
		struct doca_rdma_task_read **task);

/**
 * @brief Returns a read task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_read_as_task(struct doca_rdma_task_read *task);

/**
 * @brief Sets the source of a read task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] src_buf The data to read, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_READ. Only the head of a list is used. The caller keeps ownership. It may
 * be NULL together with dst_buf, to read nothing.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_src_buf(
		struct doca_rdma_task_read *task,
		const struct doca_buf *src_buf);

/**
 * @brief Returns the source of a read task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The source that was set last. It may be NULL.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_read_get_src_buf(const struct doca_rdma_task_read *task);

/**
 * @brief Sets the destination of a read task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] dst_buf The destination, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements. It may be NULL together with src_buf. The caller
 * keeps ownership and must not touch the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_dst_buf(struct doca_rdma_task_read *task, struct doca_buf *dst_buf);

/**
 * @brief Returns the destination of a read task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The destination that was set last. It may be NULL.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_read_get_dst_buf(const struct doca_rdma_task_read *task);

/**
 * @brief Returns the number of bytes that a read task read.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return Number of bytes.
 */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task);

/**
 * @brief Sets the connection of a read task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] rdma_connection The connection.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_rdma_connection(
		struct doca_rdma_task_read *task,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the connection of a read task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The connection that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_read_get_rdma_connection(
		const struct doca_rdma_task_read *task);

/**
 * @brief Reports whether a device supports write tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a write task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_write_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_write_completion_cb_t)(
		struct doca_rdma_task_write *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the write tasks of an RDMA context. Without this
 * call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_write_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a write task from the pool of an RDMA context, and sets its arguments and user
 * data.
 *
 * The task copies the data of all elements of the source list. If the data length is 0, it writes
 * nothing and succeeds. The CPU of the peer is not involved. What the program sends later on the
 * same connection arrives after the written data.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection.
 * @param [in] src_buf The data to write, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements. The caller keeps ownership and must not change
 * the buffer or its memory while the task is in flight.
 * @param [in] dst_buf The destination, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_WRITE. It needs free space, not data. Only the head of a list is used. The
 * caller keeps ownership.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_allocate_init(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection,
		const struct doca_buf *src_buf,
		struct doca_buf *dst_buf,
		union doca_data user_data,
		struct doca_rdma_task_write **task);

/**
 * @brief Returns a write task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task);

/**
 * @brief Sets the source of a write task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] src_buf The data to write, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements. The caller keeps ownership and must not change
 * the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_src_buf(
		struct doca_rdma_task_write *task,
		const struct doca_buf *src_buf);

/**
 * @brief Returns the source of a write task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The source that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task);

/**
 * @brief Sets the destination of a write task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] dst_buf The destination, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_WRITE. It needs free space, not data. Only the head of a list is used. The
 * caller keeps ownership.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task, struct doca_buf *dst_buf);

/**
 * @brief Returns the destination of a write task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The destination that was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task);

/**
 * @brief Sets the connection of a write task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] rdma_connection The connection.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_rdma_connection(
		struct doca_rdma_task_write *task,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the connection of a write task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The connection that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_write_get_rdma_connection(
		const struct doca_rdma_task_write *task);

/**
 * @brief Reports whether a device supports write-with-immediate tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a write-with-immediate task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_write_imm_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_write_imm_completion_cb_t)(
		struct doca_rdma_task_write_imm *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the write-with-immediate tasks of an RDMA
 * context. Without this call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_imm_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_write_imm_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_write_imm_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a write-with-immediate task from the pool of an RDMA context, and sets its
 * arguments and user data.
 *
 * The task copies the data of all elements of the source list. It then completes a receive task of
 * the peer, which receives the immediate data.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection.
 * @param [in] src_buf The data to write, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements. The caller keeps ownership and must not change
 * the buffer or its memory while the task is in flight.
 * @param [in] dst_buf The destination, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_WRITE. It needs free space, not data. Only the head of a list is used. The
 * caller keeps ownership.
 * @param [in] immediate_data The immediate data, in network byte order.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_imm_allocate_init(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection,
		const struct doca_buf *src_buf,
		struct doca_buf *dst_buf,
		doca_be32_t immediate_data,
		union doca_data user_data,
		struct doca_rdma_task_write_imm **task);

/**
 * @brief Returns a write-with-immediate task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_write_imm_as_task(struct doca_rdma_task_write_imm *task);

/**
 * @brief Sets the source of a write-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] src_buf The data to write, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements. The caller keeps ownership and must not change
 * the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_src_buf(
		struct doca_rdma_task_write_imm *task,
		const struct doca_buf *src_buf);

/**
 * @brief Returns the source of a write-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The source that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_write_imm_get_src_buf(
		const struct doca_rdma_task_write_imm *task);

/**
 * @brief Sets the destination of a write-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] dst_buf The destination, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_WRITE. It needs free space, not data. Only the head of a list is used. The
 * caller keeps ownership.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_dst_buf(
		struct doca_rdma_task_write_imm *task,
		struct doca_buf *dst_buf);

/**
 * @brief Returns the destination of a write-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The destination that was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_write_imm_get_dst_buf(const struct doca_rdma_task_write_imm *task);

/**
 * @brief Sets the immediate data of a write-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] immediate_data The immediate data, in network byte order.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_immediate_data(
		struct doca_rdma_task_write_imm *task,
		doca_be32_t immediate_data);

/**
 * @brief Returns the immediate data of a write-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The immediate data, in network byte order.
 */
DOCA_EXPERIMENTAL
doca_be32_t doca_rdma_task_write_imm_get_immediate_data(
		const struct doca_rdma_task_write_imm *task);

/**
 * @brief Sets the connection of a write-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] rdma_connection The connection.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_rdma_connection(
		struct doca_rdma_task_write_imm *task,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the connection of a write-with-immediate task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The connection that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_write_imm_get_rdma_connection(
		const struct doca_rdma_task_write_imm *task);

/**
 * @brief Reports whether a device supports compare-and-swap tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_atomic_cmp_swp_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a compare-and-swap task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_atomic_cmp_swp_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_atomic_cmp_swp_completion_cb_t)(
		struct doca_rdma_task_atomic_cmp_swp *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the compare-and-swap tasks of an RDMA context.
 * Without this call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_cmp_swp_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_atomic_cmp_swp_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_atomic_cmp_swp_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a compare-and-swap task from the pool of an RDMA context, and sets its
 * arguments and user data.
 *
 * The task atomically replaces the 8 bytes of the destination with swap_data if they equal
 * cmp_data. It returns the previous value in either case.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection.
 * @param [in] dst_buf The 8 bytes to change, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_ATOMIC. Only the head of a list is used. The caller keeps ownership.
 * @param [in] result_buf Where the task writes the previous value: 8 bytes of local memory. The
 * caller keeps ownership and must not touch the buffer or its memory while the task is in flight.
 * @param [in] cmp_data The expected value.
 * @param [in] swap_data The new value.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection,
		struct doca_buf *dst_buf,
		struct doca_buf *result_buf,
		uint64_t cmp_data,
		uint64_t swap_data,
		union doca_data user_data,
		struct doca_rdma_task_atomic_cmp_swp **task);

/**
 * @brief Returns a compare-and-swap task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_atomic_cmp_swp_as_task(struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * @brief Sets the destination of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] dst_buf The 8 bytes to change, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_ATOMIC. Only the head of a list is used. The caller keeps ownership.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_dst_buf(
		struct doca_rdma_task_atomic_cmp_swp *task,
		struct doca_buf *dst_buf);

/**
 * @brief Returns the destination of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The destination that was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_atomic_cmp_swp_get_dst_buf(
		const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * @brief Sets the result buffer of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] result_buf Where the task writes the previous value: 8 bytes of local memory. The
 * caller keeps ownership and must not touch the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_result_buf(
		struct doca_rdma_task_atomic_cmp_swp *task,
		struct doca_buf *result_buf);

/**
 * @brief Returns the result buffer of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The result buffer that was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_atomic_cmp_swp_get_result_buf(
		const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * @brief Sets the expected value of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] cmp_data The expected value.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_cmp_data(
		struct doca_rdma_task_atomic_cmp_swp *task,
		uint64_t cmp_data);

/**
 * @brief Returns the expected value of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The expected value that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t doca_rdma_task_atomic_cmp_swp_get_cmp_data(
		const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * @brief Sets the new value of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] swap_data The new value.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_swap_data(
		struct doca_rdma_task_atomic_cmp_swp *task,
		uint64_t swap_data);

/**
 * @brief Returns the new value of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The new value that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t doca_rdma_task_atomic_cmp_swp_get_swap_data(
		const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * @brief Sets the connection of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] rdma_connection The connection.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_rdma_connection(
		struct doca_rdma_task_atomic_cmp_swp *task,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the connection of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The connection that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_atomic_cmp_swp_get_rdma_connection(
		const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * @brief Reports whether a device supports fetch-and-add tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a fetch-and-add task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_atomic_fetch_add_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_atomic_fetch_add_completion_cb_t)(
		struct doca_rdma_task_atomic_fetch_add *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the fetch-and-add tasks of an RDMA context.
 * Without this call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_fetch_add_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_atomic_fetch_add_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_atomic_fetch_add_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a fetch-and-add task from the pool of an RDMA context, and sets its arguments
 * and user data.
 *
 * The task atomically adds add_data to the 8 bytes of the destination. It returns the previous
 * value.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection.
 * @param [in] dst_buf The 8 bytes to change, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_ATOMIC. Only the head of a list is used. The caller keeps ownership.
 * @param [in] result_buf Where the task writes the previous value: 8 bytes of local memory. The
 * caller keeps ownership and must not touch the buffer or its memory while the task is in flight.
 * @param [in] add_data The number to add.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection,
		struct doca_buf *dst_buf,
		struct doca_buf *result_buf,
		uint64_t add_data,
		union doca_data user_data,
		struct doca_rdma_task_atomic_fetch_add **task);

/**
 * @brief Returns a fetch-and-add task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_atomic_fetch_add_as_task(
		struct doca_rdma_task_atomic_fetch_add *task);

/**
 * @brief Sets the destination of a fetch-and-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] dst_buf The 8 bytes to change, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_ATOMIC. Only the head of a list is used. The caller keeps ownership.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_dst_buf(
		struct doca_rdma_task_atomic_fetch_add *task,
		struct doca_buf *dst_buf);

/**
 * @brief Returns the destination of a fetch-and-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The destination that was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_atomic_fetch_add_get_dst_buf(
		const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * @brief Sets the result buffer of a fetch-and-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] result_buf Where the task writes the previous value: 8 bytes of local memory. The
 * caller keeps ownership and must not touch the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_result_buf(
		struct doca_rdma_task_atomic_fetch_add *task,
		struct doca_buf *result_buf);

/**
 * @brief Returns the result buffer of a fetch-and-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The result buffer that was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_atomic_fetch_add_get_result_buf(
		const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * @brief Sets the addend of a fetch-and-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] add_data The number to add.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_add_data(
		struct doca_rdma_task_atomic_fetch_add *task,
		uint64_t add_data);

/**
 * @brief Returns the addend of a fetch-and-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The addend that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t doca_rdma_task_atomic_fetch_add_get_add_data(
		const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * @brief Sets the connection of a fetch-and-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] rdma_connection The connection.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_rdma_connection(
		struct doca_rdma_task_atomic_fetch_add *task,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the connection of a fetch-and-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The connection that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_atomic_fetch_add_get_rdma_connection(
		const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * @brief Reports whether a device supports event-get tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_remote_net_sync_event_get_is_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Called when an event-get task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_remote_net_sync_event_get_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_remote_net_sync_event_get_completion_cb_t)(
		struct doca_rdma_task_remote_net_sync_event_get *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the event-get tasks of an RDMA context. Without
 * this call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_get_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_remote_net_sync_event_get_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_remote_net_sync_event_get_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates an event-get task from the pool of an RDMA context, and sets its arguments and
 * user data.
 *
 * The task reads the value of the event.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection.
 * @param [in] event The remote event. The caller keeps ownership.
 * @param [in] dst_buf Where the task writes the value: 8 bytes of local memory. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection,
		const struct doca_sync_event_remote_net *event,
		struct doca_buf *dst_buf,
		union doca_data user_data,
		struct doca_rdma_task_remote_net_sync_event_get **task);

/**
 * @brief Returns an event-get task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_remote_net_sync_event_get_as_task(
		struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * @brief Sets the event of an event-get task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] event The remote event. The caller keeps ownership.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_get_set_sync_event(
		struct doca_rdma_task_remote_net_sync_event_get *task,
		const struct doca_sync_event_remote_net *event);

/**
 * @brief Returns the event of an event-get task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The event that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_get_get_sync_event(
		const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * @brief Sets the destination of an event-get task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] dst_buf Where the task writes the value: 8 bytes of local memory. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_get_set_dst_buf(
		struct doca_rdma_task_remote_net_sync_event_get *task,
		struct doca_buf *dst_buf);

/**
 * @brief Returns the destination of an event-get task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The destination that was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_remote_net_sync_event_get_get_dst_buf(
		const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * @brief Returns the number of bytes that an event-get task read.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return Number of bytes.
 */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(
		const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * @brief Sets the connection of an event-get task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] rdma_connection The connection.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_get_set_rdma_connection(
		struct doca_rdma_task_remote_net_sync_event_get *task,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the connection of an event-get task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The connection that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_remote_net_sync_event_get_get_rdma_connection(
		const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * @brief Reports whether a device supports event-set tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Called when an event-set task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_remote_net_sync_event_notify_set_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t)(
		struct doca_rdma_task_remote_net_sync_event_notify_set *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the event-set tasks of an RDMA context. Without
 * this call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates an event-set task from the pool of an RDMA context, and sets its arguments and
 * user data.
 *
 * The task sets the value of the event to the 8 bytes of the source.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection.
 * @param [in] event The remote event. The caller keeps ownership.
 * @param [in] src_buf The new value: 8 bytes of data in local memory. The caller keeps ownership
 * and must not change the buffer or its memory while the task is in flight.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection,
		struct doca_sync_event_remote_net *event,
		const struct doca_buf *src_buf,
		union doca_data user_data,
		struct doca_rdma_task_remote_net_sync_event_notify_set **task);

/**
 * @brief Returns an event-set task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_remote_net_sync_event_notify_set_as_task(
		struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * @brief Sets the event of an event-set task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] event The remote event. The caller keeps ownership.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(
		struct doca_rdma_task_remote_net_sync_event_notify_set *task,
		struct doca_sync_event_remote_net *event);

/**
 * @brief Returns the event of an event-set task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The event that was set last.
 */
DOCA_EXPERIMENTAL
struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(
		const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * @brief Sets the connection of an event-set task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] rdma_connection The connection.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection(
		struct doca_rdma_task_remote_net_sync_event_notify_set *task,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the connection of an event-set task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The connection that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection(
		const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * @brief Sets the source of an event-set task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] src_buf The new value: 8 bytes of data in local memory. The caller keeps ownership
 * and must not change the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf(
		struct doca_rdma_task_remote_net_sync_event_notify_set *task,
		const struct doca_buf *src_buf);

/**
 * @brief Returns the source of an event-set task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The source that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(
		const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * @brief Reports whether a device supports event-add tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Called when an event-add task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_rdma_task_remote_net_sync_event_notify_add_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t)(
		struct doca_rdma_task_remote_net_sync_event_notify_add *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the event-add tasks of an RDMA context. Without
 * this call the context has no such tasks.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] successful_task_completion_cb Called for each task that succeeds.
 * @param [in] error_task_completion_cb Called for each task that fails or is flushed because the
 * context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_set_conf(
		struct doca_rdma *rdma,
		doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t successful_task_completion_cb,
		doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates an event-add task from the pool of an RDMA context, and sets its arguments and
 * user data.
 *
 * The task adds add_data to the value of the event. It returns the previous value.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection.
 * @param [in] event The remote event. The caller keeps ownership.
 * @param [in] result_buf Where the task writes the previous value: 8 bytes of local memory. The
 * caller keeps ownership and must not touch the buffer or its memory while the task is in flight.
 * @param [in] add_data The number to add.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection,
		struct doca_sync_event_remote_net *event,
		struct doca_buf *result_buf,
		uint64_t add_data,
		union doca_data user_data,
		struct doca_rdma_task_remote_net_sync_event_notify_add **task);

/**
 * @brief Returns an event-add task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_remote_net_sync_event_notify_add_as_task(
		struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * @brief Sets the event of an event-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] event The remote event. The caller keeps ownership.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event(
		struct doca_rdma_task_remote_net_sync_event_notify_add *task,
		struct doca_sync_event_remote_net *event);

/**
 * @brief Returns the event of an event-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The event that was set last.
 */
DOCA_EXPERIMENTAL
struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event(
		const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * @brief Sets the result buffer of an event-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] result_buf Where the task writes the previous value: 8 bytes of local memory. The
 * caller keeps ownership and must not touch the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf(
		struct doca_rdma_task_remote_net_sync_event_notify_add *task,
		struct doca_buf *result_buf);

/**
 * @brief Returns the result buffer of an event-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The result buffer that was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(
		const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * @brief Sets the addend of an event-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] add_data The number to add.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_add_data(
		struct doca_rdma_task_remote_net_sync_event_notify_add *task,
		uint64_t add_data);

/**
 * @brief Returns the addend of an event-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The addend that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(
		const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * @brief Sets the connection of an event-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] rdma_connection The connection.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection(
		struct doca_rdma_task_remote_net_sync_event_notify_add *task,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the connection of an event-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The connection that was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection(
		const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * @brief Attaches an RDMA context with its data path on a DPA to the completion queue that
 * receives its completions.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] dpa_comp The queue. It must outlive the context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_dpa_completion_attach(
		struct doca_rdma *rdma,
		struct doca_dpa_completion *dpa_comp);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_H_ */
