/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_erasure_coding.h
 * @brief Erasure coding: redundancy blocks of data blocks, and data blocks restored from them.
 *
 * Create a context with doca_ec_create(), set the callbacks of the tasks that it needs,
 * connect it to a progress engine with doca_pe_connect_ctx() and start it with
 * doca_ctx_start(). Then allocate and submit tasks.
 */
#ifndef DOCA_ERASURE_CODING_H_
#define DOCA_ERASURE_CODING_H_

#include <inttypes.h>

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
struct doca_task;

/** @brief An erasure coding context. */
struct doca_ec;

/** @brief A matrix over a Galois field. */
struct doca_ec_matrix;

/** @brief A Galois multiplication task: it multiplies blocks by a matrix over a Galois field. */
struct doca_ec_task_galois_mul;

/** @brief A create task: it computes the redundancy blocks of data blocks. */
struct doca_ec_task_create;

/** @brief An update task: it computes the redundancy blocks anew after data blocks have changed. */
struct doca_ec_task_update;

/** @brief A recover task: it restores data blocks that are missing. */
struct doca_ec_task_recover;

/** @brief The kinds of matrices that doca_ec_matrix_create() makes. */
enum doca_ec_matrix_type {
	DOCA_EC_MATRIX_TYPE_CAUCHY = 1, /**< A Cauchy matrix. */
	DOCA_EC_MATRIX_TYPE_VANDERMONDE = 2, /**< A Vandermonde matrix. */
};

/**
 * @brief Called when a Galois multiplication task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. The caller owns the task again
 * and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended.
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_ec_task_galois_mul_completion_cb_t)(
		struct doca_ec_task_galois_mul *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Called when a create task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. The caller owns the task again
 * and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended.
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_ec_task_create_completion_cb_t)(
		struct doca_ec_task_create *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Called when an update task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. The caller owns the task again
 * and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended.
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_ec_task_update_completion_cb_t)(
		struct doca_ec_task_update *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Called when a recover task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. The caller owns the task again
 * and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended.
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_ec_task_recover_completion_cb_t)(
		struct doca_ec_task_recover *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Reports whether a device supports Galois multiplication tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no such tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_task_galois_mul_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Sets the callbacks and the number of the Galois multiplication tasks of a
 * context.
 *
 * @param [in] ec The context. It must be idle.
 * @param [in] successful_task_completion_cb Called when a task has succeeded.
 * @param [in] error_task_completion_cb Called when a task has failed.
 * @param [in] num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_galois_mul_set_conf(
		struct doca_ec *ec,
		doca_ec_task_galois_mul_completion_cb_t successful_task_completion_cb,
		doca_ec_task_galois_mul_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a Galois multiplication task.
 *
 * @param [in] ec The context. It must be running.
 * @param [in] coding_matrix The matrix with which the redundancy blocks are made.
 * @param [in] src_buf The buffer with the blocks to read, or the head of a list.
 * @param [in] dst_buf The buffer that receives the blocks, behind the data it has.
 * @param [in] user_data The user data of the task.
 * @param [out] task The new task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_galois_mul_allocate_init(
		struct doca_ec *ec,
		const struct doca_ec_matrix *coding_matrix,
		const struct doca_buf *src_buf,
		struct doca_buf *dst_buf,
		union doca_data user_data,
		struct doca_ec_task_galois_mul **task);

/**
 * @brief Returns a Galois multiplication task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task. It is freed with task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_ec_task_galois_mul_as_task(struct doca_ec_task_galois_mul *task);

/**
 * @brief Sets the coding matrix of a Galois multiplication task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] coding_matrix The matrix with which the redundancy blocks are made.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_galois_mul_set_coding_matrix(
		struct doca_ec_task_galois_mul *task,
		const struct doca_ec_matrix *coding_matrix);

/**
 * @brief Returns the coding matrix of a Galois multiplication task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_ec_matrix *doca_ec_task_galois_mul_get_coding_matrix(
		const struct doca_ec_task_galois_mul *task);

/**
 * @brief Sets the source of a Galois multiplication task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] src_buf The buffer with the blocks to read, or the head of a list.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_galois_mul_set_src_buf(
		struct doca_ec_task_galois_mul *task,
		const struct doca_buf *src_buf);

/**
 * @brief Returns the source of a Galois multiplication task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_ec_task_galois_mul_get_src_buf(
		const struct doca_ec_task_galois_mul *task);

/**
 * @brief Sets the destination of a Galois multiplication task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] dst_buf The buffer that receives the blocks, behind the data it has.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_galois_mul_set_dst_buf(
		struct doca_ec_task_galois_mul *task,
		struct doca_buf *dst_buf);

/**
 * @brief Returns the destination of a Galois multiplication task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_ec_task_galois_mul_get_dst_buf(const struct doca_ec_task_galois_mul *task);

/**
 * @brief Reports whether a device supports create tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no such tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_task_create_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Sets the callbacks and the number of the create tasks of a context.
 *
 * @param [in] ec The context. It must be idle.
 * @param [in] successful_task_completion_cb Called when a task has succeeded.
 * @param [in] error_task_completion_cb Called when a task has failed.
 * @param [in] num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_create_set_conf(
		struct doca_ec *ec,
		doca_ec_task_create_completion_cb_t successful_task_completion_cb,
		doca_ec_task_create_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a create task.
 *
 * @param [in] ec The context. It must be running.
 * @param [in] coding_matrix The matrix with which the redundancy blocks are made.
 * @param [in] original_data_blocks The data blocks, one behind the other, or in a list of
 * buffers.
 * @param [in] rdnc_blocks The buffer that receives the redundancy blocks.
 * @param [in] user_data The user data of the task.
 * @param [out] task The new task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_create_allocate_init(
		struct doca_ec *ec,
		const struct doca_ec_matrix *coding_matrix,
		const struct doca_buf *original_data_blocks,
		struct doca_buf *rdnc_blocks,
		union doca_data user_data,
		struct doca_ec_task_create **task);

/**
 * @brief Returns a create task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task. It is freed with task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_ec_task_create_as_task(struct doca_ec_task_create *task);

/**
 * @brief Sets the coding matrix of a create task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] coding_matrix The matrix with which the redundancy blocks are made.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_create_set_coding_matrix(
		struct doca_ec_task_create *task,
		const struct doca_ec_matrix *coding_matrix);

/**
 * @brief Returns the coding matrix of a create task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_ec_matrix *doca_ec_task_create_get_coding_matrix(
		const struct doca_ec_task_create *task);

/**
 * @brief Sets the data blocks of a create task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] original_data_blocks The data blocks, one behind the other, or in a list of
 * buffers.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_create_set_original_data_blocks(
		struct doca_ec_task_create *task,
		const struct doca_buf *original_data_blocks);

/**
 * @brief Returns the data blocks of a create task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_ec_task_create_get_original_data_blocks(
		const struct doca_ec_task_create *task);

/**
 * @brief Sets the destination of the redundancy blocks of a create task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] rdnc_blocks The buffer that receives the redundancy blocks.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_create_set_rdnc_blocks(
		struct doca_ec_task_create *task,
		struct doca_buf *rdnc_blocks);

/**
 * @brief Returns the destination of the redundancy blocks of a create task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_ec_task_create_get_rdnc_blocks(const struct doca_ec_task_create *task);

/**
 * @brief Reports whether a device supports update tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no such tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_task_update_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Sets the callbacks and the number of the update tasks of a context.
 *
 * @param [in] ec The context. It must be idle.
 * @param [in] successful_task_completion_cb Called when a task has succeeded.
 * @param [in] error_task_completion_cb Called when a task has failed.
 * @param [in] num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_update_set_conf(
		struct doca_ec *ec,
		doca_ec_task_update_completion_cb_t successful_task_completion_cb,
		doca_ec_task_update_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates an update task.
 *
 * @param [in] ec The context. It must be running.
 * @param [in] update_matrix The matrix of doca_ec_matrix_create_update().
 * @param [in] original_updated_and_rdnc_blocks For each block that has changed the old and
 * the new one, and then the old redundancy blocks.
 * @param [in] updated_rdnc_blocks The buffer that receives the new redundancy blocks.
 * @param [in] user_data The user data of the task.
 * @param [out] task The new task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_update_allocate_init(
		struct doca_ec *ec,
		const struct doca_ec_matrix *update_matrix,
		const struct doca_buf *original_updated_and_rdnc_blocks,
		struct doca_buf *updated_rdnc_blocks,
		union doca_data user_data,
		struct doca_ec_task_update **task);

/**
 * @brief Returns an update task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task. It is freed with task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_ec_task_update_as_task(struct doca_ec_task_update *task);

/**
 * @brief Sets the update matrix of a update task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] update_matrix The matrix of doca_ec_matrix_create_update().
 */
DOCA_EXPERIMENTAL
void doca_ec_task_update_set_update_matrix(
		struct doca_ec_task_update *task,
		const struct doca_ec_matrix *update_matrix);

/**
 * @brief Returns the update matrix of a update task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_ec_matrix *doca_ec_task_update_get_update_matrix(
		const struct doca_ec_task_update *task);

/**
 * @brief Sets the old, new and redundancy blocks of a update task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] original_updated_and_rdnc_blocks For each block that has changed the old and
 * the new one, and then the old redundancy blocks.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_update_set_original_updated_and_rdnc_blocks(
		struct doca_ec_task_update *task,
		const struct doca_buf *original_updated_and_rdnc_blocks);

/**
 * @brief Returns the old, new and redundancy blocks of a update task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_ec_task_update_get_original_updated_and_rdnc_blocks(
		const struct doca_ec_task_update *task);

/**
 * @brief Sets the destination of the redundancy blocks of a update task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] updated_rdnc_blocks The buffer that receives the new redundancy blocks.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_update_set_updated_rdnc_blocks(
		struct doca_ec_task_update *task,
		struct doca_buf *updated_rdnc_blocks);

/**
 * @brief Returns the destination of the redundancy blocks of a update task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_ec_task_update_get_updated_rdnc_blocks(
		const struct doca_ec_task_update *task);

/**
 * @brief Reports whether a device supports recover tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no such tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_task_recover_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Sets the callbacks and the number of the recover tasks of a context.
 *
 * @param [in] ec The context. It must be idle.
 * @param [in] successful_task_completion_cb Called when a task has succeeded.
 * @param [in] error_task_completion_cb Called when a task has failed.
 * @param [in] num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_recover_set_conf(
		struct doca_ec *ec,
		doca_ec_task_recover_completion_cb_t successful_task_completion_cb,
		doca_ec_task_recover_completion_cb_t error_task_completion_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a recover task.
 *
 * @param [in] ec The context. It must be running.
 * @param [in] recover_matrix The matrix of doca_ec_matrix_create_recover().
 * @param [in] available_blocks The blocks that are there, in order.
 * @param [in] recovered_data_blocks The buffer that receives the blocks that were missing.
 * @param [in] user_data The user data of the task.
 * @param [out] task The new task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_recover_allocate_init(
		struct doca_ec *ec,
		const struct doca_ec_matrix *recover_matrix,
		const struct doca_buf *available_blocks,
		struct doca_buf *recovered_data_blocks,
		union doca_data user_data,
		struct doca_ec_task_recover **task);

/**
 * @brief Returns a recover task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task. It is freed with task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_ec_task_recover_as_task(struct doca_ec_task_recover *task);

/**
 * @brief Sets the recover matrix of a recover task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] recover_matrix The matrix of doca_ec_matrix_create_recover().
 */
DOCA_EXPERIMENTAL
void doca_ec_task_recover_set_recover_matrix(
		struct doca_ec_task_recover *task,
		const struct doca_ec_matrix *recover_matrix);

/**
 * @brief Returns the recover matrix of a recover task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_ec_matrix *doca_ec_task_recover_get_recover_matrix(
		const struct doca_ec_task_recover *task);

/**
 * @brief Sets the available blocks of a recover task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] available_blocks The blocks that are there, in order.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_recover_set_available_blocks(
		struct doca_ec_task_recover *task,
		const struct doca_buf *available_blocks);

/**
 * @brief Returns the available blocks of a recover task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_ec_task_recover_get_available_blocks(
		const struct doca_ec_task_recover *task);

/**
 * @brief Sets the destination of the recovered blocks of a recover task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] recovered_data_blocks The buffer that receives the blocks that were missing.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_recover_set_recovered_data_blocks(
		struct doca_ec_task_recover *task,
		struct doca_buf *recovered_data_blocks);

/**
 * @brief Returns the destination of the recovered blocks of a recover task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_ec_task_recover_get_recovered_data(const struct doca_ec_task_recover *task);

/**
 * @brief Creates an erasure coding context on a device.
 *
 * @param [in] dev The device. It must stay open as long as the context exists.
 * @param [out] ec The new context. Destroy it with doca_ec_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_INITIALIZATION: the library cannot initialise the context.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_create(struct doca_dev *dev, struct doca_ec **ec);

/**
 * @brief Destroys an erasure coding context and disconnects it from its progress engine.
 *
 * @param [in] ec The context. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_IN_USE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_destroy(struct doca_ec *ec);

/**
 * @brief Returns an erasure coding context as a struct doca_ctx.
 *
 * @param [in] ec The context. It must not be NULL.
 * @return The same context as a struct doca_ctx. It is destroyed with ec.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_ec_as_ctx(struct doca_ec *ec);

/**
 * @brief Returns the size of the largest block of a device.
 *
 * @param [in] devinfo The device.
 * @param [out] max_block_size Size in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_get_max_block_size(
		const struct doca_devinfo *devinfo,
		uint64_t *max_block_size);

/**
 * @brief Returns how many buffers a list of blocks may have.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_list_len Number of buffers; 1 means that lists are not supported.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_get_max_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * @brief Creates a matrix with which redundancy blocks are made.
 *
 * @param [in] ec The context.
 * @param [in] type The kind of the matrix.
 * @param [in] data_block_count Number of data blocks.
 * @param [in] rdnc_block_count Number of redundancy blocks.
 * @param [out] matrix The new matrix. Destroy it with doca_ec_matrix_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_create(
		struct doca_ec *ec,
		enum doca_ec_matrix_type type,
		size_t data_block_count,
		size_t rdnc_block_count,
		struct doca_ec_matrix **matrix);

/**
 * @brief Creates a matrix from its elements.
 *
 * @param [in] ec The context.
 * @param [in] data The elements, row by row: one byte for each data block, one row for
 * each redundancy block. They are copied.
 * @param [in] data_block_count Number of data blocks.
 * @param [in] rdnc_block_count Number of redundancy blocks.
 * @param [out] matrix The new matrix. Destroy it with doca_ec_matrix_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_create_from_raw(
		struct doca_ec *ec,
		uint8_t *data,
		size_t data_block_count,
		size_t rdnc_block_count,
		struct doca_ec_matrix **matrix);

/**
 * @brief Creates a matrix for update tasks from a coding matrix.
 *
 * @param [in] ec The context.
 * @param [in] coding_matrix The matrix with which the redundancy blocks were made.
 * @param [in] update_indices The numbers of the data blocks that have changed, in
 * ascending order.
 * @param [in] n_updates How many have changed.
 * @param [out] matrix The new matrix. Destroy it with doca_ec_matrix_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_create_update(
		struct doca_ec *ec,
		const struct doca_ec_matrix *coding_matrix,
		uint32_t *update_indices,
		size_t n_updates,
		struct doca_ec_matrix **matrix);

/**
 * @brief Creates a matrix for recover tasks from a coding matrix.
 *
 * @param [in] ec The context.
 * @param [in] coding_matrix The matrix with which the redundancy blocks were made.
 * @param [in] missing_indices The numbers of the blocks that are missing, in ascending
 * order; redundancy blocks count on behind the data blocks.
 * @param [in] n_missing How many are missing.
 * @param [out] matrix The new matrix. Destroy it with doca_ec_matrix_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_create_recover(
		struct doca_ec *ec,
		const struct doca_ec_matrix *coding_matrix,
		uint32_t *missing_indices,
		size_t n_missing,
		struct doca_ec_matrix **matrix);

/**
 * @brief Destroys a matrix.
 *
 * @param [in] matrix The matrix. No task may use it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_destroy(struct doca_ec_matrix *matrix);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERASURE_CODING_H_ */
