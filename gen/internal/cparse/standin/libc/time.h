/* Plain <time.h>. */
#pragma once
#include <stddef.h>
typedef long time_t;
struct timespec {
	time_t tv_sec;
	long tv_nsec;
};
