/* Stand-in for the intrinsics of the DPA compiler, which only inline bodies use. */
#pragma once
#include <stdint.h>
