/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_rdma.h
 * @brief RDMA: messages to a peer across the network, and reading, writing and atomic changes of
 * its memory.
 *
 * To use it: doca_rdma_create(), set permissions and what else differs from the defaults, the
 * set_conf function of each kind of task that is to run, connect the context to a progress engine,
 * doca_ctx_start(), which succeeds at once; then connect, allocate tasks and submit them.
 *
 * There are two ways to connect. With doca_rdma_export() and doca_rdma_connect() the program
 * carries the details of both sides to the other. With RDMA-CM, the connection manager, one side
 * listens to a port and the other connects to its address; both are told by the callbacks of
 * doca_rdma_set_connection_state_callbacks().
 *
 * Memory of the peer is that of a memory map which the peer has exported with
 * doca_mmap_export_rdma(), and this side has created from the export. An operation that the
 * permissions of that map or of the peer's context do not allow fails and moves the context to
 * DOCA_CTX_STATE_STOPPING.
 *
 * The configuration of a context can be changed while it is idle. Values may be rounded up; the
 * get functions return those in use.
 */
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
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

/** @brief A queue of completions that is read on the DPA. */
struct doca_dpa_completion;

/** @brief A synchronization event of a peer across the network; see doca_sync_event.h. */
struct doca_sync_event_remote_net;

/** @brief Handle of an RDMA context for code that runs on a GPU. */
struct doca_gpu_dev_rdma;

/** @brief An RDMA context. */
struct doca_rdma;

/** @brief An address of a peer, for connections by RDMA-CM. */
struct doca_rdma_addr;

/** @brief A connection of an RDMA context, to which it belongs. */
struct doca_rdma_connection;

/** @brief A receive task: it posts a buffer for a message of a peer. */
struct doca_rdma_task_receive;

/** @brief A send task: it sends a message, which a receive of the peer takes. */
struct doca_rdma_task_send;

/**
 * @brief A send-with-immediate task: it sends a message and 4 bytes of immediate data, which a
 * receive of the peer takes.
 */
struct doca_rdma_task_send_imm;

/** @brief A read task: it copies memory of the peer into memory of this side. */
struct doca_rdma_task_read;

/** @brief A write task: it copies memory of this side into memory of the peer. */
struct doca_rdma_task_write;

/**
 * @brief A write-with-immediate task: it copies memory of this side into memory of the peer, and
 * ends a receive of the peer.
 */
struct doca_rdma_task_write_imm;

/**
 * @brief A compare-and-swap task: it replaces 8 bytes of the peer if they have an expected value.
 */
struct doca_rdma_task_atomic_cmp_swp;

/** @brief A fetch-and-add task: it adds to 8 bytes of the peer. */
struct doca_rdma_task_atomic_fetch_add;

/** @brief An event-get task: it reads the value of a synchronization event of the peer. */
struct doca_rdma_task_remote_net_sync_event_get;

/** @brief An event-set task: it sets the value of a synchronization event of the peer. */
struct doca_rdma_task_remote_net_sync_event_notify_set;

/** @brief An event-add task: it adds to the value of a synchronization event of the peer. */
struct doca_rdma_task_remote_net_sync_event_notify_add;

/** @brief A global identifier (GID): the address of a port of an RDMA device. */
struct doca_rdma_gid {
	uint8_t raw[16]; /**< Its bytes. */
};

/** @brief How packets are carried between the two ends of a connection. */
enum doca_rdma_transport_type {
	DOCA_RDMA_TRANSPORT_TYPE_RC = 0, /**< Reliable connection. */
	DOCA_RDMA_TRANSPORT_TYPE_DC = 1, /**< Dynamically connected. */
};

/** @brief The form of an address. */
enum doca_rdma_addr_type {
	DOCA_RDMA_ADDR_TYPE_IPv4 = 0, /**< An IPv4 address. */
	DOCA_RDMA_ADDR_TYPE_IPv6 = 1, /**< An IPv6 address. */
	DOCA_RDMA_ADDR_TYPE_GID = 2, /**< A global identifier (GID). */
};

/** @brief The operation of a peer that ended a receive task. */
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
 * - DOCA_ERROR_INITIALIZATION: the context could not be initialised.
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
 * @brief Returns an RDMA object as a struct doca_ctx.
 *
 * doca_ctx_start() succeeds at once, without any connection. After a restart, connections must be
 * made anew.
 *
 * @param [in] rdma The RDMA object. It must not be NULL.
 * @return The same object as a struct doca_ctx. It is destroyed with rdma.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/**
 * @brief Begins a connection whose details the program itself carries to the peer and back.
 *
 * Both sides export, exchange their details by any means, and pass those of the peer to
 * doca_rdma_connect(). Each connection takes an export of its own.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [out] local_rdma_conn_details What the peer needs. It belongs to DOCA and must not be
 * freed; it may be copied and sent.
 * @param [out] local_rdma_conn_details_size Length of the details in bytes.
 * @param [out] rdma_connection The new connection, not connected yet. It belongs to the context;
 * doca_rdma_connection_get_id() knows it already.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection failed.
 * - DOCA_ERROR_FULL: the context has as many connections as doca_rdma_set_max_num_connections()
 *   allows.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_export(
		struct doca_rdma *rdma,
		const void **local_rdma_conn_details,
		size_t *local_rdma_conn_details_size,
		struct doca_rdma_connection **rdma_connection);

/**
 * @brief Connects to a peer, with the details that it has exported.
 *
 * Tasks can be allocated and submitted as soon as the call returns; they wait until the peer has
 * connected too.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] remote_rdma_conn_details The details that doca_rdma_export() gave the peer.
 * @param [in] remote_rdma_conn_details_size Length of the details in bytes.
 * @param [in] rdma_connection The connection from doca_rdma_export().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the details are malformed.
 * - DOCA_ERROR_BAD_STATE: the context is not running, or the connection is connected already.
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
 * @param [in] addr_type The form of the address.
 * @param [in] address The address as text, ended by a 0 byte.
 * @param [in] port The port that the peer listens to.
 * @param [out] addr The new address. Destroy it with doca_rdma_addr_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or address is not of the form addr_type.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_create(
		enum doca_rdma_addr_type addr_type,
		const char *address,
		uint16_t port,
		struct doca_rdma_addr **addr);

/**
 * @brief Destroys an address that doca_rdma_addr_create() has created.
 *
 * @param [in] addr The address.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: addr is NULL.
 * - DOCA_ERROR_BAD_STATE: the address cannot be destroyed now.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr);

/**
 * @brief Lets peers connect to a context through a port, by RDMA-CM.
 *
 * Each peer that calls leads to the request callback of
 * doca_rdma_set_connection_state_callbacks(), which accepts or rejects it.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] port The port.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow RDMA-CM.
 * - DOCA_ERROR_CONNECTION_ABORTED: listening to the port failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * @brief Stops listening to a port. The connections that came through it stay.
 *
 * @param [in] rdma The RDMA context.
 * @param [in] port The port that was given to doca_rdma_start_listen_to_port().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow RDMA-CM.
 * - DOCA_ERROR_CONNECTION_ABORTED: stopping failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * @brief Accepts a peer that asks for a connection. The established callback follows on both
 * sides.
 *
 * @param [in] rdma_connection The connection that the request callback was given; it may be
 * accepted inside that callback.
 * @param [in] private_data Bytes that go with the answer.
 * @param [in] private_data_len Number of those bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection could not be accepted.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_accept(
		struct doca_rdma_connection *rdma_connection,
		void *private_data,
		uint8_t private_data_len);

/**
 * @brief Rejects a peer that asks for a connection.
 *
 * @param [in] rdma_connection The connection that the request callback was given.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection could not be rejected.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *rdma_connection);

/**
 * @brief Asks a peer that listens for a connection, by RDMA-CM.
 *
 * The call does not wait for the peer: the established or the failure callback of
 * doca_rdma_set_connection_state_callbacks() tells how it went, and hands over the connection.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] addr The address of the peer.
 * @param [in] connection_user_data The user data of the new connection, which its callbacks
 * receive.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow RDMA-CM.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection could not be asked for.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect_to_addr(
		struct doca_rdma *rdma,
		struct doca_rdma_addr *addr,
		union doca_data connection_user_data);

/**
 * @brief Ends a connection that was made by RDMA-CM. To be called in answer to the disconnection
 * callback, too, when the peer has ended it.
 *
 * @param [in] rdma_connection The connection.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL.
 * - DOCA_ERROR_CONNECTION_ABORTED: disconnecting failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection);

/**
 * @brief Prepares a connection on an rdma_cm identifier of the program, for programs that run
 * RDMA-CM themselves.
 *
 * doca_rdma_bridge_accept() and doca_rdma_bridge_established() complete it.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] cm_id The identifier of rdma_cm. It stays the caller's.
 * @param [out] rdma_connection The new connection, not connected yet. It belongs to the context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_FULL: the context has as many connections as doca_rdma_set_max_num_connections()
 *   allows.
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow it.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_prepare_connection(
		struct doca_rdma *rdma,
		struct rdma_cm_id *cm_id,
		struct doca_rdma_connection **rdma_connection);

/**
 * @brief Accepts a peer on a connection that doca_rdma_bridge_prepare_connection() has prepared.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] private_data Bytes that go with the answer.
 * @param [in] private_data_len Number of those bytes.
 * @param [in] rdma_connection The connection.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow it.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection could not be accepted.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_accept(
		struct doca_rdma *rdma,
		void *private_data,
		uint8_t private_data_len,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Tells a context that a connection of doca_rdma_bridge_prepare_connection() is
 * established, which the program has learnt from RDMA-CM.
 *
 * @param [in] rdma The RDMA context.
 * @param [in] rdma_connection The connection.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the configuration of the context does not allow it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_established(
		struct doca_rdma *rdma,
		struct doca_rdma_connection *rdma_connection);

/**
 * @brief Returns the largest receive queue that a device allows: the limit of
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
 * @brief Returns the largest send queue that a device allows: the limit of
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
 * @brief Returns the most elements that the local buffer list of a task other than a receive can
 * have: the limit of doca_rdma_set_max_send_buf_list_len().
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
 * @brief Returns the size of the largest message that a device supports.
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
 * @brief Returns how many entries the table of global identifiers (GIDs) of a device has.
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
 * @brief Reads entries of the table of global identifiers (GIDs) of a device.
 *
 * @param [in] devinfo The device.
 * @param [in] start_index The first entry to read, counted from 0.
 * @param [in] num_entries Number of entries to read; start_index + num_entries is at most
 * doca_rdma_cap_get_gid_table_size().
 * @param [out] gid_array The caller's array, with room for num_entries identifiers.
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
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL or transport_type is not a value of the enumeration.
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
 * @param [in] send_queue_size Number of operations, up to doca_rdma_cap_get_max_send_queue_size();
 * rounded up to a power of two.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support the size.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size);

/**
 * @brief Sets the size of the receive queue of an RDMA context whose data path is on a GPU or DPA.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] recv_queue_size Number of receives, up to doca_rdma_cap_get_max_recv_queue_size();
 * rounded up to a power of two.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device or the data path does not support the size.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size);

/**
 * @brief Sets the most elements that the local buffer lists of the tasks of an RDMA context, other
 * than receives, can have.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] max_send_buf_list_len Number of elements, up to
 * doca_rdma_cap_get_max_send_buf_list_len(); may be rounded up.
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
 * @param [in] transport_type The transport type. DOCA_RDMA_TRANSPORT_TYPE_DC connects by
 * doca_rdma_export() and doca_rdma_connect() only.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL or transport_type is not a value of the enumeration.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it; see
 *   doca_rdma_cap_transport_type_is_supported().
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_transport_type(
		struct doca_rdma *rdma,
		enum doca_rdma_transport_type transport_type);

/**
 * @brief Sets the maximum transmission unit of the connections of an RDMA context.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] mtu The maximum transmission unit.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL or mtu is not a value of the enumeration.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_UNEXPECTED: an internal inconsistency.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu);

/**
 * @brief Sets what the peers of an RDMA context may do with the memory of this side.
 *
 * An operation of a peer needs the permission of the memory map that the memory is exported from
 * as well.
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
 * @brief Sets whether the packets of an RDMA context have a global routing header (GRH).
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] grh_enabled 1 if they have, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled);

/**
 * @brief Sets which of the global identifiers (GIDs) of the device an RDMA context uses.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] gid_index Index in the table that doca_rdma_cap_get_gid() reads, below
 * doca_rdma_cap_get_gid_table_size().
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
 * @brief Sets how long a request for a connection by RDMA-CM waits for the peer.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] timeout The timeout, in the unit that DOCA defines.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma, uint16_t timeout);

/**
 * @brief Sets the user data that the callbacks of a connection receive.
 *
 * Allowed inside the request callback too, after doca_rdma_connection_accept().
 *
 * @param [in] rdma_connection The connection.
 * @param [in] connection_user_data The data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_set_user_data(
		struct doca_rdma_connection *rdma_connection,
		union doca_data connection_user_data);

/**
 * @brief Sets how many connections an RDMA context can have at the same time.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] max_num_connections Number of connections; may be rounded up.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or max_num_connections is out of range.
 * - DOCA_ERROR_NOT_SUPPORTED: the context cannot have as many.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_num_connections(
		struct doca_rdma *rdma,
		uint16_t max_num_connections);

/**
 * @brief Sets how often an RDMA context tries again when a peer has no receive posted (receiver
 * not ready).
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
 * @param [out] send_queue_size The number in use, which may be larger than what was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size);

/**
 * @brief Returns the size of the receive queue of an RDMA context whose data path is on a GPU or
 * DPA.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] recv_queue_size The number in use, which may be larger than what was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the data path of the context has no such size.
 * - DOCA_ERROR_BAD_STATE: the state of the context does not allow the question.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size);

/**
 * @brief Returns the most elements that the local buffer lists of the tasks of an RDMA context,
 * other than receives, can have.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] max_send_buf_list_len The number in use, which may be larger than what was set.
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
 * @brief Returns the maximum transmission unit of the connections of an RDMA context.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] mtu The maximum transmission unit.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu);

/**
 * @brief Returns what the peers of an RDMA context may do with the memory of this side.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] permissions Bit mask of enum doca_access_flag.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions);

/**
 * @brief Returns whether the packets of an RDMA context have a global routing header (GRH).
 *
 * @param [in] rdma The RDMA context.
 * @param [out] grh_enabled 1 if they have, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled);

/**
 * @brief Returns which of the global identifiers (GIDs) of the device an RDMA context uses.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] gid_index Index in the table that doca_rdma_cap_get_gid() reads.
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
 * @brief Returns how long a request for a connection by RDMA-CM waits for the peer.
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
 * @brief Returns the address of a connection that was made by RDMA-CM.
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
 * @brief Takes an address apart.
 *
 * @param [in] addr The address.
 * @param [out] addr_type The form of the address.
 * @param [out] address The address as text, ended by a 0 byte. It belongs to addr and must not be
 * freed.
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
 * @param [out] connection_user_data What doca_rdma_connection_set_user_data() or
 * doca_rdma_connect_to_addr() set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_user_data(
		const struct doca_rdma_connection *rdma_connection,
		union doca_data *connection_user_data);

/**
 * @brief Returns the number of a connection, by which code on a DPA names it.
 *
 * @param [in] rdma_connection The connection; from doca_rdma_export() on.
 * @param [out] connection_id The number; unique in its context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_id(
		const struct doca_rdma_connection *rdma_connection,
		uint32_t *connection_id);

/**
 * @brief Returns how many connections an RDMA context can have at the same time.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] max_num_connections The number in use, which may be larger than what was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_num_connections(
		struct doca_rdma *rdma,
		uint16_t *max_num_connections);

/**
 * @brief Returns how often an RDMA context tries again when a peer has no receive posted (receiver
 * not ready).
 *
 * @param [in] rdma The RDMA context.
 * @param [out] rnr_retry_count Number of retries.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count);

/**
 * @brief Called when a peer asks for a connection by RDMA-CM.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * The answer is doca_rdma_connection_accept() or doca_rdma_connection_reject().
 *
 * @param [in] rdma_connection The new connection, not established yet. It belongs to the context.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_rdma_connection_request_cb_t)(
		struct doca_rdma_connection *rdma_connection,
		union doca_data ctx_user_data);

/**
 * @brief Called on both sides when a connection by RDMA-CM is established.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * From then on the connection takes tasks.
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
 * @brief Called when a connection by RDMA-CM could not be made.
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
 * @brief Called when a connection by RDMA-CM has ended.
 *
 * It runs inside doca_pe_progress(), on the calling thread.
 *
 * The answer is doca_rdma_connection_disconnect().
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
 * @brief Sets the callbacks of the connections that are made by RDMA-CM.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] doca_rdma_connect_request_cb Called when a peer asks for a connection; may be NULL
 * in a context that does not listen.
 * @param [in] doca_rdma_connect_established_cb Called when a connection is established.
 * @param [in] doca_rdma_connect_failure_cb Called when a connection could not be made.
 * @param [in] doca_rdma_disconnect_cb Called when a connection has ended.
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
 * @brief Returns the most elements that the buffer list of a receive task can have: the limit of
 * doca_rdma_task_receive_set_dst_buf_list_len().
 *
 * @param [in] devinfo The device.
 * @param [in] transport_type The transport type of the context.
 * @param [out] max_buf_list_len Number of elements.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL or transport_type is not a value of the
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
 * @brief Sets the most elements that the buffer lists of the receive tasks of an RDMA context can
 * have.
 *
 * @param [in] rdma The RDMA context. It must be idle.
 * @param [in] buf_list_len Number of elements, up to
 * doca_rdma_cap_task_receive_get_max_dst_buf_list_len(); may be rounded up.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or buf_list_len is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(
		struct doca_rdma *rdma,
		uint32_t buf_list_len);

/**
 * @brief Returns the most elements that the buffer lists of the receive tasks of an RDMA context
 * can have.
 *
 * @param [in] rdma The RDMA context.
 * @param [out] buf_list_len The number in use, which may be larger than what was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the state of the context does not allow the question.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(
		const struct doca_rdma *rdma,
		uint32_t *buf_list_len);

/**
 * @brief Allocates a receive task from the pool of an RDMA context and sets its arguments and user
 * data.
 *
 * A receive ends when a peer has sent a message or has written with immediate data. What is
 * received goes behind the data of the buffer, whose data grows by as much.
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
 * @brief Returns what kind of operation of the peer ended a receive task.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return The operation.
 */
DOCA_EXPERIMENTAL
enum doca_rdma_opcode doca_rdma_task_receive_get_result_opcode(
		const struct doca_rdma_task_receive *task);

/**
 * @brief Returns how many bytes a receive task has received.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return Number of bytes.
 */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task);

/**
 * @brief Returns the immediate data that a receive task has received.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return The immediate data, in network byte order; valid when the operation that
 * doca_rdma_task_receive_get_result_opcode() returns has any.
 */
DOCA_EXPERIMENTAL
doca_be32_t doca_rdma_task_receive_get_result_immediate_data(
		const struct doca_rdma_task_receive *task);

/**
 * @brief Returns the connection that a receive task has received from.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return The connection. It belongs to the context.
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
 * @brief Allocates a send task from the pool of an RDMA context and sets its arguments and user
 * data.
 *
 * The message is the data of the source, all elements of its list together. A receive of the peer
 * takes it.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection to run over.
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
 * @param [in] rdma_connection The connection to run over.
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
 * @brief Allocates a send-with-immediate task from the pool of an RDMA context and sets its
 * arguments and user data.
 *
 * The message is the data of the source, all elements of its list together. A receive of the peer
 * takes it, and gets the immediate data with it.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection to run over.
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
 * @param [in] rdma_connection The connection to run over.
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
 * @brief Allocates a read task from the pool of an RDMA context and sets its arguments and user
 * data.
 *
 * The task copies the data of the source behind the data of the destination, whose data grows by
 * as much. The peer does nothing for it.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection to run over.
 * @param [in] src_buf The data to read, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_READ. Only the head of a list is used. The caller keeps ownership. NULL,
 * together with dst_buf, to read nothing.
 * @param [in] dst_buf The destination, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements, or NULL together with src_buf. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
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
 * DOCA_ACCESS_FLAG_RDMA_READ. Only the head of a list is used. The caller keeps ownership. NULL,
 * together with dst_buf, to read nothing.
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
 * doca_rdma_get_max_send_buf_list_len() elements, or NULL together with src_buf. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
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
 * @brief Returns how many bytes a read task has read.
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
 * @param [in] rdma_connection The connection to run over.
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
 * @brief Allocates a write task from the pool of an RDMA context and sets its arguments and user
 * data.
 *
 * The task copies the data of the source, all elements of its list together. The peer does nothing
 * for it; what is sent later over the connection arrives after it.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection to run over.
 * @param [in] src_buf The data to write, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements. The caller keeps ownership and must not change
 * the buffer or its memory while the task is in flight.
 * @param [in] dst_buf The destination, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_WRITE; it needs room, not data. Only the head of a list is used. The
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
 * DOCA_ACCESS_FLAG_RDMA_WRITE; it needs room, not data. Only the head of a list is used. The
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
 * @param [in] rdma_connection The connection to run over.
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
 * @brief Allocates a write-with-immediate task from the pool of an RDMA context and sets its
 * arguments and user data.
 *
 * The task copies the data of the source, all elements of its list together. Then it ends a
 * receive of the peer, which gets the immediate data.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection to run over.
 * @param [in] src_buf The data to write, in local memory. It may be a list of up to
 * doca_rdma_get_max_send_buf_list_len() elements. The caller keeps ownership and must not change
 * the buffer or its memory while the task is in flight.
 * @param [in] dst_buf The destination, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_WRITE; it needs room, not data. Only the head of a list is used. The
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
 * DOCA_ACCESS_FLAG_RDMA_WRITE; it needs room, not data. Only the head of a list is used. The
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
 * @param [in] rdma_connection The connection to run over.
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
 * @brief Allocates a compare-and-swap task from the pool of an RDMA context and sets its arguments
 * and user data.
 *
 * The task replaces the 8 bytes of the destination by swap_data if they equal cmp_data, in one
 * step. The result tells the value from before in either case.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection to run over.
 * @param [in] dst_buf The 8 bytes to change, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_ATOMIC. Only the head of a list is used. The caller keeps ownership.
 * @param [in] result_buf Where the old value is written, 8 bytes of local memory. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
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
 * @brief Sets the buffer for the result of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] result_buf Where the old value is written, 8 bytes of local memory. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_result_buf(
		struct doca_rdma_task_atomic_cmp_swp *task,
		struct doca_buf *result_buf);

/**
 * @brief Returns the buffer for the result of a compare-and-swap task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The buffer for the result that was set last.
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
 * @param [in] rdma_connection The connection to run over.
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
 * @brief Allocates a fetch-and-add task from the pool of an RDMA context and sets its arguments
 * and user data.
 *
 * The task adds add_data to the 8 bytes of the destination, in one step. The result tells the
 * value from before.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection to run over.
 * @param [in] dst_buf The 8 bytes to change, in remote memory whose memory map grants
 * DOCA_ACCESS_FLAG_RDMA_ATOMIC. Only the head of a list is used. The caller keeps ownership.
 * @param [in] result_buf Where the old value is written, 8 bytes of local memory. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
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
 * @brief Sets the buffer for the result of a fetch-and-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] result_buf Where the old value is written, 8 bytes of local memory. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_result_buf(
		struct doca_rdma_task_atomic_fetch_add *task,
		struct doca_buf *result_buf);

/**
 * @brief Returns the buffer for the result of a fetch-and-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The buffer for the result that was set last.
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
 * @param [in] rdma_connection The connection to run over.
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
 * @brief Allocates an event-get task from the pool of an RDMA context and sets its arguments and
 * user data.
 *
 * The task writes the value of the event to the destination.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection to run over.
 * @param [in] event The event of the peer. The caller keeps ownership.
 * @param [in] dst_buf Where the value is written, 8 bytes of local memory. The caller keeps
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
 * @param [in] event The event of the peer. The caller keeps ownership.
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
 * @param [in] dst_buf Where the value is written, 8 bytes of local memory. The caller keeps
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
 * @brief Returns how many bytes an event-get task has read.
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
 * @param [in] rdma_connection The connection to run over.
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
 * @brief Allocates an event-set task from the pool of an RDMA context and sets its arguments and
 * user data.
 *
 * The task sets the value of the event to the 8 bytes of the source.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection to run over.
 * @param [in] event The event of the peer. The caller keeps ownership.
 * @param [in] src_buf The new value, 8 bytes of data in local memory. The caller keeps ownership
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
 * @param [in] event The event of the peer. The caller keeps ownership.
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
 * @param [in] rdma_connection The connection to run over.
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
 * @param [in] src_buf The new value, 8 bytes of data in local memory. The caller keeps ownership
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
 * @brief Allocates an event-add task from the pool of an RDMA context and sets its arguments and
 * user data.
 *
 * The task adds add_data to the value of the event. The result tells the value from before.
 *
 * @param [in] rdma The RDMA context. It must be running.
 * @param [in] rdma_connection The connection to run over.
 * @param [in] event The event of the peer. The caller keeps ownership.
 * @param [in] result_buf Where the old value is written, 8 bytes of local memory. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
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
 * @param [in] event The event of the peer. The caller keeps ownership.
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
 * @brief Sets the buffer for the result of an event-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] result_buf Where the old value is written, 8 bytes of local memory. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf(
		struct doca_rdma_task_remote_net_sync_event_notify_add *task,
		struct doca_buf *result_buf);

/**
 * @brief Returns the buffer for the result of an event-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The buffer for the result that was set last.
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
 * @param [in] rdma_connection The connection to run over.
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
 * @brief Attaches an RDMA context whose data path is on a DPA to the queue that receives its
 * completions.
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
