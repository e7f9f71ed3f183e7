/* A DOCA core that has what a library of the shapes links against: nothing. */
#include <doca_error.h>
