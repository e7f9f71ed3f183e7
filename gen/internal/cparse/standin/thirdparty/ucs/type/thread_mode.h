/* Stand-in for UCX's thread modes. */
#pragma once

typedef enum {
	UCS_THREAD_MODE_SINGLE,
	UCS_THREAD_MODE_SERIALIZED,
	UCS_THREAD_MODE_MULTI
} ucs_thread_mode_t;
