/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_CHECK_H_
#define SDKTEST_CHECK_H_

/* Checks of the test programs. A failed check is printed and counted; check_done is the exit status. */

#include <stdio.h>
#include <stdlib.h>

#include <doca_error.h>

static int check_failures;
static int check_count;

#define CHECK(condition)                                                                                   \
	do {                                                                                               \
		check_count++;                                                                             \
		if (!(condition)) {                                                                        \
			check_failures++;                                                                  \
			fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition);      \
		}                                                                                          \
	} while (0)

/* The call must return the error code. */
#define CHECK_CODE(call, code)                                                                             \
	do {                                                                                               \
		doca_error_t check_code_ = (call);                                                         \
		check_count++;                                                                             \
		if (check_code_ != (code)) {                                                               \
			check_failures++;                                                                  \
			fprintf(stderr, "%s:%d: %s is %s, not %s\n", __FILE__, __LINE__, #call,            \
				doca_error_get_name(check_code_), doca_error_get_name(code));              \
		}                                                                                          \
	} while (0)

#define CHECK_OK(call) CHECK_CODE(call, DOCA_SUCCESS)

static inline int check_done(const char *name)
{
	printf("%s: %d checks, %d failed\n", name, check_count, check_failures);
	return check_failures == 0 && check_count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif /* SDKTEST_CHECK_H_ */
