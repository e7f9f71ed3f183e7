/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_types.h
 * @brief Types that several DOCA libraries share.
 */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <stdint.h>

#ifdef __linux__
#include <linux/types.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Size of an RDMA global identifier (GID) in bytes. */
#define DOCA_GID_BYTE_LENGTH 16

/**
 * @brief Access rights to the memory of a memory map: values of a bit mask.
 *
 * The local processor can always read the memory. DOCA_ACCESS_FLAG_PCI_READ_ONLY and
 * DOCA_ACCESS_FLAG_PCI_READ_WRITE exclude each other. DOCA_ACCESS_FLAG_RDMA_WRITE and
 * DOCA_ACCESS_FLAG_RDMA_ATOMIC of a memory map require DOCA_ACCESS_FLAG_LOCAL_READ_WRITE.
 */
enum doca_access_flag {
	DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,
	/**< Local devices may read: the value of an empty mask. */
	DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1, /**< Local devices may read and write. */
	DOCA_ACCESS_FLAG_RDMA_READ = 2, /**< RDMA peers may read. */
	DOCA_ACCESS_FLAG_RDMA_WRITE = 4, /**< RDMA peers may write. */
	DOCA_ACCESS_FLAG_RDMA_ATOMIC = 8, /**< RDMA peers may perform atomic operations. */
	DOCA_ACCESS_FLAG_PCI_READ_ONLY = 16, /**< The peer across PCI may read. */
	DOCA_ACCESS_FLAG_PCI_READ_WRITE = 32, /**< The peer across PCI may read and write. */
	DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 64,
	/**< PCI accesses may be reordered. DOCA 3.2 rejects a memory map that combines it with one
	 *   of the other two PCI flags. */
};

/** @brief Type of a PCI function. */
enum doca_pci_func_type {
	DOCA_PCI_FUNC_TYPE_PF = 0, /**< Physical function. */
	DOCA_PCI_FUNC_TYPE_VF = 1, /**< Virtual function. */
	DOCA_PCI_FUNC_TYPE_SF = 2, /**< Scalable function (sub-function). */
};

/** @brief Where memory for a GPU is, and which processors can access it. */
enum doca_gpu_mem_type {
	DOCA_GPU_MEM_TYPE_GPU = 0, /**< GPU memory that the GPU can access. */
	DOCA_GPU_MEM_TYPE_GPU_CPU = 1, /**< GPU memory that the CPU can also access. */
	DOCA_GPU_MEM_TYPE_CPU_GPU = 2, /**< CPU memory that the GPU can also access. */
};

/** @brief How an Ethernet send queue can delay packets until a given time. */
enum doca_eth_wait_on_time_type {
	DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0, /**< It cannot. */
	DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE = 1, /**< The device delays them. */
	DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK = 2, /**< DPDK delays them. */
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

/** @brief Handle that a program can wait on: a file descriptor on Linux, -1 if invalid. */
typedef int doca_event_handle_t;

/** @brief The invalid event handle. */
#define doca_event_invalid_handle -1

/**
 * @brief Handle that becomes readable when an armed progress engine has work: a file descriptor on
 * Linux, -1 if invalid.
 */
typedef doca_event_handle_t doca_notification_handle_t;

/** @brief 16-bit integer in network byte order (big endian). */
typedef __be16 doca_be16_t;

/** @brief 32-bit integer in network byte order (big endian). */
typedef __be32 doca_be32_t;

/** @brief 64-bit integer in network byte order (big endian). */
typedef __be64 doca_be64_t;

/**
 * @brief User data: 8 bytes, a pointer or a number, that DOCA stores and returns unchanged. It is
 * passed by value.
 */
union doca_data {
	void *ptr; /**< The data as a pointer. DOCA never dereferences it. */
	uint64_t u64; /**< The data as a number. */
};

/** @brief An element of a linked list of memory segments that DOCA treats as contiguous. */
struct doca_gather_list {
	void *addr; /**< Start of the segment. */
	uint64_t len; /**< Length of the segment in bytes. */
	struct doca_gather_list *next; /**< The next segment. NULL in the last one. */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H_ */
