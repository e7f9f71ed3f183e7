/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa.h
 * @brief The host API of the data-path accelerator (DPA): contexts, memory, kernels, threads and
 * queues.
 *
 * Create a context with doca_dpa_create(), set its application with doca_dpa_set_app() and start
 * it with doca_dpa_start(). Then launch functions of the application with
 * doca_dpa_kernel_launch_update_set(), or create a thread, configure it, start it, attach a
 * completion queue and call doca_dpa_thread_run(). Destroy all objects in reverse order, the DPA
 * context last. The DPA compiler compiles the code for the DPA separately, against the
 * doca_dpa_dev headers. They repeat types of this header, so no source file may include both.
 *
 * A DPA context is not a struct doca_ctx and has no progress engine. A kernel launch is
 * asynchronous. Copies and remote procedure calls are synchronous. doca_ctx_set_datapath_on_dpa()
 * moves the data path of a context of another library to the DPA.
 *
 * Addresses and handles on the DPA are numbers that the host cannot dereference. It passes them to
 * these functions, and to code on the DPA as arguments.
 */
#ifndef DOCA_DPA_H_
#define DOCA_DPA_H_

#include <stdint.h>
#include <stddef.h>
#include <stdarg.h>
#include <stdbool.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Maximum number of bits of the user data of a completion on the DPA. */
#define DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA (24)

struct doca_devinfo;
struct doca_dev;
struct doca_sync_event;

/** @brief A DPA context: a process on the DPA of a device, which runs one application. */
struct doca_dpa;

struct doca_buf;

/** @brief A hash table in DPA memory, with 32-bit keys and 64-bit values. */
struct doca_dpa_hash_table;

/** @brief An affinity: the choice of an execution unit (EU) of the DPA for threads. */
struct doca_dpa_eu_affinity;

/** @brief A thread on the DPA. It runs its function each time a completion wakes it. */
struct doca_dpa_thread;

/** @brief A thread group: DPA threads, each with a rank. */
struct doca_dpa_tg;

/** @brief A completion queue, which code on the DPA reads. It can wake a thread. */
struct doca_dpa_completion;

/** @brief A queue of asynchronous operations, such as copies, which code on the DPA posts. */
struct doca_dpa_async_ops;

/**
 * @brief A notification completion, with which code on the DPA wakes a thread without any data.
 */
struct doca_dpa_notification_completion;

/** @brief An application for the DPA. The DPA compiler adds it to the program as a variable. */
struct doca_dpa_app;

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

/** @brief Handle of a DPA context for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_t;

/** @brief An address in DPA memory. The host cannot dereference it. */
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
 * @brief Symbol on the host for a function of the DPA application.
 *
 * For each function, the DPA compiler adds a symbol of this type and with the name of the function
 * to the program. The host passes its address to DOCA and never calls it.
 */
typedef void(doca_dpa_func_t)(void);

/**
 * @brief Reports whether a device has a DPA that the program can use.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no DPA, or the program cannot use it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Creates a DPA context on a device. Set its application and start it before use.
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
 * @brief Destroys a DPA context, and stops it first if it is started.
 *
 * @param [in] dpa The context. All objects that were created from it must be destroyed first.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_IN_USE: another object still uses the context.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_destroy(struct doca_dpa *dpa);

/**
 * @brief Starts a DPA context: loads its application. The program can then allocate memory, create
 * threads and launch kernels.
 *
 * @param [in] dpa The context. Its application must be set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL, or its configuration is incomplete.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_start(struct doca_dpa *dpa);

/**
 * @brief Stops a DPA context.
 *
 * @param [in] dpa The context. All objects that were created from it must be destroyed first.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_IN_USE: a thread, a completion queue or an extended context still exists.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_stop(struct doca_dpa *dpa);

/**
 * @brief Sets the application of a DPA context. The context cannot start without it.
 *
 * @param [in] dpa The context. It must not be started.
 * @param [in] app The application: the variable that the DPA compiler names by its --app-name
 * option. The program keeps ownership.
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
 * @param [out] app The application. The program owns it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app);

/**
 * @brief Returns the name of an application.
 *
 * @param [in] app The application.
 * @param [out] app_name Buffer that receives the name.
 * @param [in,out] app_name_len In: length of the buffer in bytes. Out: length of the name.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the buffer is too small.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_app_get_name(
		struct doca_dpa_app *app,
		char *app_name,
		uint32_t *app_name_len);

/**
 * @brief Sets the log level of the DPA code of a context.
 *
 * @param [in] dpa The context. It must not be started or extended.
 * @param [in] log_level The level. The default is DOCA_DPA_DEV_LOG_LEVEL_INFO.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL, or log_level is not a value of the enumeration.
 * - DOCA_ERROR_BAD_STATE: the context is started.
 * - DOCA_ERROR_NOT_PERMITTED: the context is an extended context.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t log_level);

/**
 * @brief Returns the log level of the DPA code of a context.
 *
 * @param [in] dpa The context.
 * @param [out] log_level The level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t *log_level);

/**
 * @brief Sets the file for the log of the DPA. The default is the standard output of the host.
 *
 * If code on the DPA crashes, DOCA writes the crash data to files with the same path and the
 * suffixes .PID.core and .PID.crash.
 *
 * @param [in] dpa The context. It must not be started or extended.
 * @param [in] file_path Path of the file.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is started.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_OPERATING_SYSTEM: the library cannot open the file.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_log_file_set_path(struct doca_dpa *dpa, const char *file_path);

/**
 * @brief Returns the path of the file for the log of the DPA.
 *
 * @param [in] dpa The context.
 * @param [out] file_path Buffer that receives the path.
 * @param [in,out] file_path_len In: length of the buffer in bytes. Out: length of the path.
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
 * @brief Sets the file for the traces of the DPA. The default is the standard output of the host.
 *
 * @param [in] dpa The context. It must not be started or extended.
 * @param [in] file_path Path of the file.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is started.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_OPERATING_SYSTEM: the library cannot open the file.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_trace_file_set_path(struct doca_dpa *dpa, const char *file_path);

/**
 * @brief Returns the path of the file for the traces of the DPA.
 *
 * @param [in] dpa The context.
 * @param [out] file_path Buffer that receives the path.
 * @param [in,out] file_path_len In: length of the buffer in bytes. Out: length of the path.
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
 * @brief Returns the maximum number of threads of a kernel launch.
 *
 * @param [in] dpa The context.
 * @param [out] value Number of threads.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_max_threads_per_kernel(const struct doca_dpa *dpa, unsigned int *value);

/**
 * @brief Returns the maximum run time of a kernel.
 *
 * @note The interface does not state the unit.
 * @param [in] dpa The context.
 * @param [out] value The maximum run time.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_kernel_max_run_time(
		const struct doca_dpa *dpa,
		unsigned long long *value);

/**
 * @brief Extends a DPA context to another device, such as a virtual function (VF) or scalable
 * function (SF), so that the application can use its resources.
 *
 * All objects that an RDMA context on the other device uses must be created from the extended
 * context. Code on the DPA selects it with doca_dpa_dev_device_set().
 *
 * @param [in] dpa The base context. It must be started, and must not be an extended context.
 * @param [in] other_dev The other device. It must stay open as long as the extended context lives.
 * @param [out] extended_dpa The extended context, which is already started. Destroy it with
 * doca_dpa_destroy() before the base context.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the base context is not started, or is an extended context.
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
 * @param [out] handle The handle, for doca_dpa_dev_device_set(). It is valid until the context
 * stops.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_dpa_handle(struct doca_dpa *dpa, doca_dpa_dev_t *handle);

/**
 * @brief Returns the ID of the user access region (UAR) of a DPA context: the page for its
 * doorbells.
 *
 * @param [in] dpa The context. It must be started.
 * @param [out] uar_id The ID.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_uar_id(const struct doca_dpa *dpa, uint32_t *uar_id);

/**
 * @brief Launches a kernel: a function that runs on the DPA in one or more threads. It sets the
 * completion event when it ends.
 *
 * The call is asynchronous. The kernel starts when the value of the wait event is at least
 * wait_threshold. When all its threads have returned, DOCA sets the completion event to
 * comp_count.
 *
 * The arguments after func go to the function. Their number and types must match its declaration.
 * Nothing checks them.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] wait_event The event that the kernel waits for, or NULL to start immediately. The
 * DPA must be one of its subscribers.
 * @param [in] wait_threshold Smallest value of the wait event at which the kernel starts, 0 to
 * 254. It is ignored without a wait event.
 * @param [in] comp_event The completion event, or NULL. The DPA must be one of its publishers.
 * @param [in] comp_count The new value of the completion event.
 * @param [in] num_threads Number of threads, up to doca_dpa_get_max_threads_per_kernel(). Each
 * thread gets its rank from doca_dpa_dev_thread_rank().
 * @param [in] func The function. It must not have a result.
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
 * @brief Launches a kernel: a function that runs on the DPA in one or more threads. It adds to the
 * completion event when it ends.
 *
 * The call is asynchronous. The kernel starts when the value of the wait event is at least
 * wait_threshold. When all its threads have returned, DOCA adds comp_count to the completion
 * event.
 *
 * The arguments after func go to the function. Their number and types must match its declaration.
 * Nothing checks them.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] wait_event The event that the kernel waits for, or NULL to start immediately. The
 * DPA must be one of its subscribers.
 * @param [in] wait_threshold Smallest value of the wait event at which the kernel starts, 0 to
 * 254. It is ignored without a wait event.
 * @param [in] comp_event The completion event, or NULL. The DPA must be one of its publishers.
 * @param [in] comp_count The number that DOCA adds to the completion event.
 * @param [in] num_threads Number of threads, up to doca_dpa_get_max_threads_per_kernel(). Each
 * thread gets its rank from doca_dpa_dev_thread_rank().
 * @param [in] func The function. It must not have a result.
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
 * The arguments after retval go to the function. Their number and types must match its
 * declaration. Nothing checks them.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] func The function. The DPA code must mark it with __dpa_rpc__, and it must return 64
 * bits.
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
 * @brief Reports whether an error has occurred on the DPA. The call does not clear the error.
 *
 * After an error the program can only destroy the context. The crash data is in files with the
 * suffixes .PID.core and .PID.crash. Their path is that of doca_dpa_log_file_set_path(), or else
 * doca_dpa_fatal in the directory for temporary files.
 *
 * @param [in] dpa The context.
 * @return DOCA_SUCCESS if no error has occurred, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL.
 * - DOCA_ERROR_BAD_STATE: an error has occurred.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa);

/**
 * @brief Allocates DPA memory.
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
 * @brief Frees DPA memory.
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
 * @brief Copies host memory to DPA memory. The call is synchronous.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] dst_ptr Address on the DPA to copy to.
 * @param [in] src_ptr Address on the host to copy from. DOCA only reads it.
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
 * @brief Copies a host buffer to DPA memory. The call is synchronous.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] dst_ptr Address on the DPA to copy to.
 * @param [in] buf The buffer to copy from. The caller keeps ownership.
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
 * @brief Copies DPA memory to host memory. The call is synchronous.
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
 * @brief Copies DPA memory to a host buffer. The call is synchronous.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] buf The buffer to copy to. The caller keeps ownership.
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
 * @brief Fills DPA memory with a byte. The call is synchronous.
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
 * @brief Creates a hash table in DPA memory.
 *
 * @param [in] dpa The context. It must be started.
 * @param [in] num_entries Maximum number of entries. DOCA rounds it up to a power of two.
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
 * @brief Returns the number of cores of the DPA.
 *
 * @param [in] dpa The context.
 * @param [out] num_cores Number of cores.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_core_num(struct doca_dpa *dpa, unsigned int *num_cores);

/**
 * @brief Returns the number of execution units (EUs) of each core of the DPA. An EU runs one
 * thread at a time.
 *
 * @param [in] dpa The context.
 * @param [out] eus_per_core Number of EUs.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_num_eus_per_core(struct doca_dpa *dpa, unsigned int *eus_per_core);

/**
 * @brief Returns the number of EUs of the DPA that a context can use.
 *
 * @param [in] dpa The context.
 * @param [out] total_num_eus Number of EUs.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_total_num_eus_available(
		struct doca_dpa *dpa,
		unsigned int *total_num_eus);

/**
 * @brief Creates an affinity without an EU.
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
 * @brief Sets the EU of an affinity.
 *
 * @param [in] affinity The affinity.
 * @param [in] eu_id ID of the EU.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: affinity is NULL, or the EU does not exist.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *affinity, unsigned int eu_id);

/**
 * @brief Clears the EU of an affinity.
 *
 * @param [in] affinity The affinity.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: affinity is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_clear(struct doca_dpa_eu_affinity *affinity);

/**
 * @brief Returns the EU of an affinity.
 *
 * @param [in] affinity The affinity.
 * @param [out] eu_id ID of the EU.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_get(struct doca_dpa_eu_affinity *affinity, unsigned int *eu_id);

/**
 * @brief Creates a thread on the DPA.
 *
 * Set the function of the thread, start the thread, attach a completion queue or a notification
 * completion, and call doca_dpa_thread_run(). Each completion then wakes the thread, and its
 * function runs from the start. doca_dpa_dev_thread_reschedule() puts the thread to sleep until
 * the next completion. doca_dpa_dev_thread_finish() ends it permanently.
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
 * @brief Destroys a thread, and stops it first if it is started.
 *
 * @param [in] dpa_thread The thread. Its completion queues and notification completions must be
 * destroyed first.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the thread has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread);

/**
 * @brief Sets the function of a thread, and its argument. The thread cannot start without it.
 *
 * @param [in] dpa_thread The thread. It must not be started.
 * @param [in] func The function. It must take one 64-bit argument and have no result.
 * @param [in] arg The argument. It is the same for each run.
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
 * @brief Returns the function of a thread, and its argument.
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
 * @brief Sets the local storage of a thread. Code on the DPA gets it with
 * doca_dpa_dev_thread_get_local_storage().
 *
 * @param [in] dpa_thread The thread. It must not be started.
 * @param [in] dev_ptr Address of the memory on the DPA, such as from doca_dpa_mem_alloc(). The
 * caller keeps ownership. The memory must outlive the thread.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 * - DOCA_ERROR_BAD_STATE: the thread is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_local_storage(
		struct doca_dpa_thread *dpa_thread,
		doca_dpa_dev_uintptr_t dev_ptr);

/**
 * @brief Returns the local storage of a thread.
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
 * @brief Sets the EU that a thread runs on.
 *
 * @param [in] dpa_thread The thread. It must not be started.
 * @param [in] affinity The affinity with the EU. The caller keeps ownership.
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
 * @param [out] affinity The affinity. Its creator owns it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_affinity(
		struct doca_dpa_thread *dpa_thread,
		const struct doca_dpa_eu_affinity **affinity);

/**
 * @brief Starts a thread. Completion queues can then attach to it. It does not run before
 * doca_dpa_thread_run().
 *
 * @param [in] dpa_thread The thread. Its function must be set, and its DPA context must be
 * started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the thread has no function, or its DPA context is not started or has
 *   been destroyed.
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
 * @brief Runs a thread: completions can then wake it.
 *
 * @param [in] dpa_thread The thread. It must be started, and have a started completion queue or
 * notification completion.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the thread is not started, or nothing can wake it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread);

/**
 * @brief Returns the ID of a thread on the DPA.
 *
 * @param [in] dpa_thread The thread.
 * @param [out] dpa_thread_id The ID.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the thread is in a state that does not allow the call.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_id(struct doca_dpa_thread *dpa_thread, uint32_t *dpa_thread_id);

/**
 * @brief Creates a thread group.
 *
 * @param [in] dpa The context.
 * @param [in] num_threads Number of threads in the group.
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
 * @brief Destroys a thread group, and stops it first if it is started. The threads remain.
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
 * @brief Returns the number of threads in a thread group.
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
 * @brief Sets the thread of a rank in a thread group. Every rank needs a thread before the group
 * can start.
 *
 * @param [in] tg The group. It must not be started.
 * @param [in] thread The thread. It must be started before the group starts.
 * @param [in] rank Rank of the thread in the group, from 0 to the number of threads minus 1.
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
 * @brief Starts a thread group.
 *
 * @param [in] tg The group. Every rank must have a started thread.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: tg is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: a rank has no thread, or a thread is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_start(struct doca_dpa_tg *tg);

/**
 * @brief Stops a thread group.
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
 * @brief Creates a completion queue, which code on the DPA reads.
 *
 * @param [in] dpa The context.
 * @param [in] queue_size Number of completions that the queue can hold. DOCA rounds it up to a
 * power of two.
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
 * @brief Destroys a completion queue, and stops it first if it is started.
 *
 * @param [in] dpa_comp The queue. All objects that are attached to it, such as RDMA contexts, must
 * be destroyed first.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dpa_comp is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the DPA context of the queue has been destroyed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp);

/**
 * @brief Returns the size of a completion queue.
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
 * @param [in] dpa_thread The thread. It must be started before the queue starts, and must outlive
 * the queue.
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
 * @param [out] dpa_thread The thread. Its creator owns it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_thread(
		struct doca_dpa_completion *dpa_comp,
		struct doca_dpa_thread **dpa_thread);

/**
 * @brief Starts a completion queue. Objects that produce completions can then attach to it.
 *
 * @param [in] dpa_comp The queue. The thread that it wakes must be started.
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
 * doca_dpa_dev_post_memcpy() and similar functions.
 *
 * @param [in] dpa The context.
 * @param [in] queue_size Number of operations that the queue can hold: a power of two.
 * @param [in] user_data User data of at most DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA bits, which the
 * completions of the operations carry.
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
 * @brief Destroys a queue of asynchronous operations, and stops it first if it is started.
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
 * @brief Returns the size of a queue of asynchronous operations.
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
 * @brief Returns the user data of a queue of asynchronous operations.
 *
 * @param [in] async_ops The queue.
 * @param [out] user_data The user data from doca_dpa_async_ops_create().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_get_user_data(
		struct doca_dpa_async_ops *async_ops,
		uint64_t *user_data);

/**
 * @brief Attaches a queue of asynchronous operations to the completion queue that receives its
 * completions. The queue cannot start without it.
 *
 * @param [in] async_ops The queue of operations. It must not be started.
 * @param [in] dpa_comp The completion queue. It must be started before the queue of operations
 * starts, and must outlive it.
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
 * @param [in] async_ops The queue. It must be attached to a started completion queue.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: async_ops is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_BAD_STATE: the queue has no completion queue, or the completion queue is not
 *   started.
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
 * @brief Creates a notification completion, with which code on the DPA wakes a thread: see
 * doca_dpa_dev_thread_notify().
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
 * @brief Destroys a notification completion, and stops it first if it is started. Destroy it
 * before its thread.
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
 * @param [out] dpa_thread The thread. Its creator owns it.
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
 * @param [in] notify_comp The notification completion. Its thread must be started.
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
