/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu_host.h"

/* Asked each time: a process may move to another network namespace. */
void emu_host_id(uint8_t id[EMU_HOST_ID_SIZE])
{
	char text[64] = {0};
	struct stat info;
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(id, 0, EMU_HOST_ID_SIZE);
	if (fd >= 0) {
		ssize_t n = read(fd, text, sizeof(text) - 1);

		close(fd);
		for (ssize_t i = 0; i < n; i++)
			id[i % EMU_HOST_ID_SIZE] = (uint8_t)(id[i % EMU_HOST_ID_SIZE] * 31 + (uint8_t)text[i]);
	}
	/* The main thread may have ended, and is in no namespace then. */
	if (stat("/proc/self/ns/net", &info) == 0 || stat("/proc/thread-self/ns/net", &info) == 0) {
		uint64_t ino = info.st_ino;

		for (size_t i = 0; i < sizeof(ino); i++)
			id[i] ^= (uint8_t)(ino >> (8 * i));
	}
}

bool emu_host_is_this(const uint8_t id[EMU_HOST_ID_SIZE])
{
	uint8_t ours[EMU_HOST_ID_SIZE];

	emu_host_id(ours);
	return memcmp(ours, id, sizeof(ours)) == 0;
}
