/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_types.h
 * @brief Types that several DOCA libraries share.
 */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Size of an RDMA global identifier (GID) in bytes. */
#define DOCA_GID_BYTE_LENGTH 16

/**
 * @brief Who may access the memory of a memory map, and how: values of a bit mask.
 *
 * The processor of the machine that owns the memory can always read it.
 * DOCA_ACCESS_FLAG_PCI_READ_ONLY and DOCA_ACCESS_FLAG_PCI_READ_WRITE exclude each other.
 */
enum doca_access_flag {
	DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,
	/**< Local devices read only: the value of an empty mask. */
	DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1, /**< Local devices read and write. */
	DOCA_ACCESS_FLAG_RDMA_READ = 2, /**< RDMA peers may read. */
	DOCA_ACCESS_FLAG_RDMA_WRITE = 4, /**< RDMA peers may write. */
	DOCA_ACCESS_FLAG_RDMA_ATOMIC = 8, /**< RDMA peers may run atomic operations. */
	DOCA_ACCESS_FLAG_PCI_READ_ONLY = 16, /**< The peer across PCI may read only. */
	DOCA_ACCESS_FLAG_PCI_READ_WRITE = 32, /**< The peer across PCI may read and write. */
	DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 64, /**< Accesses across PCI may be reordered. */
};

/** @brief Kind of a PCI function. */
enum doca_pci_func_type {
	DOCA_PCI_FUNC_TYPE_PF = 0, /**< Physical function. */
	DOCA_PCI_FUNC_TYPE_VF = 1, /**< Virtual function. */
	DOCA_PCI_FUNC_TYPE_SF = 2, /**< Scalable function (sub-function). */
};

/** @brief Where memory for a GPU lies and who can reach it. */
enum doca_gpu_mem_type {
	DOCA_GPU_MEM_TYPE_GPU = 0, /**< GPU memory that the GPU reaches. */
	DOCA_GPU_MEM_TYPE_GPU_CPU = 1, /**< GPU memory that the CPU reaches as well. */
	DOCA_GPU_MEM_TYPE_CPU_GPU = 2, /**< CPU memory that the GPU reaches as well. */
};

/** @brief How an Ethernet send queue can hold packets back until a point in time. */
enum doca_eth_wait_on_time_type {
	DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0, /**< Not at all. */
	DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE = 1, /**< The device does it itself. */
	DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK = 2, /**< It is done through DPDK. */
};

/**
 * @brief Maximum transmission unit of a network path. The values are ordinals, not byte counts.
 */
enum doca_mtu_size {
	DOCA_MTU_SIZE_256_BYTES = 0, /**< 256 bytes. */
	DOCA_MTU_SIZE_512_BYTES = 1, /**< 512 bytes. */
	DOCA_MTU_SIZE_1K_BYTES = 2, /**< 1024 bytes. */
	DOCA_MTU_SIZE_2K_BYTES = 3, /**< 2048 bytes. */
	DOCA_MTU_SIZE_4K_BYTES = 4, /**< 4096 bytes. */
	DOCA_MTU_SIZE_RAW_ETHERNET = 5, /**< The MTU of raw Ethernet. */
};

/**
 * @brief Handle that the operating system can wait on: on Linux a file descriptor, -1 when
 * invalid.
 */
typedef int doca_event_handle_t;

/** @brief A handle that is none. */
#define doca_event_invalid_handle -1

/**
 * @brief Handle that becomes readable when an armed progress engine has something to do; on Linux
 * a file descriptor, -1 when invalid.
 */
typedef doca_event_handle_t doca_notification_handle_t;

/** @brief A notification handle that is none. */
#define doca_notification_invalid_handle doca_event_invalid_handle

/** @brief 16-bit integer in network byte order (big endian). */
typedef __be16 doca_be16_t;

/** @brief 32-bit integer in network byte order (big endian). */
typedef __be32 doca_be32_t;

/** @brief 64-bit integer in network byte order (big endian). */
typedef __be64 doca_be64_t;

/**
 * @brief Eight bytes of the caller's own that DOCA stores and hands back unchanged: a pointer or a
 * number. Passed by value.
 */
union doca_data {
	void *ptr; /**< The data as a pointer; DOCA never follows it. */
	uint64_t u64; /**< The data as a number. */
};

/**
 * @brief One piece of a linked list of memory pieces that are read as if they were contiguous.
 */
struct doca_gather_list {
	void *addr; /**< Start of the piece. */
	uint64_t len; /**< Length of the piece in bytes. */
	struct doca_gather_list *next; /**< The piece that follows; NULL in the last one. */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H_ */
