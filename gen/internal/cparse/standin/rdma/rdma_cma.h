/* Stand-in for the RDMA connection manager's header of rdma-core. */
#pragma once
#include <infiniband/verbs.h>

struct rdma_cm_id;
