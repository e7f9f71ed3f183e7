/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_APP_H_
#define EMU_DPA_APP_H_

/*
 * What dpacc's archives hold for the host: the application and its functions. This header is installed with the SDK, and
 * needs no other header of the emulator.
 */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct emu_dpa_dev_ops;

/* As in doca_dpa.h, which device code cannot include. */
typedef void(doca_dpa_func_t)(void);

#define EMU_DPA_APP_ABI 1u

/* A function that is marked with __dpa_global__ or __dpa_rpc__. */
struct emu_dpa_func {
	const char *name;
	doca_dpa_func_t *func; /* the symbol that the host passes to DOCA */
	uint8_t is_rpc;	       /* __dpa_rpc__: returns 64 bits */
	uint8_t is_thread;     /* has one parameter of 64 bits: may be the function of a DPA thread */
	size_t args_size;      /* of what collect fills, at most EMU_DPA_MAX_ARGS; 0: no arguments */
	void (*collect)(void *args, va_list *ap);   /* the variadic arguments, which are promoted; NULL: none */
	uint64_t (*call)(const void *args);	    /* calls func; 0 for kernels */
};

#define EMU_DPA_MAX_ARGS 4096

struct doca_dpa_app {
	uint32_t abi; /* EMU_DPA_APP_ABI */
	uint32_t num_funcs;
	const char *name;
	const struct emu_dpa_func *funcs;
	const struct emu_dpa_dev_ops **ops; /* the device library's pointer, which a start writes */
};

#endif /* EMU_DPA_APP_H_ */
