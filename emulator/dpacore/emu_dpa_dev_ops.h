/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_DEV_OPS_H_
#define EMU_DPA_DEV_OPS_H_

/*
 * The table through which device code calls the emulator. The device library, which is in the archive of the
 * application, has one function for each member. Names and parameters are those of doca_dpa_dev_*.h, in plain types: the
 * host's and the device's headers declare the same ones, so that no file can include both.
 */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define EMU_DPA_DEV_OPS_ABI 1u

struct emu_dpa_dev_ops {
	uint32_t abi;  /* EMU_DPA_DEV_OPS_ABI */
	uint32_t size; /* of this struct */

	/* doca_dpa_dev.h */
	void (*device_set)(uint64_t dpa_handle);
	unsigned int (*thread_rank)(void);
	unsigned int (*num_threads)(void);
	uint64_t (*thread_get_local_storage)(void);
	void (*yield)(void);
	void (*thread_reschedule)(void);
	void (*thread_finish)(void);
	void (*thread_notify)(uint64_t comp_handle);
	void (*log)(int log_level, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
	void (*trace)(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);
	void (*trace_flush)(void);
	void (*hash_table_add)(uint64_t ht_handle, uint32_t key, uint64_t value);
	void (*hash_table_remove)(uint64_t ht_handle, uint32_t key);
	int (*hash_table_find)(uint64_t ht_handle, uint32_t key, uint64_t *value);
	int (*get_completion)(uint64_t comp_handle, uint64_t *comp_element);
	int (*get_completion_type)(uint64_t comp_element);
	uint32_t (*get_completion_user_data)(uint64_t comp_element);
	uint32_t (*get_completion_immediate)(uint64_t comp_element);
	void (*completion_ack)(uint64_t comp_handle, uint64_t num_comp);
	void (*completion_request_notification)(uint64_t comp_handle);

	/* doca_dpa_dev_buf.h */
	uint64_t (*buf_get_external_ptr)(uint64_t buf);
	void (*post_buf_memcpy)(uint64_t async_ops_handle, uint64_t dst_buf_handle, uint64_t src_buf_handle, uint32_t flags);
	void (*post_memcpy)(uint64_t async_ops_handle, uint32_t dst_mmap_handle, uint64_t dst_addr,
			    uint32_t src_mmap_handle, uint64_t src_addr, size_t length, uint32_t flags);
	uint64_t (*mmap_get_external_ptr)(uint32_t mmap_handle, uint64_t addr);

	/* doca_dpa_dev_sync_event.h */
	void (*sync_event_get)(uint64_t dpa_dev_se_handle, uint64_t *value);
	void (*sync_event_update_add)(uint64_t dpa_dev_se_handle, uint64_t value);
	void (*sync_event_update_set)(uint64_t dpa_dev_se_handle, uint64_t value);
	void (*sync_event_wait_gt)(uint64_t dpa_dev_se_handle, uint64_t value, uint64_t mask);
	void (*sync_event_post_wait_gt)(uint64_t async_ops_handle, uint64_t wait_se_handle, uint64_t value);
	void (*sync_event_post_wait_ne)(uint64_t async_ops_handle, uint64_t wait_se_handle, uint64_t value);

	/* doca_dpa_dev_comch_msgq.h */
	void (*comch_consumer_ack)(uint64_t consumer, uint32_t num_msg);
	int (*comch_consumer_get_completion)(uint64_t consumer_comp_handle, uint64_t *comp_element);
	const uint8_t *(*comch_consumer_get_completion_imm)(uint64_t comp_element, uint32_t *imm_length);
	uint32_t (*comch_consumer_get_completion_producer_id)(uint64_t comp_element);
	void (*comch_consumer_completion_ack)(uint64_t consumer_comp_handle, uint64_t num_comp);
	void (*comch_consumer_completion_request_notification)(uint64_t consumer_comp_handle);
	int (*comch_producer_is_consumer_empty)(uint64_t producer, uint32_t consumer_id);
	void (*comch_producer_post_send_imm_only)(uint64_t producer, uint32_t consumer_id, const uint8_t *imm,
						  uint32_t imm_length, uint32_t flags);
	void (*comch_producer_dma_copy)(uint64_t producer, uint32_t consumer_id, uint32_t dst_mmap, uint64_t dst_addr,
					uint32_t src_mmap, uint64_t src_addr, size_t length, const uint8_t *imm,
					uint32_t imm_length, uint32_t flags);

	/* doca_dpa_dev_rdma.h */
	void (*rdma_post_read)(uint64_t rdma, uint32_t connection_id, uint32_t dst_mmap_handle, uint64_t dst_addr,
			       uint32_t src_mmap_handle, uint64_t src_addr, size_t length, uint32_t flags);
	void (*rdma_post_buf_read)(uint64_t rdma, uint32_t connection_id, uint64_t dst_buf_handle,
				   uint64_t src_buf_handle, uint32_t flags);
	void (*rdma_post_write)(uint64_t rdma, uint32_t connection_id, uint32_t dst_mmap_handle, uint64_t dst_addr,
				uint32_t src_mmap_handle, uint64_t src_addr, size_t length, uint32_t flags);
	void (*rdma_post_buf_write)(uint64_t rdma, uint32_t connection_id, uint64_t dst_buf_handle,
				    uint64_t src_buf_handle, uint32_t flags);
	void (*rdma_post_write_imm)(uint64_t rdma, uint32_t connection_id, uint32_t dst_mmap_handle, uint64_t dst_addr,
				    uint32_t src_mmap_handle, uint64_t src_addr, size_t length, uint32_t immediate,
				    uint32_t flags);
	void (*rdma_post_buf_write_imm)(uint64_t rdma, uint32_t connection_id, uint64_t dst_buf_handle,
					uint64_t src_buf_handle, uint32_t immediate, uint32_t flags);
	void (*rdma_post_send)(uint64_t rdma, uint32_t connection_id, uint32_t mmap_handle, uint64_t addr,
			       size_t length, uint32_t flags);
	void (*rdma_post_buf_send)(uint64_t rdma, uint32_t connection_id, uint64_t send_buf_handle, uint32_t flags);
	void (*rdma_post_send_imm)(uint64_t rdma, uint32_t connection_id, uint32_t mmap_handle, uint64_t addr,
				   size_t length, uint32_t immediate, uint32_t flags);
	void (*rdma_post_buf_send_imm)(uint64_t rdma, uint32_t connection_id, uint64_t send_buf_handle,
				       uint32_t immediate, uint32_t flags);
	void (*rdma_post_receive)(uint64_t rdma, uint32_t mmap_handle, uint64_t addr, size_t length);
	void (*rdma_post_buf_receive)(uint64_t rdma, uint64_t receive_buf_handle);
	void (*rdma_receive_ack)(uint64_t rdma, uint32_t num_acked);
	uint32_t (*rdma_completion_get_wr_index)(uint64_t comp_element);
	void (*rdma_post_atomic_fetch_add)(uint64_t rdma, uint32_t connection_id, uint32_t dst_mmap_handle,
					   uint64_t dst_addr, uint64_t value, uint32_t flags);
	void (*rdma_post_buf_atomic_fetch_add)(uint64_t rdma, uint32_t connection_id, uint64_t dst_buf_handle,
					       uint64_t value, uint32_t flags);
	void (*rdma_signal_set)(uint64_t rdma, uint32_t connection_id, uint64_t remote_sync_event, uint64_t count);
	void (*rdma_signal_add)(uint64_t rdma, uint32_t connection_id, uint64_t remote_sync_event, uint64_t count);

	/* doca_dpa_dev_devemu_pci.h */
	int (*devemu_pci_get_db_completion)(uint64_t comp, uint64_t *comp_element);
	void (*devemu_pci_db_completion_ack)(uint64_t comp, uint64_t num_comp);
	void (*devemu_pci_db_completion_request_notification)(uint64_t comp);
	int (*devemu_pci_db_completion_bind_db)(uint64_t comp, uint64_t db);
	int (*devemu_pci_db_completion_unbind_db)(uint64_t comp, uint64_t db);
	void (*devemu_pci_db_completion_element_get_db_properties)(uint64_t comp, uint64_t comp_element, uint64_t *db,
								   uint64_t *db_user_data);
	void (*devemu_pci_db_request_notification)(uint64_t db);
	uint32_t (*devemu_pci_db_get_value)(uint64_t db);
	void (*devemu_pci_msix_raise)(uint64_t msix);
	uint64_t (*devemu_pci_msix_get_user_data)(uint64_t msix);
};

#endif /* EMU_DPA_DEV_OPS_H_ */
