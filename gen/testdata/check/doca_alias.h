/* Macros whose values are in other macros, and in headers that this one does not include. */
#ifndef DOCA_ALIAS_H_
#define DOCA_ALIAS_H_
#include <doca_error.h>
#define DOCA_ALIAS_TEXT "al\ti\101s" ", the rest"
#define DOCA_ALIAS_NAME DOCA_ALIAS_TEXT
#define DOCA_ALIAS_SAME (DOCA_ALIAS_NAME)
#define DOCA_ALIAS_PATH DOCA_ALIAS_ROOT "/alias"
#define DOCA_ALIAS_ROOT "/opt"
#define DOCA_ALIAS_QUOTED DOCA_ALIAS_QUOTE
#define DOCA_ALIAS_QUOTE "say \"hi\" \\"
#define DOCA_ALIAS_OFF false
#define DOCA_ALIAS_NOT DOCA_ALIAS_OFF
#define DOCA_ALIAS_ON true
#define DOCA_ALIAS_NUMBER 0.5
#define DOCA_ALIAS_HALF DOCA_ALIAS_NUMBER
#define DOCA_ALIAS_STATUS DOCA_ERROR_UNKNOWN
#define DOCA_ALIAS_BITS (1 << 3)
#define DOCA_ALIAS_EIGHT u8"eight"
struct doca_alias;
doca_error_t doca_alias_create(struct doca_alias **alias);
#endif
