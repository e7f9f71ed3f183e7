/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSGQ_ECHO_H_
#define MSGQ_ECHO_H_

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_comch_msgq.h>

#include "msgq_echo_args.h"

/**
 * @brief Sends back each message that has come, after a copy of the bytes that its number stands for.
 *
 * @param [in] arg Address of its arguments.
 */
__dpa_global__ void echo(uint64_t arg);

/**
 * @brief Makes room for the first messages.
 *
 * @param [in] args Address of the thread's arguments.
 * @param [in] count How many.
 * @return 0
 */
__dpa_rpc__ uint64_t echo_ready(doca_dpa_dev_uintptr_t args, uint32_t count);

#endif /* MSGQ_ECHO_H_ */
