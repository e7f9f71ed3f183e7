/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file dpaintrin.h
 * @brief What the compiler for the DPA has built in: the marks of functions, and fences. The emulator's version is for the
 * processor of the host, where one fence does for all.
 */
#ifndef DPAINTRIN_H_
#define DPAINTRIN_H_

#include <stdint.h>

#ifndef __dpa_global__
/** @brief Marks a kernel, or the function of a thread. */
#define __dpa_global__
#endif
#ifndef __dpa_rpc__
/** @brief Marks a function for doca_dpa_rpc(). */
#define __dpa_rpc__
#endif

/** @brief Memory of the DPA's heap. */
#define __DPA_HEAP 0
/** @brief Memory. */
#define __DPA_MEMORY 1
/** @brief Registers of devices. */
#define __DPA_MMIO 2
/** @brief Everything. */
#define __DPA_SYSTEM 3

/** @brief Reads. */
#define __DPA_R 1
/** @brief Writes. */
#define __DPA_W 2
/** @brief Reads and writes. */
#define __DPA_RW 3

/** @brief Orders the accesses of the calling thread before the fence and those behind it. */
#define __dpa_thread_fence(memory_space, before, behind) \
	((void)(memory_space), (void)(before), (void)(behind), __atomic_thread_fence(__ATOMIC_SEQ_CST))

/** @brief Orders accesses to memory. */
#define __dpa_thread_memory_fence(before, behind) __dpa_thread_fence(__DPA_MEMORY, before, behind)

/** @brief Orders accesses to the window on other memory. */
#define __dpa_thread_window_fence(before, behind) __dpa_thread_fence(__DPA_MMIO, before, behind)

/** @brief Orders accesses to the outbox. */
#define __dpa_thread_outbox_fence(before, behind) __dpa_thread_fence(__DPA_MMIO, before, behind)

/** @brief Makes the window show what others have written. */
#define __dpa_thread_window_read_inv() __dpa_thread_fence(__DPA_MMIO, __DPA_R, __DPA_R)

/** @brief Shows others what was written to the window. */
#define __dpa_thread_window_writeback() __dpa_thread_fence(__DPA_MMIO, __DPA_W, __DPA_W)

/** @brief Shows others what was written to memory. */
#define __dpa_thread_memory_writeback() __dpa_thread_fence(__DPA_MEMORY, __DPA_W, __DPA_W)

#endif /* DPAINTRIN_H_ */
