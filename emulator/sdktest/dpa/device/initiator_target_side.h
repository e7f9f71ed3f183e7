/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INITIATOR_TARGET_SIDE_H_
#define INITIATOR_TARGET_SIDE_H_

/* For host and device. DOCA's headers for one or the other come before it: they cannot be included together. */

/** @brief What one side has, in DPA memory. */
struct side_arg {
	doca_dpa_dev_t dpa;				/**< 0: the device is not to be selected. */
	doca_dpa_dev_rdma_t rdma;			/**< The connection's context. */
	doca_dpa_dev_completion_t comp;			/**< Its completions. */
	doca_dpa_dev_notification_completion_t notify;	/**< Wakes the thread that counts. */
	doca_dpa_dev_sync_event_t end;			/**< Set to the number of right values. */
	uint64_t addr;					/**< 8 bytes of host memory. */
	doca_dpa_dev_mmap_t mmap;			/**< Of these. */
	uint32_t expected;				/**< How many values come. */
};

#endif /* INITIATOR_TARGET_SIDE_H_ */
