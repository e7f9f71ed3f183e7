/** @file
 * Enumerations of every kind. */
#ifndef HARD_ENUMS_H
#define HARD_ENUMS_H
#include <stdint.h>

#define HARD_PACKED __attribute__((__packed__))
#define HARD_ATTR(x) __attribute__((x))
#define HARD_FIRST 7

/** Packed, by an attribute before the tag. */
enum __attribute__((packed)) hard_before { HARD_BEFORE_A, HARD_BEFORE_B = 200 };
enum HARD_PACKED hard_macro { HARD_MACRO_A = -1, HARD_MACRO_B = 127 };
enum HARD_ATTR(packed) hard_macro_args { HARD_MACRO_ARGS_A = 256 };
enum __attribute__((packed)) __attribute__((aligned(4))) hard_two { HARD_TWO_A };
enum hard_behind { HARD_BEHIND_A = 65535 } __attribute__((packed));
enum HARD_PACKED hard_packed_wide { HARD_PACKED_WIDE = 0x100000000LL };
typedef enum HARD_PACKED { HARD_UNTAGGED_A } hard_untagged_t;

enum hard_wide { HARD_WIDE_A = 0x100000000ULL, HARD_WIDE_B = -1, HARD_WIDE_C = INT64_MAX };
enum hard_widest { HARD_WIDEST_A = 1ULL << 63, HARD_WIDEST_B = UINT64_MAX, HARD_WIDEST_C = 1 };
enum hard_u32 { HARD_U32_A = 0xffffffff, HARD_U32_B = 1U << 31 };
enum hard_i32 { HARD_I32_A = 1 << 31, HARD_I32_B = ~0, HARD_I32_C };
enum hard_values {
	HARD_VALUES_A = HARD_FIRST,	  /**< From a macro. */
	HARD_VALUES_B = HARD_VALUES_A * 2, /**< From an enumerator. */
	HARD_VALUES_C = sizeof(uint64_t),
	HARD_VALUES_D = 'd',
	HARD_VALUES_E = (uint8_t)300,
	HARD_VALUES_F __attribute__((deprecated("use A"))) = HARD_FIRST > 3 ? 1 : 2,
	HARD_VALUES_G,
};
enum { HARD_ANON_A = 3, HARD_ANON_B };
enum hard_forward;
void hard_forward_ptr(enum hard_forward *e);
enum hard_forward { HARD_FORWARD_A };
enum hard_never;
void hard_never_ptr(enum hard_never *e);
#define HARD_LIST HARD_ITEM(ONE) HARD_ITEM(TWO)
enum hard_list {
#define HARD_ITEM(n) HARD_LIST_##n,
	HARD_LIST
#undef HARD_ITEM
};
enum hard_wide hard_take(enum hard_before a, enum hard_macro b, enum hard_wide c, enum hard_widest d, hard_untagged_t e);
#endif
