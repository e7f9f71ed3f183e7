/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_WIRE_H_
#define EMU_EXPORT_WIRE_H_

/*
 * What the process of an export and that of an import tell each other.
 *
 * The importer connects to the exporter's socket in the runtime directory, whose name is in the descriptor, and
 * says HELLO with the descriptor. The answer carries a page of memory that the two share. From then on the
 * importer copies by itself. To write a piece it counts itself in there, looks whether the export has ended, and
 * counts itself out afterwards; the exporter's stop waits for that. What it reads counts only if the export has not
 * ended afterwards, so no stop waits for readers. Where the system does not let a process access another one's
 * memory, the importer asks for each piece instead. The connection lasts as long as import and export do: its end
 * tells the one that the other is no more.
 */

#include <stddef.h>
#include <stdint.h>

#include "emulator.h"

#define EMU_EXPORT_VERSION 3 /* of all that is here */
#define EMU_EXPORT_ID_SIZE 16

enum emu_export_kind {
	EMU_EXPORT_PCI = 1,
	EMU_EXPORT_RDMA = 2,
};

/* The bytes that a program sends to the importer. */
struct emu_export_desc {
	char magic[8];
	uint32_t version;
	uint32_t kind;
	uint8_t process[EMU_EXPORT_ID_SIZE]; /* of the exporter: random, one per process; its socket's name */
	uint8_t key[EMU_EXPORT_ID_SIZE];     /* of the export: random */
};

struct emu_export_hello {
	struct emu_export_desc desc;
	uint32_t port; /* of the importer's device */
	uint32_t reserved;
};

struct emu_export_answer {
	uint32_t result; /* doca_error_t; the rest is valid for SUCCESS */
	uint32_t permissions;
	uint64_t addr;
	uint64_t len;
};

#define EMU_EXPORT_SHARED_SIZE 4096

/* One per connection; all are accessed with atomics. */
struct emu_export_shared {
	uint32_t ended;	  /* written by the exporter */
	uint32_t writing; /* threads of the importer that are */
};

/* The most bytes of one request: a message that any socket takes. */
#define EMU_EXPORT_PIECE ((size_t)64 << 10)

enum emu_export_op {
	EMU_EXPORT_READ = 1,
	EMU_EXPORT_WRITE, /* the bytes follow */
};

struct emu_export_request {
	uint32_t op;
	uint32_t len;
	uint64_t offset;
};

struct emu_export_reply {
	uint32_t result; /* doca_error_t; after SUCCESS the bytes of a READ follow */
	uint32_t reserved;
};

/* Both sides check. */
_Static_assert(sizeof(struct emu_export_desc) == 48, "no holes");
_Static_assert(sizeof(struct emu_export_hello) == 56, "no holes");
_Static_assert(sizeof(struct emu_export_answer) == 24, "no holes");

#endif /* EMU_EXPORT_WIRE_H_ */
