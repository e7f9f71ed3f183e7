/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_COMCH_FORK_H_
#define EMULATOR_TEST_COMCH_FORK_H_

/* Comch tests with several processes. */

#include "comch_fixture.h"

static void (*child_body)(void);

static inline void run_child_body(void)
{
	memset(driven, 0, sizeof(driven)); /* the parent's */
	child_body();
}

static inline pid_t in_child(void (*body)(void))
{
	child_body = body;
	return start_child(run_child_body);
}

#endif /* EMULATOR_TEST_COMCH_FORK_H_ */
