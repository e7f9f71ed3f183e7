package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExportedNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lib, c, want string }{
		{"common", "doca_pe_create", "PECreate"},
		{"common", "doca_devinfo_get_pci_addr_str", "DevinfoGetPCIAddrStr"},
		{"common", "doca_buf_inventory", "BufInventory"},
		{"common", "DOCA_CTX_STATE_IDLE", "CtxStateIdle"},
		{"common", "DOCA_ERROR_IO_FAILED", "ErrorIOFailed"},
		{"common", "DOCA_MTU_SIZE_4K_BYTES", "MTUSize4kBytes"},
		{"dma", "doca_dma", "DMA"},
		{"dma", "doca_dma_task_memcpy_alloc_init", "TaskMemcpyAllocInit"},
		{"dma", "doca_gpu_dma", "GPUDMA"},
		{"rdma", "doca_rdma_get_gid_index", "GetGIDIndex"},
		{"common", "doca_3d", "N3d"},
	} {
		assert.Equal(t, c.want, exported(c.lib, c.c), c.c)
	}
}

func TestParameterNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lib, c, want string }{
		{"common", "dev_list", "devList"},
		{"common", "pci_addr_str", "pciAddrStr"},
		{"common", "dev_id", "devID"},
		{"common", "len", "length"},
		{"common", "type", "typ"},
		{"common", "go", "goValue"},
		{"common", "int32", "int32Value"},
		{"common", "library", "libraryValue"},
		{"common", "out0", "out0Value"},
		{"common", "", "arg7"},
		{"dma", "dma", "dma"},
		{"argp", "dma", "dmaValue"},
		{"dma", "common", "commonValue"},
	} {
		assert.Equal(t, c.want, param(c.lib, c.c, 7), c.c)
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
		assert.Equal(t, c.want, roleName(c.fn, c.param))
	}
}
