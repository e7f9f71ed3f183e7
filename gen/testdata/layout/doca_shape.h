/* The shapes of members that make a layout hard to tell from its text. */
#include <stdint.h>
#include <doca_error.h>
enum __attribute__((__packed__)) doca_shape_small { DOCA_SHAPE_A, DOCA_SHAPE_B };
enum doca_shape_big { DOCA_SHAPE_C = 1, DOCA_SHAPE_D = 0x100000000ll };
typedef struct { uint32_t a : 3; uint32_t b : 5; uint32_t : 0; uint16_t c; } doca_shape_bits_t;
typedef union { uint32_t a; struct { uint16_t lo, hi; }; } doca_shape_u_t;
struct doca_shape_inner { uint8_t x; uint32_t y; };
typedef struct doca_shape_inner doca_shape_inner_t;
#pragma pack(push, 2)
struct doca_shape_packed { uint8_t x; uint64_t y; };
#pragma pack(pop)
struct doca_shape {
  union { uint32_t id; uint8_t raw[4]; };
  doca_shape_bits_t bits;
  doca_shape_u_t u;
  struct doca_shape_inner in[3];
  doca_shape_inner_t in2;
  struct { uint8_t p; uint16_t q; } named;
  struct { uint8_t p; uint16_t q; } arr[2][3];
  enum doca_shape_small small;
  enum doca_shape_big big;
  enum { DOCA_SHAPE_X, DOCA_SHAPE_Y } untagged;
  doca_error_t (*cb)(struct doca_shape *z, void *p);
  void (*cbs[2])(void);
  const char *name; unsigned long long int ull; long double *ld; char c; 
  struct doca_shape *next; double f; 
  uint64_t flag:1, flag2:40; int8_t sb:4;
  struct doca_shape_packed pk __attribute__((aligned(16)));
  uint8_t tail[];
} __attribute__((aligned(32)));
struct ibv_foo;
struct doca_shape_foreign { struct ibv_foo *p; };
doca_error_t doca_shape_create(struct doca_shape *z);
struct doca_shape_deep {
  union { struct { uint8_t a : 4; union { uint16_t b; struct { uint8_t c, d; }; }; }; uint64_t e; };
  const struct { uint32_t x; } *to;
  uint16_t f : 9, : 3, g : 4;
  _Bool h : 1;
  uint64_t i : 33;
} __attribute__((packed));
