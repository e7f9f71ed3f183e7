/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev.h
 * @brief The device API of the DPA, for code that runs there: threads, completions, hash tables,
 * log and trace.
 *
 * Mark kernels and thread functions with __dpa_global__. They have no result. A thread function
 * takes one 64-bit argument. Mark functions for doca_dpa_rpc() with __dpa_rpc__. They return 64
 * bits.
 *
 * The device code of a program includes this header. The host code includes doca_dpa.h instead,
 * which declares the same types. Handles come from the host, as arguments or in memory.
 */
#ifndef DOCA_DPA_DEV_H_
#define DOCA_DPA_DEV_H_

#ifndef DOCA_DPA_DEVICE
/** @brief Defined in device code. */
#define DOCA_DPA_DEVICE
#endif

#include <stdint.h>
#include <stddef.h>

#if __has_include(<dpaintrin.h>)
#include <dpaintrin.h>
#else
/* A compiler for the host, to which the marks of the DPA's compiler mean nothing. */
#ifndef __dpa_global__
#define __dpa_global__
#endif
#ifndef __dpa_rpc__
#define __dpa_rpc__
#endif
#endif

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Log level of the DPA. A level includes the levels with smaller values. */
enum doca_dpa_dev_log_level {
	DOCA_DPA_DEV_LOG_LEVEL_DISABLE = 10, /**< Nothing. */
	DOCA_DPA_DEV_LOG_LEVEL_ERROR = 30, /**< Errors. */
	DOCA_DPA_DEV_LOG_LEVEL_WARNING = 40, /**< Errors and warnings. */
	DOCA_DPA_DEV_LOG_LEVEL_INFO = 50, /**< Errors, warnings and information. The default. */
	DOCA_DPA_DEV_LOG_LEVEL_DEBUG = 60, /**< All messages. */
};

/** @brief Log level of the DPA. */
typedef enum doca_dpa_dev_log_level doca_dpa_dev_log_level_t;

/** @brief Handle of a DPA context. See doca_dpa_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_t;

/** @brief An address in DPA memory. Device code casts it to a pointer. */
__dpa_global__ typedef uint64_t doca_dpa_dev_uintptr_t;

/** @brief Handle of a hash table. See doca_dpa_hash_table_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_hash_table_t;

/** @brief Handle of a completion queue. See doca_dpa_completion_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_completion_t;

/** @brief A completion that was taken from a completion queue. */
__dpa_global__ typedef uint64_t doca_dpa_dev_completion_element_t;

/**
 * @brief Handle of a queue of asynchronous operations. See doca_dpa_async_ops_get_dpa_handle().
 */
__dpa_global__ typedef uint64_t doca_dpa_dev_async_ops_t;

/**
 * @brief Handle of a notification completion. See
 * doca_dpa_notification_completion_get_dpa_handle().
 */
__dpa_global__ typedef uint64_t doca_dpa_dev_notification_completion_t;

/** @brief Type of a completion. */
typedef enum {
	DOCA_DPA_DEV_COMP_SEND = 0x0, /**< A local operation succeeded. */
	DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM = 0x1,
	/**< The peer wrote to memory, and sent an immediate value. */
	DOCA_DPA_DEV_COMP_RECV_SEND = 0x2, /**< A message arrived. */
	DOCA_DPA_DEV_COMP_RECV_SEND_IMM = 0x3, /**< A message arrived with an immediate value. */
	DOCA_DPA_DEV_COMP_SEND_ERR = 0xD, /**< A local operation failed. */
	DOCA_DPA_DEV_COMP_RECV_ERR = 0xE, /**< A receive failed. */
} doca_dpa_dev_completion_type_t;

/** @brief Options of a posted operation: values of a bit mask. */
enum doca_dpa_dev_submit_flag {
	DOCA_DPA_DEV_SUBMIT_FLAG_NONE = 0,
	/**< The operation may not reach the device until a later operation flushes it. */
	DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH = 1,
	/**< The operation and all unflushed operations before it go to the device immediately. */
	DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2,
	/**< The operation does not get its own completion. */
};

/**
 * @brief Selects the DPA context whose resources the calling thread uses: the base context or an
 * extended context.
 *
 * @param [in] dpa_handle Handle of the context.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_device_set(doca_dpa_dev_t dpa_handle);

/**
 * @brief Returns the rank of the calling thread.
 *
 * @return The rank, from 0 to doca_dpa_dev_num_threads() minus 1. Each thread of a kernel launch
 * has a different rank.
 */
DOCA_EXPERIMENTAL
unsigned int doca_dpa_dev_thread_rank(void);

/**
 * @brief Returns the number of threads that run together with the calling thread.
 *
 * @return Number of threads. In a kernel this is the number that it was launched with.
 */
DOCA_EXPERIMENTAL
unsigned int doca_dpa_dev_num_threads(void);

/**
 * @brief Returns the local storage of the calling thread. Only DPA threads may call it, not
 * kernels.
 *
 * @return Address of the memory that the host set with doca_dpa_thread_set_local_storage().
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void);

/**
 * @brief Yields the execution unit to other threads. Only kernels may call it, not DPA threads.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_yield(void);

/**
 * @brief Reschedules the calling thread: it sleeps until a completion wakes it. Its function then
 * runs from the start.
 *
 * A completion queue wakes the thread only if the thread has armed it since its last wake-up, such
 * as with doca_dpa_dev_completion_request_notification(). The call does not return. Only DPA
 * threads may call it, not kernels.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_reschedule(void);

/**
 * @brief Ends the calling thread permanently. Completions no longer wake it.
 *
 * The call does not return. Only DPA threads may call it, not kernels.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_finish(void);

/**
 * @brief Wakes the thread of a notification completion. Only DPA threads may call it, not kernels.
 *
 * @param [in] comp_handle Handle of the notification completion.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t comp_handle);

/**
 * @brief Writes a line to the log, unless the log level excludes it. The DOCA_DPA_DEV_LOG macros
 * call it.
 *
 * @param [in] log_level The level of the line.
 * @param [in] format Format as for printf().
 * @param [in] ... The arguments of the format.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_log(
		doca_dpa_dev_log_level_t log_level,
		const char *format,
		...) __attribute__((format(printf, 2, 3)));

/**
 * @brief Writes an error message to the log.
 *
 * @param [in] ... Format as for printf() and its arguments.
 */
#define DOCA_DPA_DEV_LOG_ERR(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_ERROR, __VA_ARGS__)

/**
 * @brief Writes a warning message to the log.
 *
 * @param [in] ... Format as for printf() and its arguments.
 */
#define DOCA_DPA_DEV_LOG_WARN(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_WARNING, __VA_ARGS__)

/**
 * @brief Writes an information message to the log.
 *
 * @param [in] ... Format as for printf() and its arguments.
 */
#define DOCA_DPA_DEV_LOG_INFO(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_INFO, __VA_ARGS__)

/**
 * @brief Writes a debug message to the log.
 *
 * @param [in] ... Format as for printf() and its arguments.
 */
#define DOCA_DPA_DEV_LOG_DBG(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_DEBUG, __VA_ARGS__)

/**
 * @brief Adds an entry of five numbers to the trace. The program decides what they mean.
 *
 * @param [in] arg1 First number.
 * @param [in] arg2 Second number.
 * @param [in] arg3 Third number.
 * @param [in] arg4 Fourth number.
 * @param [in] arg5 Fifth number.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);

/** @brief Flushes the trace: sends its entries to the host. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_trace_flush(void);

/**
 * @brief Adds an entry to a hash table.
 *
 * @note The behaviour is undefined if the table is full.
 * @param [in] ht_handle Handle of the table.
 * @param [in] key The key.
 * @param [in] value The value.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_hash_table_add(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value);

/**
 * @brief Removes an entry from a hash table.
 *
 * @param [in] ht_handle Handle of the table.
 * @param [in] key The key.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_hash_table_remove(doca_dpa_dev_hash_table_t ht_handle, uint32_t key);

/**
 * @brief Finds an entry in a hash table.
 *
 * @param [in] ht_handle Handle of the table.
 * @param [in] key The key.
 * @param [out] value The value. Unchanged if there is no such entry.
 * @return 1 if there is such an entry, else 0.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_hash_table_find(
		doca_dpa_dev_hash_table_t ht_handle,
		uint32_t key,
		uint64_t *value);

/**
 * @brief Takes the next completion from a completion queue, if there is one. It does not wait.
 *
 * The completion occupies its place in the queue until doca_dpa_dev_completion_ack().
 *
 * @param [in] dpa_comp_handle Handle of the queue.
 * @param [out] comp_element The completion. Valid only if there is one.
 * @return 1 if there is one, else 0.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_get_completion(
		doca_dpa_dev_completion_t dpa_comp_handle,
		doca_dpa_dev_completion_element_t *comp_element);

/**
 * @brief Returns the type of a completion.
 *
 * @param [in] comp_element The completion. It must not be acknowledged yet.
 * @return The type.
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_completion_type_t doca_dpa_dev_get_completion_type(
		doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Returns the user data of a completion, which identifies its origin.
 *
 * @param [in] comp_element The completion. It must not be acknowledged yet.
 * @return For RDMA, the ID of the connection. For asynchronous operations and Comch producers, the
 * user data that the host set.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Returns the immediate value of a completion, which the peer sent.
 *
 * @param [in] comp_element The completion. It must not be acknowledged yet. Its type must be
 * DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM or DOCA_DPA_DEV_COMP_RECV_SEND_IMM.
 * @return The immediate value.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Acknowledges completions, which frees their places in the queue. Without it the queue
 * fills up.
 *
 * @param [in] dpa_comp_handle Handle of the queue.
 * @param [in] num_comp Number of completions that the caller has taken and no longer needs.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp);

/**
 * @brief Arms a completion queue: its next completion wakes the thread. Arm the queue again after
 * each wake-up.
 *
 * @param [in] dpa_comp_handle Handle of the queue.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t dpa_comp_handle);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_H_ */
