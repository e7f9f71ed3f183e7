/* Stand-in for DPDK's common macros. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#define __rte_packed __attribute__((packed))
#define __rte_aligned(a) __attribute__((aligned(a)))
#define RTE_BIT32(n) (UINT32_C(1) << (n))
#define RTE_BIT64(n) (UINT64_C(1) << (n))
