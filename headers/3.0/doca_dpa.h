/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa.h
 * @brief The data-path accelerator (DPA) from the side of the host: its contexts, its memory, and
 * the kernels, threads and queues that run on it.
 *
 * To use it: doca_dpa_create(), doca_dpa_set_app(), doca_dpa_start(); then launch functions of the
 * application with doca_dpa_kernel_launch_update_set(), or create a thread, configure and start
 * it, give it a completion queue and call doca_dpa_thread_run(). Destroy what was created in the
 * reverse order, the DPA context last. What runs on the DPA is compiled apart, against the
 * doca_dpa_dev headers; those repeat the types of this header, so no source file includes both.
 *
 * A DPA context is not a doca_ctx and has no progress engine. A kernel runs on after its launch
 * has returned; copies and remote procedure calls are done when the call returns. Contexts of
 * other libraries move their data path to the DPA with doca_ctx_set_datapath_on_dpa().
 *
 * All numbers that name something on the DPA, addresses and handles, have 64 bits and mean nothing
 * to the host but to be passed on: to these functions, and as arguments to code on the DPA.
 */
#ifndef DOCA_DPA_H_
#define DOCA_DPA_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Number of bits that the user data of a completion on the DPA can have. */
#define DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA (24)

struct doca_devinfo;
struct doca_dev;
struct doca_sync_event;

/** @brief A DPA context: a process on the DPA of a device that runs one application. */
struct doca_dpa;

struct doca_buf;

/** @brief A hash table in the memory of the DPA, from 32-bit keys to 64-bit values. */
struct doca_dpa_hash_table;

/** @brief The choice of an execution unit of the DPA for threads to run on. */
struct doca_dpa_eu_affinity;

/** @brief A thread on the DPA, which runs its function each time a completion wakes it. */
struct doca_dpa_thread;

/** @brief A group of DPA threads, each with a rank. */
struct doca_dpa_tg;

/** @brief A queue of completions that code on the DPA reads, and that can wake a thread. */
struct doca_dpa_completion;

/** @brief A queue of asynchronous operations, such as copies, that code on the DPA posts. */
struct doca_dpa_async_ops;

/** @brief What code on the DPA notifies to wake a thread without any data. */
struct doca_dpa_notification_completion;

/** @brief An application for the DPA. The DPA compiler puts it into the program as a variable. */
struct doca_dpa_app;

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

/** @brief Handle of a DPA context for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_t;

/** @brief An address in the memory of the DPA. The host cannot read or write through it. */
typedef uint64_t doca_dpa_dev_uintptr_t;

/** @brief Handle of a hash table for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_hash_table_t;

/** @brief Handle of a completion queue for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_completion_t;

/** @brief Handle of a queue of asynchronous operations for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_async_ops_t;

/** @brief Handle of a notification completion for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_notification_completion_t;

/**
 * @brief A function of the application, as the host names it.
 *
 * The DPA compiler puts a function of this type and of the name of the DPA's function into the
 * program. The host passes its address on and never calls it.
 */
typedef void(doca_dpa_func_t)(void);

/**
 * @brief Reports whether a device has a DPA that programs can use.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it has, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no DPA, or not for this program.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Creates a DPA context on a device. It has to be given its application and started before
 * use.
 *
 * @param [in] dev The device. It must stay open as long as the context exists.
 * doca_dpa_cap_is_supported() reports whether it has a DPA.
 * @param [out] dpa The new context. Destroy it with doca_dpa_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no DPA that the program can use.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa);

/**
 * @brief Destroys a DPA context, stopping it first if it is started.
 *
 * @param [in] dpa The context. What was created from it must have been destroyed.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_IN_USE: something still uses the context.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_destroy(struct doca_dpa *dpa);

/**
 * @brief Starts a DPA context: loads its application, so that memory, threads and the rest can be
 * had from it.
 *
 * @param [in] dpa The context; its application must be set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL, or its settings are incomplete.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_start(struct doca_dpa *dpa);

/**
 * @brief Stops a DPA context.
 *
 * @param [in] dpa The context. What was created from it must have been destroyed.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_IN_USE: a thread, a completion queue or an extended context has not been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_stop(struct doca_dpa *dpa);

/**
 * @brief Sets the application that runs on the DPA. The context cannot start without it.
 *
 * @param [in] dpa The context. It must not be started.
 * @param [in] app The application, the variable that the DPA compiler named as its --app-name
 * says. It stays the program's.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app);

/**
 * @brief Returns the application of a DPA context.
 *
 * @param [in] dpa The context.
 * @param [out] app The application. It belongs to the program.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app);

/**
 * @brief Returns the name of an application.
 *
 * @param [in] app The application.
 * @param [out] app_name Array of characters that receives the name.
 * @param [in,out] app_name_len In: length of the array in bytes. Out: length of the name.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the array is too short.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_app_get_name(
		struct doca_dpa_app *app,
		char *app_name,
		uint32_t *app_name_len);

/**
 * @brief Sets how much of what its code logs a DPA context lets through.
 *
 * @param [in] dpa The context; not started, and not an extended one.
 * @param [in] log_level The level; DOCA_DPA_DEV_LOG_LEVEL_INFO by default.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL, or the level is not a value of the enumeration.
 * - DOCA_ERROR_BAD_STATE: the context is started.
 * - DOCA_ERROR_NOT_PERMITTED: the context is an extended one.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t log_level);

/**
 * @brief Returns how much of what its code logs a DPA context lets through.
 *
 * @param [in] dpa The context.
 * @param [out] log_level The level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t *log_level);

/**
 * @brief Sets the file that the log of the DPA goes to, in place of the host's standard output.
 *
 * When code on the DPA fails, what is known of the crash goes to files of the same path with the
 * suffixes .PID.core and .PID.crash.
 *
 * @param [in] dpa The context; not started, and not an extended one.
 * @param [in] file_path Path of the file.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is started.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_OPERATING_SYSTEM: the file could not be opened.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_log_file_set_path(struct doca_dpa *dpa, const char *file_path);

/**
 * @brief Returns the path of the file that the log of the DPA goes to.
 *
 * @param [in] dpa The context.
 * @param [out] file_path Array of characters that receives the path.
 * @param [in,out] file_path_len In: length of the array in bytes. Out: length of the path.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: there is not enough memory for the path.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_log_file_get_path(
		struct doca_dpa *dpa,
		char *file_path,
		uint32_t *file_path_len);

/**
 * @brief Sets the file that the traces of the DPA go to, in place of the host's standard output.
 *
 * @param [in] dpa The context; not started, and not an extended one.
 * @param [in] file_path Path of the file.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is started.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_OPERATING_SYSTEM: the file could not be opened.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_trace_file_set_path(struct doca_dpa *dpa, const char *file_path);

/**
 * @brief Returns the path of the file that the traces of the DPA go to.
 *
 * @param [in] dpa The context.
 * @param [out] file_path Array of characters that receives the path.
 * @param [in,out] file_path_len In: length of the array in bytes. Out: length of the path.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: there is not enough memory for the path.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_trace_file_get_path(
		struct doca_dpa *dpa,
		char *file_path,
		uint32_t *file_path_len);

/**
 * @brief Returns the most threads that one kernel launch can have.
 *
 * @param [in] dpa The context.
 * @param [out] value Number of threads.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_max_threads_per_kernel(const struct doca_dpa *dpa, unsigned int *value);

/**
 * @brief Returns how long a kernel may run at most.
 *
 * @note The interface does not say in which unit.
 * @param [in] dpa The context.
 * @param [out] value The longest run time.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_kernel_max_run_time(
		const struct doca_dpa *dpa,
		unsigned long long *value);

/**
 * @brief Extends a DPA context to another device, such as a virtual function (VF) or a scalable
 * function (SF), whose resources the application is to use too.
 *
 * All that works together with an RDMA context on the other device has to be created from the
 * extended context. Code on the DPA selects it with doca_dpa_dev_device_set().
 *
 * @param [in] dpa The base context; started, and not itself an extended one.
 * @param [in] other_dev The other device. It must stay open as long as the extended context lives.
 * @param [out] extended_dpa The extended context. It is started already. To be destroyed with
 * doca_dpa_destroy(), before the base.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the base is not started, or is itself an extended context.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_device_extend(
		struct doca_dpa *dpa,
		struct doca_dev *other_dev,
		struct doca_dpa **extended_dpa);

/**
 * @brief Returns the handle of a DPA context for code that runs on the DPA.
 *
 * @param [in] dpa The context. It must be started.
 * @param [out] handle The handle, an argument of doca_dpa_dev_device_set(); valid until the
 * context is stopped.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_dpa_handle(struct doca_dpa *dpa, doca_dpa_dev_t *handle);

/**
 * @brief Returns the number of the user access region (UAR) of a DPA context: the page through
 * which it tells the device of new work.
 *
 * @param [in] dpa The context. It must be started.
 * @param [out] uar_id Number of the region.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_uar_id(const struct doca_dpa *dpa, uint32_t *uar_id);

/**
 * @brief Launches a kernel, a function that runs on the DPA in one or more threads at the same
 * time, which sets a synchronisation event when it ends.
 *
 * The call returns at once. The kernel begins when the value of the wait event is at least the
 * threshold, and when all its threads have returned, the completion event gets the value
 * comp_count.
 *
 * The arguments behind func are passed to it, as many and of the same types as it declares;
 * nothing checks them.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] wait_event The event that the kernel waits for, with the DPA among its subscribers;
 * NULL to begin at once.
 * @param [in] wait_threshold Smallest value of the wait event at which the kernel begins, 0 to
 * 254; without a wait event it has no meaning.
 * @param [in] comp_event The event that tells of the end, with the DPA among its publishers, or
 * NULL.
 * @param [in] comp_count The new value of the completion event.
 * @param [in] num_threads Number of threads, up to doca_dpa_get_max_threads_per_kernel(). The
 * function tells them apart by doca_dpa_dev_thread_rank().
 * @param [in] func The function, which has no result.
 * @param [in] ... The arguments of the function.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_kernel_launch_update_set(
		struct doca_dpa *dpa,
		struct doca_sync_event *wait_event,
		uint64_t wait_threshold,
		struct doca_sync_event *comp_event,
		uint64_t comp_count,
		unsigned int num_threads,
		doca_dpa_func_t *func,
		...);

/**
 * @brief Launches a kernel, a function that runs on the DPA in one or more threads at the same
 * time, which adds to a synchronisation event when it ends.
 *
 * The call returns at once. The kernel begins when the value of the wait event is at least the
 * threshold, and when all its threads have returned, comp_count is added to the completion event.
 *
 * The arguments behind func are passed to it, as many and of the same types as it declares;
 * nothing checks them.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] wait_event The event that the kernel waits for, with the DPA among its subscribers;
 * NULL to begin at once.
 * @param [in] wait_threshold Smallest value of the wait event at which the kernel begins, 0 to
 * 254; without a wait event it has no meaning.
 * @param [in] comp_event The event that tells of the end, with the DPA among its publishers, or
 * NULL.
 * @param [in] comp_count What is added to the completion event.
 * @param [in] num_threads Number of threads, up to doca_dpa_get_max_threads_per_kernel(). The
 * function tells them apart by doca_dpa_dev_thread_rank().
 * @param [in] func The function, which has no result.
 * @param [in] ... The arguments of the function.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_kernel_launch_update_add(
		struct doca_dpa *dpa,
		struct doca_sync_event *wait_event,
		uint64_t wait_threshold,
		struct doca_sync_event *comp_event,
		uint64_t comp_count,
		unsigned int num_threads,
		doca_dpa_func_t *func,
		...);

/**
 * @brief Calls a function on the DPA and waits for its result.
 *
 * The arguments behind retval are passed to it, as many and of the same types as it declares;
 * nothing checks them.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] func The function, which the DPA's code marks as callable from the host
 * (__dpa_rpc__) and which returns 64 bits.
 * @param [out] retval The result of the function.
 * @param [in] ... The arguments of the function.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...);

/**
 * @brief Reports whether an error has happened on the DPA. The error stays.
 *
 * After an error the context is of no use but to be destroyed. What is known of the crash is in
 * files with the suffixes .PID.core and .PID.crash: of the path that doca_dpa_log_file_set_path()
 * set, else of the name doca_dpa_fatal in the directory for temporary files.
 *
 * @param [in] dpa The context.
 * @return DOCA_SUCCESS if there was none, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL.
 * - DOCA_ERROR_BAD_STATE: an error has happened.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa);

/**
 * @brief Allocates memory of the DPA.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] size Number of bytes.
 * @param [out] dev_ptr Address of the memory on the DPA. Free it with doca_dpa_mem_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr);

/**
 * @brief Frees memory of the DPA.
 *
 * @param [in] dpa The context that the memory was allocated from.
 * @param [in] dev_ptr Address of the memory, from doca_dpa_mem_alloc().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr);

/**
 * @brief Copies memory of the host to the DPA. The copy is done when the call returns.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] dst_ptr Address on the DPA to copy to.
 * @param [in] src_ptr Address on the host to copy from; it is only read.
 * @param [in] size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_h2d_memcpy(
		struct doca_dpa *dpa,
		doca_dpa_dev_uintptr_t dst_ptr,
		void *src_ptr,
		size_t size);

/**
 * @brief Copies a buffer of the host to the DPA. The copy is done when the call returns.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] dst_ptr Address on the DPA to copy to.
 * @param [in] buf The buffer to copy from. It stays the caller's.
 * @param [in] size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_h2d_buf_memcpy(
		struct doca_dpa *dpa,
		doca_dpa_dev_uintptr_t dst_ptr,
		struct doca_buf *buf,
		size_t size);

/**
 * @brief Copies memory of the DPA to the host. The copy is done when the call returns.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] dst_ptr Address on the host to copy to.
 * @param [in] src_ptr Address on the DPA to copy from.
 * @param [in] size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_d2h_memcpy(
		struct doca_dpa *dpa,
		void *dst_ptr,
		doca_dpa_dev_uintptr_t src_ptr,
		size_t size);

/**
 * @brief Copies memory of the DPA to a buffer of the host. The copy is done when the call returns.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] buf The buffer to copy to. It stays the caller's.
 * @param [in] src_ptr Address on the DPA to copy from.
 * @param [in] size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_d2h_buf_memcpy(
		struct doca_dpa *dpa,
		struct doca_buf *buf,
		doca_dpa_dev_uintptr_t src_ptr,
		size_t size);

/**
 * @brief Fills memory of the DPA with a byte. It is filled when the call returns.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] dev_ptr Address of the memory on the DPA.
 * @param [in] value The byte.
 * @param [in] size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_memset(
		struct doca_dpa *dpa,
		doca_dpa_dev_uintptr_t dev_ptr,
		int value,
		size_t size);

/**
 * @brief Creates a hash table in the memory of the DPA.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] num_entries Most entries that the table is to hold; rounded up to a power of two.
 * @param [out] ht The new table. Destroy it with doca_dpa_hash_table_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_hash_table_create(
		struct doca_dpa *dpa,
		unsigned int num_entries,
		struct doca_dpa_hash_table **ht);

/**
 * @brief Destroys a hash table.
 *
 * @param [in] ht The table. Code on the DPA must no longer use it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: ht is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the table is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_hash_table_destroy(struct doca_dpa_hash_table *ht);

/**
 * @brief Returns the handle of a hash table for code that runs on the DPA.
 *
 * @param [in] ht The table.
 * @param [out] ht_handle The handle. It is valid until the table is destroyed.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_hash_table_get_dpa_handle(
		struct doca_dpa_hash_table *ht,
		doca_dpa_dev_hash_table_t *ht_handle);

/**
 * @brief Returns how many cores the DPA has.
 *
 * @param [in] dpa The context.
 * @param [out] num_cores Number of cores.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_core_num(struct doca_dpa *dpa, unsigned int *num_cores);

/**
 * @brief Returns how many execution units (EUs) each core of the DPA has. An execution unit runs
 * one thread at a time.
 *
 * @param [in] dpa The context.
 * @param [out] eus_per_core Number of execution units.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_num_eus_per_core(struct doca_dpa *dpa, unsigned int *eus_per_core);

/**
 * @brief Returns how many execution units of the DPA a context can use.
 *
 * @param [in] dpa The context.
 * @param [out] total_num_eus Number of execution units.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_total_num_eus_available(
		struct doca_dpa *dpa,
		unsigned int *total_num_eus);

/**
 * @brief Creates an affinity, which names no execution unit yet.
 *
 * @param [in] dpa The context.
 * @param [out] affinity The new affinity. Destroy it with doca_dpa_eu_affinity_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_create(
		struct doca_dpa *dpa,
		struct doca_dpa_eu_affinity **affinity);

/**
 * @brief Destroys an affinity.
 *
 * @param [in] affinity The affinity.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: affinity is NULL.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the affinity has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *affinity);

/**
 * @brief Sets the execution unit that an affinity names.
 *
 * @param [in] affinity The affinity.
 * @param [in] eu_id Number of the execution unit.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: affinity is NULL, or there is no such execution unit.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *affinity, unsigned int eu_id);

/**
 * @brief Takes back the execution unit that an affinity names.
 *
 * @param [in] affinity The affinity.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: affinity is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_clear(struct doca_dpa_eu_affinity *affinity);

/**
 * @brief Returns the execution unit that an affinity names.
 *
 * @param [in] affinity The affinity.
 * @param [out] eu_id Number of the execution unit that was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_get(struct doca_dpa_eu_affinity *affinity, unsigned int *eu_id);

/**
 * @brief Creates a thread on the DPA.
 *
 * The thread has to be given its function, be started, and, once it has a completion queue or a
 * notification completion, be run. From then on each completion wakes it: its function runs from
 * the start until it calls doca_dpa_dev_thread_reschedule(), which waits for the next one, or
 * doca_dpa_dev_thread_finish(), which ends the thread for good.
 *
 * @param [in] dpa The context.
 * @param [out] dpa_thread The new thread. Destroy it with doca_dpa_thread_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread);

/**
 * @brief Destroys a thread, stopping it first if it is started.
 *
 * @param [in] dpa_thread The thread. What it was attached to, such as completion queues, must have
 * been destroyed.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the thread has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread);

/**
 * @brief Sets the function that a thread runs, and its argument. Mandatory before the thread is
 * started.
 *
 * @param [in] dpa_thread The thread. It must not be started.
 * @param [in] func The function, which takes one argument of 64 bits and has no result.
 * @param [in] arg The argument, the same each time.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the thread is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_func_arg(
		struct doca_dpa_thread *dpa_thread,
		doca_dpa_func_t *func,
		uint64_t arg);

/**
 * @brief Returns the function that a thread runs, and its argument.
 *
 * @param [in] dpa_thread The thread.
 * @param [out] func The function.
 * @param [out] arg The argument.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_func_arg(
		struct doca_dpa_thread *dpa_thread,
		doca_dpa_func_t **func,
		uint64_t *arg);

/**
 * @brief Sets the memory that is a thread's own. Code on the DPA gets it with
 * doca_dpa_dev_thread_get_local_storage().
 *
 * @param [in] dpa_thread The thread. It must not be started.
 * @param [in] dev_ptr Address of the memory on the DPA, such as from doca_dpa_mem_alloc(). It
 * stays the caller's and must outlive the thread.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 * - DOCA_ERROR_BAD_STATE: the thread is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_local_storage(
		struct doca_dpa_thread *dpa_thread,
		doca_dpa_dev_uintptr_t dev_ptr);

/**
 * @brief Returns the memory that is a thread's own.
 *
 * @param [in] dpa_thread The thread.
 * @param [out] dev_ptr Address of the memory on the DPA.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_local_storage(
		struct doca_dpa_thread *dpa_thread,
		doca_dpa_dev_uintptr_t *dev_ptr);

/**
 * @brief Sets the execution unit that a thread runs on.
 *
 * @param [in] dpa_thread The thread. It must not be started.
 * @param [in] affinity The affinity that names it. It stays the caller's.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the thread is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_affinity(
		struct doca_dpa_thread *dpa_thread,
		const struct doca_dpa_eu_affinity *affinity);

/**
 * @brief Returns the affinity of a thread.
 *
 * @param [in] dpa_thread The thread.
 * @param [out] affinity The affinity that was set. Its creator owns it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_affinity(
		struct doca_dpa_thread *dpa_thread,
		const struct doca_dpa_eu_affinity **affinity);

/**
 * @brief Starts a thread. Completion queues can then be attached to it; it does not run before
 * doca_dpa_thread_run().
 *
 * @param [in] dpa_thread The thread; its function must be set, and its DPA context started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the thread has no function, or its DPA context is not started or
 *   destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread);

/**
 * @brief Stops a thread.
 *
 * @param [in] dpa_thread The thread.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the thread has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread);

/**
 * @brief Lets a thread run: from then on completions wake it.
 *
 * @param [in] dpa_thread The thread. It must be started, and have a completion queue or a
 * notification completion that is started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the thread is not started, or nothing can wake it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread);

/**
 * @brief Returns the number of a thread on the DPA.
 *
 * @param [in] dpa_thread The thread.
 * @param [out] dpa_thread_id Its number.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the thread is in a state that does not allow the call.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_id(struct doca_dpa_thread *dpa_thread, uint32_t *dpa_thread_id);

/**
 * @brief Creates a group of threads.
 *
 * @param [in] dpa The context.
 * @param [in] num_threads Number of threads of the group.
 * @param [out] tg The new group. Destroy it with doca_dpa_thread_group_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_create(
		struct doca_dpa *dpa,
		unsigned int num_threads,
		struct doca_dpa_tg **tg);

/**
 * @brief Destroys a group of threads, stopping it first if it is started. The threads stay.
 *
 * @param [in] tg The group.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: tg is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the group has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_destroy(struct doca_dpa_tg *tg);

/**
 * @brief Returns how many threads a group has: what doca_dpa_thread_group_create() was given.
 *
 * @param [in] tg The group.
 * @param [out] num_threads Number of threads.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_get_num_threads(
		struct doca_dpa_tg *tg,
		unsigned int *num_threads);

/**
 * @brief Puts a thread into a group. Every rank has to be given a thread before the group is
 * started.
 *
 * @param [in] tg The group. It must not be started.
 * @param [in] thread The thread. It must be started before the group is.
 * @param [in] rank Number of the thread in the group, from 0 to the number of threads less 1.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or rank is out of range.
 * - DOCA_ERROR_BAD_STATE: the group is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_set_thread(
		struct doca_dpa_tg *tg,
		struct doca_dpa_thread *thread,
		unsigned int rank);

/**
 * @brief Starts a group of threads.
 *
 * @param [in] tg The group; every rank must have a thread, which is started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: tg is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: a rank has no thread, or a thread is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_start(struct doca_dpa_tg *tg);

/**
 * @brief Stops a group of threads.
 *
 * @param [in] tg The group.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: tg is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the group has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_stop(struct doca_dpa_tg *tg);

/**
 * @brief Creates a completion queue that is read on the DPA.
 *
 * @param [in] dpa The context.
 * @param [in] queue_size Number of completions that the queue can hold; rounded up to a power of
 * two.
 * @param [out] dpa_comp The new queue. Destroy it with doca_dpa_completion_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_create(
		struct doca_dpa *dpa,
		unsigned int queue_size,
		struct doca_dpa_completion **dpa_comp);

/**
 * @brief Destroys a completion queue, stopping it first if it is started.
 *
 * @param [in] dpa_comp The queue. What is attached to it, such as asynchronous operations or RDMA
 * contexts, must have been destroyed.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_comp is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the queue has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp);

/**
 * @brief Returns how many completions a queue can hold.
 *
 * @param [in] dpa_comp The queue.
 * @param [out] queue_size Number of completions.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_queue_size(
		struct doca_dpa_completion *dpa_comp,
		unsigned int *queue_size);

/**
 * @brief Sets the thread that a completion queue wakes.
 *
 * @param [in] dpa_comp The queue. It must not be started.
 * @param [in] dpa_thread The thread. It must be started before the queue is, and outlive it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_set_thread(
		struct doca_dpa_completion *dpa_comp,
		struct doca_dpa_thread *dpa_thread);

/**
 * @brief Returns the thread that a completion queue wakes.
 *
 * @param [in] dpa_comp The queue.
 * @param [out] dpa_thread The thread that was set. Its creator owns it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_thread(
		struct doca_dpa_completion *dpa_comp,
		struct doca_dpa_thread **dpa_thread);

/**
 * @brief Starts a completion queue. What produces completions can then be attached to it.
 *
 * @param [in] dpa_comp The queue; the thread that it wakes must be started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_comp is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the thread of the queue is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp);

/**
 * @brief Stops a completion queue.
 *
 * @param [in] dpa_comp The queue.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_comp is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the queue has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp);

/**
 * @brief Returns the handle of a completion queue for code that runs on the DPA.
 *
 * @param [in] dpa_comp The queue. It must be started.
 * @param [out] handle The handle. It is valid until the queue stops.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_dpa_handle(
		struct doca_dpa_completion *dpa_comp,
		doca_dpa_dev_completion_t *handle);

/**
 * @brief Creates a queue of asynchronous operations, which code on the DPA posts with
 * doca_dpa_dev_post_memcpy() and its like.
 *
 * @param [in] dpa The context.
 * @param [in] queue_size Number of operations that the queue can hold, a power of two.
 * @param [in] user_data A number that the completions of the operations carry, of at most
 * DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA bits.
 * @param [out] async_ops The new queue. Destroy it with doca_dpa_async_ops_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_create(
		struct doca_dpa *dpa,
		unsigned int queue_size,
		uint64_t user_data,
		struct doca_dpa_async_ops **async_ops);

/**
 * @brief Destroys a queue of asynchronous operations, stopping it first if it is started.
 *
 * @param [in] async_ops The queue.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: async_ops is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the queue has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops);

/**
 * @brief Returns how many asynchronous operations a queue can hold.
 *
 * @param [in] async_ops The queue.
 * @param [out] queue_size Number of operations.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_get_queue_size(
		struct doca_dpa_async_ops *async_ops,
		unsigned int *queue_size);

/**
 * @brief Returns the number that the completions of a queue of asynchronous operations carry.
 *
 * @param [in] async_ops The queue.
 * @param [out] user_data The number that doca_dpa_async_ops_create() was given.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_get_user_data(
		struct doca_dpa_async_ops *async_ops,
		uint64_t *user_data);

/**
 * @brief Sets the completion queue that is told when asynchronous operations end. Mandatory before
 * the operations are started.
 *
 * @param [in] async_ops The queue of operations. It must not be started.
 * @param [in] dpa_comp The completion queue. It must be started before the operations are, and
 * outlive them.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue of operations is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_attach(
		struct doca_dpa_async_ops *async_ops,
		struct doca_dpa_completion *dpa_comp);

/**
 * @brief Starts a queue of asynchronous operations. Code on the DPA can then post to it.
 *
 * @param [in] async_ops The queue. It must be attached to a completion queue that is started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: async_ops is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: there is no completion queue, or it is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops);

/**
 * @brief Stops a queue of asynchronous operations.
 *
 * @param [in] async_ops The queue.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: async_ops is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the queue has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops);

/**
 * @brief Returns the handle of a queue of asynchronous operations for code that runs on the DPA.
 *
 * @param [in] async_ops The queue. It must be started.
 * @param [out] handle The handle. It is valid until the queue stops.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_get_dpa_handle(
		struct doca_dpa_async_ops *async_ops,
		doca_dpa_dev_async_ops_t *handle);

/**
 * @brief Creates a notification completion: code on the DPA passes it to
 * doca_dpa_dev_thread_notify() to wake a thread.
 *
 * @param [in] dpa The context.
 * @param [in] dpa_thread The thread that it wakes. It must outlive the notification completion.
 * @param [out] notify_comp The new notification completion. Destroy it with
 * doca_dpa_notification_completion_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_create(
		struct doca_dpa *dpa,
		struct doca_dpa_thread *dpa_thread,
		struct doca_dpa_notification_completion **notify_comp);

/**
 * @brief Destroys a notification completion, stopping it first if it is started. To be done before
 * its thread is destroyed.
 *
 * @param [in] notify_comp The notification completion.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: notify_comp is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the notification completion has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_destroy(
		struct doca_dpa_notification_completion *notify_comp);

/**
 * @brief Returns the thread that a notification completion wakes.
 *
 * @param [in] notify_comp The notification completion.
 * @param [out] dpa_thread The thread that it was created for. Its creator owns it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_get_thread(
		struct doca_dpa_notification_completion *notify_comp,
		struct doca_dpa_thread **dpa_thread);

/**
 * @brief Starts a notification completion.
 *
 * @param [in] notify_comp The notification completion; its thread must be started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: notify_comp is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the thread is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_start(
		struct doca_dpa_notification_completion *notify_comp);

/**
 * @brief Stops a notification completion.
 *
 * @param [in] notify_comp The notification completion.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: notify_comp is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the notification completion has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_stop(
		struct doca_dpa_notification_completion *notify_comp);

/**
 * @brief Returns the handle of a notification completion for code that runs on the DPA.
 *
 * @param [in] notify_comp The notification completion. It must be started.
 * @param [out] handle The handle. It is valid until the notification completion stops.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the notification completion is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_get_dpa_handle(
		struct doca_dpa_notification_completion *notify_comp,
		doca_dpa_dev_notification_completion_t *handle);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_H_ */
