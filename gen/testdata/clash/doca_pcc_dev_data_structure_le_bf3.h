/* Two generations of a device, of which a program includes one: gen/clash_test.go. */
#ifndef A_H
#define A_H
#include <stdint.h>
/** An event. */
typedef union { struct { uint32_t type : 8; uint32_t port : 24; uint32_t ts; }; uint32_t raw[2]; } doca_pcc_dev_ev_t;
struct doca_pcc_dev_attr { uint8_t a : 4; uint8_t b : 4; uint16_t c; };
struct doca_pcc_dev_same { uint32_t a : 3; uint8_t raw[4]; };
struct doca_pcc_dev_holder { struct doca_pcc_dev_attr attr; };
enum doca_pcc_dev_old { DOCA_PCC_DEV_SHARED = 1, DOCA_PCC_DEV_ONLY_OLD = 2, DOCA_PCC_DEV_ALIKE = 4 };
#endif
