/* SPDX-License-Identifier: Apache-2.0 */

/* Two processes: what they send each other, and who may not connect. */

#include <linux/capability.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "comch_fast.h"
#include "comch_fork.h"
#include "comch/emu_comch_frame.h"

/* A server that echoes messages and sends back what its consumer receives. */
static void echo(struct end *end, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	end->conn = conn;
	MUST(try_send(end, bytes, len));
}

static void send_back(struct endpoint *consumer, struct doca_task *task)
{
	struct endpoint *producer = consumer->hook_data;
	struct end *server = producer->hook_data;
	uint8_t *bytes;
	size_t len = data_len(consumer->last_buf);
	struct doca_buf *src;

	MUST(doca_buf_get_data(consumer->last_buf, (void **)&bytes));
	memcpy(producer->memory, bytes, len);
	src = data(producer, 0, len);
	while (produce(producer, src, consumer->last_imm, consumer->last_imm_len, server->consumers[0]) ==
	       DOCA_ERROR_AGAIN)
		;
	put_buf(src);
	MUST(doca_buf_reset_data_len(consumer->last_buf));
	MUST(doca_task_submit(task));
}

static void echo_server(void)
{
	struct end *server = start_server("echo");
	struct endpoint *consumer, *producer;
	struct doca_buf *buf;

	server->on_message = echo;
	UNTIL(server->connects == 1 && server->num_consumers == 1);
	consumer = new_consumer(server);
	producer = start_producer(server);
	consumer->hook_data = producer;
	consumer->on_done = send_back;
	producer->hook_data = server;
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
	buf = room(consumer, 0, ENDPOINT_MEMORY);
	post(consumer, buf);
	UNTIL(server->num_consumers == 0); /* the client has everything */
	delete_endpoint(producer);
	stop_endpoint(consumer);
	put_buf(buf);
	delete_endpoint(consumer);
	UNTIL(server->disconnects == 1);
	delete_end(server);
	CHECK(count_fds() == test_fds);
}

static void two_processes(void)
{
	static const size_t sizes[] = {0, 1, 184, 185, 5000, 70000, ENDPOINT_MEMORY};
	pid_t pid = in_child(echo_server);
	struct end *client = start_client("echo");
	struct endpoint *consumer, *producer;

	UNTIL(state_of(client) != DOCA_CTX_STATE_STARTING);
	consumer = new_consumer(client);
	producer = start_producer(client);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING && client->num_consumers == 1);
	for (int i = 0; i < 200; i++) {
		say(client, "message");
		UNTIL(client->messages == i + 1);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct doca_buf *src = data(producer, 0, sizes[i]), *dst = room(consumer, 0, ENDPOINT_MEMORY);
		uint8_t number = (uint8_t)i;

		memset(consumer->memory, 0, ENDPOINT_MEMORY);
		post(consumer, dst);
		while (produce(producer, src, &number, 1, client->consumers[0]) == DOCA_ERROR_AGAIN)
			progress_all();
		UNTIL(consumer->done == (int)i + 1);
		CHECK(consumer->last_imm[0] == number && data_len(dst) == sizes[i]);
		CHECK(memcmp(consumer->memory, producer->memory, sizes[i]) == 0);
		put_buf(src);
		put_buf(dst);
	}
	delete_endpoint(producer);
	delete_endpoint(consumer);
	UNTIL(client->num_consumers == 0);
	delete_end(client);
	expect_end(pid, 0);
	CHECK(!there_are_servers());
}

/* The server's process goes on without its main thread. */
static void without_main_thread(void)
{
	test_ends_main_thread = true;
	two_processes();
	test_ends_main_thread = false;
}

/* Another user can neither enter the directory nor, if it could, connect. */
static void as_stranger(void)
{
	struct end *client = new_client("ours");

	CHECK(setgid(65534) == 0 && setuid(65534) == 0);
	EXPECT(ERROR_DRIVER, doca_ctx_start(client->ctx)); /* the error differs from that for a missing server */
	CHECK(state_of(client) == DOCA_CTX_STATE_IDLE && log_is(client, ""));
}

static void as_stranger_with_a_key(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2] = {
		{.effective = 1u << CAP_DAC_OVERRIDE, .permitted = 1u << CAP_DAC_OVERRIDE}};
	struct emu_comch_frame frame = {.type = EMU_COMCH_HELLO, .len = sizeof(struct emu_comch_hello)};
	struct emu_comch_hello hello = {
		.version = EMU_COMCH_VERSION, .max_msg_size = 4080, .recv_queue_size = 1, .name = "ours"};
	struct iovec iov[2] = {{&frame, sizeof(frame)}, {&hello, sizeof(hello)}};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct end *client = new_client("ours");
	char mine[64], link[512], entry[300] = "";
	struct dirent *at;
	DIR *dir;
	int fd;

	CHECK(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setuid(65534) == 0);
	CHECK(syscall(SYS_capset, &header, caps) == 0); /* file permissions do not stop it */
	dir = opendir(test_servers);
	while ((at = readdir(dir)) != NULL) {
		if (at->d_name[0] != '.')
			snprintf(entry, sizeof(entry), "%s", at->d_name);
	}
	closedir(dir);

	/* A connection by hand: the server closes without a word. */
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%.33s", test_servers, entry);
	fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	(void)!writev(fd, iov, 2);
	CHECK(read(fd, &frame, sizeof(frame)) <= 0);
	close(fd);

	/* The same with a client, which has a directory of its own in which the server appears. */
	snprintf(mine, sizeof(mine), "%s/mine", test_dir);
	snprintf(link, sizeof(link), "%s/%s", mine, entry);
	CHECK(mkdir(mine, 0700) == 0 && symlink(address.sun_path, link) == 0);
	setenv("DOCA_EMU_RUNTIME_DIR", mine, 1);
	EXPECT(ERROR_DRIVER, doca_ctx_start(client->ctx));
	CHECK(state_of(client) == DOCA_CTX_STATE_IDLE && log_is(client, ""));
	CHECK(unlink(link) == 0 && rmdir(mine) == 0);
}

static void other_users(void)
{
	void (*const strangers[])(void) = {as_stranger, as_stranger_with_a_key};
	struct end *server, *client;
	struct stat info;

	if (geteuid() != 0) {
		printf("comch_fork_test: not root: what other users may do is not tested\n");
		return;
	}
	server = start_server("ours");
	CHECK(stat(test_servers, &info) == 0 && (info.st_mode & 0777) == 0700 && S_ISDIR(info.st_mode));
	for (int i = 0; i < 2; i++) {
		pid_t pid = in_child(strangers[i]);
		int status = 0;

		UNTIL(waitpid(pid, &status, WNOHANG) == pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	settle();
	CHECK(log_is(server, "running"));
	client = start_client("ours");
	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
}

TEST_MAIN(two_processes, without_main_thread, other_users, left_nothing)
