/* Plain <inttypes.h>. */
#pragma once
#include <stdint.h>
#define PRIu64 "lu"
#define PRIx64 "lx"
