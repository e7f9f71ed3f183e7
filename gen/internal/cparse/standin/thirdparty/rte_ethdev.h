/* Stand-in for DPDK's rte_ethdev.h. */
#pragma once
#include <rte_common.h>

struct rte_eth_dev;
