/* Stand-in for UCX's status codes. */
#pragma once

typedef enum {
	UCS_OK = 0,
	UCS_INPROGRESS = 1
} ucs_status_t;

typedef void *ucs_status_ptr_t;
