/* Stand-in for DPDK's rte_ring.h. */
#pragma once
#include <rte_common.h>

struct rte_ring;
