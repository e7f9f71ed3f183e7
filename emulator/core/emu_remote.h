/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_REMOTE_H_
#define EMU_REMOTE_H_

/*
 * Memory of another process, which has exported it: the import's end of what emu_export_wire.h describes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "emulator.h"
#include "emu_export_wire.h"

struct emu_remote;

/* As emu_export_find. The answer is a good one. */
EMU_LOCAL doca_error_t emu_remote_open(const struct emu_export_desc *desc, uint32_t port, struct emu_remote **remote,
				       struct emu_export_answer *answer);
EMU_LOCAL void emu_remote_close(struct emu_remote *remote);

/* The exporter has said so; one that was killed has not. */
EMU_LOCAL bool emu_remote_has_ended(const struct emu_remote *remote);

/* Copies from and to an address of the exporter, in the range of the export. Any thread. False: the export or its
 * process has ended, or it has no memory there. */
EMU_API bool emu_remote_read(struct emu_remote *remote, const uint8_t *addr, uint8_t *bytes, size_t len);
EMU_API bool emu_remote_write(struct emu_remote *remote, uint8_t *addr, const uint8_t *bytes, size_t len);

/* True if addresses of both mean the same memory; NULL is this process. */
EMU_API bool emu_remote_is_same_process(const struct emu_remote *a, const struct emu_remote *b);

/* Around a fork; forget_all in the child: all imports are the parent's, and dead. */
EMU_LOCAL void emu_remote_before_fork(void);
EMU_LOCAL void emu_remote_after_fork(void);
EMU_LOCAL void emu_remote_forget_all(void);

#endif /* EMU_REMOTE_H_ */
