/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdbool.h>
#include <string.h>

#include "core/emu_checksum.h"
#include "core/emu_log.h"

#include "emu_rdma_details.h"

static const char details_magic[8] = {'D', 'O', 'C', 'A', 'E', 'M', 'U', 'R'};

static uint32_t checksum(const struct emu_rdma_details *details)
{
	return emu_checksum(EMU_CHECKSUM_START, details, offsetof(struct emu_rdma_details, checksum));
}

void emu_rdma_details_seal(struct emu_rdma_details *details)
{
	memcpy(details->magic, details_magic, sizeof(details_magic));
	details->version = EMU_RDMA_VERSION;
	details->checksum = checksum(details);
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != 0)
			return false;
	}
	return true;
}

doca_error_t emu_rdma_details_read(const void *bytes, size_t len, struct emu_rdma_details *details)
{
	const size_t head = offsetof(struct emu_rdma_details, version) + sizeof(details->version);

	memset(details, 0, sizeof(*details));
	memcpy(details, bytes, len < sizeof(*details) ? len : sizeof(*details));
	if (len < head || memcmp(details->magic, details_magic, sizeof(details_magic)) != 0) {
		EMU_LOG_ERR("rdma: these are no connection details of doca_rdma_export");
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (details->version != EMU_RDMA_VERSION) {
		EMU_LOG_ERR("rdma: the connection details have version %u, this emulator has version %d: build both "
			    "programs with the same release",
			    details->version, EMU_RDMA_VERSION);
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	}
	if (len < sizeof(*details) || details->checksum != checksum(details) ||
	    !is_zero((const uint8_t *)bytes + sizeof(*details), len - sizeof(*details))) {
		EMU_LOG_ERR("rdma: the connection details are damaged");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}
