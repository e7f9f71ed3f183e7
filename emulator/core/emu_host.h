/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_HOST_H_
#define EMU_HOST_H_

/*
 * The host that this process runs on: the same boot of the same machine, and the same network namespace. Processes of
 * one host reach each other by the runtime directory, others over TCP.
 */

#include <stdbool.h>
#include <stdint.h>

#include "emulator.h"
#include "emu_export_wire.h"

EMU_API void emu_host_id(uint8_t id[EMU_HOST_ID_SIZE]);
EMU_API bool emu_host_is_this(const uint8_t id[EMU_HOST_ID_SIZE]);

#endif /* EMU_HOST_H_ */
