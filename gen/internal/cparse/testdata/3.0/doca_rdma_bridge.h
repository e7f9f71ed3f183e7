/**
 * @file doca_rdma_bridge.h
 * @brief Between DOCA and rdma-core.
 */
#ifndef DOCA_RDMA_BRIDGE_H_
#define DOCA_RDMA_BRIDGE_H_

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <doca_compat.h>

typedef int doca_error_t;
struct doca_dev;

/** @brief The protection domain of a device. */
DOCA_STABLE
doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd);

#endif
