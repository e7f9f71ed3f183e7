/* Two generations of a device, of which a program includes one: gen/clash_test.go. */
#ifndef B_H
#define B_H
#include <stdint.h>
/** An event. */
typedef union { struct { uint32_t type : 8; uint32_t port : 8; uint32_t more : 16; uint32_t ts; }; uint32_t raw[2]; } doca_pcc_dev_ev_t;
struct doca_pcc_dev_attr { uint8_t a : 6; uint8_t b : 2; uint16_t c; };
struct doca_pcc_dev_same { unsigned int a : 3; unsigned char raw[4]; };
enum doca_pcc_dev_new { DOCA_PCC_DEV_SHARED = 2, DOCA_PCC_DEV_ONLY_NEW = 3, DOCA_PCC_DEV_ALIKE = 4 };
#endif
