/*
 * Copyright the go-doca authors. Licensed under the Apache License, Version 2.0.
 *
 * A made-up library whose callbacks return what it waits for, and whose parameters are arrays of all kinds.
 */
#ifndef DOCA_STA_H_
#define DOCA_STA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_STA_NAME_LEN 32

struct doca_sta;
struct doca_sta_task_go;
struct doca_task;
struct doca_sta_pipe_cfg;

/** What a pipe does with a packet. */
struct doca_sta_actions {
	uint8_t idx;   /**< Which. */
	uint32_t meta; /**< What it sets. */
};

/** What a resource has counted. */
struct doca_sta_query {
	uint64_t packets; /**< Packets. */
	uint32_t id;      /**< The resource. */
};

/** Type of a key. */
enum doca_sta_key_type {
	DOCA_STA_KEY_128, /**< Of 128 bits. */
	DOCA_STA_KEY_256, /**< Of 256 bits. */
};

/** @brief Returns memory of size bytes. */
typedef void *(*doca_sta_alloc_cb_t)(size_t size);
/** @brief Takes memory back. */
typedef void (*doca_sta_free_cb_t)(void *ptr);
/** @brief Called with the new number of entries. */
typedef doca_error_t (*doca_sta_resize_nr_entries_cb_t)(void *pipe_user_ctx, uint32_t nr_entries);
/** @brief Called for each entry that moves. */
typedef doca_error_t (*doca_sta_resize_relocate_cb_t)(void *pipe_user_ctx, uint16_t queue, void *entry_user_ctx, void **new_entry_user_ctx);

DOCA_EXPERIMENTAL
doca_error_t doca_sta_create(struct doca_sta **sta);

/** @brief Sets who allocates. */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_set_allocator(struct doca_sta *sta, doca_sta_alloc_cb_t alloc_cb, doca_sta_free_cb_t free_cb);

/** @brief Works, with memory of the allocator, and tells how much of it was zero. */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_work(struct doca_sta *sta, size_t size, uint32_t *zeros, uint64_t *more);

/** @brief Resizes, and returns what the callbacks have. */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_resize(struct doca_sta *sta, uint8_t level, doca_sta_resize_nr_entries_cb_t nr_entries_cb,
			     doca_sta_resize_relocate_cb_t relocate_cb);

DOCA_EXPERIMENTAL
doca_error_t doca_sta_pipe_cfg_create(struct doca_sta_pipe_cfg **cfg);

/** @brief Sets the actions of a pipe. They are read when the pipe is created. */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_pipe_cfg_set_actions(struct doca_sta_pipe_cfg *cfg, struct doca_sta_actions *const *actions,
					   struct doca_sta_actions *const *actions_masks, size_t nr_actions);

/** @brief Creates a pipe. */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_pipe_create(const struct doca_sta_pipe_cfg *cfg, uint64_t *sum);

/** @brief Reads what resources have counted. */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_resources_query(struct doca_sta *sta, uint32_t *res_array, struct doca_sta_query *query_results_array, uint32_t array_len);

/** @brief Adds up the indices. */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_recover(struct doca_sta *sta, const uint32_t missing_indices[], size_t n_missing, uint64_t *sum);

DOCA_EXPERIMENTAL
doca_error_t doca_sta_task_go_create(struct doca_sta *sta, struct doca_sta_task_go **task);

DOCA_EXPERIMENTAL
struct doca_task *doca_sta_task_go_as_task(struct doca_sta_task_go *task);

/** @brief Sets the initialization vector. It is read when the task runs. */
DOCA_EXPERIMENTAL
void doca_sta_task_go_set_iv(struct doca_sta_task_go *task, const uint8_t *iv, uint32_t iv_length);

/** @brief Returns the sum of the initialization vector. */
DOCA_EXPERIMENTAL
uint32_t doca_sta_task_go_get_iv_sum(const struct doca_sta_task_go *task);

/** @brief Takes a key. */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_key_check(struct doca_sta *sta, const void *raw_key, enum doca_sta_key_type raw_key_type, uint32_t *sum);

/** @brief Accepts, with data for the peer. */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_accept(struct doca_sta *sta, void *private_data, uint8_t private_data_len);

/** @brief Returns the name. */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_name(const struct doca_sta *sta, char name[DOCA_STA_NAME_LEN]);

/** @brief Turns a number around. */
static inline uint32_t doca_sta_turn(uint32_t x)
{
	return __builtin_bswap32(x) + (uint32_t)__builtin_popcount(x);
}

#ifdef __cplusplus
}
#endif

#endif
