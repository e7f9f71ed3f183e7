/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_REMOTE_H_
#define EMU_REMOTE_H_

/*
 * Imported memory of another process: the importer's side of emu_export_wire.h.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <doca_error.h>

#include "emulator.h"
#include "emu_export_wire.h"

struct emu_remote;

/* Returns what emu_export_find does. The answer has been checked. */
EMU_LOCAL doca_error_t emu_remote_open(const struct emu_export_desc *desc, uint32_t port, struct emu_remote **remote,
				       struct emu_export_answer *answer);
EMU_LOCAL void emu_remote_close(struct emu_remote *remote);

/* The exporter has ended the export. An exporter that was killed never says so. */
EMU_LOCAL bool emu_remote_has_ended(const struct emu_remote *remote);
/* The exporting process still has its end of the connection. Takes a system call. */
EMU_LOCAL bool emu_remote_is_there(const struct emu_remote *remote);

/* The value of an imported sync event, or NULL if the exporter must be asked for it. */
EMU_LOCAL uint64_t *emu_remote_word(const struct emu_remote *remote);
/* Asks the exporter to read or change it. False: the export or its process has ended, or does not answer. */
EMU_LOCAL bool emu_remote_ask_word(struct emu_remote *remote, enum emu_export_op op, uint64_t value, uint64_t *before);

/* Copy from and to an address of the exporter, within the export. Any thread may call them. False: the export or
 * its process has ended, or there is no memory at the address. */
EMU_API bool emu_remote_read(struct emu_remote *remote, const uint8_t *addr, uint8_t *bytes, size_t len);
EMU_API bool emu_remote_write(struct emu_remote *remote, uint8_t *addr, const uint8_t *bytes, size_t len);

/* Writes pieces, each from an address here to one of the exporter, in order and with few system calls. Returns how many
 * are written completely: fewer than num if the next one cannot be. */
#define EMU_REMOTE_MAX_PIECES 64
EMU_API size_t emu_remote_write_pieces(struct emu_remote *remote, const struct iovec *from, const struct iovec *to,
				       size_t num);

/* The id of the exporting process; 0 if it has none here. */
EMU_API pid_t emu_remote_pid(const struct emu_remote *remote);

/* True if both are in the same process. NULL is this process. */
EMU_API bool emu_remote_is_same_process(const struct emu_remote *a, const struct emu_remote *b);

/* Called around a fork. forget_all is for the child: all imports belong to the parent, and are dead here. */
EMU_LOCAL void emu_remote_before_fork(void);
EMU_LOCAL void emu_remote_after_fork(void);
EMU_LOCAL void emu_remote_forget_all(void);

#endif /* EMU_REMOTE_H_ */
