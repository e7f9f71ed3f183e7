/* Stand-in for DPDK's rte_version.h. */
#pragma once
#include <rte_common.h>
