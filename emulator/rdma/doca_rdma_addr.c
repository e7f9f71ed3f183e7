/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <string.h>

#include <doca_rdma.h>

#include "core/emu_fault.h"

#include "emu_rdma.h"
#include "emu_rdma_addr.h"

doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type, const char *address, uint16_t port,
				   struct doca_rdma_addr **addr)
{
	EMU_CALL("doca_rdma_addr_create");
	struct doca_rdma_addr *made;
	uint8_t ip[16];

	if (address == NULL || addr == NULL || port == 0 || strlen(address) >= sizeof(made->text) ||
	    !emu_rdma_addr_parse(addr_type, address, ip))
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->type = addr_type;
	made->port = port;
	strcpy(made->text, address);
	memcpy(made->ip, ip, sizeof(ip));
	*addr = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr)
{
	EMU_CALL("doca_rdma_addr_destroy");
	if (addr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (addr->is_of_connection)
		return DOCA_ERROR_BAD_STATE;
	free(addr);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr, enum doca_rdma_addr_type *addr_type,
				       const char **address, uint16_t *port)
{
	EMU_CALL("doca_rdma_addr_get_params");
	if (addr == NULL || addr_type == NULL || address == NULL || port == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*addr_type = addr->type;
	*address = addr->text;
	*port = addr->port;
	return DOCA_SUCCESS;
}
