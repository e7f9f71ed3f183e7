/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_sieve.h
 * @brief A library that does not exist: records of every shape that C allows, for the tests of the generator.
 */
#ifndef DOCA_SIEVE_H_
#define DOCA_SIEVE_H_

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

struct doca_sieve;

/** @brief How an address is written; one byte. */
enum __attribute__((packed)) doca_sieve_l3_type {
	DOCA_SIEVE_L3_NONE, /**< No address. */
	DOCA_SIEVE_L3_IP4, /**< Four bytes. */
	DOCA_SIEVE_L3_IP6, /**< Sixteen bytes. */
};

/** @brief Two bytes, for one value is above 255. */
enum doca_sieve_port {
	DOCA_SIEVE_PORT_ANY = 0,
	DOCA_SIEVE_PORT_LAST = 65535,
} __attribute__((packed));

/** @brief Eight bytes, for one value needs them. */
enum doca_sieve_wide {
	DOCA_SIEVE_WIDE_ZERO = 0,
	DOCA_SIEVE_WIDE_TOP = 0x100000000,
};

enum doca_sieve_action {
	DOCA_SIEVE_ACTION_KEEP,
	DOCA_SIEVE_ACTION_DROP,
	DOCA_SIEVE_ACTION_COUNT,
};

typedef uint16_t doca_sieve_be16_t;
typedef uint32_t doca_sieve_be32_t;
typedef void (*doca_sieve_visit_t)(struct doca_sieve *sieve, uint32_t index, void *cookie);

/** @brief An address of either kind. */
union doca_sieve_address {
	doca_sieve_be32_t ipv4; /**< In network order. */
	doca_sieve_be32_t ipv6[4]; /**< In network order. */
	uint8_t bytes[16];
};

/** @brief What a packet has to look like. */
struct doca_sieve_match {
	uint32_t flags; /**< Options. */
	struct {
		uint8_t src_mac[6]; /**< Source. */
		uint8_t dst_mac[6]; /**< Destination. */
		uint16_t type; /**< Ethertype. */
		struct {
			uint16_t tci; /**< Tag. */
		} vlan[2]; /**< Outer tag first. */
	} eth;
	enum doca_sieve_l3_type l3_type; /**< Which member of the union is meant. */
	union {
		struct {
			uint8_t version : 4, ihl : 4;
			uint8_t dscp_ecn;
			uint16_t total_len;
			uint16_t fragment : 13;
			uint16_t more : 1, dont : 1;
			uint8_t next_proto;
			doca_sieve_be32_t src, dst;
		} ip4; /**< Version 4. */
		struct {
			uint32_t version_class_label;
			union doca_sieve_address src, dst;
		} ip6; /**< Version 6. */
	};
	union {
		struct {
			doca_sieve_be16_t src_port; /**< Of either protocol. */
			doca_sieve_be16_t dst_port;
		};
		uint32_t ports;
		bool any;
		void *context;
	};
	uint64_t vni : 24, : 8, qfi : 6, reflective : 1;
	struct doca_sieve_match *inner; /**< What is in the tunnel. */
};

/** @brief A record without a byte too many. */
struct doca_sieve_wire {
	uint8_t kind;
	uint16_t length;
	uint32_t sequence : 20;
	uint32_t window : 12;
	uint64_t stamp;
	union doca_sieve_address peer;
	enum doca_sieve_action action;
	doca_sieve_visit_t visit;
	float ratio;
	uint16_t table[2][3];
	struct {
		uint8_t a;
		uint32_t b;
	} loose;
	uint8_t tail[3];
} __attribute__((packed));

/** @brief A record that fills cache lines. */
struct doca_sieve_line {
	uint32_t head;
	uint32_t count __attribute__((aligned(32)));
	uint8_t flag;
} __attribute__((aligned(64)));

/** @brief Packed and yet aligned. */
struct doca_sieve_both {
	uint8_t kind;
	uint32_t value;
	uint64_t wide;
} __attribute__((packed, aligned(4)));

/** @brief One member packed, the others not. */
struct doca_sieve_member {
	uint8_t kind;
	uint32_t value __attribute__((packed));
	uint16_t next;
	struct doca_sieve_both both;
	struct doca_sieve_wire wires[2];
};

/** @brief Bit-fields of every type. */
struct doca_sieve_bits {
	int8_t small : 3;
	int32_t negative : 17;
	unsigned int plain : 14;
	bool on : 1;
	enum doca_sieve_action action : 2;
	uint64_t wide : 50;
	int64_t whole : 64;
	uint16_t : 0;
	uint8_t last : 8;
};

#pragma pack(push, 2)
/** @brief At most two bytes of alignment. */
struct doca_sieve_two {
	uint8_t kind;
	uint32_t value;
	uint64_t big;
	uint32_t part : 30;
	uint32_t rest : 10;
	struct doca_sieve_bits *bits;
};
#pragma pack(pop)

/** @brief Names that Go makes one of. */
struct doca_sieve_names {
	uint32_t a_b;
	uint32_t a__b;
	uint32_t aB;
	uint32_t _;
	uint8_t type : 4;
	uint8_t set_type : 4;
	uint32_t string;
	uint32_t func;
	union {
		uint32_t format;
		uint32_t seek;
	};
};

/** @brief A head, and as many elements as it says. */
struct doca_sieve_list {
	uint32_t count;
	uint16_t kind;
	struct doca_sieve_member elements[];
};

/** @brief The older way to write the same. */
struct doca_sieve_text {
	uint64_t length;
	char bytes[0];
};

/** @brief A record that only its typedef names. */
typedef struct {
	uint32_t low; /**< Lower half. */
	uint32_t high; /**< Upper half. */
	union {
		uint64_t whole;
		double real;
	} value;
} doca_sieve_pair_t;

/** @brief Everything in one. */
struct doca_sieve_all {
	bool on;
	enum doca_sieve_port port;
	enum doca_sieve_wide wide;
	doca_sieve_pair_t pairs[2];
	struct doca_sieve_match matches[2][2];
	union doca_data user;
	doca_sieve_visit_t visits[2];
	const char *name;
	long int number;
	size_t size;
	struct {
		struct {
			struct {
				uint8_t deep[5];
			} d;
		} c;
	} b;
	struct doca_sieve_line line;
};

/** @brief Deep nesting, which must not take long to lay out. */
struct doca_sieve_n0 { uint8_t x; uint32_t y; };
struct doca_sieve_n1 { struct doca_sieve_n0 a[2], b[2], c; };
struct doca_sieve_n2 { struct doca_sieve_n1 a[2], b[2], c; };
struct doca_sieve_n3 { struct doca_sieve_n2 a[2], b[2], c; };
struct doca_sieve_n4 { struct doca_sieve_n3 a[2], b[2], c; };
struct doca_sieve_n5 { struct doca_sieve_n4 a[2], b[2], c; };
struct doca_sieve_n6 { struct doca_sieve_n5 a[2], b[2], c; };
struct doca_sieve_n7 { struct doca_sieve_n6 a[2], b[2], c; };
struct doca_sieve_n8 { struct doca_sieve_n7 a[2], b[2], c; };
struct doca_sieve_n9 { struct doca_sieve_n8 a[2], b[2], c; };

/** @brief Cannot be represented: it is aligned to 4 on arm64 alone. */
struct doca_sieve_gap {
	uint8_t a;
	uint32_t : 0;
	uint8_t b;
};

/** @brief Cannot be represented: a number of 16 bytes. */
struct doca_sieve_quad {
	long double value;
};

DOCA_EXPERIMENTAL
doca_error_t doca_sieve_add(struct doca_sieve *sieve, const struct doca_sieve_match *match);
DOCA_EXPERIMENTAL
doca_error_t doca_sieve_send(struct doca_sieve *sieve, struct doca_sieve_wire *wire, union doca_sieve_address *from);
DOCA_EXPERIMENTAL
doca_error_t doca_sieve_pair(struct doca_sieve *sieve, const doca_sieve_pair_t *pair, struct doca_sieve_all *all);
DOCA_EXPERIMENTAL
struct doca_sieve_list *doca_sieve_list(const struct doca_sieve *sieve);
DOCA_EXPERIMENTAL
doca_error_t doca_sieve_quad(struct doca_sieve *sieve, struct doca_sieve_quad *quad);

/** @brief Cannot be represented: what it declares in place cannot. */
struct doca_sieve_inner {
	struct { long double value; } in;
};

/** @brief Holds one that cannot be represented. */
struct doca_sieve_outer {
	struct doca_sieve_inner inner;
};

DOCA_EXPERIMENTAL
doca_error_t doca_sieve_nested(struct doca_sieve *sieve, struct doca_sieve_inner *inner, struct doca_sieve_outer *outer);

/** @brief Enumerations without a name, and a record without a name that two members have. */
struct doca_sieve_nameless {
	enum { DOCA_SIEVE_NAMELESS_A, DOCA_SIEVE_NAMELESS_B } plain;
	enum { DOCA_SIEVE_NAMELESS_E, DOCA_SIEVE_NAMELESS_F, DOCA_SIEVE_NAMELESS_G } bits : 2;
	enum { DOCA_SIEVE_NAMELESS_H = -1, DOCA_SIEVE_NAMELESS_I } minus : 2;
	enum __attribute__((packed)) { DOCA_SIEVE_NAMELESS_J } small[3];
	enum __attribute__((packed)) { DOCA_SIEVE_NAMELESS_K = -2 } tiny;
	enum { DOCA_SIEVE_NAMELESS_L = -3 } below;
	struct { uint8_t x; } first, second[2];
};

/** @brief A type of another header that has no tag. */
DOCA_EXPERIMENTAL
doca_error_t doca_sieve_threads(struct doca_sieve *sieve, cpu_set_t *set);

/** @brief Operators of every length. */
static inline uint32_t doca_sieve_mix(uint32_t a, uint32_t b)
{
	uint32_t c = 0;
	for (int i = 0; i < 4 && b != 0; i++) {
		a = (a >> 1) ^ (b << 3);
		c += a >= b || a == 1 ? a++ : --b;
		c <<= 1; c >>= 2; c ^= a; c |= b; c &= ~0x10u; c %= 7; c--;
	}
	return (uint32_t)(c * 1.5e+1) - 1;
}

/** @brief Does nothing. */
static inline void doca_sieve_rest(void)
{
}

/** @brief Pointers to pointers. @param [in] env Texts. @param [in] n Their number. @param [out] all All of them. */
DOCA_EXPERIMENTAL
doca_error_t doca_sieve_deep(struct doca_sieve *sieve, char *const env[], size_t n, struct doca_sieve ***all);

#endif /* DOCA_SIEVE_H_ */
