/* SPDX-License-Identifier: Apache-2.0 */

/* What a process can find out about another one, and its own id. */

#include "core/emu_peer.h"
#include "core/emu_peer_watch.h"

#include "process.h"

static void wait_for_signal(void)
{
	for (;;)
		pause();
}

static void ending(void)
{
	pid_t pid = start_child(wait_for_signal);
	uint64_t deadline = now_ms() + LONG_MS;

	CHECK(!emu_peer_is_ending(getpid()));
	CHECK(!emu_peer_is_ending(pid));
	stop_child(pid);
	CHECK(!emu_peer_is_ending(pid)); /* it may go on */
	CHECK(kill(pid, SIGKILL) == 0);
	while (!emu_peer_is_ending(pid) && now_ms() < deadline)
		;
	CHECK(emu_peer_is_ending(pid)); /* nobody has waited for it */
	expect_end(pid, SIGKILL);
	CHECK(emu_peer_is_ending(pid));
	CHECK(emu_peer_is_ending(0));
}

static void own_pid_in_child(void)
{
	CHECK(emu_own_pid() == getpid());
}

static void own_pid(void)
{
	CHECK(emu_own_pid() == getpid());
	expect_end(start_child(own_pid_in_child), 0);
	CHECK(emu_own_pid() == getpid());
}

TEST_MAIN(ending, own_pid, left_nothing)
