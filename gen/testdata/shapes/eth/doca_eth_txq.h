/*
 * Copyright the go-doca authors. Licensed under the Apache License, Version 2.0.
 *
 * A made-up library with the shape of one that sends packets by the batch: its callbacks have the context's data in front of the
 * batch's, and arrays.
 */
#ifndef DOCA_ETH_TXQ_H_
#define DOCA_ETH_TXQ_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_eth_txq;
struct doca_eth_txq_event_error;
struct doca_task_batch;

/**
 * @brief Called when a batch has been sent.
 *
 * @param [in] task_batch The batch.
 * @param [in] tasks_num Number of packets.
 * @param [in] ctx_user_data User data of the context.
 * @param [in] task_batch_user_data User data of the batch.
 * @param [in] task_user_data_array User data of each packet.
 * @param [in] pkt_array The packets.
 * @param [in] status_array What became of each packet.
 */
typedef void (*doca_eth_txq_task_batch_send_completion_cb_t)(struct doca_task_batch *task_batch, uint16_t tasks_num, union doca_data ctx_user_data,
							     union doca_data task_batch_user_data, union doca_data *task_user_data_array,
							     struct doca_buf **pkt_array, doca_error_t *status_array);

/** @brief Called when a batch has been cut and sent. */
typedef void (*doca_eth_txq_task_batch_lso_send_completion_cb_t)(struct doca_task_batch *task_batch, uint16_t tasks_num, uint32_t first,
								 uint64_t time, int8_t lane, bool last, union doca_data ctx_user_data,
								 union doca_data task_batch_user_data, union doca_data *task_user_data_array,
								 struct doca_buf **pkt_payload_array, struct doca_gather_list **headers_array,
								 doca_error_t *status_array);

/**
 * @brief Called for a packet that could not be sent.
 *
 * @param [in] event The event.
 * @param [in] packet_index Which packet.
 * @param [in] event_user_data What was given with the callback.
 */
typedef void (*doca_eth_txq_event_error_cb_t)(struct doca_eth_txq_event_error *event, uint32_t packet_index, union doca_data event_user_data);

/**
 * @brief Called when a queue is empty.
 *
 * @param [in] first User data of the batch that was the last one.
 * @param [in] second User data of the context.
 */
typedef void (*doca_eth_txq_empty_cb_t)(struct doca_eth_txq *txq, union doca_data first, union doca_data second);

/** @brief Called for nobody knows what. */
typedef void (*doca_eth_txq_odd_cb_t)(struct doca_eth_txq *txq, union doca_data data1, union doca_data data2);

DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_create(struct doca_eth_txq **eth_txq);

DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_user_data(struct doca_eth_txq *eth_txq, union doca_data user_data);

DOCA_EXPERIMENTAL
struct doca_ctx *doca_eth_txq_as_ctx(struct doca_eth_txq *eth_txq);

DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_batch_send_set_conf(struct doca_eth_txq *eth_txq, uint16_t max_tasks,
						   doca_eth_txq_task_batch_send_completion_cb_t success_task_batch_cb,
						   doca_eth_txq_task_batch_send_completion_cb_t error_task_batch_cb);

DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_batch_lso_send_set_conf(struct doca_eth_txq *eth_txq, uint16_t max_tasks,
						       doca_eth_txq_task_batch_lso_send_completion_cb_t success_task_batch_cb);

DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_event_error_register(struct doca_eth_txq *eth_txq, union doca_data user_data, doca_eth_txq_event_error_cb_t cb);

DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_empty_cb(struct doca_eth_txq *eth_txq, doca_eth_txq_empty_cb_t empty_cb);

DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_odd_cb(struct doca_eth_txq *eth_txq, doca_eth_txq_odd_cb_t odd_cb);

/** @brief Sends n packets. */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_batch_send(struct doca_eth_txq *eth_txq, uint16_t n, union doca_data batch_user_data);

/** @brief Gives metadata for packets: one number and one flag for each. */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_apply_metadata(struct doca_eth_txq *eth_txq, const uint32_t metadata_array[], const uint8_t flags_array[], size_t metadata_num);

/** @brief Returns the sum of the metadata, and that of the flags a hundred times. */
DOCA_EXPERIMENTAL
uint32_t doca_eth_txq_get_metadata_sum(const struct doca_eth_txq *eth_txq);

#ifdef __cplusplus
}
#endif

#endif
