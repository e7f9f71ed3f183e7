/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_CATCH_LOG_H_
#define EMULATOR_TEST_CATCH_LOG_H_

/* For tests that look at what the emulator logs. */

#include <stdio.h>
#include <string.h>

#include <doca_log.h>

#include "test.h"

static char *caught; /* the log so far */
static FILE *caught_stream;

/* Begins again with nothing caught. */
static inline void forget_log(void)
{
	rewind(caught_stream);
	caught[0] = 0;
}

/* The log may say why a check has failed. */
static inline void show_log(void)
{
	if (test_failures != 0 && caught[0] != '\0')
		fprintf(stderr, "the log:\n%s\n", caught);
}

/* Begins to catch the log, for the rest of the program. A program that fails shows it in the end. */
static inline void catch_log(void)
{
	static struct doca_log_backend *backend;
	static char text[1 << 20];

	if (backend != NULL)
		return;
	caught = text;
	caught_stream = fmemopen(text, sizeof(text), "w");
	if (caught_stream == NULL)
		exit(1);
	setvbuf(caught_stream, NULL, _IONBF, 0);
	MUST(doca_log_backend_create_with_file_sdk(caught_stream, &backend));
	MUST(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_INFO));
	atexit(show_log);
}

#endif /* EMULATOR_TEST_CATCH_LOG_H_ */
