/* Plain <stdlib.h>: what inline functions need of it. */
#pragma once
#include <stddef.h>
void *malloc(size_t size);
void free(void *ptr);
