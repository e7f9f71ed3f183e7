/* SPDX-License-Identifier: Apache-2.0 */

/* Processes of another user: whatever they know, they reach no memory and no connection of this one, nor does this one take
 * theirs for its own. Needs root, which becomes that user. */

#include "core/emulator.h" /* first: it asks for all of the system's functions */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "core/emu_dev.h"
#include "rdma/emu_rdma_details.h"
#include "rdma/emu_rdma_door.h"

#include "rdma_cm.h"

#define NOBODY 65534
#define FILE_SIZE ((size_t)128 << 10)

/* What the stranger is told: all that there is to know. */
static struct target {
	pid_t pid;
	struct details details; /* of a connection, and of memory of malloc */
	struct details file;	/* of memory that is a file */
	int fd;			/* of that */
	char door[EMU_RUNDIR_NAME_SIZE];
} target;

static void become_nobody(void)
{
	CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* which the change of the user has cleared */
}

/* File permissions do not stop this one. */
static void become_nobody_with_a_key(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2] = {
		{.effective = 1u << CAP_DAC_OVERRIDE, .permitted = 1u << CAP_DAC_OVERRIDE}};

	CHECK(setgid(NOBODY) == 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setuid(NOBODY) == 0);
	CHECK(syscall(SYS_capset, &header, caps) == 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Names of the target's sockets: of imports, of connections by details, of the port. */
static void socket_names(char names[3][EMU_RUNDIR_NAME_SIZE])
{
	struct emu_export_desc desc;
	struct emu_rdma_details details;

	memcpy(&desc, target.details.desc, sizeof(desc));
	memcpy(&details, target.details.bytes, sizeof(details));
	emu_rundir_name(desc.process, names[0]);
	emu_rundir_name(details.process, names[1]);
	memcpy(names[2], target.door, sizeof(target.door));
}

/* A runtime directory of this user's own, in which the target's sockets appear; and its end. */
static void link_sockets(const char *mine)
{
	char names[3][EMU_RUNDIR_NAME_SIZE], from[300], to[300];

	socket_names(names);
	CHECK(mkdir(mine, 0700) == 0);
	for (int i = 0; i < 3; i++) {
		snprintf(from, sizeof(from), "%s/%s", test_servers, names[i]);
		snprintf(to, sizeof(to), "%s/%s", mine, names[i]);
		CHECK(symlink(from, to) == 0);
	}
	setenv("DOCA_EMU_RUNTIME_DIR", mine, 1);
}

static void unlink_sockets(const char *mine)
{
	char names[3][EMU_RUNDIR_NAME_SIZE], path[300];

	socket_names(names);
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", mine, names[i]);
		(void)unlink(path);
	}
	CHECK(rmdir(mine) == 0);
}

/* The system itself keeps the memory closed, for both ways in which the emulator copies. */
static void try_memory(void)
{
	char bytes[8] = "stranger", path[64];
	struct iovec local = {bytes, sizeof(bytes)}, remote = {(void *)(uintptr_t)target.details.addr, sizeof(bytes)};

	CHECK(process_vm_writev(target.pid, &local, 1, &remote, 1, 0) < 0 && errno == EPERM);
	CHECK(process_vm_readv(target.pid, &local, 1, &remote, 1, 0) < 0 && errno == EPERM);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)target.pid, target.fd);
	CHECK(open(path, O_RDWR | O_CLOEXEC) < 0 && (errno == EACCES || errno == EPERM));
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)target.pid);
	CHECK(open(path, O_RDWR | O_CLOEXEC) < 0 && (errno == EACCES || errno == EPERM));
}

/* What a program does with what it was given, for the first or another time. */
static void try_all(struct end *end, int time, doca_error_t of_imports)
{
	struct doca_mmap *import;
	const void *bytes;
	size_t len;

	CHECK(doca_mmap_create_from_export(NULL, target.details.desc, target.details.desc_len, end->dev, &import) == of_imports);
	CHECK(doca_mmap_create_from_export(NULL, target.file.desc, target.file.desc_len, end->dev, &import) == of_imports);
	cm_dial(end, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 5);
	cm_dial(end, DOCA_RDMA_ADDR_TYPE_IPv4, "10.0.0.2", 5);
	DRIVE(end, end, end->num_failures == 2 * time);
	CHECK(end->num_established == 0);
	MUST(doca_rdma_export(end->rdma, &bytes, &len, &end->conn));
	EXPECT(ERROR_CONNECTION_ABORTED,
	       doca_rdma_connect(end->rdma, target.details.bytes, target.details.len, end->conn));
}

/* A stranger has a context in a directory of its own, and no way to that of the target. */
static void as_stranger(void)
{
	char mine[64];
	struct end *end;

	become_nobody();
	snprintf(mine, sizeof(mine), "/tmp/doca-nobody-%d", (int)getpid());
	setenv("DOCA_EMU_RUNTIME_DIR", mine, 1);
	end = cm_start(HOST_0);
	try_memory();
	try_all(end, 1, DOCA_ERROR_INVALID_VALUE); /* there is no such process in its directory */
	setenv("DOCA_EMU_RUNTIME_DIR", test_servers, 1);
	try_all(end, 2, DOCA_ERROR_DRIVER); /* the directory is closed to it */
	setenv("DOCA_EMU_RUNTIME_DIR", mine, 1);
	end_destroy(end);
	CHECK(access(mine, F_OK) != 0);
}

/* Knocks at a socket as the emulator does: the target says nothing, and closes. */
static void knock_by_hand(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct emu_rdma_hello hello = {.version = EMU_RDMA_VERSION, .permissions = END_ALL};
	struct emu_rdma_frame frame = {.type = EMU_RDMA_HELLO, .len = sizeof(hello)};
	struct emu_rdma_details known;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)EMU_RDMA_DOOR, .iov_len = sizeof(EMU_RDMA_DOOR)};
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), pair[2];
	char byte;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", test_servers, name);
	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &pair[1], sizeof(int));
	(void)sendmsg(fd, &msg, MSG_NOSIGNAL);
	close(pair[1]);
	memcpy(&known, target.details.bytes, sizeof(known));
	memcpy(hello.magic, "DOCAEMUH", 8);
	memcpy(hello.target, known.key, sizeof(known.key)); /* it knows the secret */
	(void)send(pair[0], &frame, sizeof(frame), MSG_NOSIGNAL);
	(void)send(pair[0], &hello, sizeof(hello), MSG_NOSIGNAL);
	CHECK(recv(fd, &byte, 1, 0) <= 0);
	close(fd); /* it may have the stream in its queue still */
	CHECK(recv(pair[0], &byte, 1, 0) <= 0);
	close(pair[0]);
}

static void as_stranger_with_a_key(void)
{
	char mine[64], names[3][EMU_RUNDIR_NAME_SIZE];
	struct end *end;

	become_nobody_with_a_key();
	try_memory();
	socket_names(names);
	knock_by_hand(names[1]);
	knock_by_hand(names[2]);
	snprintf(mine, sizeof(mine), "%s/mine", test_dir);
	link_sockets(mine);
	end = cm_start(HOST_0);
	try_all(end, 1, DOCA_ERROR_NOT_PERMITTED);
	end_destroy(end);
	unlink_sockets(mine);
}

/* One of this user, which has all but the secrets. */
static void without_secrets(void)
{
	struct end *end = cm_start(HOST_0);
	struct emu_export_desc desc;
	struct emu_rdma_details details;
	struct doca_mmap *import;
	const void *bytes;
	size_t len;

	memcpy(&desc, target.details.desc, sizeof(desc));
	desc.key[0] ^= 1;
	desc.kind = EMU_EXPORT_PCI; /* which has no checksum */
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, &desc, sizeof(desc), end->dev, &import));
	memcpy(&details, target.details.bytes, sizeof(details));
	details.key[0] ^= 1;
	MUST(doca_rdma_export(end->rdma, &bytes, &len, &end->conn));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_connect(end->rdma, &details, sizeof(details), end->conn));
	emu_rdma_details_seal(&details); /* as if it were not damaged */
	EXPECT(SUCCESS, doca_rdma_connect(end->rdma, &details, sizeof(details), end->conn));
	DRIVE(end, end, end->num_failures + end->num_disconnected == 1);
	CHECK(end->num_established == 0);
	end_destroy(end);
}

static uint8_t *new_file(void)
{
	uint8_t *bytes;

	target.fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CHECK(target.fd >= 0 && ftruncate(target.fd, FILE_SIZE) == 0 && fcntl(target.fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
	bytes = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, target.fd, 0);
	CHECK(bytes != MAP_FAILED);
	return bytes;
}

static struct details describe(const struct doca_mmap *map, const struct end *end)
{
	struct details details = {.len = 0};
	const void *desc;
	size_t len;
	void *addr;

	MUST(doca_mmap_export_rdma((struct doca_mmap *)(uintptr_t)map, end->dev, &desc, &details.desc_len));
	memcpy(details.desc, desc, details.desc_len);
	MUST(doca_mmap_get_memrange(map, &addr, &len));
	details.addr = (uintptr_t)addr;
	return details;
}

/* Drives the end until the child has ended well. */
static void until_end(struct end *end, pid_t pid)
{
	pid_t ended = 0;
	int status = 0;

	DRIVE(end, end, ended != 0 || (ended = waitpid(pid, &status, WNOHANG)) != 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void describe_target(struct end *end, const struct doca_mmap *file)
{
	target.pid = getpid();
	target.details = end_export(end);
	target.file = describe(file, end);
	emu_rdma_door_name(&emu_functions[0], CM_PORT, target.door);
}

static int order_fd;
static void (*stranger)(void);

static void stranger_when_told(void)
{
	CHECK(recv(order_fd, &target, sizeof(target), 0) == (ssize_t)sizeof(target));
	close(order_fd);
	stranger();
}

#define NUM_STRANGERS 3

static void strangers_at_the_door(void)
{
	void (*const strangers[NUM_STRANGERS])(void) = {as_stranger, as_stranger_with_a_key, without_secrets};
	pid_t pids[NUM_STRANGERS];
	int orders[NUM_STRANGERS];
	struct doca_mmap *file;
	struct end *end, *friend;
	uint8_t *bytes;

	for (size_t i = 0; i < NUM_STRANGERS; i++) { /* before there are threads, whose locks a fork would copy */
		int fds[2];

		CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
		order_fd = fds[1];
		orders[i] = fds[0];
		stranger = strangers[i];
		pids[i] = start_child(stranger_when_told);
		close(fds[1]);
	}
	end = cm_listen();
	bytes = new_file();
	file = make_mmap(end->dev, bytes, FILE_SIZE, END_ALL);
	describe_target(end, file);
	for (size_t i = 0; i < NUM_STRANGERS; i++) {
		CHECK(send(orders[i], &target, sizeof(target), 0) == (ssize_t)sizeof(target));
		close(orders[i]);
		until_end(end, pids[i]);
	}
	CHECK(end->num_requests == 0 && end->num_established == 0 && end->num_failures == 0);
	for (size_t i = 0; i < FILE_SIZE; i++) {
		if (bytes[i] != 0 || end->memory[i] != 0) {
			CHECK(!"the memory is as it was");
			break;
		}
	}
	friend = cm_start(HOST_0);
	cm_connect(friend, end);
	cm_send(friend, end, 100);
	end_destroy(friend);
	MUST(doca_mmap_destroy(file));
	munmap(bytes, FILE_SIZE);
	close(target.fd);
	end_destroy(end);
}

/* The other way round: the target is another user's, and this process would have to trust it. */

static void serve_as_stranger(void)
{
	struct doca_mmap *file;
	struct end *end;
	uint8_t *bytes;
	char byte;

	become_nobody();
	end = cm_listen();
	bytes = new_file();
	file = make_mmap(end->dev, bytes, FILE_SIZE, END_ALL);
	describe_target(end, file);
	CHECK(send(order_fd, &target, sizeof(target), 0) == (ssize_t)sizeof(target));
	while (recv(order_fd, &byte, 1, MSG_DONTWAIT) < 0)
		doca_pe_progress(end->pe);
	CHECK(end->num_requests == 0 && end->num_established == 0);
	MUST(doca_mmap_destroy(file));
	munmap(bytes, FILE_SIZE);
	end_destroy(end);
}

static void strangers_as_hosts(void)
{
	char mine[64], theirs[sizeof(test_servers)];
	struct end *end;
	pid_t pid;
	int fds[2];

	CHECK(chmod(test_dir, 0777) == 0);
	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
	memcpy(theirs, test_servers, sizeof(theirs));
	strcat(test_servers, "2");
	setenv("DOCA_EMU_RUNTIME_DIR", test_servers, 1);
	order_fd = fds[1];
	pid = start_child(serve_as_stranger);
	close(fds[1]);
	CHECK(recv(fds[0], &target, sizeof(target), 0) == (ssize_t)sizeof(target));
	snprintf(mine, sizeof(mine), "%s/mine", test_dir);
	link_sockets(mine);
	end = cm_start(HOST_0);
	try_all(end, 1, DOCA_ERROR_NOT_PERMITTED);
	end_destroy(end);
	unlink_sockets(mine);
	CHECK(send(fds[0], "x", 1, 0) == 1);
	expect_end(pid, 0);
	close(fds[0]);
	CHECK(!there_are_servers());
	memcpy(test_servers, theirs, sizeof(theirs));
	setenv("DOCA_EMU_RUNTIME_DIR", test_servers, 1);
}

static void needs_root(void)
{
	if (geteuid() == 0)
		return;
	printf("%-22s skipped: without root no process can become another user\n", TEST_NAME);
	rmdir(test_dir);
	exit(0);
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(needs_root, strangers_at_the_door, strangers_as_hosts, nothing_is_left)
