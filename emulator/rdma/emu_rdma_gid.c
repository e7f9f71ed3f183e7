/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <string.h>

#include "core/emu_dev.h"

#include "emu_rdma_gid.h"

void emu_rdma_gid(const struct emu_function *function, uint32_t index, uint8_t gid[16])
{
	memset(gid, 0, 16);
	if (index < 2) { /* fe80::, and the identifier that follows from the MAC address */
		gid[0] = 0xfe;
		gid[1] = 0x80;
		gid[8] = function->mac[0] ^ 2;
		gid[9] = function->mac[1];
		gid[10] = function->mac[2];
		gid[11] = 0xff;
		gid[12] = 0xfe;
		gid[13] = function->mac[3];
		gid[14] = function->mac[4];
		gid[15] = function->mac[5];
		return;
	}
	gid[10] = 0xff;
	gid[11] = 0xff;
	memcpy(gid + 12, function->ipv4, 4);
}
