/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_H_
#define EMULATOR_H_

/*
 * The first include of every C file of the emulator.
 *
 * Inside a Go program (DOCA_EMU_EMBEDDED) no symbol of the emulator may be visible: cgo links with -rdynamic, and
 * an exported doca_ctx_start would take the place of the real library's. In libdoca_*.so the DOCA functions are
 * visible, and so are the few internal functions that one library offers to the others (EMU_API).
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stddef.h>

/* Without its helpers, doca_compat.h declares nothing before the macros below are set. */
#include <doca_config.h>
#undef DOCA_COMPAT_HELPERS
#include <doca_compat.h>

#ifdef DOCA_EMU_EMBEDDED
#undef DOCA_STABLE
#undef DOCA_EXPERIMENTAL
#undef DOCA_DEPRECATED
#define DOCA_STABLE __attribute__((visibility("hidden"))) DOCA_USED
#define DOCA_EXPERIMENTAL DOCA_STABLE
#define DOCA_DEPRECATED DOCA_STABLE
#define EMU_API __attribute__((visibility("hidden")))
#else
#define EMU_API __attribute__((visibility("default")))
#endif

/* Internal functions that only their own library calls. */
#define EMU_LOCAL __attribute__((visibility("hidden")))

#define EMU_LIKELY(x) __builtin_expect(!!(x), 1)
#define EMU_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif /* EMULATOR_H_ */
