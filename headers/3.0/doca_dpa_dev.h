/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev.h
 * @brief What code that runs on the DPA calls: its threads, completions, hash tables, log and
 * trace.
 *
 * Functions that the host launches have no result and are marked __dpa_global__; those that the
 * host calls by doca_dpa_rpc() return 64 bits and are marked __dpa_rpc__. The functions of DPA
 * threads take one argument of 64 bits.
 *
 * The header is for the device unit of a program, not for the host's, which includes doca_dpa.h:
 * both declare the same types. Handles come from the host, as arguments or in memory.
 */
#ifndef DOCA_DPA_DEV_H_
#define DOCA_DPA_DEV_H_

#ifndef DOCA_DPA_DEVICE
/** @brief Defined in units that run on the DPA. */
#define DOCA_DPA_DEVICE
#endif

#include <stddef.h>
#include <stdint.h>

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

/** @brief How much the log of the DPA says. A level includes those with smaller values. */
enum doca_dpa_dev_log_level {
	DOCA_DPA_DEV_LOG_LEVEL_DISABLE = 10, /**< Nothing. */
	DOCA_DPA_DEV_LOG_LEVEL_ERROR = 30, /**< Errors. */
	DOCA_DPA_DEV_LOG_LEVEL_WARNING = 40, /**< Warnings too. */
	DOCA_DPA_DEV_LOG_LEVEL_INFO = 50, /**< Information too; the default. */
	DOCA_DPA_DEV_LOG_LEVEL_DEBUG = 60, /**< Everything. */
};

/** @brief How much the log of the DPA says. */
typedef enum doca_dpa_dev_log_level doca_dpa_dev_log_level_t;

/** @brief Handle of a DPA context; see doca_dpa_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_t;

/** @brief An address in the memory of the DPA, to be cast to a pointer. */
__dpa_global__ typedef uint64_t doca_dpa_dev_uintptr_t;

/** @brief Handle of a hash table; see doca_dpa_hash_table_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_hash_table_t;

/** @brief Handle of a completion queue; see doca_dpa_completion_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_completion_t;

/** @brief A completion that was taken from a queue. */
__dpa_global__ typedef uint64_t doca_dpa_dev_completion_element_t;

/**
 * @brief Handle of a queue of asynchronous operations; see doca_dpa_async_ops_get_dpa_handle().
 */
__dpa_global__ typedef uint64_t doca_dpa_dev_async_ops_t;

/**
 * @brief Handle of a notification completion; see
 * doca_dpa_notification_completion_get_dpa_handle().
 */
__dpa_global__ typedef uint64_t doca_dpa_dev_notification_completion_t;

/** @brief What a completion is about. */
typedef enum {
	DOCA_DPA_DEV_COMP_SEND = 0x0, /**< An operation that was posted here has succeeded. */
	DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM = 0x1,
	/**< The peer has written, and sent an immediate number. */
	DOCA_DPA_DEV_COMP_RECV_SEND = 0x2, /**< A message was received. */
	DOCA_DPA_DEV_COMP_RECV_SEND_IMM = 0x3,
	/**< A message was received, with an immediate number. */
	DOCA_DPA_DEV_COMP_SEND_ERR = 0xD, /**< An operation that was posted here has failed. */
	DOCA_DPA_DEV_COMP_RECV_ERR = 0xE, /**< A receive has failed. */
} doca_dpa_dev_completion_type_t;

/** @brief How an operation is posted: values of a bit mask. */
enum doca_dpa_dev_submit_flag {
	DOCA_DPA_DEV_SUBMIT_FLAG_NONE = 0,
	/**< The operation may wait until a later one flushes it. */
	DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH = 1,
	/**< The operation, and those that wait, go to the device at once. */
	DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2,
	/**< The operation gets no completion of its own. */
};

/**
 * @brief Selects the DPA context whose resources the calling thread uses from then on: the base
 * context or an extended one.
 *
 * @param [in] dpa_handle Handle of the context.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_device_set(doca_dpa_dev_t dpa_handle);

/**
 * @brief Returns the rank of the calling thread.
 *
 * @return 0 to doca_dpa_dev_num_threads() less 1, different in each thread of a kernel launch.
 */
DOCA_EXPERIMENTAL
unsigned int doca_dpa_dev_thread_rank(void);

/**
 * @brief Returns how many threads run together with the calling one.
 *
 * @return Number of threads: in a kernel, what it was launched with.
 */
DOCA_EXPERIMENTAL
unsigned int doca_dpa_dev_num_threads(void);

/**
 * @brief Returns the memory that is the calling thread's own. Only for DPA threads, not for
 * launched kernels.
 *
 * @return Address of the memory that the host set with doca_dpa_thread_set_local_storage().
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void);

/**
 * @brief Lets other threads have the execution unit. Only for launched kernels, not for DPA
 * threads.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_yield(void);

/**
 * @brief Ends this run of the calling thread, which sleeps until a completion wakes it. Its
 * function then runs from the start.
 *
 * A completion queue wakes the thread only if it has been asked to since the thread was last
 * woken, such as with doca_dpa_dev_completion_request_notification(). The call does not return.
 * Only for DPA threads, not for launched kernels.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_reschedule(void);

/**
 * @brief Ends the calling thread for good: nothing wakes it any more.
 *
 * The call does not return. Only for DPA threads, not for launched kernels.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_finish(void);

/**
 * @brief Wakes the thread of a notification completion. Only for DPA threads, not for launched
 * kernels.
 *
 * @param [in] comp_handle Handle of the notification completion.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t comp_handle);

/**
 * @brief Writes a line to the log, unless the host has set a level that leaves it out. The
 * DOCA_DPA_DEV_LOG macros call it.
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
 * @brief Writes an error to the log.
 *
 * @param [in] ... Format as for printf() and its arguments.
 */
#define DOCA_DPA_DEV_LOG_ERR(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_ERROR, __VA_ARGS__)

/**
 * @brief Writes a warning to the log.
 *
 * @param [in] ... Format as for printf() and its arguments.
 */
#define DOCA_DPA_DEV_LOG_WARN(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_WARNING, __VA_ARGS__)

/**
 * @brief Writes information to the log.
 *
 * @param [in] ... Format as for printf() and its arguments.
 */
#define DOCA_DPA_DEV_LOG_INFO(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_INFO, __VA_ARGS__)

/**
 * @brief Writes to the log what helps in the search for errors.
 *
 * @param [in] ... Format as for printf() and its arguments.
 */
#define DOCA_DPA_DEV_LOG_DBG(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_DEBUG, __VA_ARGS__)

/**
 * @brief Adds an entry of five numbers to the trace. What they mean is the program's to say.
 *
 * @param [in] arg1 First number.
 * @param [in] arg2 Second number.
 * @param [in] arg3 Third number.
 * @param [in] arg4 Fourth number.
 * @param [in] arg5 Fifth number.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);

/** @brief Hands the entries that are in the trace to the host. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_trace_flush(void);

/**
 * @brief Adds an entry to a hash table.
 *
 * @note What happens when the table is full is not defined.
 * @param [in] ht_handle Handle of the table.
 * @param [in] key The key.
 * @param [in] value The value.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_hash_table_add(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value);

/**
 * @brief Takes an entry out of a hash table.
 *
 * @param [in] ht_handle Handle of the table.
 * @param [in] key The key.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_hash_table_remove(doca_dpa_dev_hash_table_t ht_handle, uint32_t key);

/**
 * @brief Looks up an entry of a hash table.
 *
 * @param [in] ht_handle Handle of the table.
 * @param [in] key The key.
 * @param [out] value The value, if there is such an entry.
 * @return 1 when there is such an entry, else 0.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_hash_table_find(
		doca_dpa_dev_hash_table_t ht_handle,
		uint32_t key,
		uint64_t *value);

/**
 * @brief Takes the next completion from a queue, if there is one. It does not wait.
 *
 * The completion keeps its place in the queue until doca_dpa_dev_completion_ack().
 *
 * @param [in] dpa_comp_handle Handle of the queue.
 * @param [out] comp_element The completion, if there is one.
 * @return 1 when there is one, else 0.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_get_completion(
		doca_dpa_dev_completion_t dpa_comp_handle,
		doca_dpa_dev_completion_element_t *comp_element);

/**
 * @brief Returns what a completion is about.
 *
 * @param [in] comp_element The completion, not yet acknowledged.
 * @return The type.
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_completion_type_t doca_dpa_dev_get_completion_type(
		doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Returns the number by which a completion names its origin.
 *
 * @param [in] comp_element The completion, not yet acknowledged.
 * @return For RDMA the number of the connection; for asynchronous operations and for producers of
 * Comch the user data that the host gave them.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Returns the immediate number that a peer has sent.
 *
 * @param [in] comp_element The completion, not yet acknowledged. Its type must be
 * DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM or DOCA_DPA_DEV_COMP_RECV_SEND_IMM.
 * @return The number.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Acknowledges completions: gives their places in the queue back. Without it the queue
 * fills up.
 *
 * @param [in] dpa_comp_handle Handle of the queue.
 * @param [in] num_comp Number of completions that were taken and are not needed any more.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp);

/**
 * @brief Asks a completion queue to wake its thread at the next completion. It is needed again
 * after each time that the thread was woken.
 *
 * @param [in] dpa_comp_handle Handle of the queue.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t dpa_comp_handle);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_H_ */
