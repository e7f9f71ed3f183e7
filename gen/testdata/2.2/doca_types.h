/* In the style of DOCA 2.2, for tests. */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <stdint.h>

#ifdef __linux__
#include <linux/types.h>
typedef int doca_event_handle_t;
#define doca_event_invalid_handle -1
#else
typedef void *doca_event_handle_t;
#endif

typedef __be16 doca_be16_t;

union doca_data {
	void *ptr;
	uint64_t u64;
};

/** A PCI address in three parts */
struct doca_pci_bdf {
#define DOCA_PCI_BDF_NUM_FUNCTIONS (8)
	union {
		uint16_t raw; /**< as one number */
		struct {
			uint16_t function : 3;
			uint16_t device : 5;
			uint16_t bus : 8;
		};
	};
};

enum doca_mmap_map_type {
	DOCA_MMAP_MAP_TYPE_CPU = 0,
	DOCA_MMAP_MAP_TYPE_GPU,
};

enum doca_access_flags {
	DOCA_ACCESS_LOCAL_READ_ONLY = 0,
	DOCA_ACCESS_LOCAL_READ_WRITE = (1 << 0),
	DOCA_ACCESS_DPU_READ_ONLY = 1 << 4,
};

#endif
