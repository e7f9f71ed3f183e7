/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/emu_log.h"

#include "emu_dpa_crash.h"
#include "emu_dpa_log.h"
#include "emu_dpa_memory.h"
#include "emu_dpa_run.h"

#define MAX_CORE_SIZE ((size_t)64 << 20)

static FILE *create(const struct emu_dpa_log *log, const char *suffix)
{
	const char *tmp = getenv("TMPDIR");
	char path[4096];
	FILE *file;

	if (log->log.path != NULL)
		snprintf(path, sizeof(path), "%s.%ld.%s", log->log.path, (long)getpid(), suffix);
	else
		snprintf(path, sizeof(path), "%s/doca_dpa_fatal.%ld.%s", tmp == NULL ? "/tmp" : tmp, (long)getpid(), suffix);
	file = fopen(path, "we");
	if (file == NULL)
		EMU_LOG_WARN("DPA: %s cannot be written", path);
	return file;
}

static void write_headers(FILE *file, const struct emu_dpa_piece *pieces, size_t num)
{
	Elf64_Ehdr elf = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = EM_NONE,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(elf),
		.e_ehsize = sizeof(elf),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)num,
	};
	uint64_t offset = sizeof(elf) + num * sizeof(Elf64_Phdr);

	fwrite(&elf, sizeof(elf), 1, file);
	for (size_t i = 0; i < num; i++) {
		Elf64_Phdr segment = {
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_W,
			.p_offset = offset,
			.p_vaddr = pieces[i].addr,
			.p_filesz = pieces[i].len,
			.p_memsz = pieces[i].len,
			.p_align = 1,
		};

		fwrite(&segment, sizeof(segment), 1, file);
		offset += pieces[i].len;
	}
}

/* One segment for each allocation. Kernels may still write to them. */
static void __attribute__((no_sanitize_thread)) write_core(FILE *file, struct emu_dpa_memory *memory)
{
	size_t num = 0, size = 0;

	pthread_mutex_lock(&memory->lock);
	while (num < memory->num_pieces && num < PN_XNUM - 1 && memory->pieces[num].len <= MAX_CORE_SIZE - size)
		size += memory->pieces[num++].len;
	write_headers(file, memory->pieces, num);
	for (size_t i = 0; i < num; i++)
		fwrite((const void *)(uintptr_t)memory->pieces[i].addr, 1, memory->pieces[i].len, file);
	pthread_mutex_unlock(&memory->lock);
}

void emu_dpa_crash_write(const struct emu_dpa_log *log, struct emu_dpa_memory *memory, const struct emu_dpa_run *run,
			 const char *message)
{
	/* Contexts without a log of their own have the same files. */
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	FILE *file;

	pthread_mutex_lock(&lock);
	file = create(log, "crash");
	if (file != NULL) {
		fprintf(file,
			"%s\nfunction: %s\nlast call: %s\nthread: %u of %u\nsignal: %d\naddress: 0x%llx\ninstruction: 0x%llx\n",
			message, run->name, run->function, run->rank, run->num_threads, run->signal,
			(unsigned long long)run->fault_addr, (unsigned long long)run->fault_pc);
		fclose(file);
	}
	file = create(log, "core");
	if (file != NULL) {
		write_core(file, memory);
		fclose(file);
	}
	pthread_mutex_unlock(&lock);
}
