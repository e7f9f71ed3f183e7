/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <doca_types.h>

#include "emu_clock.h"
#include "emu_export_wire.h"
#include "emu_log.h"
#include "emu_memfile.h"
#include "emu_peer.h"
#include "emu_remote.h"
#include "emu_remote_socket.h"
#include "emu_rundir.h"

/* The most bytes of one write, for which the exporter's stop waits. */
#define WRITE_PIECE ((size_t)1 << 20)

/* How long a killed process may take to close all its sockets. */
#define LOST_WAIT_MS 200

struct emu_remote {
	struct emu_remote *next; /* of all imports, under list_lock */
	struct emu_remote *prev;
	int fd; /* -1: imported by the parent, before a fork */
	pid_t pid;
	uint64_t addr; /* where the export begins */
	uint8_t process[EMU_EXPORT_ID_SIZE];
	struct emu_export_shared *shared;
	struct emu_memfile memory; /* if it could be mapped */
	bool has_word;		/* in the page, which is a struct emu_export_page */
	bool no_direct;		/* the system has refused direct access; accessed with atomics */
	pthread_mutex_t asking; /* held during a request */
	bool is_silent;		/* a request had no answer */
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct emu_remote *list;

/* Making an import. */

static doca_error_t connect_failed(const char *name, int error)
{
	if (error == ENOENT || error == ECONNREFUSED) {
		EMU_LOG_ERR("import: no process has this export: the export or its process has ended, or the process "
			    "uses another runtime directory");
		if (error == ECONNREFUSED)
			emu_rundir_lost(name, 0);
		return DOCA_ERROR_INVALID_VALUE;
	}
	EMU_LOG_ERR("import: cannot connect to the exporting process: %s", strerror(error));
	return DOCA_ERROR_DRIVER;
}

static int connect_to(const char *name)
{
	const struct timespec rest = {.tv_nsec = 1000 * 1000};
	uint64_t deadline = emu_remote_deadline();
	int fd;

	/* EAGAIN means that too many importers are connecting at once. */
	while ((fd = emu_rundir_connect(name)) == -EAGAIN && emu_clock_ns() < deadline)
		nanosleep(&rest, NULL);
	return fd;
}

/* Receives the answer and the descriptors that come with it: a page, and perhaps the file of the memory. */
static ssize_t receive_answer(int fd, struct emu_export_answer *answer, int fds[2])
{
	struct iovec iov = {.iov_base = answer, .iov_len = sizeof(*answer)};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t n = emu_remote_receive(fd, &msg);

	fds[0] = fds[1] = -1;
	if (n >= 0)
		emu_peer_take_fds(&msg, fds, 2);
	return n;
}

static bool is_good(const struct emu_export_answer *answer)
{
	return answer->addr != 0 && answer->len != 0 && answer->len <= SIZE_MAX && answer->addr <= UINTPTR_MAX &&
	       answer->addr <= UINT64_MAX - answer->len;
}

/* Explains in the log why the exporter refuses. */
static doca_error_t refusal(uint32_t result)
{
	switch (result) {
	case DOCA_ERROR_INVALID_VALUE:
		EMU_LOG_ERR("import: the export has ended, or the descriptor was altered");
		return DOCA_ERROR_INVALID_VALUE;
	case DOCA_ERROR_NOT_PERMITTED:
		EMU_LOG_ERR("import: the memory was exported over PCI on the other port: import it on a device of that "
			    "port");
		return DOCA_ERROR_NOT_PERMITTED;
	case DOCA_ERROR_FULL:
		EMU_LOG_ERR("import: the exporting process may not open more file descriptors (see ulimit -n)");
		return DOCA_ERROR_DRIVER;
	default:
		EMU_LOG_ERR("import: the exporting process failed");
		return DOCA_ERROR_DRIVER;
	}
}

static bool may_write(const struct emu_export_desc *desc, const struct emu_export_answer *answer)
{
	return (answer->permissions & (desc->kind == EMU_EXPORT_PCI ? DOCA_ACCESS_FLAG_PCI_READ_WRITE :
								      DOCA_ACCESS_FLAG_RDMA_WRITE)) != 0;
}

/* Sends the descriptor and receives the answer. */
static doca_error_t shake_hands(struct emu_remote *remote, const struct emu_export_desc *desc, uint32_t port,
				struct emu_export_answer *answer)
{
	struct emu_export_hello hello = {.desc = *desc, .port = port};
	struct iovec iov = {.iov_base = &hello, .iov_len = sizeof(hello)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;
	int fds[2] = {-1, -1};
	bool is_complete;

	if (!emu_peer_is_ours(remote->fd, &remote->pid)) {
		EMU_LOG_ERR("import: the exporting process belongs to another user");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	n = emu_remote_transmit(remote->fd, &msg);
	if (n == (ssize_t)sizeof(hello) || (n < 0 && errno == EPIPE)) /* it may have answered already */
		n = receive_answer(remote->fd, answer, fds);
	if (n < 0 && errno == EAGAIN) {
		EMU_LOG_ERR("import: the exporting process does not answer; is it stopped?");
		return DOCA_ERROR_DRIVER;
	}
	is_complete = n == (ssize_t)EMU_EXPORT_ANSWER_MIN || n == (ssize_t)sizeof(*answer);
	if (is_complete && answer->result == DOCA_SUCCESS && fds[0] >= 0 && is_good(answer))
		remote->shared = emu_shared_map(fds[0], EMU_EXPORT_SHARED_SIZE, EMU_EXPORT_SHARED_SIZE);
	if (remote->shared != NULL && fds[1] >= 0 && n == (ssize_t)sizeof(*answer) && desc->kind != EMU_EXPORT_EVENT)
		emu_memfile_map(&remote->memory, fds[1], answer->offset, answer->len, may_write(desc, answer));
	for (int i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	if (n == 0 || (n < 0 && (errno == EPIPE || errno == ECONNRESET)))
		return refusal(DOCA_ERROR_INVALID_VALUE); /* the export is just ending */
	if (is_complete && answer->result != DOCA_SUCCESS)
		return refusal(answer->result);
	if (is_complete && fds[0] < 0) {
		EMU_LOG_ERR("import: this process may not open more file descriptors (see ulimit -n)");
		return DOCA_ERROR_DRIVER;
	}
	return remote->shared == NULL ? refusal(DOCA_ERROR_DRIVER) : DOCA_SUCCESS;
}

doca_error_t emu_remote_open(const struct emu_export_desc *desc, uint32_t port, struct emu_remote **remote,
			     struct emu_export_answer *answer)
{
	struct emu_remote *made = calloc(1, sizeof(*made));
	char name[EMU_RUNDIR_NAME_SIZE];
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	emu_rundir_name(desc->process, name);
	made->fd = connect_to(name);
	if (made->fd < 0) {
		result = connect_failed(name, -made->fd);
		free(made);
		return result;
	}
	result = shake_hands(made, desc, port, answer);
	if (result != DOCA_SUCCESS) {
		close(made->fd);
		free(made);
		return result;
	}
	memcpy(made->process, desc->process, sizeof(made->process));
	made->addr = answer->addr;
	made->has_word = desc->kind == EMU_EXPORT_EVENT && (answer->permissions & EMU_EXPORT_WORD_IN_PAGE) != 0;
	made->no_direct = made->pid <= 0;
	pthread_mutex_init(&made->asking, NULL);
	pthread_mutex_lock(&list_lock);
	made->next = list;
	if (list != NULL)
		list->prev = made;
	list = made;
	pthread_mutex_unlock(&list_lock);
	*remote = made;
	return DOCA_SUCCESS;
}

/* The end of an import. */

bool emu_remote_is_there(const struct emu_remote *remote)
{
	char byte;
	ssize_t n = recv(remote->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return n > 0 || (n < 0 && emu_remote_is_for_now(errno));
}

bool emu_remote_has_ended(const struct emu_remote *remote)
{
	return remote->shared == NULL || __atomic_load_n(&remote->shared->ended, __ATOMIC_SEQ_CST) != 0;
}

void emu_remote_close(struct emu_remote *remote)
{
	bool was_lost = !emu_remote_has_ended(remote) && !emu_remote_is_there(remote);

	pthread_mutex_lock(&list_lock);
	if (remote->next != NULL)
		remote->next->prev = remote->prev;
	if (remote->prev != NULL)
		remote->prev->next = remote->next;
	else
		list = remote->next;
	pthread_mutex_unlock(&list_lock);
	if (remote->shared != NULL)
		munmap(remote->shared, EMU_EXPORT_SHARED_SIZE);
	emu_memfile_unmap(&remote->memory);
	if (remote->fd >= 0)
		close(remote->fd);
	if (was_lost) {
		char name[EMU_RUNDIR_NAME_SIZE];

		emu_rundir_name(remote->process, name);
		emu_rundir_lost(name, LOST_WAIT_MS);
	}
	pthread_mutex_destroy(&remote->asking);
	free(remote);
}

void emu_remote_before_fork(void)
{
	pthread_mutex_lock(&list_lock);
}

void emu_remote_after_fork(void)
{
	pthread_mutex_unlock(&list_lock);
}

void emu_remote_forget_all(void)
{
	for (struct emu_remote *remote = list; remote != NULL; remote = remote->next) {
		if (remote->shared != NULL)
			munmap(remote->shared, EMU_EXPORT_SHARED_SIZE);
		emu_memfile_unmap(&remote->memory);
		if (remote->fd >= 0)
			close(remote->fd);
		remote->shared = NULL;
		remote->fd = -1;
	}
}

/* Copies directly from memory to memory: as the memory is mapped here, or if the system allows it. */

static uint8_t *mapped_at(const struct emu_remote *remote, uint64_t addr)
{
	return remote->memory.bytes + (addr - remote->addr);
}

static int read_direct(const struct emu_remote *remote, uint64_t addr, uint8_t *bytes, size_t len)
{
	int error = 0;

	if (remote->memory.bytes != NULL)
		memcpy(bytes, mapped_at(remote, addr), len);
	else
		error = emu_peer_read(remote->pid, addr, bytes, len);

	/* Otherwise the memory, or the process id, may already have belonged to another. */
	return emu_remote_is_there(remote) && !emu_remote_has_ended(remote) ? error : -ESRCH;
}

static void end_write(const struct emu_remote *remote)
{
	__atomic_fetch_sub(&remote->shared->writing, 1, __ATOMIC_SEQ_CST);
}

/* False: the export has ended. */
static bool begin_write(const struct emu_remote *remote)
{
	/* Without this check, the process id may already belong to another process. */
	if (!emu_remote_is_there(remote))
		return false;
	/* Either this thread sees that the export has ended, or its end waits for the write. */
	__atomic_fetch_add(&remote->shared->writing, 1, __ATOMIC_SEQ_CST);
	if (!emu_remote_has_ended(remote))
		return true;
	end_write(remote);
	return false;
}

static int write_piece(const struct emu_remote *remote, uint64_t addr, const uint8_t *bytes, size_t len)
{
	int error = 0;

	if (!begin_write(remote))
		return -ESRCH;
	if (remote->memory.is_writable)
		memcpy(mapped_at(remote, addr), bytes, len);
	else
		error = emu_peer_write(remote->pid, addr, bytes, len);
	end_write(remote);
	return error;
}

static int write_direct(const struct emu_remote *remote, uint64_t addr, const uint8_t *bytes, size_t len)
{
	int error = 0;

	while (len > 0 && error == 0) {
		size_t piece = len < WRITE_PIECE ? len : WRITE_PIECE;

		error = write_piece(remote, addr, bytes, piece);
		addr += piece;
		bytes += piece;
		len -= piece;
	}
	return error;
}

/* Copies with the help of the exporting process. */

static bool ask(struct emu_remote *remote, enum emu_export_op op, uint64_t addr, uint8_t *bytes, size_t len)
{
	struct emu_export_request request = {.op = op, .len = (uint32_t)len, .offset = addr - remote->addr};
	struct emu_export_reply reply = {.result = DOCA_ERROR_IO_FAILED};
	struct iovec out[2] = {{.iov_base = &request, .iov_len = sizeof(request)}, {.iov_base = bytes, .iov_len = len}};
	struct iovec in[2] = {{.iov_base = &reply, .iov_len = sizeof(reply)}, {.iov_base = bytes, .iov_len = len}};
	bool sends = op != EMU_EXPORT_READ, receives = op != EMU_EXPORT_WRITE;
	struct msghdr sent = {.msg_iov = out, .msg_iovlen = sends ? 2 : 1};
	struct msghdr received = {.msg_iov = in, .msg_iovlen = receives ? 2 : 1};
	ssize_t n;

	if (remote->is_silent)
		return false;
	n = emu_remote_transmit(remote->fd, &sent) < 0 ? -1 : emu_remote_receive(remote->fd, &received);
	if (n < (ssize_t)sizeof(reply)) {
		remote->is_silent = true; /* a late answer would be taken for that of the next request */
		return false;
	}
	return reply.result == DOCA_SUCCESS && n == (ssize_t)(sizeof(reply) + (receives ? len : 0));
}

static bool copy_served(struct emu_remote *remote, enum emu_export_op op, uint64_t addr, uint8_t *bytes, size_t len)
{
	bool is_done = true;

	while (len > 0 && is_done) {
		size_t piece = len < EMU_EXPORT_PIECE ? len : EMU_EXPORT_PIECE;

		pthread_mutex_lock(&remote->asking);
		is_done = ask(remote, op, addr, bytes, piece);
		pthread_mutex_unlock(&remote->asking);
		addr += piece;
		bytes += piece;
		len -= piece;
	}
	return is_done;
}

static bool is_direct(const struct emu_remote *remote, bool is_write)
{
	return (is_write ? remote->memory.is_writable : remote->memory.bytes != NULL) ||
	       !__atomic_load_n(&remote->no_direct, __ATOMIC_RELAXED);
}

static bool copy(struct emu_remote *remote, enum emu_export_op op, uint64_t addr, uint8_t *bytes, size_t len)
{
	if (remote->shared == NULL) /* after a fork */
		return false;
	if (is_direct(remote, op == EMU_EXPORT_WRITE)) {
		int error = op == EMU_EXPORT_WRITE ? write_direct(remote, addr, bytes, len) :
						     read_direct(remote, addr, bytes, len);

		if (error == 0)
			return true;
		/* A process whose main thread has ended is not found, but may be there. */
		if (error == -EFAULT || !emu_remote_is_there(remote) || emu_remote_has_ended(remote))
			return false;
		__atomic_store_n(&remote->no_direct, true, __ATOMIC_RELAXED);
	}
	return copy_served(remote, op, addr, bytes, len);
}

bool emu_remote_read(struct emu_remote *remote, const uint8_t *addr, uint8_t *bytes, size_t len)
{
	return copy(remote, EMU_EXPORT_READ, (uintptr_t)addr, bytes, len);
}

bool emu_remote_write(struct emu_remote *remote, uint8_t *addr, const uint8_t *bytes, size_t len)
{
	return copy(remote, EMU_EXPORT_WRITE, (uintptr_t)addr, (uint8_t *)(uintptr_t)bytes, len);
}

/* Several pieces with few system calls. Returns how many are written completely. */
static size_t write_pieces_direct(const struct emu_remote *remote, const struct iovec *from, const struct iovec *to,
				  size_t num)
{
	ssize_t written = 0;
	size_t done = 0;

	if (!begin_write(remote))
		return 0;
	if (!remote->memory.is_writable)
		written = emu_peer_write_pieces(remote->pid, from, to, num);
	for (; remote->memory.is_writable && done < num; done++)
		memcpy(mapped_at(remote, (uintptr_t)to[done].iov_base), from[done].iov_base, from[done].iov_len);
	end_write(remote);
	while (done < num && written >= (ssize_t)from[done].iov_len) {
		written -= (ssize_t)from[done].iov_len;
		done++;
	}
	return done;
}

size_t emu_remote_write_pieces(struct emu_remote *remote, const struct iovec *from, const struct iovec *to, size_t num)
{
	size_t done = 0;

	if (remote->shared != NULL && is_direct(remote, true))
		done = write_pieces_direct(remote, from, to, num);
	/* One by one: what the system refuses, and what is not there. */
	while (done < num && emu_remote_write(remote, to[done].iov_base, from[done].iov_base, from[done].iov_len))
		done++;
	return done;
}

/* Sync events. */

uint64_t *emu_remote_word(const struct emu_remote *remote)
{
	if (!remote->has_word || remote->shared == NULL)
		return NULL;
	return &((struct emu_export_page *)remote->shared)->word;
}

bool emu_remote_ask_word(struct emu_remote *remote, enum emu_export_op op, uint64_t value, uint64_t *before)
{
	bool is_done;

	if (remote->shared == NULL) /* after a fork */
		return false;
	*before = value;
	pthread_mutex_lock(&remote->asking);
	is_done = ask(remote, op, remote->addr, (uint8_t *)before, sizeof(*before));
	pthread_mutex_unlock(&remote->asking);
	return is_done;
}

pid_t emu_remote_pid(const struct emu_remote *remote)
{
	return remote->pid;
}

bool emu_remote_is_same_process(const struct emu_remote *a, const struct emu_remote *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return memcmp(a->process, b->process, sizeof(a->process)) == 0;
}
