/* Stand-in for the verbs header of rdma-core: the names that DOCA's prototypes use. */
#pragma once
#include <stdint.h>

struct ibv_context;
struct ibv_pd;
