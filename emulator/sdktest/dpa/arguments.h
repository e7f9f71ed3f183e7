/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARGUMENTS_H_
#define ARGUMENTS_H_

/* For the device code and for the host: what the kernels of arguments_device.c take, and what they write. */

#include <stdbool.h>
#include <stdint.h>

enum mode {
	MODE_LOW = -7,
	MODE_HIGH = 70000,
};

enum __attribute__((packed)) small_mode {
	SMALL_ON = 200,
};

struct one_byte {
	uint8_t value;
};

struct registers { /* two registers */
	uint64_t a;
	uint32_t b;
	uint8_t c[4];
};

struct packed {
	uint8_t tag;
	uint32_t value;
	uint64_t more;
} __attribute__((packed));

struct large { /* in memory */
	uint64_t list[9];
	struct registers inner;
	bool flag;
};

union either {
	uint32_t number;
	uint8_t bytes[12];
};

struct aligned {
	uint64_t value;
} __attribute__((aligned(64)));

typedef const struct one_byte constant_byte;

/* What the kernel integers has got. */
struct integers {
	int8_t i8;
	uint8_t u8;
	int16_t i16;
	uint16_t u16;
	int32_t i32;
	uint32_t u32;
	int64_t i64;
	uint64_t u64;
	char c;
	long l;
	unsigned long long ull;
	bool yes;
	bool no;
	enum mode low;
	enum mode high;
	enum small_mode small;
};

/* What the kernel records has got. */
struct records {
	struct one_byte one;
	struct registers registers;
	struct packed packed;
	struct large large;
	union either either;
	struct aligned aligned;
	struct one_byte constant;
};

/* What thread_ranks writes: how often each rank ran. */
#define MOST_THREADS 64

#endif /* ARGUMENTS_H_ */
