/* Stand-in for DPDK's flow rules: the names that prototypes use. */
#pragma once
#include <rte_ether.h>
#include <rte_mbuf.h>

struct rte_flow;
struct rte_flow_action;
struct rte_flow_attr;
struct rte_flow_error;
struct rte_flow_item;
