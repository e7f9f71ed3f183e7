/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PING_PONG_H_
#define PING_PONG_H_

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#include "ping_pong_player.h"

/**
 * @brief Answers each message with the next number, until all are there.
 *
 * @param [in] arg Address of the player.
 */
__dpa_global__ void play(uint64_t arg);

/**
 * @brief Gives a player its first receive and, if it serves, sends the first message.
 *
 * @param [in] player Address of the player.
 * @param [in] serves 1: this player begins.
 * @return 0
 */
__dpa_rpc__ uint64_t prepare(doca_dpa_dev_uintptr_t player, uint32_t serves);

#endif /* PING_PONG_H_ */
