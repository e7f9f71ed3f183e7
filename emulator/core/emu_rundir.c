/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "emu_clock.h"
#include "emu_log.h"
#include "emu_rundir.h"

/* How long to wait for another process that has locked the directory. Locks are short, unless a process is
 * stopped meanwhile. */
#define LOCK_WAIT_NS (5 * EMU_NS_PER_S)

/* The mode of a directory that the emulator has created, and may remove. The sticky bit marks it; in a directory
 * that only its owner may enter it has no other effect. */
#define MADE_MODE (0700 | S_ISVTX)

static void dir_path(char path[PATH_MAX])
{
	const char *dir = getenv("DOCA_EMU_RUNTIME_DIR");

	if (dir != NULL && dir[0] != '\0') {
		snprintf(path, PATH_MAX, "%s", dir);
		return;
	}
	dir = getenv("XDG_RUNTIME_DIR");
	if (dir != NULL && dir[0] == '/' && access(dir, W_OK | X_OK) == 0)
		snprintf(path, PATH_MAX, "%s/doca-emulator", dir);
	else
		snprintf(path, PATH_MAX, "/tmp/doca-emulator-%lu", (unsigned long)geteuid());
}

enum purpose {
	LOOK,	/* the directory may be changed or removed at any time */
	CHANGE, /* it is locked */
	MAKE,	/* it is locked, and created if there is none */
};

/* Sets errno. */
static bool lock_dir(int dir)
{
	const struct timespec rest = {.tv_nsec = 1000 * 1000};
	uint64_t deadline = emu_clock_ns() + LOCK_WAIT_NS;

	while (flock(dir, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EINTR && (errno != EWOULDBLOCK || emu_clock_ns() >= deadline))
			return false;
		nanosleep(&rest, NULL);
	}
	return true;
}

/* Returns a descriptor of the directory, and its path; or a negative errno, ENOENT if there is no directory. */
static int open_dir(enum purpose purpose, char path[PATH_MAX])
{
	struct stat info;
	int error, fd;

	dir_path(path);
	for (;;) {
		if (purpose == MAKE && mkdir(path, MADE_MODE) != 0 && errno != EEXIST)
			break;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT && purpose == MAKE)
			continue; /* the last socket and the directory were just removed */
		if (fd < 0)
			break;
		if (fstat(fd, &info) != 0 || info.st_uid != geteuid() || (info.st_mode & 077) != 0) {
			EMU_LOG_ERR("%s must be a directory that belongs to this user and is closed to all others "
				    "(mode 0700); set DOCA_EMU_RUNTIME_DIR to such a directory",
				    path);
			close(fd);
			return -EACCES;
		}
		if (purpose == LOOK)
			return fd;
		if (!lock_dir(fd)) {
			error = errno;
			EMU_LOG_ERR("cannot lock the directory %s: %s; is the process stopped that has locked it?",
				    path, strerror(error));
			close(fd);
			return -error;
		}
		if (fstat(fd, &info) == 0 && info.st_nlink != 0)
			return fd;
		close(fd); /* removed meanwhile; the path may already name another directory */
	}
	error = errno;
	if (error != ENOENT || purpose == MAKE)
		EMU_LOG_ERR("cannot use the directory %s: %s; set DOCA_EMU_RUNTIME_DIR to a directory of this user",
			    path, strerror(error));
	return -error;
}

/* Called with the directory locked, so the path cannot name another one. */
static void close_dir(int dir, const char *path)
{
	struct stat info;

	if (fstat(dir, &info) == 0 && (info.st_mode & S_ISVTX))
		rmdir(path); /* fails unless it is empty */
	flock(dir, LOCK_UN); /* a forked child may have the descriptor, too */
	close(dir);
}

/* The directory may hold other things, too. */
static bool is_entry(int dir, const char *name)
{
	struct stat info;

	return strlen(name) == EMU_RUNDIR_NAME_SIZE - 1 &&
	       strspn(name, "0123456789abcdef") == EMU_RUNDIR_NAME_SIZE - 1 &&
	       fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(info.st_mode);
}

/* The path of a socket must be short; that of the directory may be long. The main thread may have ended, and has no
 * descriptors then. */
static socklen_t entry_address(int dir, const char *name, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/thread-self/fd/%d/%s", dir, name);
	return (socklen_t)sizeof(*address);
}

static int connect_entry(int dir, const char *name)
{
	struct sockaddr_un address;
	socklen_t len = entry_address(dir, name, &address);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&address, len) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

static bool is_dead(int dir, const char *name)
{
	int fd = connect_entry(dir, name);

	if (fd >= 0)
		close(fd);
	return fd == -ECONNREFUSED;
}

/* Removes the sockets of processes that were killed. */
static void sweep(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (list == NULL) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((entry = readdir(list)) != NULL) {
		if (is_entry(dir, entry->d_name) && is_dead(dir, entry->d_name))
			unlinkat(dir, entry->d_name, 0);
	}
	closedir(list);
}

static doca_error_t listen_entry(int dir, const char *name, int *fd)
{
	struct sockaddr_un address;
	socklen_t len = entry_address(dir, name, &address);
	int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	doca_error_t result = DOCA_ERROR_OPERATING_SYSTEM;

	if (made < 0)
		return result;
	if (bind(made, (struct sockaddr *)&address, len) != 0) {
		if (errno == EADDRINUSE)
			result = DOCA_ERROR_ALREADY_EXIST;
	} else if (listen(made, SOMAXCONN) == 0) {
		*fd = made;
		return DOCA_SUCCESS;
	} else {
		unlinkat(dir, name, 0);
	}
	close(made);
	return result;
}

doca_error_t emu_rundir_listen(const char name[EMU_RUNDIR_NAME_SIZE], int *fd)
{
	char path[PATH_MAX];
	int dir = open_dir(MAKE, path);
	doca_error_t result;

	if (dir < 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	sweep(dir);
	result = listen_entry(dir, name, fd);
	if (result == DOCA_ERROR_OPERATING_SYSTEM)
		EMU_LOG_ERR("cannot create a socket in the runtime directory: %s", strerror(errno));
	close_dir(dir, path);
	return result;
}

void emu_rundir_unlisten(const char name[EMU_RUNDIR_NAME_SIZE])
{
	char path[PATH_MAX];
	int dir = open_dir(CHANGE, path);

	if (dir < 0)
		return;
	unlinkat(dir, name, 0);
	close_dir(dir, path);
}

int emu_rundir_connect(const char name[EMU_RUNDIR_NAME_SIZE])
{
	char path[PATH_MAX];
	int dir = open_dir(LOOK, path);
	int fd;

	if (dir < 0)
		return dir;
	fd = connect_entry(dir, name);
	close(dir);
	return fd;
}

void emu_rundir_lost(const char name[EMU_RUNDIR_NAME_SIZE], int wait_ms)
{
	struct pollfd end = {.fd = emu_rundir_connect(name), .events = 0};
	char path[PATH_MAX];
	int dir;

	/* A killed process closes its sockets one after the other. */
	if (end.fd >= 0) {
		poll(&end, 1, wait_ms);
		close(end.fd);
	}
	dir = open_dir(CHANGE, path);
	if (dir < 0)
		return;
	sweep(dir);
	close_dir(dir, path);
}

void emu_rundir_name(const uint8_t bytes[16], char name[EMU_RUNDIR_NAME_SIZE])
{
	for (int i = 0; i < 16; i++)
		snprintf(name + 2 * i, 3, "%02x", bytes[i]);
}
