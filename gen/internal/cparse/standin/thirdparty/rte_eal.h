/* Stand-in for DPDK's rte_eal.h. */
#pragma once
#include <rte_common.h>
