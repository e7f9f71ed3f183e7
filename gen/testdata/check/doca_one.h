#include <doca_error.h>
enum doca_one { DOCA_ONE_FIRST = 1 };
