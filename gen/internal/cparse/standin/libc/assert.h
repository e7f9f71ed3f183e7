/* Plain <assert.h>, which may be included more than once. */
#undef assert
#define assert(expression) ((void)(expression))
