/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "emu_comch_ctrl.h"
#include "emu_comch_wake.h"

void emu_comch_wake(struct emu_comch_ctrl *ctrl)
{
	if (!__atomic_exchange_n(&ctrl->attention, true, __ATOMIC_SEQ_CST))
		emu_comch_signal_fd(ctrl->wake_fd);
}

void emu_comch_signal_fd(int fd)
{
	const uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

void emu_comch_drain_fd(int fd)
{
	uint64_t count;

	while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}
