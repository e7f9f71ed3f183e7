/* Stand-in for DPDK's rte_mbuf.h. */
#pragma once
#include <rte_common.h>

struct rte_mbuf;
