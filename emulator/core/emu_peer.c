/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "emu_log.h"
#include "emu_peer.h"

/* 0: not known. */
static pid_t own_pid;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void learn_own_pid(void)
{
	__atomic_store_n(&own_pid, getpid(), __ATOMIC_RELAXED);
}

static void watch_forks(void)
{
	if (pthread_atfork(NULL, NULL, learn_own_pid) == 0)
		learn_own_pid();
}

pid_t emu_own_pid(void)
{
	pid_t pid = __atomic_load_n(&own_pid, __ATOMIC_RELAXED);

	if (EMU_LIKELY(pid != 0))
		return pid;
	pthread_once(&fork_once, watch_forks);
	pid = __atomic_load_n(&own_pid, __ATOMIC_RELAXED);
	return pid != 0 ? pid : getpid();
}

bool emu_peer_is_ours(int fd, pid_t *pid)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
		return false;
	*pid = peer.pid;
	return peer.uid == geteuid();
}

void emu_peer_allow(pid_t pid)
{
	if (pid > 0 && pid != emu_own_pid())
		prctl(PR_SET_PTRACER, (unsigned long)pid, 0, 0, 0);
}

static int copy(pid_t pid, uint64_t addr, uint8_t *bytes, size_t len, bool is_write)
{
	size_t done = 0;

	while (done < len) {
		struct iovec local = {.iov_base = bytes + done, .iov_len = len - done};
		struct iovec remote = {.iov_base = (void *)(uintptr_t)(addr + done), .iov_len = len - done};
		ssize_t n = is_write ? process_vm_writev(pid, &local, 1, &remote, 1, 0) :
				       process_vm_readv(pid, &local, 1, &remote, 1, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EFAULT;
		done += (size_t)n;
	}
	return 0;
}

int emu_peer_read(pid_t pid, uint64_t addr, uint8_t *bytes, size_t len)
{
	return copy(pid, addr, bytes, len, false);
}

int emu_peer_write(pid_t pid, uint64_t addr, const uint8_t *bytes, size_t len)
{
	return copy(pid, addr, (uint8_t *)(uintptr_t)bytes, len, true);
}

ssize_t emu_peer_write_pieces(pid_t pid, const struct iovec *from, const struct iovec *to, size_t num)
{
	ssize_t n;

	do {
		n = process_vm_writev(pid, from, num, to, num, 0);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Where the size of files is limited, the system returns an error and sends a signal that ends the program. */
static int set_size(int fd, off_t size)
{
	const struct timespec now = {0};
	sigset_t excess, before, pending;
	int result, error;

	sigemptyset(&excess);
	sigaddset(&excess, SIGXFSZ);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &excess, &before);
	result = ftruncate(fd, size);
	error = errno;
	if (result != 0 && error == EFBIG && !sigismember(&pending, SIGXFSZ))
		(void)sigtimedwait(&excess, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (result != 0)
		EMU_LOG_ERR("cannot create shared memory of %lld bytes: %s%s", (long long)size, strerror(error),
			    error == EFBIG ? " (see ulimit -f)" : "");
	errno = error;
	return result;
}

void *emu_shared_new(const char *name, size_t mapped, size_t file_size, int *fd)
{
	void *addr = MAP_FAILED;

	*fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return NULL;
	if (set_size(*fd, (off_t)file_size) == 0 &&
	    fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		addr = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (addr == MAP_FAILED) {
		close(*fd);
		*fd = -1;
		return NULL;
	}
	return addr;
}

int emu_peer_write_into(pid_t pid, const struct iovec *room, const uint8_t *bytes, size_t len)
{
	struct iovec local = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
	ssize_t n;

	do {
		n = process_vm_writev(pid, &local, 1, room, 1, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if ((size_t)n == len)
		return 0;
	return __atomic_load_n(&room->iov_len, __ATOMIC_ACQUIRE) < len ? -ECANCELED : -EMSGSIZE;
}

ssize_t emu_peer_receive(int fd, struct msghdr *msg)
{
	const size_t control_size = msg->msg_controllen;
	bool was_reset = false, was_end = false;

	for (;;) {
		ssize_t n;

		msg->msg_controllen = control_size;
		n = recvmsg(fd, msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (n == 0 && msg->msg_controllen == 0 && !was_end)
			/* Linux looks for a message first, and then whether the peer has closed. It may have sent its
			 * last message in between. */
			was_end = true;
		else if (n < 0 && errno == ECONNRESET && !was_reset)
			/* Returned once if the peer closed without reading everything. What it sent follows. */
			was_reset = true;
		else if (n < 0 && errno != EINTR)
			return was_end && errno == EAGAIN ? 0 : -errno; /* an empty message looks like the end */
		else if (n >= 0)
			return n;
	}
}

void emu_peer_take_fds(struct msghdr *msg, int *fds, size_t max)
{
	size_t num = 0;

	for (size_t i = 0; i < max; i++)
		fds[i] = -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (num < max)
				fds[num++] = fd;
			else
				close(fd);
		}
	}
}

bool emu_shared_is(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct statfs system;

	/* If the file could shrink, or were of huge pages that may run out, accesses to a mapping could end this
	 * process. Only files of memfd_create can have this seal. */
	return seals >= 0 && (seals & F_SEAL_SHRINK) && fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

void *emu_shared_map(int fd, size_t mapped, size_t file_size)
{
	struct stat info;
	void *addr;

	if (!emu_shared_is(fd) || fstat(fd, &info) != 0 || info.st_size < (off_t)file_size)
		return NULL;
	addr = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return addr == MAP_FAILED ? NULL : addr;
}
