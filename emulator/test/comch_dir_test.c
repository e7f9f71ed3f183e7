/* SPDX-License-Identifier: Apache-2.0 */

/* The runtime directory, where servers and clients find each other: creation, sharing, cleaning and removal. */

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "comch_fork.h"

static int count_entries(void)
{
	DIR *dir = opendir(test_servers);
	struct dirent *entry;
	int num = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		num += entry->d_name[0] != '.';
	if (dir != NULL)
		closedir(dir);
	return num;
}

static void made_and_removed(void)
{
	struct end *first, *second;
	struct stat info;

	CHECK(!there_are_servers());
	first = start_server("first");
	CHECK(stat(test_servers, &info) == 0 && S_ISDIR(info.st_mode) && (info.st_mode & 0777) == 0700);
	second = start_server("second");
	CHECK(count_entries() == 2);
	stop(first);
	CHECK(count_entries() == 1);
	stop(second);
	CHECK(!there_are_servers());
	MUST(doca_ctx_start(first->ctx));
	CHECK(count_entries() == 1);
	delete_end(first);
	delete_end(second);
}

/* Servers of several processes start and stop at the same time, with different and with the same names. */
#define NUM_PROCESSES 5

static int process_number;

static void come_and_go(void)
{
	char own[32];
	struct end *mine, *common;

	snprintf(own, sizeof(own), "own %d", process_number);
	mine = new_server(own);
	common = new_server("common");
	for (int i = 0; i < 60; i++) {
		doca_error_t result = doca_ctx_start(common->ctx);

		CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_ALREADY_EXIST);
		EXPECT(SUCCESS, doca_ctx_start(mine->ctx));
		if (i % 8 == 0) {
			struct end *client = start_client(own);

			connect_ends(mine, client);
			delete_end(client);
			UNTIL(mine->disconnects == mine->connects);
		}
		if (result == DOCA_SUCCESS) { /* others check whether it is alive */
			stop(common);
			UNTIL(state_of(common) == DOCA_CTX_STATE_IDLE);
		}
		stop(mine);
		UNTIL(state_of(mine) == DOCA_CTX_STATE_IDLE);
		mine->log[0] = common->log[0] = '\0';
	}
	delete_end(mine);
	delete_end(common);
}

static void several_processes(void)
{
	pid_t pids[NUM_PROCESSES];

	for (process_number = 0; process_number < NUM_PROCESSES; process_number++)
		pids[process_number] = in_child(come_and_go);
	for (int i = 0; i < NUM_PROCESSES; i++)
		expect_end(pids[i], 0);
	CHECK(!there_are_servers());
}

/* Killed servers leave their sockets. The next server of any name removes them. */
static void die_as_server(void)
{
	start_server("dead");
	start_server("dead too");
	kill(getpid(), SIGKILL);
}

static void find_name_taken(void)
{
	struct end *server = new_server("dead");

	EXPECT(ERROR_ALREADY_EXIST, doca_ctx_start(server->ctx));
	delete_end(server);
}

static void stale_sockets(void)
{
	struct end *server;
	int status;

	waitpid(in_child(die_as_server), &status, 0);
	CHECK(count_entries() == 2);
	server = start_server("dead"); /* the name is free */
	CHECK(count_entries() == 1);
	expect_end(in_child(find_name_taken), 0);
	CHECK(count_entries() == 1);
	stop(server);
	waitpid(in_child(die_as_server), &status, 0);
	CHECK(count_entries() == 2);
	MUST(doca_ctx_start(server->ctx));
	CHECK(count_entries() == 1);
	delete_end(server);
	CHECK(!there_are_servers());
}

/* A client that finds the socket of a dead server waits for the next server. */
static void stale_to_a_client(void)
{
	struct end *client, *server;
	int status;

	waitpid(in_child(die_as_server), &status, 0);
	client = start_client("dead");
	for (int i = 0; i < 200; i++)
		progress_all();
	CHECK(state_of(client) == DOCA_CTX_STATE_STARTING);
	server = start_server("dead");
	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
}

/* Other things in the directory are left alone, and keep the directory. */
static void things_of_others(void)
{
	static const char *const names[] = {"notes", "bus", "0123456789abcdef0123456789abcdef",
					    "0123456789abcdef0123456789abcde", "fedcba9876543210fedcba9876543210"};
	struct end *server;
	char path[128];
	int fd;

	CHECK(mkdir(test_servers, 0700) == 0);
	for (int i = 0; i < 5; i++) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};

		snprintf(path, sizeof(path), "%s/%s", test_servers, names[i]);
		snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", test_servers, names[i]);
		if (i == 4) {
			CHECK(symlink("notes", path) == 0);
			continue;
		}
		fd = i == 0 || i == 2 ? open(path, O_CREAT | O_RDWR, 0600) : socket(AF_UNIX, SOCK_SEQPACKET, 0);
		if (i == 1 || i == 3) /* dead sockets of other programs */
			CHECK(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
		close(fd);
	}
	server = start_server("guest");
	CHECK(count_entries() == 6);
	delete_end(server);
	CHECK(count_entries() == 5);
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", test_servers, names[i]);
		CHECK(unlink(path) == 0);
	}
	CHECK(rmdir(test_servers) == 0);
}

/* A directory that the user has created stays, whoever uses it. */
static void leave_directory(void)
{
	struct end *server = start_server("own"), *client = start_client("own");

	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
}

static void directory_of_the_user(void)
{
	struct stat made, info;

	CHECK(mkdir(test_servers, 0700) == 0 && stat(test_servers, &made) == 0);
	leave_directory();
	expect_end(in_child(leave_directory), 0);
	CHECK(stat(test_servers, &info) == 0 && info.st_ino == made.st_ino && info.st_mode == made.st_mode);
	CHECK(rmdir(test_servers) == 0);
}

/* A directory that the emulator has created is removed by the last process, even if another one created it. */
static void make_and_die(void)
{
	start_server("made");
	kill(getpid(), SIGKILL);
}

static void directory_of_another_process(void)
{
	expect_end(in_child(make_and_die), SIGKILL);
	CHECK(there_are_servers());
	delete_end(start_server("last"));
	CHECK(!there_are_servers());
}

/* A process that is stopped with the directory locked blocks the others for a limited time. What they could not
 * remove, the next one removes. */
static void *stop_late(void *end)
{
	stop(end);
	return NULL;
}

static void locked_directory(void)
{
	struct end *stays = start_server("stays"), *server = start_server("leaves"), *later = new_server("later");
	int dir = open(test_servers, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t begin = now_ms();
	pthread_t thread;

	CHECK(flock(dir, LOCK_EX) == 0);
	CHECK(pthread_create(&thread, NULL, stop_late, server) == 0);
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(later->ctx));
	CHECK(count_entries() == 2);
	pthread_join(thread, NULL);
	CHECK(now_ms() - begin < LONG_MS / 2);
	CHECK(count_entries() == 2);
	close(dir);
	MUST(doca_ctx_start(later->ctx));
	CHECK(count_entries() == 2);
	delete_end(later);
	delete_end(server);
	delete_end(stays);
	CHECK(!there_are_servers());
}

static void expect_refusal(void)
{
	struct end *server = new_server("refused"), *client = new_client("refused");

	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(server->ctx));
	CHECK(state_of(server) == DOCA_CTX_STATE_IDLE);
	EXPECT(ERROR_DRIVER, doca_ctx_start(client->ctx)); /* which differs from the result if there is no server */
	CHECK(state_of(client) == DOCA_CTX_STATE_IDLE);
	delete_end(client);
	delete_end(server);
}

/* Directories that others could enter, and a file instead of a directory. */
static void unfit_directories(void)
{
	char path[64];
	int fd;

	for (int i = 0; i < 2; i++) {
		CHECK(mkdir(test_servers, 0700) == 0 && chmod(test_servers, i == 0 ? 0755 : 0770) == 0);
		expect_refusal();
		CHECK(count_entries() == 0 && rmdir(test_servers) == 0);
	}
	fd = open(test_servers, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	close(fd);
	expect_refusal();
	CHECK(unlink(test_servers) == 0);
	snprintf(path, sizeof(path), "%s/real", test_dir);
	CHECK(mkdir(path, 0700) == 0 && symlink(path, test_servers) == 0);
	expect_refusal();
	CHECK(unlink(test_servers) == 0 && rmdir(path) == 0);
}

/* The path of a socket may be longer than a socket address. A missing parent directory is an error. */
static void long_paths(void)
{
	char path[400], missing[420];
	struct end *server, *client;
	size_t len = (size_t)snprintf(path, sizeof(path), "%s/", test_dir);

	memset(path + len, 'd', 200);
	path[len + 200] = '\0';
	setenv("DOCA_EMU_RUNTIME_DIR", path, 1);
	server = start_server("long");
	client = start_client("long");
	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
	CHECK(access(path, F_OK) != 0);

	snprintf(missing, sizeof(missing), "%s/servers", path);
	setenv("DOCA_EMU_RUNTIME_DIR", missing, 1);
	server = new_server("missing");
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(server->ctx));
	delete_end(server);
	setenv("DOCA_EMU_RUNTIME_DIR", test_servers, 1);
}

/* Without DOCA_EMU_RUNTIME_DIR, the directory is in that of the session. */
static void session_directory(void)
{
	char path[64], name[32];
	struct end *server, *client;

	snprintf(path, sizeof(path), "%s/doca-emulator", test_dir);
	unsetenv("DOCA_EMU_RUNTIME_DIR");
	setenv("XDG_RUNTIME_DIR", test_dir, 1);
	server = start_server("session");
	client = start_client("session");
	CHECK(access(path, F_OK) == 0 && !there_are_servers());
	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
	CHECK(access(path, F_OK) != 0);

	/* Without a directory of the session either, the user has one, which other programs may use at the same
	 * time. */
	unsetenv("XDG_RUNTIME_DIR");
	snprintf(path, sizeof(path), "/tmp/doca-emulator-%u", (unsigned)geteuid());
	snprintf(name, sizeof(name), "test %d", (int)getpid());
	server = start_server(name);
	client = start_client(name);
	CHECK(access(path, F_OK) == 0 && !there_are_servers());
	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
	setenv("DOCA_EMU_RUNTIME_DIR", test_servers, 1);
}

/* Somebody removes too much. */
static void removed_by_hand(void)
{
	struct end *server = start_server("removed"), *client = new_client("removed");
	char path[64];

	snprintf(path, sizeof(path), "%s/elsewhere", test_dir);
	CHECK(rename(test_servers, path) == 0);
	setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "0", 1);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
	setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "600000", 1);
	EXPECT(SUCCESS, doca_ctx_stop(server->ctx));
	MUST(doca_ctx_start(server->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
	CHECK(!there_are_servers());
	CHECK(rename(path, test_servers) == 0);
	delete_end(start_server("any")); /* with sockets that are now dead */
	CHECK(!there_are_servers());
}

/* A child with copies of all descriptors keeps nothing alive: neither the server's name, nor the connection, nor
 * the engines' watch on closed sockets. */
static void just_wait(void)
{
	for (;;)
		pause();
}

static void copies_in_a_child(void)
{
	struct pair pair = make_pair("copies");
	struct end *waiting = start_client("nobody");
	struct end *server = start_server("soon"), *quits = start_client("soon");
	struct end *deaf = start_server("deaf"), *unheard = start_client("deaf");
	pid_t pid = in_child(just_wait);
	int handle;

	stop(quits); /* without a word */
	stop(deaf);  /* without a look */
	UNTIL(server->connects == 1 && server->disconnects == 1);
	settle();
	MUST(doca_ctx_start(deaf->ctx));
	connect_ends(deaf, unheard); /* it has noticed the end and connected again */
	delete_end(quits);
	delete_end(server);
	delete_end(unheard);
	delete_end(deaf);
	EXPECT(SUCCESS, doca_comch_server_disconnect(pair.server->server, pair.server->conn));
	UNTIL(state_of(pair.client) == DOCA_CTX_STATE_IDLE && pair.server->disconnects == 1);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(pair.client->ctx));
	connect_ends(pair.server, pair.client);
	say(pair.client, "x");
	UNTIL(pair.server->messages == 1);
	stop(pair.client);
	UNTIL(pair.server->disconnects == 2);
	MUST(doca_pe_get_notification_handle(pair.server->pe, &handle));
	settle();
	MUST(doca_pe_request_notification(pair.server->pe));
	CHECK(!is_readable(handle, 0));
	MUST(doca_pe_clear_notification(pair.server->pe, handle));
	EXPECT(SUCCESS, doca_ctx_stop(pair.server->ctx));
	MUST(doca_ctx_start(pair.server->ctx)); /* the name is free */
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(pair.client->ctx));
	connect_ends(pair.server, pair.client);
	delete_end(waiting);
	delete_pair(pair);
	CHECK(!there_are_servers());
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_MAIN(made_and_removed, several_processes, stale_sockets, stale_to_a_client, things_of_others,
	  directory_of_the_user, directory_of_another_process, locked_directory, unfit_directories, long_paths,
	  session_directory, removed_by_hand, copies_in_a_child, left_nothing)
