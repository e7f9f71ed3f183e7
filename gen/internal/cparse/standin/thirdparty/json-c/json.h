/* Stand-in for the header of json-c. */
#pragma once
#include <stddef.h>

struct json_object;
