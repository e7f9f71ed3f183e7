/* Stand-in for UCX's compiler macros. */
#pragma once
#define UCS_BIT(i) (1ull << (i))
