package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExportedNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prefix, c, want string }{
		{"", "doca_pe_create", "PECreate"},
		{"", "doca_devinfo_get_pci_addr_str", "DevinfoGetPCIAddrStr"},
		{"", "doca_buf_inventory", "BufInventory"},
		{"", "DOCA_CTX_STATE_IDLE", "CtxStateIdle"},
		{"", "DOCA_ERROR_IO_FAILED", "ErrorIOFailed"},
		{"", "DOCA_MTU_SIZE_4K_BYTES", "MTUSize4kBytes"},
		{"dma", "doca_dma", "DMA"},
		{"dma", "doca_dma_task_memcpy_alloc_init", "TaskMemcpyAllocInit"},
		{"dma", "doca_gpu_dma", "GPUDMA"},
		{"rdma", "doca_rdma_get_gid_index", "GetGIDIndex"},
		{"", "doca_3d", "N3d"},
		{"dma", "__doca_dma_flush", "Flush"},
		{"", "_DOCA_LIMIT", "Limit"},
		{"", "__other", "Other"},
		{"dma", "doca_dma_", "DocaDMA"},
		{"", "DOCA_", "Doca"},
		{"", "__", "Underscores"},
		{"", "doca_one$two$", "OneTwo"},
		{"", "doca_été", "Été"},
		{"", "doca_世", "N世"},
	} {
		t.Run(c.c, func(t *testing.T) {
			assert.Equal(t, c.want, exported(c.prefix, c.c), c.c)
		})
	}
}

func TestParameterNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ c, want string }{
		{"dev_list", "devList"},
		{"pci_addr_str", "pciAddrStr"},
		{"dev_id", "devID"},
		{"len", "length"},
		{"type", "typ"},
		{"go", "goValue"},
		{"int32", "int32Value"},
		{"library", "libraryValue"},
		{"out0", "out0Value"},
		{"", "arg7"},
		{"$", "arg7"},
		{"$dev$id", "devID"},
		{"世", "世"},
		{"dma", "dma"},
		{"common", "commonValue"},
	} {
		t.Run(c.want, func(t *testing.T) {
			assert.Equal(t, c.want, param(c.c, 7), c.c)
		})
	}
}

func TestRoleNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fn, param, want string }{
		{"doca_dma_task_memcpy_set_conf", "task_completion_cb", "doca_dma_task_memcpy_completion"},
		{"doca_dma_task_memcpy_set_conf", "task_error_cb", "doca_dma_task_memcpy_error"},
		{"doca_ctx_set_state_changed_cb", "cb", "doca_ctx_state_changed"},
		{"doca_mmap_set_free_cb", "free_cb", "doca_mmap_free"},
		{"doca_comch_server_event_msg_recv_register", "recv_event_cb", "doca_comch_server_event_msg_recv"},
		{"doca_comch_server_event_connection_status_changed_register", "connect_event_cb", "doca_comch_server_event_connection_status_changed_connect"},
		{"doca_rdma_set_connection_state_callbacks", "connection_established_cb", "doca_rdma_connection_state_connection_established"},
	} {
		t.Run(c.want, func(t *testing.T) {
			assert.Equal(t, c.want, roleName(c.fn, c.param))
		})
	}
}
