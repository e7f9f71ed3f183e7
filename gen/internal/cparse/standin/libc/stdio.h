/* Plain <stdio.h>: what declarations need of it. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
struct _IO_FILE;
typedef struct _IO_FILE FILE;
