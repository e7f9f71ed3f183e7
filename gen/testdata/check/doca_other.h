/* Does not compile behind doca_one.h. */
#include <doca_error.h>
enum doca_other { DOCA_ONE_FIRST = 2 };
