/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include "emu_log.h"
#include "emu_log_backend.h"

void emu_log_va(enum doca_log_level level, const char *file, int line, const char *func, const char *format,
		va_list args)
{
	(void)emu_log_message(EMU_LOG_SDK, level, file, line, func, format, args);
}

void emu_log(enum doca_log_level level, const char *file, int line, const char *func, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	emu_log_va(level, file, line, func, format, args);
	va_end(args);
}
