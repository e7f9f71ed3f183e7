#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_
#include <linux/types.h>
#include <stdint.h>

typedef __be32 doca_be32_t; /**< Big endian. */

/** @brief User data. */
union doca_data {
	void *ptr;
	uint64_t u64;
};

typedef enum { DOCA_SUCCESS = 0, DOCA_ERROR_UNKNOWN = 1 } doca_error_t;
#endif
