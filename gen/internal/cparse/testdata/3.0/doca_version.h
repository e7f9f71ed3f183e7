#pragma once
#include <stddef.h>
#define DOCA_VERSION_MAJOR 3
#define DOCA_VERSION_MINOR 0
#define DOCA_VERSION_PATCH 58
#define DOCA_VERSION_STRING "3.0.0058"
#define DOCA_VERSION_CALC_EXACT(major, minor, patch) \
	((((size_t)(major)) << 24) | (((size_t)(minor)) << 16) | ((size_t)(patch)))
#define DOCA_VERSION_EXACT DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)
