/* Plain <errno.h>. */
#pragma once
extern int errno;
