/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_compress.h
 * @brief Compress: compression and decompression by the device.
 *
 * Create a context with doca_compress_create(), set the callbacks of the tasks that it
 * needs, connect it to a progress engine with doca_pe_connect_ctx() and start it with
 * doca_ctx_start(). Then allocate and submit tasks.
 */
#ifndef DOCA_COMPRESS_H_
#define DOCA_COMPRESS_H_

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

/** @brief A compress context. */
struct doca_compress;

/** @brief A compress task: it compresses data to the DEFLATE format. */
struct doca_compress_task_compress_deflate;

/** @brief A DEFLATE decompress task: it decompresses data of the DEFLATE format. */
struct doca_compress_task_decompress_deflate;

/** @brief An LZ4 stream decompress task: it decompresses an LZ4 stream, a series of blocks. */
struct doca_compress_task_decompress_lz4_stream;

/** @brief An LZ4 block decompress task: it decompresses a single LZ4 block. */
struct doca_compress_task_decompress_lz4_block;

/**
 * @brief Called when a compress task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. The caller owns the task again
 * and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended.
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_compress_task_compress_deflate_completion_cb_t)(
		struct doca_compress_task_compress_deflate *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Called when a DEFLATE decompress task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. The caller owns the task again
 * and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended.
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_compress_task_decompress_deflate_completion_cb_t)(
		struct doca_compress_task_decompress_deflate *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Called when an LZ4 stream decompress task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. The caller owns the task again
 * and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended.
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_compress_task_decompress_lz4_stream_completion_cb_t)(
		struct doca_compress_task_decompress_lz4_stream *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Called when an LZ4 block decompress task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. The caller owns the task again
 * and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended.
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_compress_task_decompress_lz4_block_completion_cb_t)(
		struct doca_compress_task_decompress_lz4_block *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Creates a Compress context on a device.
 *
 * @param [in] dev The device. It must stay open as long as the context exists.
 * @param [out] compress The new context. Destroy it with doca_compress_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_INITIALIZATION: the library cannot initialise the context.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_create(struct doca_dev *dev, struct doca_compress **compress);

/**
 * @brief Destroys a Compress context and disconnects it from its progress engine.
 *
 * @param [in] compress The context. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_IN_USE: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_destroy(struct doca_compress *compress);

/**
 * @brief Returns a Compress context as a struct doca_ctx.
 *
 * @param [in] compress The context. It must not be NULL.
 * @return The same context as a struct doca_ctx. It is destroyed with compress.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_compress_as_ctx(struct doca_compress *compress);

/**
 * @brief Returns the maximum number of tasks of a context.
 *
 * @param [in] compress The context itself, rather than the info of its device.
 * @param [out] max_num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_get_max_num_tasks(
		struct doca_compress *compress,
		uint32_t *max_num_tasks);

/**
 * @brief Reports whether a device supports compress tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no such tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_compress_deflate_is_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Returns the size of the largest buffer of compress tasks.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buffer_size Size in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_compress_deflate_get_max_buf_size(
		const struct doca_devinfo *devinfo,
		uint64_t *max_buffer_size);

/**
 * @brief Returns how many buffers a list of compress tasks may have.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_list_len Number of buffers; 1 means that lists are not supported.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_compress_deflate_get_max_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * @brief Sets the callbacks and the number of the compress tasks of a context.
 *
 * @param [in] compress The context. It must be idle.
 * @param [in] task_completion_cb Called when a task has succeeded.
 * @param [in] task_error_cb Called when a task has failed.
 * @param [in] num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_compress_deflate_set_conf(
		struct doca_compress *compress,
		doca_compress_task_compress_deflate_completion_cb_t task_completion_cb,
		doca_compress_task_compress_deflate_completion_cb_t task_error_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a compress task.
 *
 * @param [in] compress The context. It must be running.
 * @param [in] src_buff The buffer with the data to read, or the head of a list.
 * @param [in] dst_buff The buffer that receives the result, behind the data it has.
 * @param [in] user_data The user data of the task.
 * @param [out] task The new task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_compress_deflate_alloc_init(
		struct doca_compress *compress,
		const struct doca_buf *src_buff,
		struct doca_buf *dst_buff,
		union doca_data user_data,
		struct doca_compress_task_compress_deflate **task);

/**
 * @brief Returns a compress task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task. It is freed with task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_compress_task_compress_deflate_as_task(
		struct doca_compress_task_compress_deflate *task);

/**
 * @brief Sets the source of a compress task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] src_buff The buffer with the data to read, or the head of a list.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_compress_deflate_set_src(
		struct doca_compress_task_compress_deflate *task,
		const struct doca_buf *src_buff);

/**
 * @brief Returns the source of a compress task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_compress_task_compress_deflate_get_src(
		const struct doca_compress_task_compress_deflate *task);

/**
 * @brief Sets the destination of a compress task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] dst_buff The buffer that receives the result, behind the data it has.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_compress_deflate_set_dst(
		struct doca_compress_task_compress_deflate *task,
		struct doca_buf *dst_buff);

/**
 * @brief Returns the destination of a compress task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_compress_task_compress_deflate_get_dst(
		const struct doca_compress_task_compress_deflate *task);

/**
 * @brief Returns the CRC checksum that a compress task has computed.
 *
 * @param [in] task The task. It must have succeeded.
 * @return The checksum of the plain data.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_compress_deflate_get_crc_cs(
		const struct doca_compress_task_compress_deflate *task);

/**
 * @brief Returns the Adler checksum that a compress task has computed.
 *
 * @param [in] task The task. It must have succeeded.
 * @return The checksum of the plain data.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_compress_deflate_get_adler_cs(
		const struct doca_compress_task_compress_deflate *task);

/**
 * @brief Reports whether a device supports DEFLATE decompress tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no such tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_decompress_deflate_is_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Returns the size of the largest buffer of DEFLATE decompress tasks.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buffer_size Size in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_decompress_deflate_get_max_buf_size(
		const struct doca_devinfo *devinfo,
		uint64_t *max_buffer_size);

/**
 * @brief Returns how many buffers a list of DEFLATE decompress tasks may have.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_list_len Number of buffers; 1 means that lists are not supported.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_decompress_deflate_get_max_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * @brief Sets the callbacks and the number of the DEFLATE decompress tasks of a context.
 *
 * @param [in] compress The context. It must be idle.
 * @param [in] task_completion_cb Called when a task has succeeded.
 * @param [in] task_error_cb Called when a task has failed.
 * @param [in] num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_deflate_set_conf(
		struct doca_compress *compress,
		doca_compress_task_decompress_deflate_completion_cb_t task_completion_cb,
		doca_compress_task_decompress_deflate_completion_cb_t task_error_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a DEFLATE decompress task.
 *
 * @param [in] compress The context. It must be running.
 * @param [in] src_buff The buffer with the data to read, or the head of a list.
 * @param [in] dst_buff The buffer that receives the result, behind the data it has.
 * @param [in] user_data The user data of the task.
 * @param [out] task The new task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_deflate_alloc_init(
		struct doca_compress *compress,
		const struct doca_buf *src_buff,
		struct doca_buf *dst_buff,
		union doca_data user_data,
		struct doca_compress_task_decompress_deflate **task);

/**
 * @brief Returns a DEFLATE decompress task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task. It is freed with task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_compress_task_decompress_deflate_as_task(
		struct doca_compress_task_decompress_deflate *task);

/**
 * @brief Sets the source of a DEFLATE decompress task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] src_buff The buffer with the data to read, or the head of a list.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_deflate_set_src(
		struct doca_compress_task_decompress_deflate *task,
		const struct doca_buf *src_buff);

/**
 * @brief Returns the source of a DEFLATE decompress task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_compress_task_decompress_deflate_get_src(
		const struct doca_compress_task_decompress_deflate *task);

/**
 * @brief Sets the destination of a DEFLATE decompress task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] dst_buff The buffer that receives the result, behind the data it has.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_deflate_set_dst(
		struct doca_compress_task_decompress_deflate *task,
		struct doca_buf *dst_buff);

/**
 * @brief Returns the destination of a DEFLATE decompress task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_compress_task_decompress_deflate_get_dst(
		const struct doca_compress_task_decompress_deflate *task);

/**
 * @brief Returns the CRC checksum that a DEFLATE decompress task has computed.
 *
 * @param [in] task The task. It must have succeeded.
 * @return The checksum of the plain data.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_deflate_get_crc_cs(
		const struct doca_compress_task_decompress_deflate *task);

/**
 * @brief Returns the Adler checksum that a DEFLATE decompress task has computed.
 *
 * @param [in] task The task. It must have succeeded.
 * @return The checksum of the plain data.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_deflate_get_adler_cs(
		const struct doca_compress_task_decompress_deflate *task);

/**
 * @brief Reports whether a device supports LZ4 stream decompress tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no such tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_decompress_lz4_stream_is_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Returns the size of the largest buffer of LZ4 stream decompress tasks.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buffer_size Size in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_size(
		const struct doca_devinfo *devinfo,
		uint64_t *max_buffer_size);

/**
 * @brief Returns how many buffers a list of LZ4 stream decompress tasks may have.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_list_len Number of buffers; 1 means that lists are not supported.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * @brief Sets the callbacks and the number of the LZ4 stream decompress tasks of a
 * context.
 *
 * @param [in] compress The context. It must be idle.
 * @param [in] task_completion_cb Called when a task has succeeded.
 * @param [in] task_error_cb Called when a task has failed.
 * @param [in] num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_lz4_stream_set_conf(
		struct doca_compress *compress,
		doca_compress_task_decompress_lz4_stream_completion_cb_t task_completion_cb,
		doca_compress_task_decompress_lz4_stream_completion_cb_t task_error_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates an LZ4 stream decompress task.
 *
 * @param [in] compress The context. It must be running.
 * @param [in] has_block_checksum 1 if each block of the stream has a checksum, else 0.
 * @param [in] are_blocks_independent 1 if no block refers to the data of another one, else
 * 0.
 * @param [in] src_buff The buffer with the data to read, or the head of a list.
 * @param [in] dst_buff The buffer that receives the result, behind the data it has.
 * @param [in] user_data The user data of the task.
 * @param [out] task The new task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_lz4_stream_alloc_init(
		struct doca_compress *compress,
		uint8_t has_block_checksum,
		uint8_t are_blocks_independent,
		const struct doca_buf *src_buff,
		struct doca_buf *dst_buff,
		union doca_data user_data,
		struct doca_compress_task_decompress_lz4_stream **task);

/**
 * @brief Returns an LZ4 stream decompress task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task. It is freed with task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_compress_task_decompress_lz4_stream_as_task(
		struct doca_compress_task_decompress_lz4_stream *task);

/**
 * @brief Sets whether each block of the stream has a checksum, for an LZ4 stream decompress
 * task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] has_block_checksum 1 if each block of the stream has a checksum, else 0.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_stream_set_has_block_checksum(
		struct doca_compress_task_decompress_lz4_stream *task,
		uint8_t has_block_checksum);

/**
 * @brief Returns whether each block of the stream has a checksum, for an LZ4 stream
 * decompress task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
uint8_t doca_compress_task_decompress_lz4_stream_get_has_block_checksum(
		const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * @brief Sets whether the blocks are independent, for an LZ4 stream decompress task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] are_blocks_independent 1 if no block refers to the data of another one, else
 * 0.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_stream_set_are_blocks_independent(
		struct doca_compress_task_decompress_lz4_stream *task,
		uint8_t are_blocks_independent);

/**
 * @brief Returns whether the blocks are independent, for an LZ4 stream decompress task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
uint8_t doca_compress_task_decompress_lz4_stream_get_are_blocks_independent(
		const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * @brief Sets the source of an LZ4 stream decompress task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] src_buff The buffer with the data to read, or the head of a list.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_stream_set_src(
		struct doca_compress_task_decompress_lz4_stream *task,
		const struct doca_buf *src_buff);

/**
 * @brief Returns the source of an LZ4 stream decompress task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_compress_task_decompress_lz4_stream_get_src(
		const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * @brief Sets the destination of an LZ4 stream decompress task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] dst_buff The buffer that receives the result, behind the data it has.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_stream_set_dst(
		struct doca_compress_task_decompress_lz4_stream *task,
		struct doca_buf *dst_buff);

/**
 * @brief Returns the destination of an LZ4 stream decompress task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_compress_task_decompress_lz4_stream_get_dst(
		const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * @brief Returns the CRC checksum that an LZ4 stream decompress task has computed.
 *
 * @param [in] task The task. It must have succeeded.
 * @return The checksum of the plain data.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_lz4_stream_get_crc_cs(
		const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * @brief Returns the xxHash checksum that an LZ4 stream decompress task has computed.
 *
 * @param [in] task The task. It must have succeeded.
 * @return The checksum of the plain data.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_lz4_stream_get_xxh_cs(
		const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * @brief Reports whether a device supports LZ4 block decompress tasks.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no such tasks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_decompress_lz4_block_is_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Returns the size of the largest buffer of LZ4 block decompress tasks.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buffer_size Size in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_decompress_lz4_block_get_max_buf_size(
		const struct doca_devinfo *devinfo,
		uint64_t *max_buffer_size);

/**
 * @brief Returns how many buffers a list of LZ4 block decompress tasks may have.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_list_len Number of buffers; 1 means that lists are not supported.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_decompress_lz4_block_get_max_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * @brief Sets the callbacks and the number of the LZ4 block decompress tasks of a context.
 *
 * @param [in] compress The context. It must be idle.
 * @param [in] task_completion_cb Called when a task has succeeded.
 * @param [in] task_error_cb Called when a task has failed.
 * @param [in] num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do this.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_lz4_block_set_conf(
		struct doca_compress *compress,
		doca_compress_task_decompress_lz4_block_completion_cb_t task_completion_cb,
		doca_compress_task_decompress_lz4_block_completion_cb_t task_error_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates an LZ4 block decompress task.
 *
 * @param [in] compress The context. It must be running.
 * @param [in] src_buff The buffer with the data to read, or the head of a list.
 * @param [in] dst_buff The buffer that receives the result, behind the data it has.
 * @param [in] user_data The user data of the task.
 * @param [out] task The new task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_lz4_block_alloc_init(
		struct doca_compress *compress,
		const struct doca_buf *src_buff,
		struct doca_buf *dst_buff,
		union doca_data user_data,
		struct doca_compress_task_decompress_lz4_block **task);

/**
 * @brief Returns an LZ4 block decompress task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task. It is freed with task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_compress_task_decompress_lz4_block_as_task(
		struct doca_compress_task_decompress_lz4_block *task);

/**
 * @brief Sets the source of an LZ4 block decompress task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] src_buff The buffer with the data to read, or the head of a list.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_block_set_src(
		struct doca_compress_task_decompress_lz4_block *task,
		const struct doca_buf *src_buff);

/**
 * @brief Returns the source of an LZ4 block decompress task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_compress_task_decompress_lz4_block_get_src(
		const struct doca_compress_task_decompress_lz4_block *task);

/**
 * @brief Sets the destination of an LZ4 block decompress task.
 *
 * @param [in] task The task. It must not be in flight.
 * @param [in] dst_buff The buffer that receives the result, behind the data it has.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_block_set_dst(
		struct doca_compress_task_decompress_lz4_block *task,
		struct doca_buf *dst_buff);

/**
 * @brief Returns the destination of an LZ4 block decompress task.
 *
 * @param [in] task The task.
 * @return What the task was made with, or what was set last.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_compress_task_decompress_lz4_block_get_dst(
		const struct doca_compress_task_decompress_lz4_block *task);

/**
 * @brief Returns the CRC checksum that an LZ4 block decompress task has computed.
 *
 * @param [in] task The task. It must have succeeded.
 * @return The checksum of the plain data.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_lz4_block_get_crc_cs(
		const struct doca_compress_task_decompress_lz4_block *task);

/**
 * @brief Returns the xxHash checksum that an LZ4 block decompress task has computed.
 *
 * @param [in] task The task. It must have succeeded.
 * @return The checksum of the plain data.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_lz4_block_get_xxh_cs(
		const struct doca_compress_task_decompress_lz4_block *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMPRESS_H_ */
