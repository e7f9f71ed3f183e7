/* Stand-in for the types of UCX's protocol layer. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <ucs/memory/memory_type.h>
#include <ucs/type/status.h>
#include <ucs/type/thread_mode.h>

typedef struct ucp_address ucp_address_t;
typedef struct ucp_context *ucp_context_h;
typedef struct ucp_ep *ucp_ep_h;
typedef struct ucp_mem *ucp_mem_h;
typedef struct ucp_rkey *ucp_rkey_h;
typedef struct ucp_worker *ucp_worker_h;
typedef uint64_t ucp_tag_t;
typedef uint64_t ucp_datatype_t;
