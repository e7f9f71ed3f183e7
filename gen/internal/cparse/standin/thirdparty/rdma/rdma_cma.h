/* Stand-in for the connection manager's header of rdma-core: the names that prototypes use. */
#pragma once
#include <infiniband/verbs.h>

struct rdma_cm_event;
struct rdma_cm_id;
struct rdma_event_channel;
