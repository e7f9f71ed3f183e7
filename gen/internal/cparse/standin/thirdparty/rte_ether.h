/* Stand-in for DPDK's Ethernet types. */
#pragma once
#include <rte_byteorder.h>
#include <rte_common.h>
#define RTE_ETHER_ADDR_LEN 6

struct rte_ether_addr {
	uint8_t addr_bytes[RTE_ETHER_ADDR_LEN];
} __attribute__((aligned(2)));
