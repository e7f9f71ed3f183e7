#ifndef BENCH_API_H
#define BENCH_API_H

#include <stddef.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_dpa.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

/* The DOCA functions that the loops in C call. They are looked up, as for the Go packages. */
#define API_FUNCTIONS(X) \
	X(doca_devinfo_create_list) X(doca_devinfo_destroy_list) X(doca_devinfo_is_equal_pci_addr) \
	X(doca_devinfo_rep_create_list) X(doca_devinfo_rep_destroy_list) X(doca_devinfo_rep_is_equal_pci_addr) \
	X(doca_dev_open) X(doca_dev_close) X(doca_dev_rep_open) X(doca_dev_rep_close) \
	X(doca_pe_create) X(doca_pe_destroy) X(doca_pe_progress) X(doca_pe_connect_ctx) \
	X(doca_ctx_start) X(doca_ctx_stop) X(doca_ctx_get_state) X(doca_ctx_set_user_data) \
	X(doca_ctx_get_user_data) \
	X(doca_task_set_user_data) X(doca_task_submit) X(doca_task_free) \
	X(doca_mmap_create) X(doca_mmap_destroy) X(doca_mmap_set_memrange) X(doca_mmap_add_dev) X(doca_mmap_start) \
	X(doca_mmap_set_permissions) X(doca_mmap_export_rdma) X(doca_mmap_create_from_export) \
	X(doca_buf_inventory_create) X(doca_buf_inventory_destroy) X(doca_buf_inventory_start) \
	X(doca_buf_inventory_buf_get_by_args) X(doca_buf_dec_refcount) X(doca_buf_reset_data_len) \
	X(doca_buf_set_data) \
	X(doca_dma_create) X(doca_dma_destroy) X(doca_dma_as_ctx) X(doca_dma_task_memcpy_set_conf) \
	X(doca_dma_task_memcpy_alloc_init) X(doca_dma_task_memcpy_as_task) X(doca_dma_task_memcpy_set_src) \
	X(doca_dma_task_memcpy_set_dst) X(doca_dma_task_memcpy_get_src) X(doca_dma_task_memcpy_get_dst) \
	X(doca_comch_server_create) X(doca_comch_server_destroy) X(doca_comch_server_as_ctx) \
	X(doca_comch_server_task_send_set_conf) X(doca_comch_server_event_msg_recv_register) \
	X(doca_comch_server_event_connection_status_changed_register) X(doca_comch_server_event_consumer_register) \
	X(doca_comch_server_task_send_alloc_init) X(doca_comch_server_get_server_ctx) X(doca_comch_client_create) \
	X(doca_comch_client_destroy) X(doca_comch_client_as_ctx) X(doca_comch_client_task_send_set_conf) \
	X(doca_comch_client_event_msg_recv_register) X(doca_comch_client_event_consumer_register) \
	X(doca_comch_client_get_connection) X(doca_comch_client_task_send_alloc_init) \
	X(doca_comch_client_get_client_ctx) X(doca_comch_task_send_as_task) X(doca_comch_consumer_create) \
	X(doca_comch_consumer_destroy) X(doca_comch_consumer_as_ctx) \
	X(doca_comch_consumer_task_post_recv_set_conf) X(doca_comch_consumer_task_post_recv_alloc_init) \
	X(doca_comch_consumer_task_post_recv_get_buf) X(doca_comch_consumer_task_post_recv_as_task) \
	X(doca_comch_producer_create) X(doca_comch_producer_destroy) X(doca_comch_producer_as_ctx) \
	X(doca_comch_producer_task_send_set_conf) X(doca_comch_producer_task_send_alloc_init) \
	X(doca_comch_producer_task_send_as_task) \
	X(doca_rdma_create) X(doca_rdma_destroy) X(doca_rdma_as_ctx) X(doca_rdma_set_permissions) \
	X(doca_rdma_export) X(doca_rdma_connect) X(doca_rdma_task_write_set_conf) \
	X(doca_rdma_task_write_allocate_init) X(doca_rdma_task_write_as_task) X(doca_rdma_task_write_set_src_buf) \
	X(doca_rdma_task_write_set_dst_buf) \
	X(doca_ctx_set_datapath_on_dpa) \
	X(doca_dpa_create) X(doca_dpa_destroy) X(doca_dpa_set_app) X(doca_dpa_start) X(doca_dpa_mem_alloc) \
	X(doca_dpa_h2d_memcpy) X(doca_dpa_rpc) X(doca_dpa_thread_create) X(doca_dpa_thread_destroy) \
	X(doca_dpa_thread_set_func_arg) X(doca_dpa_thread_start) X(doca_dpa_thread_run) \
	X(doca_dpa_completion_create) X(doca_dpa_completion_destroy) X(doca_dpa_completion_start) \
	X(doca_dpa_completion_get_dpa_handle) \
	X(doca_comch_msgq_create) X(doca_comch_msgq_destroy) X(doca_comch_msgq_set_dpa_consumer) \
	X(doca_comch_msgq_set_dpa_producer) X(doca_comch_msgq_start) X(doca_comch_msgq_stop) \
	X(doca_comch_msgq_consumer_create) X(doca_comch_msgq_producer_create) \
	X(doca_comch_consumer_get_id) X(doca_comch_consumer_get_dpa_handle) X(doca_comch_consumer_set_completion) \
	X(doca_comch_consumer_set_dev_max_num_recv) X(doca_comch_consumer_task_post_recv_get_imm_data) \
	X(doca_comch_consumer_completion_create) X(doca_comch_consumer_completion_destroy) \
	X(doca_comch_consumer_completion_set_dpa_thread) X(doca_comch_consumer_completion_set_max_num_consumers) \
	X(doca_comch_consumer_completion_set_max_num_recv) X(doca_comch_consumer_completion_start) \
	X(doca_comch_consumer_completion_stop) X(doca_comch_consumer_completion_get_dpa_handle) \
	X(doca_comch_producer_get_dpa_handle) X(doca_comch_producer_set_dev_max_num_send) \
	X(doca_comch_producer_dpa_completion_attach)

struct api {
#define X(f) __typeof__(&f) f;
	API_FUNCTIONS(X)
#undef X
};

extern struct api api;

/* Their names; NULL after the last one. */
const char *api_function(size_t i);
/* Sets their addresses, in the same order. */
void api_bind(void *const *functions);

doca_error_t api_open_first_device(struct doca_dev **dev);

#endif
