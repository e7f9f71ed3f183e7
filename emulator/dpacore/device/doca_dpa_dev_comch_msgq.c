/* SPDX-License-Identifier: Apache-2.0 */
#include <doca_dpa_dev_comch_msgq.h>

#include "emu_dpa_dev_library.h"

void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg)
{
	emu_dpa_dev_ops->comch_consumer_ack(consumer, num_msg);
}

int doca_dpa_dev_comch_consumer_get_completion(doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
					       doca_dpa_dev_comch_consumer_completion_element_t *comp_element)
{
	return emu_dpa_dev_ops->comch_consumer_get_completion(consumer_comp_handle, comp_element);
}

const uint8_t *doca_dpa_dev_comch_consumer_get_completion_imm(
							      doca_dpa_dev_comch_consumer_completion_element_t comp_element,
							      uint32_t *imm_length)
{
	return emu_dpa_dev_ops->comch_consumer_get_completion_imm(comp_element, imm_length);
}

uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
								doca_dpa_dev_comch_consumer_completion_element_t comp_element)
{
	return emu_dpa_dev_ops->comch_consumer_get_completion_producer_id(comp_element);
}

void doca_dpa_dev_comch_consumer_completion_ack(doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
						uint64_t num_comp)
{
	emu_dpa_dev_ops->comch_consumer_completion_ack(consumer_comp_handle, num_comp);
}

void doca_dpa_dev_comch_consumer_completion_request_notification(
								 doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle)
{
	emu_dpa_dev_ops->comch_consumer_completion_request_notification(consumer_comp_handle);
}

int doca_dpa_dev_comch_producer_is_consumer_empty(doca_dpa_dev_comch_producer_t producer, uint32_t consumer_id)
{
	return emu_dpa_dev_ops->comch_producer_is_consumer_empty(producer, consumer_id);
}

void doca_dpa_dev_comch_producer_post_send_imm_only(doca_dpa_dev_comch_producer_t producer, uint32_t consumer_id,
						    const uint8_t *imm, uint32_t imm_length, uint32_t flags)
{
	emu_dpa_dev_ops->comch_producer_post_send_imm_only(producer, consumer_id, imm, imm_length, flags);
}

void doca_dpa_dev_comch_producer_dma_copy(doca_dpa_dev_comch_producer_t producer, uint32_t consumer_id,
					  doca_dpa_dev_mmap_t dst_mmap, uint64_t dst_addr,
					  doca_dpa_dev_mmap_t src_mmap, uint64_t src_addr, size_t length,
					  const uint8_t *imm, uint32_t imm_length, uint32_t flags)
{
	emu_dpa_dev_ops->comch_producer_dma_copy(producer, consumer_id, dst_mmap, dst_addr, src_mmap, src_addr,
						 length, imm, imm_length, flags);
}
