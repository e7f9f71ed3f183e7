package model

import "strings"

// origins are whose types begin with what, and where their headers come from.
var origins = []struct{ prefix, project, install string }{
	{"ucs_", "UCX", "libucx-dev"},
	{"ucp_", "UCX", "libucx-dev"},
	{"rte_", "DPDK", "libdpdk-dev"},
	{"ibv_", "rdma-core", "libibverbs-dev"},
	{"mlx5dv_", "rdma-core", "libibverbs-dev"},
	{"rdma_", "rdma-core", "librdmacm-dev"},
	{"cuda", "CUDA", "the CUDA toolkit"},
	{"CU", "CUDA", "the CUDA toolkit"},
	{"json_object", "json-c", "libjson-c-dev"},
}

// origin says where a type of a third party comes from, and what has its header. It has no binding, so no value of it can be
// passed from Go.
func origin(name string) string {
	for _, o := range origins {
		if strings.HasPrefix(name, o.prefix) {
			return "; it is a type of " + o.project + ": install " + o.install + ", and call the function from C"
		}
	}
	return ""
}
