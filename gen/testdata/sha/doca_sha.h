/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_sha.h
 * @brief A library in the manner of DOCA's, which the project does not have: hashing by a device.
 */
#ifndef DOCA_SHA_H_
#define DOCA_SHA_H_

#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>

/** @brief What is computed. */
enum doca_sha_algorithm {
	DOCA_SHA_ALGORITHM_SHA1,   /**< 20 bytes */
	DOCA_SHA_ALGORITHM_SHA256, /**< 32 bytes */
};

/** @brief A context that hashes. */
struct doca_sha;

/** @brief A task that hashes one buffer. */
struct doca_sha_task_hash;

/** @brief A type of common that these bindings' base does not have. */
struct doca_later;

/** @brief Called when a task has ended. */
typedef void (*doca_sha_task_hash_completion_cb_t)(struct doca_sha_task_hash *task, union doca_data task_user_data,
						   union doca_data ctx_user_data);

/** @brief Makes a context. @param [in] dev The device. @param [out] sha The context. @return DOCA_SUCCESS, or DOCA_ERROR_NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_sha_create(struct doca_dev *dev, struct doca_sha **sha);

/** @brief Destroys a context. @param [in] sha The context. @return DOCA_SUCCESS, or DOCA_ERROR_IN_USE while it runs. */
DOCA_STABLE
doca_error_t doca_sha_destroy(struct doca_sha *sha);

/** @brief The context for doca_ctx functions. @param [in] sha The context. @return it */
DOCA_STABLE
struct doca_ctx *doca_sha_as_ctx(struct doca_sha *sha);

/** @brief Tells whether a device hashes. @param [in] devinfo The device. @param [in] algorithm What. @return DOCA_SUCCESS if it does. */
DOCA_STABLE
doca_error_t doca_sha_cap_task_hash_get_supported(const struct doca_devinfo *devinfo, enum doca_sha_algorithm algorithm);

/** @brief The largest source. @param [in] devinfo The device. @param [out] max Its bytes. @return DOCA_SUCCESS */
DOCA_STABLE
doca_error_t doca_sha_cap_get_max_src_buf_size(const struct doca_devinfo *devinfo, uint64_t *max);

/** @brief Prepares tasks. @param [in] sha The context. @param [in] done For success. @param [in] failed For failure. @param [in] num How many. @return DOCA_SUCCESS */
DOCA_STABLE
doca_error_t doca_sha_task_hash_set_conf(struct doca_sha *sha, doca_sha_task_hash_completion_cb_t task_completion_cb,
					 doca_sha_task_hash_completion_cb_t task_error_cb, uint32_t num_tasks);

/** @brief Makes a task. */
DOCA_STABLE
doca_error_t doca_sha_task_hash_alloc_init(struct doca_sha *sha, enum doca_sha_algorithm algorithm, const struct doca_buf *src_buff,
					   struct doca_buf *dst_buff, union doca_data user_data, struct doca_sha_task_hash **task);

/** @brief Exchanges the source. */
DOCA_STABLE
void doca_sha_task_hash_set_src(struct doca_sha_task_hash *task, const struct doca_buf *src);

/** @brief Exchanges the destination. */
DOCA_STABLE
void doca_sha_task_hash_set_dst(struct doca_sha_task_hash *task, struct doca_buf *dst);

/** @brief The task for doca_task functions. */
DOCA_STABLE
struct doca_task *doca_sha_task_hash_as_task(struct doca_sha_task_hash *task);

/** @brief Uses a type that only a later doca_dev.h declares. */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_set_later(struct doca_sha *sha, struct doca_later *later);

#endif
