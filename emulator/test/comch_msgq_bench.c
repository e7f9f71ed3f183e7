/* SPDX-License-Identifier: Apache-2.0 */

/* Measures messages of 32 bytes from the host to a thread of the DPA and back through two MsgQs: their rate with many on
 * the way, and the time of a single one, polled and asleep. Every message is checked: in order, each once. */

#include "core/emulator.h"

#include <poll.h>

#include "comch_msgq.h"
#include "core/emu_clock.h"

#define DEPTH 1024

/* Sends all messages back that have arrived. Acknowledges them in groups, as good device code does. */
static void echo(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;
	uint32_t num = 0;
	uint64_t element;

	while (dev->comch_consumer_get_completion(call->comp, &element)) {
		uint32_t len;
		const uint8_t *imm = dev->comch_consumer_get_completion_imm(element, &len);

		dev->comch_producer_post_send_imm_only(call->producer, call->id, imm, len,
						       EMU_DPA_SUBMIT_FLUSH | EMU_DPA_SUBMIT_OPTIMIZE_REPORTS);
		if (++num == 32) {
			dev->comch_consumer_completion_ack(call->comp, num);
			dev->comch_consumer_ack(call->consumer, num);
			num = 0;
		}
	}
	if (num > 0) {
		dev->comch_consumer_completion_ack(call->comp, num);
		dev->comch_consumer_ack(call->consumer, num);
	}
	dev->comch_consumer_completion_request_notification(call->comp);
	dev->thread_reschedule();
}
THREAD_FUNC(echo)

static const struct emu_dpa_func funcs[] = {FUNC_ENTRY(echo, 0), COMMON_FUNCS};

struct bench {
	struct lab lab;
	struct doca_pe *pe;
	struct member *producer, *consumer, *dpa_producer, *dpa_consumer;
	struct doca_comch_producer_task_send *idle[DEPTH];
	uint32_t num_idle;
	uint64_t sent, received, wanted;
};

struct message {
	uint64_t number[4];
};

static struct bench bench;

static void sent(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data data)
{
	(void)task_data;
	(void)data;
	bench.idle[bench.num_idle++] = task;
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data, union doca_data data)
{
	const struct message *message = (const void *)doca_comch_consumer_task_post_recv_get_imm_data(task);

	(void)task_data;
	(void)data;
	if (message == NULL || message->number[0] != bench.received || message->number[3] != ~bench.received) {
		fprintf(stderr, "message %llu is wrong\n", (unsigned long long)bench.received);
		exit(1);
	}
	bench.received++;
	MUST(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void recv_failed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data, union doca_data data)
{
	(void)task_data;
	(void)data;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void set_up(void)
{
	struct doca_comch_producer_task_send *send;
	struct lab *lab = &bench.lab;

	lab->dev = open_dev(DPU_0);
	lab->dpa = new_dpa(lab->dev, funcs, sizeof(funcs) / sizeof(funcs[0]));
	lab->thread = new_thread(lab->dpa, FUNC(echo), &lab->call);
	lab->send_comp = new_send_comp(lab->dpa, &lab->call.send_comp);
	lab->to_dpa = new_msgq(lab->dev, lab->dpa, true);
	lab->from_dpa = new_msgq(lab->dev, lab->dpa, false);
	MUST(doca_comch_consumer_completion_create(&lab->comp));
	MUST(doca_comch_consumer_completion_set_dpa_thread(lab->comp, lab->thread));
	MUST(doca_comch_consumer_completion_set_max_num_consumers(lab->comp, 1));
	MUST(doca_comch_consumer_completion_set_max_num_recv(lab->comp, DEPTH));
	MUST(doca_comch_consumer_completion_start(lab->comp));
	MUST(doca_comch_consumer_completion_get_dpa_handle(lab->comp, &lab->call.comp));

	bench.dpa_consumer = new_dpa_consumer(lab);
	MUST(doca_comch_consumer_set_dev_max_num_recv(bench.dpa_consumer->consumer, DEPTH));
	MUST(doca_ctx_start(bench.dpa_consumer->ctx));
	MUST(doca_comch_consumer_get_dpa_handle(bench.dpa_consumer->consumer, &lab->call.consumer));
	bench.dpa_producer = start_new_dpa_producer(lab);
	lab->call.producer = bench.dpa_producer->handle;

	MUST(doca_pe_create(&bench.pe));
	bench.consumer = new_member(lab->from_dpa, true);
	MUST(doca_comch_consumer_task_post_recv_set_conf(bench.consumer->consumer, received, recv_failed, DEPTH));
	MUST(doca_pe_connect_ctx(bench.pe, bench.consumer->ctx));
	if (doca_ctx_start(bench.consumer->ctx) != DOCA_ERROR_IN_PROGRESS)
		exit(1);
	while (ctx_state(bench.consumer->ctx) != DOCA_CTX_STATE_RUNNING)
		doca_pe_progress(bench.pe);
	post_recvs(bench.consumer, DEPTH);
	lab->call.id = bench.consumer->id;
	bench.producer = new_member(lab->to_dpa, false);
	MUST(doca_comch_producer_task_send_set_conf(bench.producer->producer, sent, sent, DEPTH));
	MUST(doca_pe_connect_ctx(bench.pe, bench.producer->ctx));
	MUST(doca_ctx_start(bench.producer->ctx));
	while (bench.num_idle < DEPTH) {
		MUST(doca_comch_producer_task_send_alloc_init(bench.producer->producer, NULL, NULL, 0,
							      bench.dpa_consumer->id, &send));
		bench.idle[bench.num_idle++] = send;
	}
	RPC(lab, consumer_ack, .consumer = lab->call.consumer, .num = DEPTH);
	MUST(doca_dpa_thread_run(lab->thread));
}

/* Sends until the DPA has no receive, or window messages are on the way. */
static void send_some(uint64_t window)
{
	while (bench.num_idle > 0 && bench.sent < bench.wanted && bench.sent - bench.received < window) {
		struct doca_comch_producer_task_send *send = bench.idle[bench.num_idle - 1];
		struct message message = {{bench.sent, 0, 0, ~bench.sent}};
		doca_error_t result;

		doca_comch_producer_task_send_set_imm_data(send, (uint8_t *)&message, sizeof(message));
		result = doca_task_submit(doca_comch_producer_task_send_as_task(send));
		if (result == DOCA_ERROR_AGAIN)
			break;
		MUST(result);
		bench.num_idle--;
		bench.sent++;
	}
}

static double echoes(uint64_t num, uint64_t window, bool sleeps)
{
	uint64_t begin = emu_clock_ns();
	doca_notification_handle_t handle;

	MUST(doca_pe_get_notification_handle(bench.pe, &handle));
	bench.wanted = bench.received + num;
	while (bench.received < bench.wanted) {
		send_some(window);
		while (doca_pe_progress(bench.pe))
			;
		if (sleeps && bench.received < bench.wanted && bench.sent - bench.received == window) {
			MUST(doca_pe_request_notification(bench.pe));
			(void)is_readable(handle, 100);
			MUST(doca_pe_clear_notification(bench.pe, handle));
		}
	}
	return (double)(emu_clock_ns() - begin);
}

int main(int argc, char **argv)
{
	uint64_t num = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	double ns;

	set_up();
	echoes(10000, DEPTH, false);
	ns = echoes(num, DEPTH, false);
	printf("msgq echo of 32 B, %d in flight  %8.2f million/s (%llu messages)\n", DEPTH, 1e3 * (double)num / ns,
	       (unsigned long long)num);
	num = num / 1000 + 1;
	printf("msgq echo of 32 B, polled       %9.2f us each way\n", echoes(num, 1, false) / 2e3 / (double)num);
	printf("msgq echo of 32 B, asleep       %9.2f us each way\n", echoes(num, 1, true) / 2e3 / (double)num);
	return 0;
}
