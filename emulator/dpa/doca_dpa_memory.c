/* SPDX-License-Identifier: Apache-2.0 */
/* DPA memory, and copies between it and the host. */
#include "core/emulator.h"

#include <string.h>

#include <doca_dpa.h>

#include "core/emu_buf.h"
#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "core/emu_remote.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_mmap.h"

doca_error_t doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr)
{
	EMU_CALL("doca_dpa_mem_alloc");
	doca_error_t result =
		dpa == NULL || size == 0 || dev_ptr == NULL ? DOCA_ERROR_INVALID_VALUE : emu_dpa_ready(dpa);
	uint64_t addr;

	if (result != DOCA_SUCCESS)
		return result;
	addr = emu_dpa_memory_alloc(&dpa->base->memory, size);
	if (addr == 0) {
		EMU_LOG_ERR("DPA: there is no room for %zu bytes in the DPA memory", size);
		return DOCA_ERROR_DRIVER;
	}
	*dev_ptr = addr;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr)
{
	EMU_CALL("doca_dpa_mem_free");
	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_dpa_is_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	return emu_dpa_memory_free(&dpa->base->memory, dev_ptr) ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

/* Checks a range of DPA memory. */
static doca_error_t check(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t addr, size_t size)
{
	doca_error_t result = emu_dpa_ready(dpa);

	if (result != DOCA_SUCCESS)
		return result;
	if (size == 0 || !emu_dpa_memory_has(&dpa->base->memory, addr, size)) {
		EMU_LOG_ERR("DPA: 0x%llx and %zu bytes are not within one allocation", (unsigned long long)addr, size);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static void *host_ptr(doca_dpa_dev_uintptr_t addr)
{
	return (void *)(uintptr_t)addr;
}

doca_error_t doca_dpa_h2d_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr, void *src_ptr, size_t size)
{
	EMU_CALL("doca_dpa_h2d_memcpy");
	doca_error_t result = dpa == NULL || src_ptr == NULL ? DOCA_ERROR_INVALID_VALUE : check(dpa, dst_ptr, size);

	if (result == DOCA_SUCCESS)
		memcpy(host_ptr(dst_ptr), src_ptr, size);
	return result;
}

doca_error_t doca_dpa_d2h_memcpy(struct doca_dpa *dpa, void *dst_ptr, doca_dpa_dev_uintptr_t src_ptr, size_t size)
{
	EMU_CALL("doca_dpa_d2h_memcpy");
	doca_error_t result = dpa == NULL || dst_ptr == NULL ? DOCA_ERROR_INVALID_VALUE : check(dpa, src_ptr, size);

	if (result == DOCA_SUCCESS)
		memcpy(dst_ptr, host_ptr(src_ptr), size);
	return result;
}

doca_error_t doca_dpa_memset(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, int value, size_t size)
{
	EMU_CALL("doca_dpa_memset");
	doca_error_t result = dpa == NULL ? DOCA_ERROR_INVALID_VALUE : check(dpa, dev_ptr, size);

	if (result == DOCA_SUCCESS)
		memset(host_ptr(dev_ptr), value, size);
	return result;
}

/* Buffers: the DPA's device must have access to the range. */
static bool permits(const struct doca_dpa *dpa, const struct doca_buf *buf, size_t size, uint32_t access)
{
	return emu_dpa_mmap_permits(buf->mmap, emu_dpa_dev(dpa), (uint64_t)(uintptr_t)buf->data, size, access);
}

/* From the data of the buffer. */
doca_error_t doca_dpa_h2d_buf_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr, struct doca_buf *buf, size_t size)
{
	EMU_CALL("doca_dpa_h2d_buf_memcpy");
	doca_error_t result = dpa == NULL || buf == NULL ? DOCA_ERROR_INVALID_VALUE : check(dpa, dst_ptr, size);

	if (result != DOCA_SUCCESS)
		return result;
	if (size > buf->data_len || !permits(dpa, buf, size, EMU_ACCESS_READ))
		return DOCA_ERROR_INVALID_VALUE;
	if (buf->mmap->remote != NULL)
		return emu_remote_read(buf->mmap->remote, buf->data, host_ptr(dst_ptr), size) ? DOCA_SUCCESS :
												 DOCA_ERROR_DRIVER;
	memcpy(host_ptr(dst_ptr), buf->data, size);
	return DOCA_SUCCESS;
}

/* To where the data of the buffer begins. It has these bytes as its data afterwards. */
doca_error_t doca_dpa_d2h_buf_memcpy(struct doca_dpa *dpa, struct doca_buf *buf, doca_dpa_dev_uintptr_t src_ptr, size_t size)
{
	EMU_CALL("doca_dpa_d2h_buf_memcpy");
	doca_error_t result = dpa == NULL || buf == NULL ? DOCA_ERROR_INVALID_VALUE : check(dpa, src_ptr, size);

	if (result != DOCA_SUCCESS)
		return result;
	if (!emu_within(buf->data, size, buf->head, buf->len) || !permits(dpa, buf, size, EMU_ACCESS_WRITE))
		return DOCA_ERROR_INVALID_VALUE;
	if (buf->mmap->remote != NULL) {
		if (!emu_remote_write(buf->mmap->remote, buf->data, host_ptr(src_ptr), size))
			return DOCA_ERROR_DRIVER;
	} else {
		memcpy(buf->data, host_ptr(src_ptr), size);
	}
	buf->data_len = size;
	return DOCA_SUCCESS;
}
