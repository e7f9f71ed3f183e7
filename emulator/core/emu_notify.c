/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "emu_clock.h"
#include "emu_notify.h"
#include "emu_pe.h"

void emu_pe_notify_init(struct doca_pe *pe)
{
	pe->epoll_fd = -1;
	pe->event_fd = -1;
	pe->timer_fd = -1;
}

void emu_pe_notify_fini(struct doca_pe *pe)
{
	if (pe->epoll_fd >= 0)
		close(pe->epoll_fd);
	if (pe->timer_fd >= 0)
		close(pe->timer_fd);
	if (pe->event_fd >= 0)
		close(pe->event_fd);
	emu_pe_notify_init(pe);
}

static doca_error_t watch_fd(int epoll_fd, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	return DOCA_SUCCESS;
}

doca_error_t emu_pe_open_handle(struct doca_pe *pe)
{
	int event_fd;

	if (pe->epoll_fd >= 0)
		return DOCA_SUCCESS;
	pe->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	__atomic_store_n(&pe->event_fd, event_fd, __ATOMIC_SEQ_CST);
	pe->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (pe->timer_fd < 0 || event_fd < 0 || pe->epoll_fd < 0 ||
	    watch_fd(pe->epoll_fd, pe->timer_fd) != DOCA_SUCCESS ||
	    watch_fd(pe->epoll_fd, event_fd) != DOCA_SUCCESS) {
		emu_pe_notify_fini(pe);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	return DOCA_SUCCESS;
}

doca_error_t emu_pe_add_fd(struct doca_pe *pe, int fd)
{
	doca_error_t result = emu_pe_open_handle(pe);

	if (result != DOCA_SUCCESS)
		return result;
	return watch_fd(pe->epoll_fd, fd);
}

void emu_pe_remove_fd(struct doca_pe *pe, int fd)
{
	if (pe->epoll_fd >= 0)
		epoll_ctl(pe->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

static doca_error_t drain(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) < 0 && errno != EAGAIN && errno != EINTR)
		return DOCA_ERROR_OPERATING_SYSTEM;
	return DOCA_SUCCESS;
}

static void post(int event_fd)
{
	const uint64_t one = 1;

	/* EAGAIN means that the counter is full: the descriptor is readable anyway. */
	while (write(event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static doca_error_t set_timer(struct doca_pe *pe, uint64_t due)
{
	struct itimerspec timer = {
		.it_value = {.tv_sec = (time_t)(due / EMU_NS_PER_S),
			     .tv_nsec = (long)(due % EMU_NS_PER_S)},
	};

	if (timerfd_settime(pe->timer_fd, TFD_TIMER_ABSTIME, &timer, NULL) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	return DOCA_SUCCESS;
}

void emu_pe_wake(struct doca_pe *pe)
{
	if (pe->woken)
		return;
	pe->woken = true;
	post(pe->event_fd);
}

void emu_pe_wake_at(struct doca_pe *pe, uint64_t due)
{
	pe->timed = true;
	/* If the timer cannot be set, wake at once: a wake-up must not be lost. */
	if (set_timer(pe, due) != DOCA_SUCCESS)
		emu_pe_wake(pe);
}

void emu_pe_signal(struct doca_pe *pe)
{
	int event_fd;

	emu_pe_attend(pe, EMU_PE_SIGNAL);
	event_fd = __atomic_load_n(&pe->event_fd, __ATOMIC_SEQ_CST);
	if (event_fd >= 0)
		post(event_fd);
}

doca_error_t emu_pe_disarm(struct doca_pe *pe)
{
	doca_error_t result;

	if (pe->epoll_fd < 0)
		return DOCA_SUCCESS;
	pe->woken = false;
	emu_pe_unattend(pe, EMU_PE_ARMED);
	result = drain(pe->event_fd);
	if (result == DOCA_SUCCESS && pe->timed)
		result = set_timer(pe, 0); /* disarms the timer; one that has expired is no longer readable */
	if (result == DOCA_SUCCESS) {
		pe->timed = false;
		result = drain(pe->timer_fd);
	}
	return result;
}
