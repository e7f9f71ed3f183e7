/* Stand-in for the direct verbs header of rdma-core: the names that prototypes use. */
#pragma once
#include <infiniband/verbs.h>

struct mlx5dv_devx_event_channel;
struct mlx5dv_devx_obj;
struct mlx5dv_devx_uar;
struct mlx5dv_devx_umem;
