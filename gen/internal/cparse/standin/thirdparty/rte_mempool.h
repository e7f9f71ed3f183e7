/* Stand-in for DPDK's rte_mempool.h. */
#pragma once
#include <rte_common.h>

struct rte_mempool;
