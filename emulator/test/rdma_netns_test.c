/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA between two network namespaces, which are two hosts to the emulator: over a cable (veth), over a slow one that loses
 * packets (netem, where the kernel has it), and through a process that delays, stalls, loses and cuts. Needs root and ip. */

#include "core/emulator.h" /* first: it asks for all of the system's functions */

#include <arpa/inet.h>
#include <sched.h>
#include <stdarg.h>

#include "rdma_cm.h"
#include "tcp_proxy.h"

#define NET "10.213."
#define CLIENT_IP NET "1.1"
#define SERVER_IP NET "1.2"
#define PROXY_IP NET "2.2" /* as the client sees it */
#define SERVER_IP_OF_PROXY NET "3.1"
#define CLIENT_IPV6 "fd00:d0ca::1"
#define SERVER_IPV6 "fd00:d0ca::2"

#define STORE_SIZE ((size_t)4 << 20)
#define ECHO_SIZE ((size_t)300 << 10)
#define NUM_ECHOES 3
#define MANY 40

/* The server: a program that sends every message back, and lets others access its store. It takes orders. */

enum net_op {
	NET_EXPORT = 1, /* a connection by details */
	NET_CONNECT,
	NET_OPEN, /* answers with the number of connections that are open */
	NET_QUIT,
};

struct net_order {
	enum net_op op;
	struct details details;
};

static pid_t server_pid, proxy_pid;
static int server_fd;
static struct proxy *proxy;
static struct details store; /* how to reach the server's store */

static void echo_received(struct doca_rdma_task_receive *task, union doca_data user_data, union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;
	struct doca_rdma_task_send *send;
	struct doca_buf *buf = doca_rdma_task_receive_get_dst_buf(task);

	(void)user_data;
	end->receives++;
	MUST(doca_rdma_task_send_allocate_init(
		end->rdma,
		(struct doca_rdma_connection *)(uintptr_t)doca_rdma_task_receive_get_result_rdma_connection(task), buf,
		(union doca_data){.ptr = task}, &send));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_send_as_task(send)));
}

static void echo_sent(struct doca_rdma_task_send *send, union doca_data user_data, union doca_data ctx_user_data)
{
	struct doca_rdma_task_receive *task = user_data.ptr;

	(void)ctx_user_data; /* a send of a connection that is gone fails, and the receive is as good as new */
	EXPECT(SUCCESS, doca_buf_reset_data_len(doca_rdma_task_receive_get_dst_buf(task)));
	doca_task_free(doca_rdma_task_send_as_task(send));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_receive_as_task(task)));
}

static void echo_flushed(struct doca_rdma_task_receive *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	put_buf(doca_rdma_task_receive_get_dst_buf(task));
	doca_task_free(doca_rdma_task_receive_as_task(task));
}

static struct end *start_echo(void)
{
	struct end *end = cm_create(DPU_0);

	MUST(doca_rdma_set_max_num_connections(end->rdma, 100));
	MUST(doca_rdma_task_receive_set_conf(end->rdma, echo_received, echo_flushed, END_TASKS));
	MUST(doca_rdma_task_send_set_conf(end->rdma, echo_sent, echo_sent, END_TASKS));
	MUST(doca_ctx_start(end->ctx));
	for (int i = 0; i < NUM_ECHOES; i++)
		post_receive(end, local_dst(end, (size_t)i * ECHO_SIZE, ECHO_SIZE));
	return end;
}

static void carry_out(struct end *end, struct net_order *order)
{
	switch (order->op) {
	case NET_EXPORT:
		setenv("DOCA_EMU_RDMA_ADDRESS", SERVER_IP, 1);
		order->details = end_export(end);
		unsetenv("DOCA_EMU_RDMA_ADDRESS");
		break;
	case NET_CONNECT:
		end_connect(end, &order->details);
		end->num_established++; /* for which there is no callback, but there is one for its end */
		break;
	case NET_OPEN:
		order->details.len = (size_t)(end->num_established - end->num_disconnected);
		break;
	case NET_QUIT:
		break;
	}
	CHECK(send(server_fd, order, sizeof(*order), MSG_NOSIGNAL) == (ssize_t)sizeof(*order));
}

static void run_server(void)
{
	struct net_order order = {.op = NET_OPEN};
	uint8_t *memory = calloc(1, STORE_SIZE);
	struct doca_mmap *map;
	const void *desc;
	struct end *end;
	ssize_t n;

	CHECK(unshare(CLONE_NEWNET) == 0);
	setenv("DOCA_EMU_RUNTIME_DIR", test_dir, 1); /* another host has another directory */
	CHECK(send(server_fd, "x", 1, 0) == 1 && recv(server_fd, &order, sizeof(order), 0) > 0); /* the cables are there */
	end = start_echo();
	EXPECT(SUCCESS, doca_rdma_start_listen_to_port(end->rdma, CM_PORT));
	map = make_mmap(end->dev, memory, STORE_SIZE, END_ALL);
	order.details.addr = (uintptr_t)memory;
	MUST(doca_mmap_export_rdma(map, end->dev, &desc, &order.details.desc_len));
	memcpy(order.details.desc, desc, order.details.desc_len);
	CHECK(send(server_fd, &order, sizeof(order), 0) == (ssize_t)sizeof(order));
	while (order.op != NET_QUIT) {
		n = recv(server_fd, &order, sizeof(order), MSG_DONTWAIT);
		if (n == (ssize_t)sizeof(order))
			carry_out(end, &order);
		else if (n == 0)
			break; /* the test has ended early */
		else if (!doca_pe_progress(end->pe))
			usleep(20);
	}
	end_destroy(end);
	MUST(doca_mmap_destroy(map));
	free(memory);
}

static struct details tell_server(enum net_op op, const struct details *details)
{
	struct net_order order = {.op = op};

	if (details != NULL)
		order.details = *details;
	CHECK(send(server_fd, &order, sizeof(order), MSG_NOSIGNAL) == (ssize_t)sizeof(order));
	if (recv(server_fd, &order, sizeof(order), 0) != (ssize_t)sizeof(order)) {
		fprintf(stderr, "the server has ended\n");
		exit(1);
	}
	return order.details;
}

/* The cables. */

static void run_between(void)
{
	close(server_fd);
	CHECK(unshare(CLONE_NEWNET) == 0);
	CHECK(system("ip link set lo up") == 0);
	for (;;) /* the process that lays the cables starts it */
		if (proxy->port != 0)
			run_proxy(proxy);
		else
			usleep(1000);
}

static void skip(const char *why)
{
	printf("%-22s skipped: %s\n", TEST_NAME, why);
	rmdir(test_dir);
	exit(0);
}

static bool command(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool command(const char *format, ...)
{
	char text[1000];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return system(text) == 0;
}

/* One end of a cable in the namespace of a process, which is 0 for this one's. */
static bool plug_in(pid_t pid, const char *dev, const char *ip, const char *ipv6)
{
	char in[40] = "";

	if (pid != 0)
		snprintf(in, sizeof(in), "nsenter -t %d -n ", (int)pid);
	return command("%sip addr add %s/24 dev %s", in, ip, dev) &&
	       (ipv6 == NULL || command("%sip addr add %s/64 dev %s nodad", in, ipv6, dev)) &&
	       command("%sip link set lo up && %sip link set %s up", in, in, dev);
}

static bool lay_cables(void)
{
	return command("ip link add client type veth peer name server netns %d", (int)server_pid) &&
	       plug_in(0, "client", CLIENT_IP, CLIENT_IPV6) && plug_in(server_pid, "server", SERVER_IP, SERVER_IPV6) &&
	       command("ip link add slow type veth peer name fromclient netns %d", (int)proxy_pid) &&
	       plug_in(0, "slow", NET "2.1", NULL) && plug_in(proxy_pid, "fromclient", PROXY_IP, NULL) &&
	       command("nsenter -t %d -n ip link add slow type veth peer name toserver netns %d", (int)server_pid,
		       (int)proxy_pid) &&
	       plug_in(server_pid, "slow", SERVER_IP_OF_PROXY, NULL) && plug_in(proxy_pid, "toserver", NET "3.2", NULL);
}

static void begin(void)
{
	struct net_order order;
	int fds[2];
	char byte;

	if (geteuid() != 0)
		skip("network namespaces need root");
	if (!command("command -v ip nsenter > /dev/null"))
		skip("there is no ip (iproute2) or no nsenter (util-linux)");
	if (unshare(CLONE_NEWNET) != 0)
		skip("the system allows no network namespaces");
	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
	proxy = proxy_new();
	server_fd = fds[1];
	server_pid = start_child(run_server);
	close(fds[1]);
	server_fd = fds[0];
	CHECK(recv(server_fd, &byte, 1, 0) == 1);
	proxy_pid = start_child(run_between);
	for (int i = 0; i < 3000 && !command("test $(readlink /proc/%d/ns/net) != $(readlink /proc/self/ns/net)", (int)proxy_pid);
	     i++)
		usleep(1000);
	if (!lay_cables()) {
		kill(proxy_pid, SIGKILL);
		kill(server_pid, SIGKILL);
		skip("the system allows no veth devices");
	}
	proxy->server = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(CM_PORT)};
	CHECK(inet_pton(AF_INET, SERVER_IP_OF_PROXY, &proxy->server.sin_addr) == 1);
	proxy->delay_ms = 10;
	proxy->bytes_per_ms = 20000;
	proxy->port = CM_PORT;
	CHECK(send(server_fd, "x", 1, 0) == 1 && recv(server_fd, &order, sizeof(order), 0) == (ssize_t)sizeof(order));
	store = order.details;
	test_fds = count_fds();
}

static void end(void)
{
	tell_server(NET_QUIT, NULL);
	expect_end(server_pid, 0);
	kill(proxy_pid, SIGKILL);
	expect_end(proxy_pid, SIGKILL);
	left_nothing();
}

/* What a client does. */

static struct end *start_client(void)
{
	struct end *client = cm_create(HOST_0);

	MUST(doca_rdma_set_max_num_connections(client->rdma, 100));
	MUST(doca_rdma_set_connection_request_timeout(client->rdma, 20000));
	MUST(doca_ctx_start(client->ctx));
	end_import(client, &store);
	return client;
}

static void connect_by(struct end *client, enum doca_rdma_addr_type type, const char *address)
{
	int before = client->num_established;

	cm_dial(client, type, address, 5);
	DRIVE(client, client, client->num_established > before || client->num_failures > 0);
	CHECK(client->num_failures == 0);
}

/* Sends a message, and gets it back. */
static void echo(struct end *client, size_t len)
{
	struct doca_buf *src = local_src(client, 0, len), *dst = local_dst(client, END_SIZE / 2, END_SIZE / 2);
	int sent = client->completions, received = client->receives;

	for (size_t i = 0; i < len; i++)
		client->memory[i] = (uint8_t)(i * 7 + i / 255 + len);
	memset(client->memory + END_SIZE / 2, 0, END_SIZE / 2);
	post_receive(client, dst);
	submit_send(client, src);
	DRIVE(client, client, client->completions > sent && client->receives > received);
	CHECK(client->result_len == len && client->from == client->conn);
	CHECK(memcmp(client->memory, client->memory + END_SIZE / 2, len) == 0);
	put_buf(src);
	put_buf(dst);
}

/* Writes to the store in several tasks at once, and reads that back. */
static void write_and_read(struct end *client, size_t num, size_t len)
{
	struct doca_buf *local[32], *remote[32];
	int before = client->completions;

	for (size_t i = 0; i < END_SIZE; i++)
		client->memory[i] = (uint8_t)(i * 11 + i / 250 + len);
	for (size_t i = 0; i < num; i++) {
		local[i] = local_src(client, i * len, len);
		remote[i] = remote_dst(client, STORE_SIZE - (i + 1) * len, len);
		submit_write(client, local[i], remote[i]);
	}
	DRIVE(client, client, client->completions == before + (int)num || client->errors > 0);
	for (size_t i = 0; i < num; i++) {
		put_buf(local[i]);
		put_buf(remote[i]);
	}
	memset(client->memory, 0, END_SIZE);
	for (size_t i = 0; i < num; i++) {
		local[i] = local_dst(client, i * len, len);
		remote[i] = remote_src(client, STORE_SIZE - (i + 1) * len, len);
		submit_read(client, remote[i], local[i]);
	}
	DRIVE(client, client, client->completions == before + 2 * (int)num || client->errors > 0);
	for (size_t i = 0; i < num; i++) {
		put_buf(local[i]);
		put_buf(remote[i]);
	}
	CHECK(client->errors == 0);
	for (size_t i = 0; i < num * len; i++) {
		if (client->memory[i] != (uint8_t)(i * 11 + i / 250 + len)) {
			CHECK(!"the bytes come back");
			break;
		}
	}
}

static void add_in_store(struct end *client)
{
	struct doca_buf *dst = remote_dst(client, 64, 8), *result = local_dst(client, 0, 8);
	int before = client->completions;
	uint64_t first, second;

	submit_fetch_add(client, dst, result, 5);
	DRIVE(client, client, client->completions == before + 1);
	memcpy(&first, client->memory, sizeof(first));
	EXPECT(SUCCESS, doca_buf_reset_data_len(result));
	submit_fetch_add(client, dst, result, 5);
	DRIVE(client, client, client->completions == before + 2);
	memcpy(&second, client->memory, sizeof(second));
	CHECK(second == first + 5);
	put_buf(dst);
	put_buf(result);
}

static void everything(struct end *client)
{
	static const size_t lens[] = {1, 100, 4096, 70000, ECHO_SIZE};

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		echo(client, lens[i]);
	write_and_read(client, 1, 1);
	write_and_read(client, 32, 64);
	write_and_read(client, 32, 32000);
	write_and_read(client, 1, END_SIZE);
	add_in_store(client);
}

/* The server hears of so many connections. */
static void expect_open(size_t num)
{
	uint64_t deadline = now_ms() + LONG_MS;

	while (tell_server(NET_OPEN, NULL).len != num && now_ms() < deadline)
		usleep(1000);
	CHECK(tell_server(NET_OPEN, NULL).len == num);
}

static void disconnect(struct end *client)
{
	int before = client->num_disconnected;

	EXPECT(SUCCESS, doca_rdma_connection_disconnect(client->conn));
	DRIVE(client, client, client->num_disconnected == before + 1);
	expect_open(0);
}

static void by_details(void)
{
	struct end *client = start_client();
	struct details of_server, ours;

	of_server = tell_server(NET_EXPORT, NULL);
	setenv("DOCA_EMU_RDMA_ADDRESS", CLIENT_IP, 1);
	ours = end_export(client);
	unsetenv("DOCA_EMU_RDMA_ADDRESS");
	end_connect(client, &of_server);
	tell_server(NET_CONNECT, &ours);
	everything(client);
	end_destroy(client);
	expect_open(0);
}

static void by_address(void)
{
	static const struct {
		enum doca_rdma_addr_type type;
		const char *text;
	} ways[] = {
		{DOCA_RDMA_ADDR_TYPE_IPv4, SERVER_IP},
		{DOCA_RDMA_ADDR_TYPE_IPv6, SERVER_IPV6},
		{DOCA_RDMA_ADDR_TYPE_GID, SERVER_IPV6},
		{DOCA_RDMA_ADDR_TYPE_GID, "::ffff:" SERVER_IP},
		{DOCA_RDMA_ADDR_TYPE_IPv4, PROXY_IP},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct end *client = start_client();

		connect_by(client, ways[i].type, ways[i].text);
		everything(client);
		disconnect(client);
		end_destroy(client);
	}
}

/* Nobody is there: the failure is told. */
static void nobody(void)
{
	static const char *const nowhere[] = {"127.0.0.1", CLIENT_IP, NET "9.9"};
	struct end *client = start_client();

	for (int i = 0; i < 3; i++) {
		cm_dial(client, DOCA_RDMA_ADDR_TYPE_IPv4, nowhere[i], 5);
		DRIVE(client, client, client->num_failures == i + 1);
	}
	end_destroy(client);
}

static void many_at(const char *address)
{
	struct doca_rdma_connection *conns[MANY];
	struct end *client = start_client();

	for (int i = 0; i < MANY; i++) {
		connect_by(client, DOCA_RDMA_ADDR_TYPE_IPv4, address);
		conns[i] = client->conn;
	}
	expect_open(MANY);
	for (int i = 0; i < MANY; i++) {
		client->conn = conns[i];
		echo(client, 1000 + (size_t)i);
	}
	for (int i = 0; i < MANY; i++) /* all of them at the same time */
		EXPECT(SUCCESS, doca_rdma_connection_disconnect(conns[i]));
	DRIVE(client, client, client->num_disconnected == MANY);
	expect_open(0);
	end_destroy(client);
}

static void many(void)
{
	many_at(SERVER_IP);
	many_at(PROXY_IP);
}

static void delay_and_loss(void)
{
	struct end *client;

	if (!command("tc qdisc add dev client root netem delay 10ms loss 1%% 2> /dev/null")) {
		printf("%-22s without netem, which this kernel or system lacks: delays by a process only\n", TEST_NAME);
		return;
	}
	CHECK(command("nsenter -t %d -n tc qdisc add dev server root netem delay 10ms loss 1%%", (int)server_pid));
	client = start_client();
	connect_by(client, DOCA_RDMA_ADDR_TYPE_IPv4, SERVER_IP);
	everything(client);
	disconnect(client);
	end_destroy(client);
	CHECK(command("tc qdisc del dev client root") &&
	      command("nsenter -t %d -n tc qdisc del dev server root", (int)server_pid));
}

/* Nothing passes for a while, in the middle of all that is going on. */
static void stalls(void)
{
	struct end *client = start_client();

	connect_by(client, DOCA_RDMA_ADDR_TYPE_IPv4, PROXY_IP);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			for (int j = 0; j < 3; j++) {
				usleep(15000);
				proxy_set(proxy, PROXY_STALLS);
				usleep(300000);
				proxy_set(proxy, PROXY_PASSES);
			}
			_exit(0);
		}
		write_and_read(client, 32, 32000);
		echo(client, ECHO_SIZE);
		expect_end(pid, 0);
	}
	disconnect(client);
	end_destroy(client);
}

/* The tasks of a connection that is cut fail, and both sides are told. A new connection works, on the same context. */
static void cuts(void)
{
	struct end *client = start_client();

	for (int i = 0; i < 6; i++) {
		const bool is_read = i % 3 == 1, is_message = i % 3 == 2;
		struct doca_buf *local, *remote = NULL;
		int errors = client->errors;

		connect_by(client, DOCA_RDMA_ADDR_TYPE_IPv4, PROXY_IP);
		echo(client, 100);
		__atomic_store_n(&proxy->cut_after,
				 __atomic_load_n(&proxy->passed, __ATOMIC_SEQ_CST) + (i < 3 ? 1 : 100000),
				 __ATOMIC_SEQ_CST);
		local = is_read ? local_dst(client, 0, END_SIZE) : local_src(client, 0, is_message ? ECHO_SIZE : END_SIZE);
		if (!is_message)
			remote = is_read ? remote_src(client, 0, END_SIZE) : remote_dst(client, 0, END_SIZE);
		if (is_message)
			submit_send(client, local);
		else if (is_read)
			submit_read(client, remote, local);
		else
			submit_write(client, local, remote);
		DRIVE(client, client, client->errors == errors + 1 && client->num_disconnected == i + 1);
		CHECK(client->last_error == DOCA_ERROR_NOT_CONNECTED);
		CHECK(ctx_state(client->ctx) == DOCA_CTX_STATE_RUNNING);
		expect_open(0);
		put_buf(local);
		if (remote != NULL)
			put_buf(remote);
	}
	connect_by(client, DOCA_RDMA_ADDR_TYPE_IPv4, PROXY_IP);
	client->errors = 0;
	everything(client);
	disconnect(client);
	end_destroy(client);
}

/* Nothing comes any more, and nobody says so. */
static void loses(void)
{
	struct doca_buf *src, *dst;
	struct end *client;

	setenv("DOCA_EMU_RDMA_TIMEOUT", "1000", 1);
	client = start_client();
	connect_by(client, DOCA_RDMA_ADDR_TYPE_IPv4, PROXY_IP);
	echo(client, 100);
	proxy_set(proxy, PROXY_LOSES);
	src = local_src(client, 0, END_SIZE);
	dst = remote_dst(client, 0, END_SIZE);
	submit_write(client, src, dst);
	DRIVE(client, client, client->errors == 1 && client->num_disconnected == 1);
	CHECK(client->last_error == DOCA_ERROR_NOT_CONNECTED);
	put_buf(src);
	put_buf(dst);
	proxy_set(proxy, PROXY_CUTS);
	expect_open(0);
	connect_by(client, DOCA_RDMA_ADDR_TYPE_IPv4, PROXY_IP);
	client->errors = 0;
	everything(client);
	disconnect(client);
	end_destroy(client);
	unsetenv("DOCA_EMU_RDMA_TIMEOUT");
}

TEST_MAIN(begin, by_details, by_address, nobody, many, delay_and_loss, stalls, cuts, loses, end)
