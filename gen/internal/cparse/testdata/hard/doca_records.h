/** @file
 * Structs and unions of every kind. */
#pragma once
#include <assert.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdalign.h>
#include "doca_enums.h"

struct hard_packed { char a; int b; } __attribute__((packed));
struct __attribute__((packed, aligned(8))) hard_both { char a; int b; };
struct hard_members { char a; int b __attribute__((packed)); int c __attribute__((aligned(16))); alignas(32) char d; };
struct hard_bits { unsigned a : 3, b : 5; unsigned : 0; uint64_t c : 40; _Bool d : 1; signed e : 2; enum hard_u32 f : 4; };
struct hard_anonymous { struct { int a; union { int b; float c; }; }; int d; };
struct hard_nested {
	struct hard_inner { int x; } in;       /**< Declared in place. */
	enum hard_inner_kind { HARD_INNER } e;
	union { int y; char z[8]; } u[3];
	struct { struct { short s; } deep[2][2]; } v;
	struct { int p; } *pointer;
};
struct hard_flexible { uint32_t n; struct hard_inner data[]; };
struct hard_zero { uint32_t n; char data[0]; };
struct hard_dimensions { int a[2][3][4]; char *names[5]; void (*cbs[4])(int); };
struct hard_enum_members { enum hard_before a; enum hard_macro_args b; enum hard_wide c; };
struct hard_empty {};
struct hard_atomic { _Atomic int a; _Atomic(unsigned long) b; atomic_bool c; };
struct hard_qualified { const int a; volatile int b; const char *const c; int *restrict d; };
typedef struct __attribute__((packed)) { char a; int b; } hard_typedef_t __attribute__((aligned(8)));
typedef int hard_aligned_t __attribute__((aligned(16)));
struct hard_uses { hard_aligned_t a; char b; hard_typedef_t c; };
typedef union { uint32_t *words; uint8_t *bytes; } hard_either_t __attribute__((transparent_union));

#pragma pack(push, 1)
struct hard_pack1 { char a; int b; };
#pragma pack(push, name, 2)
struct hard_pack2 { char a; int b; };
#pragma pack(pop, name)
struct hard_pack1_again { char a; int b; };
#pragma pack(pop)
struct hard_pack0 { char a; int b; };
#define HARD_PACK 4
#  pragma pack ( 4 )
#pragma pack(push, HARD_PACK) /* ignored, for it is not expanded */
struct hard_pack4 { char a; double b; };
#pragma pack()
#define HARD_BEGIN _Pragma("pack(push, 1)")
#define HARD_END _Pragma("pack(pop)")
HARD_BEGIN
struct hard_pack_macro { char a; int b; };
HARD_END
#ifdef _MSC_VER
#pragma pack(push, 1)
#endif
struct hard_pack_none { char a; int b; };

struct hard_later;
void hard_later_use(struct hard_later *l);
struct hard_checks { int a; _Static_assert(sizeof(int) == 4, "a); b"); static_assert(1); int b;; };
__extension__ struct hard_extension { __extension__ union { int a; }; };
#define HARD_SIZE sizeof(struct hard_packed)
#define HARD_OFFSET __builtin_offsetof(struct hard_both, b)
