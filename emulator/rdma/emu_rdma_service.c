/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "core/emu_clock.h"
#include "core/emu_export.h"
#include "core/emu_log.h"
#include "syncevent/emu_syncevent.h"

#include "emu_rdma_service.h"

/* How long the end of the last context waits until peers have received everything. */
#define LINGER_MS 1000

static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
/* Guards the start and the end of the thread. Taken before the lock. */
static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	size_t num_holds;
	bool quits;
	pthread_t thread;
	int epoll_fd, wake_fd;
	uint64_t sleeps_until; /* 0: the thread is awake */
	struct emu_rdma_watch *watches;
	struct emu_rdma_watch *dead; /* the thread may still have a pointer to them */
	int num_lingering;
	bool has_work;
	bool is_poked; /* accessed with atomics */
	void (*work)(void);
	void (*forget)(void);
} service = {.epoll_fd = -1, .wake_fd = -1};

void emu_rdma_lock(void)
{
	pthread_mutex_lock(&lock);
}

void emu_rdma_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static void wake(void)
{
	const uint64_t one = 1;

	while (write(service.wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Watches. */

bool emu_rdma_watch(struct emu_rdma_watch *watch)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = watch};

	if (epoll_ctl(service.epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) != 0)
		return false;
	watch->is_dead = false;
	watch->due = 0;
	watch->prev = NULL;
	watch->next = service.watches;
	if (service.watches != NULL)
		service.watches->prev = watch;
	service.watches = watch;
	return true;
}

void emu_rdma_watch_for(struct emu_rdma_watch *watch, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = watch};

	epoll_ctl(service.epoll_fd, EPOLL_CTL_MOD, watch->fd, &event);
}

void emu_rdma_watch_until(struct emu_rdma_watch *watch, uint64_t due)
{
	watch->due = due;
	if (due != 0 && due < service.sleeps_until)
		wake();
}

void emu_rdma_unwatch(struct emu_rdma_watch *watch)
{
	if (watch->is_dead)
		return;
	watch->is_dead = true;
	if (watch->prev != NULL)
		watch->prev->next = watch->next;
	else
		service.watches = watch->next;
	if (watch->next != NULL)
		watch->next->prev = watch->prev;
	epoll_ctl(service.epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL); /* a forked child may still have it */
	close(watch->fd);
	watch->next = service.dead;
	service.dead = watch;
}

/* Only the thread has pointers to dead watches: call this when it has none. */
static void free_dead(void)
{
	struct emu_rdma_watch *watch;

	while ((watch = service.dead) != NULL) {
		service.dead = watch->next;
		watch->free(watch);
	}
}

void emu_rdma_service_linger(int change)
{
	service.num_lingering += change;
}

void emu_rdma_service_on_work(void (*work)(void))
{
	service.work = work;
}

void emu_rdma_service_ask(void)
{
	service.has_work = true;
	if (service.sleeps_until != 0)
		wake();
}

void emu_rdma_service_poke(void)
{
	__atomic_store_n(&service.is_poked, true, __ATOMIC_SEQ_CST);
	wake();
}

/* The thread. */

static int time_to_next(void)
{
	uint64_t next = UINT64_MAX, now;

	for (struct emu_rdma_watch *watch = service.watches; watch != NULL; watch = watch->next) {
		if (watch->due != 0 && watch->due < next)
			next = watch->due;
	}
	service.sleeps_until = next;
	if (next == UINT64_MAX)
		return -1;
	now = emu_clock_ns();
	return next <= now ? 0 : (int)((next - now) / 1000000) + 1;
}

static void run_due(void)
{
	uint64_t now = emu_clock_ns();
	struct emu_rdma_watch *watch = service.watches;

	while (watch != NULL) {
		if (watch->due == 0 || watch->due > now) {
			watch = watch->next;
			continue;
		}
		watch->due = 0;
		watch->ready(watch, 0);
		watch = service.watches; /* any of them may have gone */
	}
}

static void *serve(void *unused)
{
	struct epoll_event event;
	uint64_t count;
	int timeout, n;

	(void)unused;
	emu_rdma_lock();
	while (!service.quits) {
		if (service.has_work) {
			service.has_work = false;
			service.work();
		}
		timeout = service.has_work ? 0 : time_to_next(); /* sockets and timers have their turn, however much work there is */
		emu_rdma_unlock();
		/* One event at a time: handling it may end what the next one points to. */
		n = epoll_wait(service.epoll_fd, &event, 1, timeout);
		emu_rdma_lock();
		service.sleeps_until = 0;
		if (n == 1 && event.data.ptr == &service) {
			(void)!read(service.wake_fd, &count, sizeof(count));
			service.has_work |= __atomic_exchange_n(&service.is_poked, false, __ATOMIC_SEQ_CST);
		} else if (n == 1) {
			struct emu_rdma_watch *watch = event.data.ptr;

			if (!watch->is_dead)
				watch->ready(watch, event.events);
		}
		run_due();
		free_dead();
	}
	emu_rdma_unlock();
	return NULL;
}

/* The thread handles no signals. */
static bool start_thread(void)
{
	sigset_t every, before;
	bool is_started;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	is_started = pthread_create(&service.thread, NULL, serve, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (is_started)
		pthread_setname_np(service.thread, "doca-emu-rdma");
	return is_started;
}

static void close_fds(void)
{
	if (service.epoll_fd >= 0)
		close(service.epoll_fd);
	if (service.wake_fd >= 0)
		close(service.wake_fd);
	service.epoll_fd = -1;
	service.wake_fd = -1;
}

static bool start(void)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = &service};

	service.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	service.wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	service.quits = false;
	if (service.epoll_fd >= 0 && service.wake_fd >= 0 &&
	    epoll_ctl(service.epoll_fd, EPOLL_CTL_ADD, service.wake_fd, &event) == 0 && start_thread())
		return true;
	EMU_LOG_ERR("rdma: cannot serve connections: %s", strerror(errno));
	close_fds();
	return false;
}

/* Called with the life lock. */
static void stop(void)
{
	const struct timespec rest = {.tv_nsec = 1000 * 1000};
	bool is_done = false;

	for (int i = 0; i < LINGER_MS && !is_done; i++) {
		emu_rdma_lock();
		is_done = service.num_lingering == 0;
		emu_rdma_unlock();
		if (!is_done)
			nanosleep(&rest, NULL);
	}
	emu_rdma_lock();
	service.quits = true;
	wake();
	emu_rdma_unlock();
	pthread_join(service.thread, NULL);
	emu_rdma_lock();
	while (service.watches != NULL)
		emu_rdma_unwatch(service.watches);
	free_dead();
	service.num_lingering = 0;
	emu_rdma_unlock();
	close_fds();
}

/* Forks. The connections belong to the parent. */

static void before_fork(void)
{
	pthread_mutex_lock(&life_lock);
	emu_rdma_lock();
}

static void after_fork(void)
{
	emu_rdma_unlock();
	pthread_mutex_unlock(&life_lock);
}

static void in_child(void)
{
	if (service.num_holds > 0 && service.forget != NULL)
		service.forget();
	for (struct emu_rdma_watch *watch = service.watches; watch != NULL; watch = watch->next)
		close(watch->fd);
	service.watches = NULL; /* what they belong to is not freed: the parent's threads may have been in the middle of it */
	service.dead = NULL;
	service.num_holds = 0;
	service.num_lingering = 0;
	close_fds();
	after_fork();
}

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void watch_forks(void)
{
	emu_export_watch_forks(); /* the thread accesses exports and events while it has the lock */
	emu_event_watch_forks();
	pthread_atfork(before_fork, after_fork, in_child);
}

void emu_rdma_service_on_fork(void (*forget)(void))
{
	service.forget = forget;
}

bool emu_rdma_service_hold(void)
{
	bool is_running;

	pthread_once(&fork_once, watch_forks);
	pthread_mutex_lock(&life_lock);
	is_running = service.num_holds > 0 || start();
	service.num_holds += is_running;
	pthread_mutex_unlock(&life_lock);
	return is_running;
}

void emu_rdma_service_release(void)
{
	pthread_mutex_lock(&life_lock);
	if (service.num_holds > 0 && --service.num_holds == 0)
		stop();
	pthread_mutex_unlock(&life_lock);
}
