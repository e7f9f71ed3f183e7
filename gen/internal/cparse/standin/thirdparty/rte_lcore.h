/* Stand-in for DPDK's rte_lcore.h. */
#pragma once
#include <rte_common.h>
