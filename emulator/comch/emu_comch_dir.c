/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

/*
 * Where clients find their servers: in the runtime directory.
 */

#include <stdint.h>
#include <stdio.h>

#include "core/emu_rundir.h"
#include "emu_comch_dir.h"

/* Makes the name of a server's socket. It is a hash, because a server's name may have any length and characters.
 * The server compares the whole name again. */
static void entry_name(const struct emu_function *function, const char *name, char entry[EMU_RUNDIR_NAME_SIZE])
{
	uint64_t hash[2] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x9e3779b97f4a7c15)};
	const char *parts[2] = {function->vuid, name};

	for (int part = 0; part < 2; part++) {
		for (const char *c = parts[part];; c++) {
			for (int i = 0; i < 2; i++)
				hash[i] = (hash[i] ^ (uint8_t)*c) * UINT64_C(0x100000001b3) + (uint64_t)i;
			if (*c == '\0')
				break;
		}
	}
	snprintf(entry, EMU_RUNDIR_NAME_SIZE, "%016llx%016llx", (unsigned long long)hash[0],
		 (unsigned long long)hash[1]);
}

void emu_comch_dir_lost(const struct emu_function *function, const char *name, int wait_ms)
{
	char entry[EMU_RUNDIR_NAME_SIZE];

	entry_name(function, name, entry);
	emu_rundir_lost(entry, wait_ms);
}

doca_error_t emu_comch_dir_listen(const struct emu_function *function, const char *name, int *fd)
{
	char entry[EMU_RUNDIR_NAME_SIZE];

	entry_name(function, name, entry);
	return emu_rundir_listen(entry, fd);
}

void emu_comch_dir_unlisten(const struct emu_function *function, const char *name)
{
	char entry[EMU_RUNDIR_NAME_SIZE];

	entry_name(function, name, entry);
	emu_rundir_unlisten(entry);
}

int emu_comch_dir_connect(const struct emu_function *function, const char *name)
{
	char entry[EMU_RUNDIR_NAME_SIZE];

	entry_name(function, name, entry);
	return emu_rundir_connect(entry);
}
