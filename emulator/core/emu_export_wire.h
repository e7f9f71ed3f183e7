/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_WIRE_H_
#define EMU_EXPORT_WIRE_H_

/*
 * The protocol between the exporting and the importing process.
 *
 * The importer connects to the exporter's socket in the runtime directory, whose name is in the descriptor, and
 * sends HELLO with the descriptor. The answer carries a page of memory that the two share. From then on the
 * importer copies without help.
 *
 * To write a piece, the importer increments a counter in the page, checks whether the export has ended, and
 * decrements the counter afterwards; the exporter's stop waits for it to be 0. Data that the importer has read
 * counts only if the export has not ended meanwhile, so no stop waits for readers. If the system does not let a
 * process access another's memory, the importer sends a request for each piece instead.
 *
 * Memory that is a shared mapping of a sealed file (emu_memfile.h) is mapped by the importer: the answer carries the file
 * behind the page. All else stays the same.
 *
 * A sync event is exported like 8 bytes of memory. If its value is in a page that all its importers share with the
 * exporter, the answer carries that page, and they change the value there. Otherwise they send requests.
 *
 * The connection lasts as long as the import and the export. When it closes, the other side has ended.
 */

#include <stddef.h>
#include <stdint.h>

#include "emulator.h"

/*
 * The version of everything in this file. Two versions cannot talk to each other, so it changes only when there is no
 * other way. Messages may grow at their end: receivers ignore what they do not know, and what an older process does not
 * send is 0. Descriptors begin with magic and version in all versions.
 */
#define EMU_EXPORT_VERSION 3
#define EMU_EXPORT_ID_SIZE 16

enum emu_export_kind {
	EMU_EXPORT_PCI = 1,
	EMU_EXPORT_RDMA = 2,
	EMU_EXPORT_EVENT = 3, /* a sync event, over PCI */
};

/* The descriptor that a program passes to the importer. */
struct emu_export_desc {
	char magic[8];
	uint32_t version;
	uint32_t kind;
	uint8_t process[EMU_EXPORT_ID_SIZE]; /* of the exporter: random, one per process, the name of its socket */
	uint8_t key[EMU_EXPORT_ID_SIZE];     /* of the export: random */
};

#define EMU_HOST_ID_SIZE 16

/* What follows it in the descriptor of an RDMA export. Such a descriptor may be imported on another host, where nobody
 * can ask the exporter before the first access. */
struct emu_export_net {
	uint64_t addr;
	uint64_t len;
	uint32_t permissions;
	uint32_t is_passed_on; /* the memory is not the exporter's own, but an import */
	uint8_t host[EMU_HOST_ID_SIZE];
	uint32_t reserved;
	uint32_t checksum; /* of the descriptor up to here: detects damage, not malice */
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
	uint64_t offset; /* of the memory in its file, which comes second, if at all */
};

/* What answers had before the file was added. */
#define EMU_EXPORT_ANSWER_MIN offsetof(struct emu_export_answer, offset)

#define EMU_EXPORT_SHARED_SIZE 4096

/* One per connection. All fields are accessed with atomics. */
struct emu_export_shared {
	uint32_t ended;	  /* written by the exporter */
	uint32_t writing; /* threads of the importer that are writing */
};

/* The permission of a sync event whose value is in the page. */
#define EMU_EXPORT_WORD_IN_PAGE 1

/* The page of such an event. */
struct emu_export_page {
	struct emu_export_shared shared;
	uint8_t reserved[56]; /* the value has a cache line of its own */
	uint64_t word;
};

/* The most bytes of one request: any socket takes a message of this size. */
#define EMU_EXPORT_PIECE ((size_t)64 << 10)

enum emu_export_op {
	EMU_EXPORT_READ = 1,
	EMU_EXPORT_WRITE, /* the bytes follow */
	EMU_EXPORT_GET_WORD, /* of a sync event; 8 bytes follow: what to set or add */
	EMU_EXPORT_SET_WORD,
	EMU_EXPORT_ADD_WORD,
};

struct emu_export_request {
	uint32_t op;
	uint32_t len;
	uint64_t offset;
};

struct emu_export_reply {
	uint32_t result; /* doca_error_t; after SUCCESS the bytes of a READ follow, or the word that was there before */
	uint32_t reserved;
};

/* The layout must be the same in both processes. */
_Static_assert(sizeof(struct emu_export_desc) == 48, "no holes");
_Static_assert(sizeof(struct emu_export_net) == 48, "no holes");
_Static_assert(sizeof(struct emu_export_hello) == 56, "no holes");
_Static_assert(sizeof(struct emu_export_answer) == 32, "no holes");
_Static_assert(offsetof(struct emu_export_page, word) == 64, "no holes");

#endif /* EMU_EXPORT_WIRE_H_ */
