#ifndef PARAMS_H_
#define PARAMS_H_

#include <stdint.h>

/** How to scale. */
enum scale_mode {
	SCALE_WRAP = 0,	    /**< The result wraps around. */
	SCALE_SATURATE = 1, /**< The result is the largest number at most. */
};

/** A range of numbers in DPA memory: 24 bytes, more than two registers have. */
struct scale_range {
	uint64_t first; /**< Address of the first number. */
	uint32_t count; /**< How many numbers. */
	uint16_t stride;
	uint8_t flags[4];
};

/** Two numbers, without holes. */
struct __attribute__((packed)) scale_pair {
	uint8_t tag;
	uint32_t value;
};

#endif
