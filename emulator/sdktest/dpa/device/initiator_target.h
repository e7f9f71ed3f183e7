/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INITIATOR_TARGET_H_
#define INITIATOR_TARGET_H_

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#include "initiator_target_side.h"

/**
 * @brief Takes the values that have arrived, posts the receive again, and sleeps until the next one.
 *
 * The values are 1, 2, 3 and so on, and each comes with itself as immediate value. After the last one the event is set.
 *
 * @param [in] arg Address of the target's side.
 */
__dpa_global__ void target(uint64_t arg);

/**
 * @brief Takes one value like target, and leaves the counting to another thread, which it wakes.
 *
 * @param [in] arg Address of the target's side.
 */
__dpa_global__ void target_notifies(uint64_t arg);

/**
 * @brief Counts how often it is woken, and sets the event after the last time.
 *
 * @param [in] arg Address of the target's side.
 */
__dpa_global__ void count(uint64_t arg);

/**
 * @brief Posts the target's receive.
 *
 * @param [in] side Address of the target's side.
 * @return 0
 */
__dpa_rpc__ uint64_t post_receive(doca_dpa_dev_uintptr_t side);

/**
 * @brief Sends the value in the initiator's memory.
 *
 * @param [in] side Address of the initiator's side.
 * @param [in] immediate The immediate value.
 * @return 0
 */
__dpa_rpc__ uint64_t send_value(doca_dpa_dev_uintptr_t side, uint32_t immediate);

#endif /* INITIATOR_TARGET_H_ */
