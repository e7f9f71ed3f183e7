/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_LOG_H_
#define EMU_LOG_H_

/*
 * The log for the emulator's own messages. They are SDK messages, which only SDK backends show
 * (doca_log_backend_create_with_file_sdk and the like). Each message becomes a line: do not end the format with a
 * newline.
 */

#include <stdarg.h>
#include <stdint.h>

#include <doca_log.h>

#include "emulator.h"

EMU_API void emu_log(enum doca_log_level level, const char *file, int line, const char *func,
		     const char *format, ...) __attribute__((format(printf, 5, 6)));
EMU_API void emu_log_va(enum doca_log_level level, const char *file, int line, const char *func,
			const char *format, va_list args) __attribute__((format(printf, 5, 0)));

#define EMU_LOG(level, ...) emu_log((level), __FILE__, __LINE__, __func__, __VA_ARGS__)
#define EMU_LOG_ERR(...) EMU_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define EMU_LOG_WARN(...) EMU_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)

#endif /* EMU_LOG_H_ */
