/* Stand-in for the header of UCX's protocol layer. */
#pragma once
#include <ucp/api/ucp_def.h>
