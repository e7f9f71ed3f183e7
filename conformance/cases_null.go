// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"

	"github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dma"
	"github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/rdma"
	"github.com/go-doca/go-doca/generated/syncevent"
)

// nullCall is a function that is documented to refuse NULL.
type nullCall struct {
	function string
	call     func(t *T) error
}

// second is the error of a function that returns something else as well.
func second[V any](_ V, err error) error { return err }

// nullOf makes a case of functions that refuse NULL. DOCA documents no such thing for other functions, of which those of
// the data path crash.
func nullOf(library, subject string, source Source, calls ...nullCall) Case {
	return Case{
		Name: subject + "/null", Library: library, Source: source,
		Rule: fmt.Sprintf("%d functions of this kind refuse NULL in place of their object.", len(calls)),
		Run: func(t *T) {
			for _, c := range calls {
				t.code("doca_"+c.function+" with NULL", c.call(t), invalid)
			}
		},
	}
}

// nullWith is the same for a library that not every card has.
func nullWith(need Need, library, subject string, calls ...nullCall) Case {
	c := nullOf(library, subject, Documented, calls...)
	c.Needs = needs(need)
	return c
}

func nullCases() []Case {
	n := func(function string, call func(t *T) error) nullCall { return nullCall{function, call} }
	return []Case{
		nullOf("common", "mmap", Observed,
			n("mmap_destroy", func(t *T) error { return common.MmapDestroy(t.ring, nil) }),
			n("mmap_start", func(t *T) error { return common.MmapStart(t.ring, nil) }),
			n("mmap_stop", func(t *T) error { return common.MmapStop(t.ring, nil) }),
			n("mmap_set_permissions", func(*T) error { return common.MmapSetPermissions(nil, 1) }),
			n("mmap_set_max_num_devices", func(*T) error { return common.MmapSetMaxNumDevices(nil, 1) }),
			n("mmap_set_user_data", func(*T) error { return common.MmapSetUserData(nil, 1) }),
			n("mmap_get_memrange", func(*T) error { _, _, err := common.MmapGetMemrange(nil); return err }),
			n("mmap_get_num_bufs", func(*T) error { return second(common.MmapGetNumBufs(nil)) }),
			n("mmap_get_exported", func(*T) error { return second(common.MmapGetExported(nil)) }),
			n("mmap_get_from_export", func(*T) error { return second(common.MmapGetFromExport(nil)) }),
			n("mmap_get_max_num_devices", func(*T) error { return second(common.MmapGetMaxNumDevices(nil)) }),
			n("mmap_enable_thread_safety", func(*T) error { return common.MmapEnableThreadSafety(nil) }),
		),
		nullOf("common", "inventory", Documented,
			n("buf_inventory_destroy", func(t *T) error { return common.BufInventoryDestroy(t.ring, nil) }),
			n("buf_inventory_start", func(t *T) error { return common.BufInventoryStart(t.ring, nil) }),
			n("buf_inventory_stop", func(t *T) error { return common.BufInventoryStop(t.ring, nil) }),
			n("buf_inventory_get_num_elements", func(*T) error { return second(common.BufInventoryGetNumElements(nil)) }),
			n("buf_inventory_get_num_free_elements", func(*T) error { return second(common.BufInventoryGetNumFreeElements(nil)) }),
			n("buf_inventory_expand", func(*T) error { return common.BufInventoryExpand(nil, 1) }),
		),
		nullOf("common", "pool", Documented,
			n("buf_pool_destroy", func(t *T) error { return common.BufPoolDestroy(t.ring, nil) }),
			n("buf_pool_start", func(t *T) error { return common.BufPoolStart(t.ring, nil) }),
			n("buf_pool_stop", func(t *T) error { return common.BufPoolStop(t.ring, nil) }),
			n("buf_pool_get_num_elements", func(*T) error { return second(common.BufPoolGetNumElements(nil)) }),
			n("buf_pool_set_element_alignment", func(*T) error { return common.BufPoolSetElementAlignment(nil, 64) }),
		),
		nullOf("common", "array", Documented,
			n("buf_arr_destroy", func(t *T) error { return common.BufArrDestroy(t.ring, nil) }),
			n("buf_arr_start", func(t *T) error { return common.BufArrStart(t.ring, nil) }),
			n("buf_arr_stop", func(t *T) error { return common.BufArrStop(t.ring, nil) }),
			n("buf_arr_get_dpa_handle", func(*T) error { return second(common.BufArrGetDPAHandle(nil)) }),
		),
		nullOf("common", "ctx", Observed,
			n("ctx_start", func(t *T) error { return common.CtxStart(t.ring, nil) }),
			n("ctx_stop", func(t *T) error { return common.CtxStop(t.ring, nil) }),
			n("ctx_get_state", func(*T) error { return second(common.CtxGetState(nil)) }),
			n("ctx_get_num_inflight_tasks", func(*T) error { return second(common.CtxGetNumInflightTasks(nil)) }),
			n("ctx_get_user_data", func(*T) error { return second(common.CtxGetUserData(nil)) }),
			n("ctx_set_user_data", func(*T) error { return common.CtxSetUserData(nil, 1) }),
			n("ctx_set_completion_vector", func(*T) error { return common.CtxSetCompletionVector(nil, 0) }),
		),
		nullOf("common", "pe", Documented,
			n("pe_destroy", func(t *T) error { return common.PEDestroy(t.ring, nil) }),
			n("pe_connect_ctx", func(*T) error { return common.PEConnectCtx(nil, nil) }),
			n("pe_get_num_inflight_tasks", func(*T) error { return second(common.PEGetNumInflightTasks(nil)) }),
			n("pe_set_event_mode", func(*T) error { return common.PESetEventMode(nil, common.PEEventModeProgressAll) }),
		),
		nullOf("common", "devinfo", Documented,
			n("devinfo_get_pci_addr_str", func(*T) error { return second(common.DevinfoGetPCIAddrStr(nil)) }),
			n("devinfo_is_equal_pci_addr", func(*T) error { return second(common.DevinfoIsEqualPCIAddr(nil, "0000:03:00.0")) }),
			n("devinfo_get_ibdev_name", func(*T) error { return second(common.DevinfoGetIbdevName(nil)) }),
			n("devinfo_get_iface_name", func(*T) error { return second(common.DevinfoGetIfaceName(nil)) }),
			n("devinfo_get_mac_addr", func(*T) error { return second(common.DevinfoGetMACAddr(nil)) }),
			n("devinfo_get_active_rate", func(*T) error { return second(common.DevinfoGetActiveRate(nil)) }),
			n("devinfo_cap_is_hotplug_manager_supported", func(*T) error { return second(common.DevinfoCapIsHotplugManagerSupported(nil)) }),
			n("dev_open", func(*T) error { return second(common.DevOpen(nil)) }),
			n("ctx_cap_get_num_completion_vectors", func(*T) error { return second(common.CtxCapGetNumCompletionVectors(nil)) }),
			n("mmap_cap_is_export_pci_supported", func(*T) error { return second(common.MmapCapIsExportPCISupported(nil)) }),
		),
		nullOf("common", "representor", Documented,
			n("devinfo_rep_create_list", func(*T) error { return second(common.DevinfoRepCreateList(nil, int32(common.DevinfoRepFilterNet))) }),
			n("devinfo_rep_get_pci_addr_str", func(*T) error { return second(common.DevinfoRepGetPCIAddrStr(nil)) }),
			n("devinfo_rep_get_vuid", func(*T) error { return second(common.DevinfoRepGetVUID(nil)) }),
			n("devinfo_rep_get_pci_func_type", func(*T) error { return second(common.DevinfoRepGetPCIFuncType(nil)) }),
			n("dev_rep_open", func(*T) error { return second(common.DevRepOpen(nil)) }),
			n("dev_rep_close", func(*T) error { return common.DevRepClose(nil) }),
			n("devinfo_rep_cap_is_filter_net_supported", func(*T) error { return second(common.DevinfoRepCapIsFilterNetSupported(nil)) }),
		),
		nullOf("dma", "dma", Observed,
			n("dma_create", func(*T) error { return second(dma.Create(nil)) }),
			n("dma_cap_task_memcpy_is_supported", func(*T) error { return dma.CapTaskMemcpyIsSupported(nil) }),
			n("dma_cap_task_memcpy_get_max_buf_size", func(*T) error { return second(dma.CapTaskMemcpyGetMaxBufSize(nil)) }),
			n("dma_cap_get_max_num_tasks", func(*T) error { return second(dma.CapGetMaxNumTasks(nil)) }),
			n("dma_task_memcpy_set_conf", func(*T) error { return dma.TaskMemcpySetConf(nil, 1) }),
		),
		nullOf("syncevent", "sync-event", Documented,
			n("sync_event_destroy", func(t *T) error { return syncevent.Destroy(t.ring, nil) }),
			n("sync_event_start", func(t *T) error { return syncevent.Start(t.ring, nil) }),
			n("sync_event_stop", func(t *T) error { return syncevent.Stop(t.ring, nil) }),
			n("sync_event_add_publisher_location_cpu", func(*T) error { return syncevent.AddPublisherLocationCPU(nil, nil) }),
			n("sync_event_add_subscriber_location_cpu", func(*T) error { return syncevent.AddSubscriberLocationCPU(nil, nil) }),
			n("sync_event_get", func(*T) error { return second(syncevent.Get(nil)) }),
			n("sync_event_update_set", func(*T) error { return syncevent.UpdateSet(nil, 1) }),
			n("sync_event_update_add", func(*T) error { return second(syncevent.UpdateAdd(nil, 1)) }),
			n("sync_event_cap_task_get_is_supported", func(*T) error { return syncevent.CapTaskGetIsSupported(nil) }),
		),
		nullOf("comch", "comch", Documented,
			n("comch_server_create", func(*T) error { return second(comch.ServerCreate(nil, nil, "conformance")) }),
			n("comch_client_create", func(*T) error { return second(comch.ClientCreate(nil, "conformance")) }),
			n("comch_server_destroy", func(t *T) error { return comch.ServerDestroy(t.ring, nil) }),
			n("comch_client_destroy", func(t *T) error { return comch.ClientDestroy(t.ring, nil) }),
			n("comch_server_set_max_msg_size", func(*T) error { return comch.ServerSetMaxMsgSize(nil, 64) }),
			n("comch_client_set_max_msg_size", func(*T) error { return comch.ClientSetMaxMsgSize(nil, 64) }),
			n("comch_server_task_send_set_conf", func(*T) error { return comch.ServerTaskSendSetConf(nil, 1) }),
			n("comch_client_task_send_set_conf", func(*T) error { return comch.ClientTaskSendSetConf(nil, 1) }),
			n("comch_server_get_recv_queue_size", func(*T) error { return second(comch.ServerGetRecvQueueSize(nil)) }),
			n("comch_client_get_connection", func(*T) error { return second(comch.ClientGetConnection(nil)) }),
			n("comch_cap_server_is_supported", func(*T) error { return comch.CapServerIsSupported(nil) }),
			n("comch_cap_client_is_supported", func(*T) error { return comch.CapClientIsSupported(nil) }),
			n("comch_cap_get_max_msg_size", func(*T) error { return second(comch.CapGetMaxMsgSize(nil)) }),
			n("comch_consumer_create", func(*T) error { return second(comch.ConsumerCreate(nil, nil)) }),
			n("comch_producer_create", func(*T) error { return second(comch.ProducerCreate(nil)) }),
			n("comch_consumer_get_id", func(*T) error { return second(comch.ConsumerGetID(nil)) }),
			n("comch_producer_get_id", func(*T) error { return second(comch.ProducerGetID(nil)) }),
			n("comch_consumer_cap_is_supported", func(*T) error { return comch.ConsumerCapIsSupported(nil) }),
			n("comch_producer_cap_is_supported", func(*T) error { return comch.ProducerCapIsSupported(nil) }),
		),
		nullOf("rdma", "rdma", Documented,
			n("rdma_create", func(*T) error { return second(rdma.Create(nil)) }),
			n("rdma_destroy", func(t *T) error { return rdma.Destroy(t.ring, nil) }),
			n("rdma_set_permissions", func(*T) error { return rdma.SetPermissions(nil, 0) }),
			n("rdma_get_permissions", func(*T) error { return second(rdma.GetPermissions(nil)) }),
			n("rdma_set_gid_index", func(*T) error { return rdma.SetGIDIndex(nil, 0) }),
			n("rdma_get_mtu", func(*T) error { return second(rdma.GetMTU(nil)) }),
			n("rdma_set_send_queue_size", func(*T) error { return rdma.SetSendQueueSize(nil, 1) }),
			n("rdma_task_write_set_conf", func(*T) error { return rdma.TaskWriteSetConf(nil, 1) }),
			n("rdma_task_receive_set_conf", func(*T) error { return rdma.TaskReceiveSetConf(nil, 1) }),
			n("rdma_cap_task_write_is_supported", func(*T) error { return rdma.CapTaskWriteIsSupported(nil) }),
			n("rdma_cap_get_max_message_size", func(*T) error { return second(rdma.CapGetMaxMessageSize(nil)) }),
			n("rdma_connection_get_id", func(*T) error { return second(rdma.ConnectionGetID(nil)) }),
			n("rdma_addr_destroy", func(t *T) error { return rdma.AddrDestroy(t.ring, nil) }),
		),
		nullOf("dpa", "dpa", Documented,
			n("dpa_create", func(*T) error { return second(dpa.Create(nil)) }),
			n("dpa_destroy", func(t *T) error { return dpa.Destroy(t.ring, nil) }),
			n("dpa_start", func(t *T) error { return dpa.Start(t.ring, nil) }),
			n("dpa_stop", func(t *T) error { return dpa.Stop(t.ring, nil) }),
			n("dpa_set_log_level", func(*T) error { return dpa.SetLogLevel(nil, 0) }),
			n("dpa_mem_alloc", func(*T) error { return second(dpa.MemAlloc(nil, 64)) }),
			n("dpa_thread_create", func(*T) error { return second(dpa.ThreadCreate(nil)) }),
			n("dpa_completion_create", func(*T) error { return second(dpa.CompletionCreate(nil, 4)) }),
			n("dpa_async_ops_create", func(*T) error { return second(dpa.AsyncOpsCreate(nil, 4, 0)) }),
			n("dpa_cap_is_supported", func(*T) error { return dpa.CapIsSupported(nil) }),
			n("dpa_peek_at_last_error", func(*T) error { return dpa.PeekAtLastError(nil) }),
		),
	}
}
