/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PING_PONG_PLAYER_H_
#define PING_PONG_PLAYER_H_

/* For host and device. DOCA's headers for one or the other come before it: they cannot be included together. */

/** @brief What a player has, in DPA memory. */
struct player {
	doca_dpa_dev_t dpa;		   /**< 0: the device is not to be selected. */
	doca_dpa_dev_rdma_t rdma;	   /**< The connection's context. */
	doca_dpa_dev_completion_t comp;	   /**< Its completions. */
	doca_dpa_dev_sync_event_t end;	   /**< Set when the game is over. */
	uint64_t send_addr;		   /**< 8 bytes of host memory. */
	uint64_t receive_addr;		   /**< 8 bytes of host memory. */
	doca_dpa_dev_mmap_t mmap;	   /**< Of both. */
	uint32_t rounds;		   /**< How many messages to receive. */
	uint64_t first;			   /**< The first value that is to be received. */
	uint64_t received;		   /**< How many were right. */
	uint64_t end_value;		   /**< What end is set to if all were right. */
};

#endif /* PING_PONG_PLAYER_H_ */
