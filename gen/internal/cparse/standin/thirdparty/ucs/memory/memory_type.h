/* Stand-in for UCX's memory types. */
#pragma once

typedef enum ucs_memory_type {
	UCS_MEMORY_TYPE_HOST
} ucs_memory_type_t;
