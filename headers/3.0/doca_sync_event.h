/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_sync_event.h
 * @brief The synchronization event: a 64-bit number that some change and others wait for, across
 * processors, DPAs, GPUs and machines.
 *
 * Publishers may change the value, subscribers may read it and wait for it; each is a location.
 * The value starts at 0. The event is configured, started, used, and stopped or destroyed.
 *
 * There are two ways to use it, one of which is chosen by how it is started: with
 * doca_sync_event_start() the functions at the end of this header act at once; with
 * doca_sync_event_as_ctx(), a progress engine and doca_ctx_start() it runs tasks.
 *
 * An event is not thread safe as an object; yet one thread may change the value while another
 * waits for it.
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

/** @brief A synchronization event. */
struct doca_sync_event;

/** @brief A synchronization event of a peer across the network. */
struct doca_sync_event_remote_net;

/** @brief A synchronization event as a DPA knows it. No function of this header takes it. */
struct doca_dpa_sync_event;

/** @brief A synchronization event as a GPU knows it. No function of this header takes it. */
struct doca_gpu_sync_event;

/** @brief A get task: a task that reads the value of an event. */
struct doca_sync_event_task_get;

/** @brief A notify-set task: a task that sets the value of an event. */
struct doca_sync_event_task_notify_set;

/** @brief A notify-add task: a task that adds to the value of an event. */
struct doca_sync_event_task_notify_add;

/** @brief A wait-eq task: a task that waits until the value of an event equals another one. */
struct doca_sync_event_task_wait_eq;

/**
 * @brief A wait-neq task: a task that waits until the value of an event differs from another one.
 */
struct doca_sync_event_task_wait_neq;

/** @brief Handle of an event for code that runs on a DPA. */
typedef uint64_t doca_dpa_dev_sync_event_t;

/** @brief Handle of an event across the network for code that runs on a DPA. */
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;

/** @brief Handle of an event for code that runs on a GPU. */
typedef uint64_t doca_gpu_dev_sync_event_t;

/** @brief Handle of an event across the network for code that runs on a GPU. */
typedef uint64_t doca_gpu_dev_sync_event_remote_net_t;

/**
 * @brief Creates an event without publishers and subscribers. Its value starts at 0.
 *
 * @param [out] event The new event. Destroy it with doca_sync_event_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create(struct doca_sync_event **event);

/**
 * @brief Creates an event that stands for one across PCI, from the blob of its export.
 *
 * It cannot be configured. It is started and used like any other event, and its value is that of
 * the event that was exported.
 *
 * @param [in] dev The device to reach the exporter with.
 * @param [in] data The blob of doca_sync_event_export_to_remote_pci().
 * @param [in] sz Length of the blob in bytes.
 * @param [out] event The new event. Destroy it with doca_sync_event_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the blob is malformed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; see
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
 * @brief Reports whether events can be created, for a device, from an export across PCI.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: doca_sync_event_create_from_export() does not take the device.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_create_from_export_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Creates the handle of an event across the network, from the blob of its export.
 *
 * The handle has no functions to read or change the value. It is an argument of the sync event
 * tasks of an RDMA context and of code that runs on a DPA or GPU.
 *
 * @param [in] dev The device to reach the exporter with.
 * @param [in] data The blob of doca_sync_event_export_to_remote_net().
 * @param [in] sz Length of the blob in bytes.
 * @param [out] event The new handle. Destroy it with doca_sync_event_remote_net_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the blob is malformed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; see
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
 * @brief Reports whether handles of events across the network can be created for a device.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: doca_sync_event_remote_net_create_from_export() does not take the
 *   device.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_remote_net_is_create_from_export_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Destroys an event. One that doca_sync_event_start() has started need not be stopped
 * before.
 *
 * @param [in] event The event; its context, where one is used, must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/**
 * @brief Destroys the handle of an event across the network. The event itself stays.
 *
 * @param [in] event The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/**
 * @brief Adds the processor that runs the program to those that may change the value of an event.
 *
 * @param [in] event The event; not started, and not created from an export.
 * @param [in] dev The device of the event. It must stay open as long as the event exists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_cpu(
		struct doca_sync_event *event,
		struct doca_dev *dev);

/**
 * @brief Adds a DPA to those that may change the value of an event.
 *
 * The DPA's code knows the event by the handle from doca_sync_event_get_dpa_handle().
 *
 * @param [in] event The event; not started, and not created from an export.
 * @param [in] dpa The DPA. It must live as long as the event.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_dpa(
		struct doca_sync_event *event,
		struct doca_dpa *dpa);

/**
 * @brief Adds a GPU to those that may change the value of an event.
 *
 * The GPU's code knows the event by the handle from doca_sync_event_get_gpu_handle().
 *
 * @param [in] event The event; not started, and not created from an export.
 * @param [in] gpu The GPU. It must live as long as the event.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_gpu(
		struct doca_sync_event *event,
		struct doca_gpu *gpu);

/**
 * @brief Adds a peer across PCI, the host or its DPU, to those that may change the value of an
 * event.
 *
 * The peer gets at the event by the blob from doca_sync_event_export_to_remote_pci().
 *
 * @param [in] event The event; not started, and not created from an export.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event);

/**
 * @brief Adds a peer across the network to those that may change the value of an event.
 *
 * The peer gets at the event, through RDMA, by the blob from
 * doca_sync_event_export_to_remote_net(). There is no subscriber of this kind.
 *
 * @param [in] event The event; not started, and not created from an export.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);

/**
 * @brief Adds the processor that runs the program to those that may read and wait for the value of
 * an event.
 *
 * @param [in] event The event; not started, and not created from an export.
 * @param [in] dev The device of the event. It must stay open as long as the event exists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_cpu(
		struct doca_sync_event *event,
		struct doca_dev *dev);

/**
 * @brief Adds a DPA to those that may read and wait for the value of an event.
 *
 * The DPA's code knows the event by the handle from doca_sync_event_get_dpa_handle().
 *
 * @param [in] event The event; not started, and not created from an export.
 * @param [in] dpa The DPA. It must live as long as the event.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_dpa(
		struct doca_sync_event *event,
		struct doca_dpa *dpa);

/**
 * @brief Adds a GPU to those that may read and wait for the value of an event.
 *
 * The GPU's code knows the event by the handle from doca_sync_event_get_gpu_handle().
 *
 * @param [in] event The event; not started, and not created from an export.
 * @param [in] gpu The GPU. It must live as long as the event.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_gpu(
		struct doca_sync_event *event,
		struct doca_gpu *gpu);

/**
 * @brief Adds a peer across PCI, the host or its DPU, to those that may read and wait for the
 * value of an event.
 *
 * The peer gets at the event by the blob from doca_sync_event_export_to_remote_pci().
 *
 * @param [in] event The event; not started, and not created from an export.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event);

/**
 * @brief Sets where the value of an event is stored. By default the event has memory of its own.
 *
 * @param [in] event The event. It must not be started.
 * @param [in] addr Eight bytes that stay the caller's and must stay valid as long as the event
 * lives.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is started.
 * - DOCA_ERROR_NOT_SUPPORTED: the event cannot have its value in this address space.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr);

/**
 * @brief Sets the buffer that the value of an event is stored in. By default the event has memory
 * of its own.
 *
 * @param [in] event The event. It must not be started.
 * @param [in] buf A buffer with exactly 8 bytes of data. Its memory map must grant local reads and
 * writes and the RDMA reads, writes and atomic operations, and those across PCI when the event is
 * to be exported across PCI. It stays the caller's and must be there as long as the event lives.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is started.
 * - DOCA_ERROR_NOT_PERMITTED: the buffer has another length, or its memory map lacks a permission.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf);

/**
 * @brief Starts an event for use without a context: with the functions that act at once, and not
 * with tasks.
 *
 * An event is started either with this function or, as the context of doca_sync_event_as_ctx(),
 * with doca_ctx_start(). It needs at least one publisher and one subscriber, unless it was created
 * from an export.
 *
 * @param [in] event The event. It must not be started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_BAD_STATE: the configuration is not complete.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/**
 * @brief Stops an event that doca_sync_event_start() has started.
 *
 * @param [in] event The event; without a wait that is under way.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/**
 * @brief Returns an event as a struct doca_ctx: the way to use it with tasks.
 *
 * Such an event is connected to a progress engine and started with doca_ctx_start(), which
 * succeeds at once; not with doca_sync_event_start().
 *
 * @param [in] event The event.
 * @return The context, which belongs to event; NULL on failure.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/**
 * @brief Reports whether the events of a device can have get tasks, which read the value.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
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
 * @param [in] event The event; its context must be idle.
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
 * @brief Allocates a get task from the pool of an event and sets its arguments and user data.
 *
 * The task reads the value of the event.
 *
 * @param [in] event The event; its context must be running.
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
 * @brief Reports whether the events of a device can have notify-set tasks, which set the value.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
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
 * @param [in] event The event; its context must be idle.
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
 * @brief Allocates a notify-set task from the pool of an event and sets its arguments and user
 * data.
 *
 * The task sets the value of the event.
 *
 * @param [in] event The event; its context must be running.
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
 * @brief Reports whether the events of a device can have notify-add tasks, which add to the value.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
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
 * @param [in] event The event; its context must be idle.
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
 * @brief Allocates a notify-add task from the pool of an event and sets its arguments and user
 * data.
 *
 * The task adds to the value of the event and tells the value from before.
 *
 * @param [in] event The event; its context must be running.
 * @param [in] inc_val The number to add.
 * @param [in] fetched_val_ptr Where the task writes the value from before the addition. The caller
 * owns these 8 bytes and keeps them valid until the task ends.
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
 * @param [in] fetched_val_ptr Where the task writes the value from before the addition. The caller
 * owns these 8 bytes and keeps them valid until the task ends.
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
 * @brief Reports whether the events of a device can have wait-eq tasks, which wait until the value
 * equals another one.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
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
 * @param [in] event The event; its context must be idle.
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
 * @brief Allocates a wait-eq task from the pool of an event and sets its arguments and user data.
 *
 * The task succeeds once (the event's value & mask) == wait_val.
 *
 * @param [in] event The event; its context must be running.
 * @param [in] wait_val The value to wait for, 0 to 254.
 * @param [in] mask The bits of the event's value that count: whole bytes of 0xFF, 1, 2, 4 or 8 of
 * them, or 0.
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
 * @brief Sets the value of a wait-eq task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] wait_val The value to wait for, 0 to 254.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_wait_val(
		struct doca_sync_event_task_wait_eq *task,
		uint64_t wait_val);

/**
 * @brief Returns the value of a wait-eq task.
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
 * @param [in] mask The bits of the event's value that count: whole bytes of 0xFF, 1, 2, 4 or 8 of
 * them, or 0.
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
 * @brief Reports whether the events of a device can have wait-neq tasks, which wait until the
 * value differs from another one.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
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
 * @param [in] event The event; its context must be idle.
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
 * @brief Allocates a wait-neq task from the pool of an event and sets its arguments and user data.
 *
 * The task succeeds once (the event's value & mask) != wait_val.
 *
 * @param [in] event The event; its context must be running.
 * @param [in] wait_val The value that the event must leave, 0 to 254.
 * @param [in] mask The bits of the event's value that count: whole bytes of 0xFF, 1, 2, 4 or 8 of
 * them, or 0.
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
 * @brief Sets the value of a wait-neq task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] wait_val The value that the event must leave, 0 to 254.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_wait_val(
		struct doca_sync_event_task_wait_neq *task,
		uint64_t wait_val);

/**
 * @brief Returns the value of a wait-neq task.
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
 * @param [in] mask The bits of the event's value that count: whole bytes of 0xFF, 1, 2, 4 or 8 of
 * them, or 0.
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
 * @brief Exports an event to a peer across PCI, between the host and its DPU. The peer passes the
 * blob to doca_sync_event_create_from_export().
 *
 * @param [in] event The event; with a publisher or subscriber across PCI, and not created from an
 * export.
 * @param [in] dev The device to export through.
 * @param [out] data The blob. It belongs to the event and must not be freed; it may be copied and
 * sent by any means.
 * @param [out] sz Length of the blob in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; see
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
 * @note For programs that run on the host.
 * @param [in] event The event; the DPA must be a publisher or subscriber of it.
 * @param [in] dpa The DPA.
 * @param [out] dpa_dev_se_handle The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the event cannot be used on the DPA; see
 *   doca_sync_event_cap_is_export_to_dpa_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_dpa_handle(
		struct doca_sync_event *event,
		struct doca_dpa *dpa,
		doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * @brief Reports whether events of a device can be used on its DPA.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: they cannot be used on a DPA.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Returns the handle of an event for code that runs on a GPU.
 *
 * @note For programs that run on the host.
 * @param [in] event The event; the GPU must be a publisher or subscriber of it.
 * @param [in] gpu The GPU.
 * @param [out] gpu_dev_se The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the event cannot be used on the GPU; see
 *   doca_sync_event_cap_is_export_to_gpu_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_gpu_handle(
		struct doca_sync_event *event,
		struct doca_gpu *gpu,
		doca_gpu_dev_sync_event_t **gpu_dev_se);

/**
 * @brief Reports whether events of a device can be used on a GPU.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: they cannot be used on a GPU.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Exports an event to a peer across the network, which reaches it through RDMA. The peer
 * passes the blob to doca_sync_event_remote_net_create_from_export().
 *
 * @param [in] event The event; with a publisher across the network, and not created from an
 * export.
 * @param [out] data The blob. It belongs to the event and must not be freed; it may be copied and
 * sent by any means.
 * @param [out] sz Length of the blob in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; see
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
 * @brief Returns the handle of an event across the network for code that runs on a DPA.
 *
 * @param [in] event The event, in its handle of this side.
 * @param [in] dpa The DPA.
 * @param [out] dpa_remote_event The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the event cannot be used on the DPA; see
 *   doca_sync_event_cap_remote_net_is_export_to_dpa_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_get_dpa_handle(
		struct doca_sync_event_remote_net *event,
		struct doca_dpa *dpa,
		doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/**
 * @brief Reports whether events across the network, reached through a device, can be used on a
 * DPA.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: they cannot be used on a DPA.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_remote_net_is_export_to_dpa_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Returns the handle of an event across the network for code that runs on a GPU.
 *
 * @param [in] event The event, in its handle of this side.
 * @param [in] gpu The GPU.
 * @param [out] gpu_remote_event The handle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the event cannot be used on the GPU; see
 *   doca_sync_event_cap_remote_net_is_export_to_gpu_supported().
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_get_gpu_handle(
		struct doca_sync_event_remote_net *event,
		struct doca_gpu *gpu,
		doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);

/**
 * @brief Reports whether events across the network, reached through a device, can be used on a
 * GPU.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if they can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: they cannot be used on a GPU.
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
 * @param [out] fetched The value from before the addition.
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
 * @brief Waits until the value of an event is greater than another one.
 *
 * The call returns once (the event's value & mask) > value. It has no timeout, and keeps the
 * processor busy; the form that ends in _yield does not.
 *
 * The comparison is one of unsigned numbers: a value that wraps around counts as small again.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The value to compare with.
 * @param [in] mask The bits of the event's value that count; all ones for the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * @brief Waits until the value of an event is greater than another one, and lets other threads run
 * in between.
 *
 * The call returns once (the event's value & mask) > value. It has no timeout, and calls
 * sched_yield() between its looks at the value.
 *
 * The comparison is one of unsigned numbers: a value that wraps around counts as small again.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The value to compare with.
 * @param [in] mask The bits of the event's value that count; all ones for the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt_yield(
		struct doca_sync_event *event,
		uint64_t value,
		uint64_t mask);

/**
 * @brief Waits until the value of an event equals another one.
 *
 * The call returns once (the event's value & mask) == value. It has no timeout, and keeps the
 * processor busy; the form that ends in _yield does not.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The value to compare with.
 * @param [in] mask The bits of the event's value that count; all ones for the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * @brief Waits until the value of an event equals another one, and lets other threads run in
 * between.
 *
 * The call returns once (the event's value & mask) == value. It has no timeout, and calls
 * sched_yield() between its looks at the value.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The value to compare with.
 * @param [in] mask The bits of the event's value that count; all ones for the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq_yield(
		struct doca_sync_event *event,
		uint64_t value,
		uint64_t mask);

/**
 * @brief Waits until the value of an event differs from another one.
 *
 * The call returns once (the event's value & mask) != value. It has no timeout, and keeps the
 * processor busy; the form that ends in _yield does not.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The value to compare with.
 * @param [in] mask The bits of the event's value that count; all ones for the whole value.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * @brief Waits until the value of an event differs from another one, and lets other threads run in
 * between.
 *
 * The call returns once (the event's value & mask) != value. It has no timeout, and calls
 * sched_yield() between its looks at the value.
 *
 * @param [in] event The event. It must be started.
 * @param [in] value The value to compare with.
 * @param [in] mask The bits of the event's value that count; all ones for the whole value.
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
