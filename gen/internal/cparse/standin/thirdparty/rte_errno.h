/* Stand-in for DPDK's rte_errno.h. */
#pragma once
#include <rte_common.h>
