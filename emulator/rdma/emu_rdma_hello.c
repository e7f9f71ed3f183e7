/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <string.h>

#include "emu_rdma_hello.h"

static const char hello_magic[8] = {'D', 'O', 'C', 'A', 'E', 'M', 'U', 'H'};

void emu_rdma_hello_init(struct emu_rdma_hello *hello)
{
	memcpy(hello->magic, hello_magic, sizeof(hello_magic));
	hello->version = EMU_RDMA_VERSION;
}

void emu_rdma_hello_read(const struct emu_rdma_frame *frame, const uint8_t *payload, struct emu_rdma_hello *hello)
{
	memset(hello, 0, sizeof(*hello));
	memcpy(hello, payload, frame->len < sizeof(*hello) ? frame->len : sizeof(*hello));
}

bool emu_rdma_hello_is_ours(const struct emu_rdma_hello *hello)
{
	return memcmp(hello->magic, hello_magic, sizeof(hello_magic)) == 0;
}

bool emu_rdma_hello_is_good(const struct emu_rdma_hello *hello)
{
	return emu_rdma_hello_is_ours(hello) && hello->version == EMU_RDMA_VERSION &&
	       hello->private_len <= EMU_RDMA_MAX_PRIVATE_DATA;
}

bool emu_rdma_is_equal_key(const uint8_t *a, const uint8_t *b)
{
	uint8_t difference = 0;

	for (size_t i = 0; i < EMU_RDMA_KEY_SIZE; i++)
		difference |= a[i] ^ b[i];
	return difference == 0;
}
