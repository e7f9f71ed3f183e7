/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_rdma.h>

#include "core/emu_apart.h"
#include "core/emu_dev.h"
#include "core/emu_fault.h"
#include "dpacore/emu_dpa_completion.h"

#include "emu_rdma.h"
#include "emu_rdma_ctx.h"

#define DEFAULT_SEND_QUEUE_SIZE 512
#define DEFAULT_RECV_QUEUE_SIZE 512
#define DEFAULT_REQUEST_TIMEOUT_MS 5000

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
	EMU_CALL("doca_rdma_create");
	struct doca_rdma *made;
	doca_error_t result;

	if (dev == NULL || rdma == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_devinfo_supports(&dev->info, EMU_PART_RDMA) != DOCA_SUCCESS)
		return DOCA_ERROR_NOT_SUPPORTED;
	made = emu_calloc_apart(sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_ctx_init(&made->ctx, &emu_rdma_ctx_ops, dev);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	made->permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
	made->send_queue_size = DEFAULT_SEND_QUEUE_SIZE;
	made->recv_queue_size = DEFAULT_RECV_QUEUE_SIZE;
	made->max_send_buf_list_len = EMU_RDMA_MAX_BUF_LIST_LEN;
	made->max_receive_buf_list_len = EMU_RDMA_MAX_BUF_LIST_LEN;
	made->max_num_connections = 1;
	made->request_timeout = DEFAULT_REQUEST_TIMEOUT_MS;
	made->rnr_retry_count = EMU_RDMA_INFINITE_RNR_RETRIES;
	made->mtu = DOCA_MTU_SIZE_1K_BYTES;
	made->transport = DOCA_RDMA_TRANSPORT_TYPE_RC;
	*rdma = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
	EMU_CALL("doca_rdma_destroy");
	struct doca_rdma_connection *conn;

	if (rdma == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_ctx_fini(&rdma->ctx) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	for (int i = 0; i < EMU_RDMA_NUM_KINDS; i++)
		emu_task_pool_destroy(&rdma->pools[i].tasks);
	while ((conn = rdma->conns) != NULL) {
		rdma->conns = conn->next;
		free(conn);
	}
	if (rdma->comp != NULL)
		emu_dpa_completion_detach(rdma->comp);
	free(rdma);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
	return rdma == NULL ? NULL : &rdma->ctx;
}

/* The data path on a DPA. */

doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma, struct doca_dpa_completion *dpa_comp)
{
	EMU_CALL("doca_rdma_dpa_completion_attach");
	if (rdma == NULL || dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	emu_dpa_completion_attach(dpa_comp);
	if (rdma->comp != NULL)
		emu_dpa_completion_detach(rdma->comp);
	rdma->comp = dpa_comp;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma)
{
	EMU_CALL("doca_rdma_get_dpa_handle");
	if (rdma == NULL || dpa_rdma == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->dpa_handle == 0)
		return DOCA_ERROR_BAD_STATE;
	*dpa_rdma = rdma->dpa_handle;
	return DOCA_SUCCESS;
}
