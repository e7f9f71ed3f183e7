/* Plain <unistd.h>. */
#pragma once
#include <sys/types.h>
