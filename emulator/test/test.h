/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_H_
#define EMULATOR_TEST_H_

/* A test is a function, and a program lists its tests in TEST_MAIN. After a failed check the test continues;
 * after a failed MUST the program ends. */

#include <stdio.h>
#include <stdlib.h>

#include <doca_error.h>

static int test_failures;
static unsigned long test_checks;

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		__atomic_fetch_add(&test_checks, 1, __ATOMIC_RELAXED);                             \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			__atomic_fetch_add(&test_failures, 1, __ATOMIC_RELAXED);                   \
		}                                                                                  \
	} while (0)

/* The call must return the code, which is given without DOCA_: EXPECT(SUCCESS, ...), EXPECT(ERROR_IN_USE, ...). */
#define EXPECT(code, call)                                                                         \
	do {                                                                                       \
		doca_error_t got_ = (call);                                                        \
		__atomic_fetch_add(&test_checks, 1, __ATOMIC_RELAXED);                             \
		if (got_ != DOCA_##code) {                                                         \
			fprintf(stderr, "%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call,      \
				doca_error_get_name(got_), #code);                                 \
			__atomic_fetch_add(&test_failures, 1, __ATOMIC_RELAXED);                   \
		}                                                                                  \
	} while (0)

/* A call that the rest of the test needs. */
#define MUST(call)                                                                                 \
	do {                                                                                       \
		doca_error_t got_ = (call);                                                        \
		if (got_ != DOCA_SUCCESS) {                                                        \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,              \
				doca_error_get_name(got_));                                        \
			__atomic_fetch_add(&test_failures, 1, __ATOMIC_RELAXED);                   \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

typedef void (*test_fn)(void);

static inline int test_run(const char *program, const test_fn *tests, size_t num)
{
	for (size_t i = 0; i < num; i++)
		tests[i]();
	printf("%-22s %2zu tests %8lu checks %s\n", program, num, test_checks,
	       test_failures == 0 ? "ok" : "FAILED");
	return test_failures != 0;
}

#define TEST_MAIN(...)                                                                             \
	int main(void)                                                                             \
	{                                                                                          \
		static const test_fn tests[] = {__VA_ARGS__};                                      \
		return test_run(TEST_NAME, tests, sizeof(tests) / sizeof(tests[0]));               \
	}

#endif /* EMULATOR_TEST_H_ */
