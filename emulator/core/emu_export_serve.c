/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "emu_clock.h"
#include "emu_export_serve.h"
#include "emu_export_table.h"
#include "emu_export_wire.h"
#include "emu_log.h"
#include "emu_memfile.h"
#include "emu_mmap.h"
#include "emu_peer.h"
#include "emu_rundir.h"

/* How long the end of an export waits for an importer that is writing (DRAIN), how long each further attempt
 * waits (RETRY), and after what time the log reports it (SILENT). Writing one piece takes that long only in a
 * process that is stopped. */
#define DRAIN_NS (5 * EMU_NS_PER_S)
#define RETRY_NS EMU_NS_PER_S
#define SILENT_NS EMU_NS_PER_S

/* Connections whose processes have not sent a descriptor: how many there may be, in all and of one process, and for
 * how long. */
#define MAX_SILENT 64
#define MAX_SILENT_OF_PROCESS 16
#define HELLO_NS (5 * EMU_NS_PER_S)

/* An import by another process, or a connection that may become one. */
struct conn {
	struct conn *next;
	int fd;
	pid_t pid;
	uint64_t silent_until; /* when it must have sent its descriptor */
	struct emu_export *export; /* NULL: the importer has not sent its descriptor yet */
	struct emu_export_shared *shared;
	bool is_page; /* which belongs to the export */
};

static struct {
	bool is_running;
	bool quits; /* accessed with atomics */
	pthread_t thread;
	char name[EMU_RUNDIR_NAME_SIZE];
	int epoll_fd, listen_fd, wake_fd;
	int spare_fd; /* its number is for an importer that must be refused */
	struct conn *conns; /* under the exports' lock; the newest comes first */
} service = {.epoll_fd = -1, .listen_fd = -1, .wake_fd = -1, .spare_fd = -1};

static bool watch(int fd, void *what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

	return epoll_ctl(service.epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void wake(void)
{
	uint64_t one = 1;

	while (write(service.wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Frees a connection that is not in the list. */
static void free_conn(struct conn *conn)
{
	if (conn->shared != NULL && !conn->is_page)
		munmap(conn->shared, EMU_EXPORT_SHARED_SIZE);
	close(conn->fd);
	free(conn);
}

static void drop(struct conn *conn)
{
	struct emu_export *released;
	struct conn **at;

	emu_exports_lock();
	for (at = &service.conns; *at != conn; at = &(*at)->next)
		;
	*at = conn->next;
	released = emu_export_unref_locked(conn->export);
	emu_exports_unlock();
	emu_export_release(released);
	epoll_ctl(service.epoll_fd, EPOLL_CTL_DEL, conn->fd, NULL); /* a forked child may still have the socket */
	free_conn(conn);
}

/* Connections without a word. */

/* The thread alone changes which connections are silent. */
static bool is_silent(const struct conn *conn)
{
	struct pollfd input = {.fd = conn->fd, .events = POLLIN};

	return conn->export == NULL && poll(&input, 1, 0) == 0;
}

/* Drops the oldest one, if there are too many. The process may try again. */
static void limit_silence(pid_t pid)
{
	struct conn *oldest = NULL, *oldest_of_process = NULL;
	int num = 0, num_of_process = 0;

	for (struct conn *conn = service.conns; conn != NULL; conn = conn->next) {
		if (!is_silent(conn))
			continue;
		num++;
		oldest = conn;
		if (conn->pid == pid) {
			num_of_process++;
			oldest_of_process = conn;
		}
	}
	if (num_of_process > MAX_SILENT_OF_PROCESS)
		drop(oldest_of_process);
	else if (num > MAX_SILENT)
		drop(oldest);
}

/* Drops those whose time is up. Returns how many milliseconds the next one has, or -1 if there is none. */
static int end_silence(void)
{
	uint64_t now = emu_clock_ns(), next = UINT64_MAX;

	for (struct conn *conn = service.conns, *after; conn != NULL; conn = after) {
		after = conn->next;
		if (conn->export != NULL)
			continue;
		if (conn->silent_until > now)
			next = conn->silent_until < next ? conn->silent_until : next;
		else
			drop(conn);
	}
	return next == UINT64_MAX ? -1 : (int)((next - now) / (EMU_NS_PER_S / 1000)) + 1;
}

/* Making imports. */

/* Answers an importer for which there is no descriptor. False: that is not possible, either. */
static bool refuse_for_want(void)
{
	struct emu_export_answer says = {.result = DOCA_ERROR_FULL};
	int fd;

	if (service.spare_fd < 0)
		return false;
	close(service.spare_fd);
	service.spare_fd = -1;
	fd = accept4(service.listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0) {
		EMU_LOG_WARN("export: an import by another process was refused: this process may not open more file "
			     "descriptors (see ulimit -n)");
		(void)send(fd, &says, sizeof(says), MSG_NOSIGNAL | MSG_DONTWAIT);
		close(fd);
	}
	service.spare_fd = fcntl(service.wake_fd, F_DUPFD_CLOEXEC, 0);
	return fd >= 0;
}

static void accept_all(void)
{
	int fd;

	while ((fd = accept4(service.listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct conn *conn = calloc(1, sizeof(*conn));

		if (conn == NULL || !emu_peer_is_ours(fd, &conn->pid)) {
			free(conn);
			close(fd);
			continue;
		}
		conn->fd = fd;
		conn->silent_until = emu_clock_ns() + HELLO_NS;
		emu_exports_lock();
		conn->next = service.conns;
		service.conns = conn;
		emu_exports_unlock();
		if (!watch(fd, conn))
			drop(conn);
		else
			limit_silence(conn->pid);
	}
	if ((errno == EMFILE || errno == ENFILE) && refuse_for_want())
		return;
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
		const struct timespec rest = {.tv_nsec = 10 * 1000 * 1000};

		EMU_LOG_WARN("export: an import by another process must wait: %s", strerror(errno));
		nanosleep(&rest, NULL); /* epoll would report it again at once */
	}
}

/* Descriptors that go with an answer. */
enum {
	SHARED_PAGE,
	MEMORY_FILE, /* or -1 */
	NUM_FDS,
};

static bool answer(const struct conn *conn, const struct emu_export_answer *answer, const int fds[NUM_FDS])
{
	const size_t len = (fds[MEMORY_FILE] >= 0 ? NUM_FDS : MEMORY_FILE) * sizeof(int);
	struct iovec iov = {.iov_base = (void *)(uintptr_t)answer, .iov_len = sizeof(*answer)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(NUM_FDS * sizeof(int))];
	} control;

	if (answer->result == DOCA_SUCCESS) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(len);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(len);
		memcpy(CMSG_DATA(&control.header), fds, len);
	}
	return sendmsg(conn->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(*answer);
}

/* Gives all importers of a sync event the page with its value. */
static doca_error_t give_page(struct conn *conn, int *page)
{
	int fd = fcntl(conn->export->page_fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return DOCA_ERROR_DRIVER;
	munmap(conn->shared, EMU_EXPORT_SHARED_SIZE);
	close(*page);
	*page = fd;
	conn->shared = &conn->export->page->shared;
	conn->is_page = true;
	return DOCA_SUCCESS;
}

static doca_error_t admit(struct conn *conn, const struct emu_export_hello *hello, int *page)
{
	struct emu_export_shared *shared =
		emu_shared_new("doca-export", EMU_EXPORT_SHARED_SIZE, EMU_EXPORT_SHARED_SIZE, page);
	doca_error_t result;

	if (shared == NULL)
		return DOCA_ERROR_DRIVER;
	emu_exports_lock();
	result = emu_export_admit(&hello->desc, hello->port, &conn->export);
	if (result == DOCA_SUCCESS)
		conn->shared = shared;
	else
		munmap(shared, EMU_EXPORT_SHARED_SIZE);
	if (result == DOCA_SUCCESS && conn->export->page != NULL)
		result = give_page(conn, page);
	emu_exports_unlock();
	return result;
}

/* Answers the first message of a connection. This and the functions below return false if the connection must be
 * closed. */
static bool greet(struct conn *conn)
{
	struct emu_export_answer says = {.result = DOCA_ERROR_INVALID_VALUE};
	struct emu_export_hello hello;
	ssize_t n = recv(conn->fd, &hello, sizeof(hello), MSG_DONTWAIT | MSG_TRUNC);
	int fds[NUM_FDS] = {-1, -1};
	bool is_told;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n < (ssize_t)sizeof(hello)) /* what follows is for later versions */
		return false;
	says.result = admit(conn, &hello, &fds[SHARED_PAGE]);
	if (says.result == DOCA_SUCCESS) {
		says.addr = (uintptr_t)conn->export->addr;
		says.len = conn->export->len;
		says.permissions = conn->export->permissions;
		if (conn->export->parent == NULL && conn->export->desc.kind != EMU_EXPORT_EVENT)
			fds[MEMORY_FILE] = emu_memfile_find(conn->export->addr, conn->export->len, &says.offset);
		emu_peer_allow(conn->pid);
	}
	is_told = answer(conn, &says, fds);
	for (int i = 0; i < NUM_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return is_told && says.result == DOCA_SUCCESS;
}

/* Copies for imports that cannot copy directly. The kernel copies from or to the socket: memory that the program
 * has unmapped causes an error, not the end of the process. */

/* What the export permits. Memory that it only passes on is not here. */
static bool permits(const struct emu_export *export, bool is_write)
{
	if (export->desc.kind == EMU_EXPORT_RDMA)
		return export->parent == NULL &&
		       (export->permissions & (is_write ? DOCA_ACCESS_FLAG_RDMA_WRITE : DOCA_ACCESS_FLAG_RDMA_READ)) != 0;
	return (emu_export_access(export) & (is_write ? EMU_ACCESS_WRITE : EMU_ACCESS_READ)) != 0;
}

static bool may(const struct conn *conn, const struct emu_export_request *request)
{
	const struct emu_export *export = conn->export;

	return export->is_alive && permits(export, request->op == EMU_EXPORT_WRITE) && request->offset <= export->len &&
	       request->len <= export->len - request->offset;
}

static bool send_bytes(const struct conn *conn, const struct emu_export_request *request)
{
	struct emu_export_reply reply = {.result = DOCA_SUCCESS};
	struct iovec iov[2] = {
		{.iov_base = &reply, .iov_len = sizeof(reply)},
		{.iov_base = conn->export->addr + request->offset, .iov_len = request->len},
	};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};

	return sendmsg(conn->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)(sizeof(reply) + request->len);
}

/* Takes the request, and its bytes if wanted, from the socket. */
static bool take_request(const struct conn *conn, struct emu_export_request *request, bool wants_bytes)
{
	struct iovec iov[2] = {
		{.iov_base = request, .iov_len = sizeof(*request)},
		{.iov_base = conn->export->addr + request->offset, .iov_len = request->len},
	};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = wants_bytes ? 2 : 1};

	return recvmsg(conn->fd, &msg, MSG_DONTWAIT) >= 0;
}

/* Reads or changes the value of a sync event in the program's memory. */
static bool change_word(const struct conn *conn)
{
	struct {
		struct emu_export_request request;
		uint64_t value;
	} asked;
	struct {
		struct emu_export_reply reply;
		uint64_t before;
	} says = {.reply.result = DOCA_ERROR_IO_FAILED};
	const struct emu_export *export = conn->export;
	uint64_t *word = (uint64_t *)(void *)export->addr;

	if (recv(conn->fd, &asked, sizeof(asked), MSG_DONTWAIT) != (ssize_t)sizeof(asked))
		return false;
	emu_import_lock(); /* the event cannot stop meanwhile */
	if (export->is_alive && export->desc.kind == EMU_EXPORT_EVENT) {
		says.reply.result = DOCA_SUCCESS;
		if (asked.request.op == EMU_EXPORT_GET_WORD)
			says.before = __atomic_load_n(word, __ATOMIC_SEQ_CST);
		else if (asked.request.op == EMU_EXPORT_SET_WORD)
			says.before = __atomic_exchange_n(word, asked.value, __ATOMIC_SEQ_CST);
		else
			says.before = __atomic_fetch_add(word, asked.value, __ATOMIC_SEQ_CST);
	}
	emu_import_unlock();
	return send(conn->fd, &says, sizeof(says), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(says);
}

static bool is_for_word(const struct emu_export_request *request, ssize_t n)
{
	return request->op >= EMU_EXPORT_GET_WORD && request->op <= EMU_EXPORT_ADD_WORD &&
	       request->len == sizeof(uint64_t) && n == (ssize_t)(sizeof(*request) + sizeof(uint64_t));
}

static bool carry_out(const struct conn *conn)
{
	struct emu_export_request request = {.op = 0};
	ssize_t n = recv(conn->fd, &request, sizeof(request), MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC);
	bool is_write = request.op == EMU_EXPORT_WRITE, is_answered = false, is_done;
	struct emu_export_reply reply = {.result = DOCA_SUCCESS};

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (is_for_word(&request, n))
		return change_word(conn);
	if (n < (ssize_t)sizeof(request) || (!is_write && request.op != EMU_EXPORT_READ) ||
	    request.len > EMU_EXPORT_PIECE || n != (ssize_t)(sizeof(request) + (is_write ? request.len : 0)))
		return false;
	emu_import_lock(); /* the map cannot stop meanwhile */
	is_done = may(conn, &request);
	is_done = take_request(conn, &request, is_done && is_write) && is_done;
	if (is_done && !is_write)
		is_done = is_answered = send_bytes(conn, &request);
	emu_import_unlock();
	reply.result = is_done ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
	return is_answered ||
	       send(conn->fd, &reply, sizeof(reply), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(reply);
}

/* Nobody waits for importers of a page: it stays as long as they have it. */
static bool is_writing(const struct conn *conn)
{
	return !conn->is_page && __atomic_load_n(&conn->shared->writing, __ATOMIC_SEQ_CST) != 0;
}

/* The thread. */

static struct conn *find_ended(void)
{
	struct conn *conn;

	emu_import_lock();
	for (conn = service.conns; conn != NULL; conn = conn->next) {
		if (conn->export != NULL && !conn->export->is_alive && !is_writing(conn))
			break;
	}
	emu_import_unlock();
	return conn;
}

static void *serve(void *unused)
{
	struct epoll_event event;
	struct conn *conn;
	uint64_t num;

	(void)unused;
	while (!__atomic_load_n(&service.quits, __ATOMIC_ACQUIRE)) {
		/* One event at a time: handling it may free what the next one points to. */
		if (epoll_wait(service.epoll_fd, &event, 1, end_silence()) != 1)
			continue;
		conn = event.data.ptr;
		if (event.data.ptr == &service.listen_fd) {
			accept_all();
		} else if (event.data.ptr == &service.wake_fd) {
			(void)!read(service.wake_fd, &num, sizeof(num));
			while ((conn = find_ended()) != NULL)
				drop(conn);
		} else if (!(conn->export == NULL ? greet(conn) : carry_out(conn))) {
			drop(conn);
		}
	}
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
		pthread_setname_np(service.thread, "doca-emu-export");
	return is_started;
}

static void close_all(void)
{
	int *fds[] = {&service.epoll_fd, &service.listen_fd, &service.wake_fd, &service.spare_fd};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

bool emu_serve_start(const uint8_t process[EMU_EXPORT_ID_SIZE])
{
	if (service.is_running)
		return true;
	emu_rundir_name(process, service.name);
	if (emu_rundir_listen(service.name, &service.listen_fd) != DOCA_SUCCESS)
		return false;
	service.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	service.wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	service.spare_fd = fcntl(service.wake_fd, F_DUPFD_CLOEXEC, 0);
	__atomic_store_n(&service.quits, false, __ATOMIC_RELEASE);
	service.is_running = service.epoll_fd >= 0 && service.wake_fd >= 0 &&
			     watch(service.listen_fd, &service.listen_fd) &&
			     watch(service.wake_fd, &service.wake_fd) && start_thread();
	if (!service.is_running) {
		EMU_LOG_ERR("export: cannot serve imports by other processes: %s", strerror(errno));
		emu_rundir_unlisten(service.name);
		close_all();
	}
	return service.is_running;
}

void emu_serve_stop(void)
{
	if (!service.is_running)
		return;
	emu_rundir_unlisten(service.name); /* no new imports */
	__atomic_store_n(&service.quits, true, __ATOMIC_RELEASE);
	wake();
	pthread_join(service.thread, NULL);
	while (service.conns != NULL)
		drop(service.conns);
	close_all();
	service.is_running = false;
}

/* Ends of exports. */

void emu_serve_end(const struct emu_export *export)
{
	for (struct conn *conn = service.conns; conn != NULL; conn = conn->next) {
		if (conn->export == export)
			__atomic_store_n(&conn->shared->ended, 1, __ATOMIC_SEQ_CST);
	}
}

/* Finds an importer that may be writing to the memory. */
static bool is_written(const struct emu_export *export, pid_t *pid)
{
	bool is_used = false;

	emu_import_lock();
	for (struct conn *conn = service.conns; conn != NULL; conn = conn->next) {
		if (conn->export == export && is_writing(conn)) {
			is_used = true;
			*pid = conn->pid;
		}
	}
	emu_import_unlock();
	return is_used;
}

/* If an importer is killed while it writes, the thread drops it. If it is stopped, its write may still come when
 * it continues, and nothing can prevent that: the memory must stay valid until then, and the program must know. */
bool emu_serve_drain(const struct emu_export *export)
{
	uint64_t begin = emu_clock_ns();
	struct timespec rest = {.tv_nsec = 10 * 1000};
	bool is_silent = begin - export->ended_at < SILENT_NS;
	pid_t pid;

	while (is_written(export, &pid)) {
		uint64_t now = emu_clock_ns();

		if (now - export->ended_at >= DRAIN_NS && now - begin >= RETRY_NS) {
			EMU_LOG_ERR("export: cannot stop the memory map: process %d has not finished its write to the "
				    "memory; continue or kill that process, then stop the map again",
				    (int)pid);
			return false;
		}
		if (is_silent && now - export->ended_at >= SILENT_NS) {
			EMU_LOG_WARN("export: waiting for process %d, which is writing to the memory; is it stopped?",
				     (int)pid);
			is_silent = false;
		}
		nanosleep(&rest, NULL);
		if (rest.tv_nsec < 2 * 1000 * 1000)
			rest.tv_nsec *= 2;
	}
	wake();
	return true;
}

void emu_serve_forget(void)
{
	struct conn *conn;

	while ((conn = service.conns) != NULL) {
		service.conns = conn->next;
		emu_export_release(emu_export_unref_locked(conn->export));
		free_conn(conn);
	}
	close_all();
	service.is_running = false;
}
