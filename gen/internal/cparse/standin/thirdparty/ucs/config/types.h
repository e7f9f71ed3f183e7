/* Stand-in for UCX's configuration types. */
#pragma once
#include <stddef.h>
