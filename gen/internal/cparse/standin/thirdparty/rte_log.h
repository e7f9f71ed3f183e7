/* Stand-in for DPDK's rte_log.h. */
#pragma once
#include <rte_common.h>
