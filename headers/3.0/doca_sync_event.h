/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_sync_event.h
 * @brief The synchronisation event: a 64-bit value that publishers change and subscribers wait
 * for, across processors, DPAs, GPUs and machines.
 *
 * Publishers can change the value. Subscribers can read it and wait for it. Each of them is a
 * location. The value starts at 0, and it is a level, not a queue: a subscriber may not see every
 * value. A program configures an event, starts it, uses it, and stops or destroys it.
 *
 * A program uses an event in one of two ways. After doca_sync_event_start(), it calls the
 * synchronous functions at the end of this header. After doca_sync_event_as_ctx(),
 * doca_pe_connect_ctx() and doca_ctx_start(), it submits tasks.
 *
 * An event is not thread safe, with one exception: one thread may change the value while another
 * waits for it. An event promises nothing about the visibility of other memory.
 */
#ifndef DOCA_SYNC_EVENT_H_
#define DOCA_SYNC_EVENT_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_dpa;
struct doca_gpu;
struct doca_task;

/** @brief A synchronisation event. */
struct doca_sync_event;

/** @brief A synchronisation event of a peer across the network. */
struct doca_sync_event_remote_net;

/** @brief A synchronisation event on a DPA. No function of this header uses it. */
struct doca_dpa_sync_event;

/** @brief A synchronisation event on a GPU. No function of this header uses it. */
struct doca_gpu_sync_event;

/** @brief A get task: it reads the value of an event. */
struct doca_sync_event_task_get;

/** @brief A notify-set task: it sets the value of an event. */
struct doca_sync_event_task_notify_set;

/** @brief A notify-add task: it adds to the value of an event. */
struct doca_sync_event_task_notify_add;

/** @brief A wait-eq task: it waits until the value of an event equals a given value. */
struct doca_sync_event_task_wait_eq;

/** @brief A wait-neq task: it waits until the value of an event differs from a given value. */
struct doca_sync_event_task_wait_neq;

/** @brief Handle of an event for code that runs on a DPA. */
typedef uint64_t doca_dpa_dev_sync_event_t;

/** @brief Handle of a remote event for code that runs on a DPA. */
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;

/** @brief Handle of an event for code that runs on a GPU. */
typedef uint64_t doca_gpu_dev_sync_event_t;

/** @brief Handle of a remote event for code that runs on a GPU. */
typedef uint64_t doca_gpu_dev_sync_event_remote_net_t;

/**
 * @brief Creates a synchronisation event without publishers and subscribers. Its value is 0.
 *
 * @param [out] event The new event. Destroy it with doca_sync_event_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create(struct doca_sync_event **event);

/**
 * @brief Creates an event from an export across PCI. It has the value of the exported event.
 *
 * The program cannot configure the new event. It starts and uses the event like any other.
 *
 * @param [in] dev The device to access the exported event with.
 * @param [in] data The blob from doca_sync_event_export_to_remote_pci().
 * @param [in] sz Length of the blob in bytes.
 * @param [out] event The new event. Destroy it with doca_sync_event_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the blob is malformed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it. See
 *   doca_sync_event_cap_is_create_from_export_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create_from_export(
		struct doca_dev *dev,
		const uint8_t *data,
		size_t sz,
		struct doca_sync_event **event);

/**
 * @brief Reports whether a device supports the creation of events from an export across PCI.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_create_from_export_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Creates a handle of a remote event from an export across the network.
 *
 * The handle has no functions that read or change the value. It is an argument of the event tasks
 * of an RDMA context, and of code that runs on a DPA or GPU.
 *
 * @param [in] dev The device to access the exported event with.
 * @param [in] data The blob from doca_sync_event_export_to_remote_net().
 * @param [in] sz Length of the blob in bytes.
 * @param [out] event The new handle. Destroy it with doca_sync_event_remote_net_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the blob is malformed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it. See
 *   doca_sync_event_cap_remote_net_is_create_from_export_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_create_from_export(
		struct doca_dev *dev,
		const uint8_t *data,
		size_t sz,
		struct doca_sync_event_remote_net **event);

/**
 * @brief Reports whether a device supports handles of remote events.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_remote_net_is_create_from_export_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Destroys an event, and stops it first if doca_sync_event_start() started it.
 *
 * @param [in] event The event. If it is used as a context, the context must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/**
 * @brief Destroys a handle of a remote event. The event itself remains.
 *
 * @param [in] event The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/**
 * @brief Adds the local CPU to the publishers of an event, which can change its value.
 *
 * @param [in] event The event. It must not be started or created from an export.
 * @param [in] dev The device of the event. It must stay open as long as the event exists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_cpu(
		struct doca_sync_event *event,
		struct doca_dev *dev);

/**
 * @brief Adds a DPA to the publishers of an event, which can change its value.
 *
 * Code on the DPA uses the handle from doca_sync_event_get_dpa_handle().
 *
 * @param [in] event The event. It must not be started or created from an export.
 * @param [in] dpa The DPA. It must outlive the event.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_dpa(
		struct doca_sync_event *event,
		struct doca_dpa *dpa);

/**
 * @brief Adds a GPU to the publishers of an event, which can change its value.
 *
 * Code on the GPU uses the handle from doca_sync_event_get_gpu_handle().
 *
 * @param [in] event The event. It must not be started or created from an export.
 * @param [in] gpu The GPU. It must outlive the event.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_gpu(
		struct doca_sync_event *event,
		struct doca_gpu *gpu);

/**
 * @brief Adds the peer across PCI, the host or its DPU, to the publishers of an event, which can
 * change its value.
 *
 * The peer creates its event from the blob of doca_sync_event_export_to_remote_pci().
 *
 * @param [in] event The event. It must not be started or created from an export.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event);

/**
 * @brief Adds a peer across the network to the publishers of an event, which can change its value.
 *
 * The peer creates a handle from the blob of doca_sync_event_export_to_remote_net() and uses it
 * through RDMA. A peer across the network cannot be a subscriber.
 *
 * @param [in] event The event. It must not be started or created from an export.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);

/**
 * @brief Adds the local CPU to the subscribers of an event, which can read its value and wait for
 * it.
 *
 * @param [in] event The event. It must not be started or created from an export.
 * @param [in] dev The device of the event. It must stay open as long as the event exists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_cpu(
		struct doca_sync_event *event,
		struct doca_dev *dev);

/**
 * @brief Adds a DPA to the subscribers of an event, which can read its value and wait for it.
 *
 * Code on the DPA uses the handle from doca_sync_event_get_dpa_handle().
 *
 * @param [in] event The event. It must not be started or created from an export.
 * @param [in] dpa The DPA. It must outlive the event.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_dpa(
		struct doca_sync_event *event,
		struct doca_dpa *dpa);

/**
 * @brief Adds a GPU to the subscribers of an event, which can read its value and wait for it.
 *
 * Code on the GPU uses the handle from doca_sync_event_get_gpu_handle().
 *
 * @param [in] event The event. It must not be started or created from an export.
 * @param [in] gpu The GPU. It must outlive the event.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_gpu(
		struct doca_sync_event *event,
		struct doca_gpu *gpu);

/**
 * @brief Adds the peer across PCI, the host or its DPU, to the subscribers of an event, which can
 * read its value and wait for it.
 *
 * The peer creates its event from the blob of doca_sync_event_export_to_remote_pci().
 *
 * @param [in] event The event. It must not be started or created from an export.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event);

/**
 * @brief Sets the memory for the value of an event. By default the event has its own memory.
 *
 * @param [in] event The event. It must not be started.
 * @param [in] addr The memory: 8 bytes. The caller keeps ownership, and must keep them valid as
 * long as the event exists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is started.
 * - DOCA_ERROR_NOT_SUPPORTED: the event does not support this address space.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr);

/**
 * @brief Sets the buffer for the value of an event. By default the event has its own memory.
 *
 * @param [in] event The event. It must not be started.
 * @param [in] buf A buffer with exactly 8 bytes of data. Its memory map must grant local reads and
 * writes, and RDMA reads, writes and atomic operations. For an export across PCI, it must also
 * grant PCI reads and writes. The caller keeps ownership, and must keep the buffer valid as long
 * as the event exists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is started.
 * - DOCA_ERROR_NOT_PERMITTED: the data of the buffer does not have 8 bytes, or the memory map
 *   lacks a permission.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf);

/**
 * @brief Starts an event for use with the synchronous functions instead of tasks.
 *
 * To use tasks, start the context of doca_sync_event_as_ctx() with doca_ctx_start() instead. An
 * event needs at least one publisher and one subscriber, unless it was created from an export.
 *
 * @param [in] event The event. It must not be started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_BAD_STATE: the configuration is incomplete.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/**
 * @brief Stops an event that was started with doca_sync_event_start().
 *
 * @param [in] event The event. No wait may be in progress.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/**
 * @brief Returns an event as a struct doca_ctx, for use with tasks.
 *
 * Connect the context to a progress engine and start it with doca_ctx_start(), which completes
 * immediately, instead of doca_sync_event_start().
 *
 * @param [in] event The event.
 * @return The same object as a struct doca_ctx, or NULL on failure. It is destroyed with event.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/**
 * @brief Reports whether the events of a device support get tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support get tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a get task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_sync_event_task_get_as_doca_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_sync_event_task_get_completion_cb_t)(
		struct doca_sync_event_task_get *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the get tasks of an event. Without this call the
 * event has no such tasks.
 *
 * @param [in] event The event. Its context must be idle.
 * @param [in] completion_cb Called for each task that succeeds.
 * @param [in] error_cb Called for each task that fails or is flushed because the context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_get_set_conf(
		struct doca_sync_event *event,
		doca_sync_event_task_get_completion_cb_t completion_cb,
		doca_sync_event_task_get_completion_cb_t error_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a get task from the pool of an event, and sets its arguments and user data.
 *
 * The task reads the value of the event.
 *
 * @param [in] event The event. Its context must be running.
 * @param [in] ret_val_ptr Where the task writes the value. The caller owns these 8 bytes and keeps
 * them valid until the task ends.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_get_alloc_init(
		struct doca_sync_event *event,
		uint64_t *ret_val_ptr,
		union doca_data user_data,
		struct doca_sync_event_task_get **task);

/**
 * @brief Returns a get task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task);

/**
 * @brief Sets the destination of a get task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] ret_val_ptr Where the task writes the value. The caller owns these 8 bytes and keeps
 * them valid until the task ends.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_get_set_ret_val_ptr(
		struct doca_sync_event_task_get *task,
		uint64_t *ret_val_ptr);

/**
 * @brief Returns the destination of a get task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The pointer that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task);

/**
 * @brief Reports whether the events of a device support notify-set tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support notify-set tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a notify-set task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_sync_event_task_notify_set_as_doca_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_sync_event_task_notify_set_completion_cb_t)(
		struct doca_sync_event_task_notify_set *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the notify-set tasks of an event. Without this
 * call the event has no such tasks.
 *
 * @param [in] event The event. Its context must be idle.
 * @param [in] completion_cb Called for each task that succeeds.
 * @param [in] error_cb Called for each task that fails or is flushed because the context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_set_set_conf(
		struct doca_sync_event *event,
		doca_sync_event_task_notify_set_completion_cb_t completion_cb,
		doca_sync_event_task_notify_set_completion_cb_t error_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a notify-set task from the pool of an event, and sets its arguments and user
 * data.
 *
 * The task sets the value of the event.
 *
 * @param [in] event The event. Its context must be running.
 * @param [in] set_val The new value.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_set_alloc_init(
		struct doca_sync_event *event,
		uint64_t set_val,
		union doca_data user_data,
		struct doca_sync_event_task_notify_set **task);

/**
 * @brief Returns a notify-set task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sync_event_task_notify_set_as_doca_task(
		struct doca_sync_event_task_notify_set *task);

/**
 * @brief Sets the new value of a notify-set task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] set_val The new value.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_set_set_set_val(
		struct doca_sync_event_task_notify_set *task,
		uint64_t set_val);

/**
 * @brief Returns the new value of a notify-set task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The value that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_notify_set_get_set_val(
		const struct doca_sync_event_task_notify_set *task);

/**
 * @brief Reports whether the events of a device support notify-add tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support notify-add tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a notify-add task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_sync_event_task_notify_add_as_doca_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_sync_event_task_notify_add_completion_cb_t)(
		struct doca_sync_event_task_notify_add *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the notify-add tasks of an event. Without this
 * call the event has no such tasks.
 *
 * @param [in] event The event. Its context must be idle.
 * @param [in] completion_cb Called for each task that succeeds.
 * @param [in] error_cb Called for each task that fails or is flushed because the context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_add_set_conf(
		struct doca_sync_event *event,
		doca_sync_event_task_notify_add_completion_cb_t completion_cb,
		doca_sync_event_task_notify_add_completion_cb_t error_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a notify-add task from the pool of an event, and sets its arguments and user
 * data.
 *
 * The task adds to the value of the event and returns the previous value.
 *
 * @param [in] event The event. Its context must be running.
 * @param [in] inc_val The number to add.
 * @param [in] fetched_val_ptr Where the task writes the value before the addition. The caller owns
 * these 8 bytes and keeps them valid until the task ends.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_add_alloc_init(
		struct doca_sync_event *event,
		uint64_t inc_val,
		uint64_t *fetched_val_ptr,
		union doca_data user_data,
		struct doca_sync_event_task_notify_add **task);

/**
 * @brief Returns a notify-add task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sync_event_task_notify_add_as_doca_task(
		struct doca_sync_event_task_notify_add *task);

/**
 * @brief Sets the addend of a notify-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] inc_val The number to add.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_inc_val(
		struct doca_sync_event_task_notify_add *task,
		uint64_t inc_val);

/**
 * @brief Returns the addend of a notify-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The number that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_notify_add_get_inc_val(
		const struct doca_sync_event_task_notify_add *task);

/**
 * @brief Sets the destination of a notify-add task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] fetched_val_ptr Where the task writes the value before the addition. The caller owns
 * these 8 bytes and keeps them valid until the task ends.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_fetched_val_ptr(
		struct doca_sync_event_task_notify_add *task,
		uint64_t *fetched_val_ptr);

/**
 * @brief Returns the destination of a notify-add task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The pointer that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
		const struct doca_sync_event_task_notify_add *task);

/**
 * @brief Reports whether the events of a device support wait-eq tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support wait-eq tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a wait-eq task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_sync_event_task_wait_eq_as_doca_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_sync_event_task_wait_eq_completion_cb_t)(
		struct doca_sync_event_task_wait_eq *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the wait-eq tasks of an event. Without this call
 * the event has no such tasks.
 *
 * @param [in] event The event. Its context must be idle.
 * @param [in] completion_cb Called for each task that succeeds.
 * @param [in] error_cb Called for each task that fails or is flushed because the context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_eq_set_conf(
		struct doca_sync_event *event,
		doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
		doca_sync_event_task_wait_eq_completion_cb_t error_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a wait-eq task from the pool of an event, and sets its arguments and user data.
 *
 * The task succeeds once (value & mask) == wait_val, where value is the value of the event.
 *
 * @param [in] event The event. Its context must be running.
 * @param [in] wait_val The value to wait for, 0 to 254.
 * @param [in] mask Mask for the value of the event: 1, 2, 4 or 8 bytes of 0xFF, or 0.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_eq_alloc_init(
		struct doca_sync_event *event,
		uint64_t wait_val,
		uint64_t mask,
		union doca_data user_data,
		struct doca_sync_event_task_wait_eq **task);

/**
 * @brief Returns a wait-eq task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sync_event_task_wait_eq_as_doca_task(
		struct doca_sync_event_task_wait_eq *task);

/**
 * @brief Sets the value that a wait-eq task waits for.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] wait_val The value to wait for, 0 to 254.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_wait_val(
		struct doca_sync_event_task_wait_eq *task,
		uint64_t wait_val);

/**
 * @brief Returns the value that a wait-eq task waits for.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The value that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task);

/**
 * @brief Sets the mask of a wait-eq task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] mask Mask for the value of the event: 1, 2, 4 or 8 bytes of 0xFF, or 0.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_mask(
		struct doca_sync_event_task_wait_eq *task,
		uint64_t mask);

/**
 * @brief Returns the mask of a wait-eq task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The mask that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task);

/**
 * @brief Reports whether the events of a device support wait-neq tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support wait-neq tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Called when a wait-neq task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_sync_event_task_wait_neq_as_doca_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_sync_event_task_wait_neq_completion_cb_t)(
		struct doca_sync_event_task_wait_neq *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Sets the callbacks and the pool size of the wait-neq tasks of an event. Without this call
 * the event has no such tasks.
 *
 * @param [in] event The event. Its context must be idle.
 * @param [in] completion_cb Called for each task that succeeds.
 * @param [in] error_cb Called for each task that fails or is flushed because the context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_neq_set_conf(
		struct doca_sync_event *event,
		doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
		doca_sync_event_task_wait_neq_completion_cb_t error_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a wait-neq task from the pool of an event, and sets its arguments and user
 * data.
 *
 * The task succeeds once (value & mask) != wait_val, where value is the value of the event.
 *
 * @param [in] event The event. Its context must be running.
 * @param [in] wait_val The value that the event must leave, 0 to 254.
 * @param [in] mask Mask for the value of the event: 1, 2, 4 or 8 bytes of 0xFF, or 0.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_neq_alloc_init(
		struct doca_sync_event *event,
		uint64_t wait_val,
		uint64_t mask,
		union doca_data user_data,
		struct doca_sync_event_task_wait_neq **task);

/**
 * @brief Returns a wait-neq task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sync_event_task_wait_neq_as_doca_task(
		struct doca_sync_event_task_wait_neq *task);

/**
 * @brief Sets the value that the event of a wait-neq task must leave.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] wait_val The value that the event must leave, 0 to 254.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_wait_val(
		struct doca_sync_event_task_wait_neq *task,
		uint64_t wait_val);

/**
 * @brief Returns the value that the event of a wait-neq task must leave.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The value that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_neq_get_wait_val(
		const struct doca_sync_event_task_wait_neq *task);

/**
 * @brief Sets the mask of a wait-neq task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] mask Mask for the value of the event: 1, 2, 4 or 8 bytes of 0xFF, or 0.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_mask(
		struct doca_sync_event_task_wait_neq *task,
		uint64_t mask);

/**
 * @brief Returns the mask of a wait-neq task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The mask that was set last.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task);

/**
 * @brief Exports an event to the peer across PCI: the host or its DPU.
 *
 * The peer passes the blob to doca_sync_event_create_from_export(). The program may copy the blob
 * and send it by any means.
 *
 * @param [in] event The event. It must have a publisher or subscriber across PCI, and must not be
 * created from an export.
 * @param [in] dev The device to export through.
 * @param [out] data The blob. The event owns it, and the caller must not free it.
 * @param [out] sz Length of the blob in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it. See
 *   doca_sync_event_cap_is_export_to_remote_pci_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_pci(
		struct doca_sync_event *event,
		struct doca_dev *dev,
		const uint8_t **data,
		size_t *sz);

/**
 * @brief Reports whether a device can export events across PCI.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot export events across PCI.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_remote_pci_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Returns the handle of an event for code that runs on a DPA.
 *
 * @note Only programs on the host can call it.
 * @param [in] event The event. The DPA must be one of its publishers or subscribers.
 * @param [in] dpa The DPA.
 * @param [out] dpa_dev_se_handle The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the DPA cannot use the event. See
 *   doca_sync_event_cap_is_export_to_dpa_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_dpa_handle(
		struct doca_sync_event *event,
		struct doca_dpa *dpa,
		doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * @brief Reports whether a device supports events on a DPA.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Returns the handle of an event for code that runs on a GPU.
 *
 * @note Only programs on the host can call it.
 * @param [in] event The event. The GPU must be one of its publishers or subscribers.
 * @param [in] gpu The GPU.
 * @param [out] gpu_dev_se The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the GPU cannot use the event. See
 *   doca_sync_event_cap_is_export_to_gpu_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_gpu_handle(
		struct doca_sync_event *event,
		struct doca_gpu *gpu,
		doca_gpu_dev_sync_event_t **gpu_dev_se);

/**
 * @brief Reports whether a device supports events on a GPU.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Exports an event to a peer across the network, which uses it through RDMA.
 *
 * The peer passes the blob to doca_sync_event_remote_net_create_from_export(). The program may
 * copy the blob and send it by any means.
 *
 * @param [in] event The event. It must have a publisher across the network, and must not be
 * created from an export.
 * @param [out] data The blob. The event owns it, and the caller must not free it.
 * @param [out] sz Length of the blob in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it. See
 *   doca_sync_event_cap_is_export_to_remote_net_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_net(
		struct doca_sync_event *event,
		const uint8_t **data,
		size_t *sz);

/**
 * @brief Reports whether a device can export events across the network.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot export events across the network.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_remote_net_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Returns the handle of a remote event for code that runs on a DPA.
 *
 * @param [in] event The handle of the remote event.
 * @param [in] dpa The DPA.
 * @param [out] dpa_remote_event The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the DPA cannot use the event. See
 *   doca_sync_event_cap_remote_net_is_export_to_dpa_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_get_dpa_handle(
		struct doca_sync_event_remote_net *event,
		struct doca_dpa *dpa,
		doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/**
 * @brief Reports whether a device supports remote events on a DPA.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_remote_net_is_export_to_dpa_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Returns the handle of a remote event for code that runs on a GPU.
 *
 * @param [in] event The handle of the remote event.
 * @param [in] gpu The GPU.
 * @param [out] gpu_remote_event The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the GPU cannot use the event. See
 *   doca_sync_event_cap_remote_net_is_export_to_gpu_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_get_gpu_handle(
		struct doca_sync_event_remote_net *event,
		struct doca_gpu *gpu,
		doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);

/**
 * @brief Reports whether a device supports remote events on a GPU.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_remote_net_is_export_to_gpu_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Returns the value of an event.
 *
 * @param [in] event The event. It must be started.
 * @param [out] value The value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/**
 * @brief Adds to the value of an event.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The number to add.
 * @param [out] fetched The value before the addition.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_add(
		struct doca_sync_event *event,
		uint64_t value,
		uint64_t *fetched);

/**
 * @brief Sets the value of an event.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The new value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value);

/**
 * @brief Waits until the value of an event is greater than a given value.
 *
 * The call returns once the masked value of the event is greater than value. It has no timeout,
 * and occupies a CPU core for the whole wait.
 *
 * The comparison is unsigned, so a value that wraps around is small again.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The given value.
 * @param [in] mask Mask for the value of the event. All ones compare the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * @brief Waits until the value of an event is greater than a given value, and yields the CPU
 * between checks.
 *
 * The call returns once the masked value of the event is greater than value. It has no timeout,
 * and calls sched_yield() between checks.
 *
 * The comparison is unsigned, so a value that wraps around is small again.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The given value.
 * @param [in] mask Mask for the value of the event. All ones compare the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt_yield(
		struct doca_sync_event *event,
		uint64_t value,
		uint64_t mask);

/**
 * @brief Waits until the value of an event equals a given value.
 *
 * The call returns once the masked value of the event equals value. It has no timeout, and
 * occupies a CPU core for the whole wait.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The given value.
 * @param [in] mask Mask for the value of the event. All ones compare the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * @brief Waits until the value of an event equals a given value, and yields the CPU between
 * checks.
 *
 * The call returns once the masked value of the event equals value. It has no timeout, and calls
 * sched_yield() between checks.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The given value.
 * @param [in] mask Mask for the value of the event. All ones compare the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq_yield(
		struct doca_sync_event *event,
		uint64_t value,
		uint64_t mask);

/**
 * @brief Waits until the value of an event differs from a given value.
 *
 * The call returns once the masked value of the event differs from value. It has no timeout, and
 * occupies a CPU core for the whole wait.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The given value.
 * @param [in] mask Mask for the value of the event. All ones compare the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * @brief Waits until the value of an event differs from a given value, and yields the CPU between
 * checks.
 *
 * The call returns once the masked value of the event differs from value. It has no timeout, and
 * calls sched_yield() between checks.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The given value.
 * @param [in] mask Mask for the value of the event. All ones compare the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq_yield(
		struct doca_sync_event *event,
		uint64_t value,
		uint64_t mask);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_SYNC_EVENT_H_ */
