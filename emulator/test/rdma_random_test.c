/* SPDX-License-Identifier: Apache-2.0 */

/* A random walk of one connection, against a model of the rules: what each call returns, and how each task ends. */

#include "rdma_fixture.h"

#define WALKS 60
#define STEPS 120

struct model {
	bool running[2], exported[2], connected[2]; /* of the two sides */
	bool broken;	/* one side has ended it */
	int posted[2];	/* receives that wait */
	int in_flight[2]; /* messages for which the peer has no receive */
	int completions[2], errors[2], receives[2], receive_errors[2];
};

struct walk {
	struct end *ends[2];
	struct details details[2];
	struct model m;
};

static uint64_t state;

static uint32_t pick(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static bool is_up(const struct model *m)
{
	return m->connected[0] && m->connected[1] && !m->broken;
}

/* Messages that wait find the receives that wait. */
static void match(struct model *m)
{
	for (int i = 0; i < 2 && is_up(m); i++) {
		int num = m->in_flight[i] < m->posted[1 - i] ? m->in_flight[i] : m->posted[1 - i];

		m->in_flight[i] -= num;
		m->posted[1 - i] -= num;
		m->completions[i] += num;
		m->receives[1 - i] += num;
	}
}

static bool agrees(const struct walk *w)
{
	for (int i = 0; i < 2; i++) {
		const struct end *end = w->ends[i];

		if (end->completions != w->m.completions[i] || end->errors != w->m.errors[i] ||
		    end->receives != w->m.receives[i] || end->receive_errors != w->m.receive_errors[i] ||
		    is_idle(end) == w->m.running[i])
			return false;
	}
	return true;
}

/* This side's context stops: everything that waits here fails. */
static void stopped(struct model *m, int i)
{
	m->errors[i] += m->in_flight[i];
	m->receive_errors[i] += m->posted[i];
	m->in_flight[i] = 0;
	m->posted[i] = 0;
	m->running[i] = false;
	m->exported[i] = false;
	m->connected[i] = false;
}

static void do_export(struct walk *w, int i)
{
	const void *bytes;

	if (!w->m.running[i]) {
		EXPECT(ERROR_BAD_STATE, doca_rdma_export(w->ends[i]->rdma, &bytes, &w->details[i].len, &w->ends[i]->conn));
		return;
	}
	if (w->m.exported[i])
		return;
	EXPECT(SUCCESS, doca_rdma_export(w->ends[i]->rdma, &bytes, &w->details[i].len, &w->ends[i]->conn));
	memcpy(w->details[i].bytes, bytes, w->details[i].len);
	w->m.exported[i] = true;
}

static void do_connect(struct walk *w, int i)
{
	struct model *m = &w->m;
	const struct details *peer = &w->details[1 - i];

	if (!m->exported[i] || !m->exported[1 - i])
		return;
	if (m->connected[i]) {
		EXPECT(ERROR_BAD_STATE, doca_rdma_connect(w->ends[i]->rdma, peer->bytes, peer->len, w->ends[i]->conn));
		return;
	}
	if (m->broken)
		return; /* the other side has gone already */
	EXPECT(SUCCESS, doca_rdma_connect(w->ends[i]->rdma, peer->bytes, peer->len, w->ends[i]->conn));
	m->connected[i] = true;
}

static void do_send(struct walk *w, int i)
{
	struct model *m = &w->m;
	struct doca_rdma_task_send *task;
	doca_error_t result;

	if (!m->running[i]) {
		EXPECT(ERROR_BAD_STATE,
		       doca_rdma_task_send_allocate_init(w->ends[i]->rdma, w->ends[i]->conn, NULL, no_data, &task));
		return;
	}
	if (!m->exported[i] || m->in_flight[i] == END_TASKS)
		return;
	MUST(doca_rdma_task_send_allocate_init(w->ends[i]->rdma, w->ends[i]->conn, NULL, no_data, &task));
	result = doca_task_submit(doca_rdma_task_send_as_task(task));
	if (!m->connected[i]) {
		CHECK(result == DOCA_ERROR_BAD_STATE);
		doca_task_free(doca_rdma_task_send_as_task(task));
		return;
	}
	CHECK(result == DOCA_SUCCESS);
	m->in_flight[i]++;
	if (m->broken)
		stopped(m, i);
}

static void do_post(struct walk *w, int i)
{
	struct doca_rdma_task_receive *task;

	if (w->m.posted[i] == END_TASKS)
		return;
	if (!w->m.running[i]) {
		EXPECT(ERROR_BAD_STATE, doca_rdma_task_receive_allocate_init(w->ends[i]->rdma, NULL, no_data, &task));
		return;
	}
	post_receive(w->ends[i], NULL);
	w->m.posted[i]++;
}

/* A stop of one side. If the other has messages on their way, they fail, and it stops as well. */
static void do_stop(struct walk *w, int i)
{
	struct model *m = &w->m;
	bool was_connecting = m->exported[0] && m->exported[1] && (m->connected[0] || m->connected[1]);
	int other = 1 - i;
	bool fails;

	if (!m->running[i])
		return;
	DRIVE(w->ends[0], w->ends[1], agrees(w)); /* what has been sent before it */
	fails = was_connecting && !m->broken && m->connected[other] && m->in_flight[other] > 0;
	/* A peer that has connected and finds that there is no such connection any more has lost it. */
	fails |= was_connecting && !m->broken && m->connected[other] && !m->connected[i];
	stopped(m, i);
	end_stop(w->ends[i]);
	m->broken = was_connecting || m->broken;
	if (fails)
		stopped(m, other);
}

/* When both sides are stopped, all begins again. */
static void do_start(struct walk *w)
{
	struct model *m = &w->m;

	if (m->running[0] || m->running[1])
		return;
	for (int i = 0; i < 2; i++) {
		MUST(doca_ctx_start(w->ends[i]->ctx));
		m->running[i] = true;
	}
	m->broken = false;
}

static void step(struct walk *w)
{
	int i = (int)pick(2);

	switch (pick(12)) {
	case 0:
	case 1:
		do_export(w, i);
		break;
	case 2:
	case 3:
		do_connect(w, i);
		break;
	case 4:
	case 5:
	case 6:
		do_send(w, i);
		break;
	case 7:
	case 8:
	case 9:
		do_post(w, i);
		break;
	case 10:
		do_start(w);
		break;
	default:
		if (pick(4) == 0)
			do_stop(w, i);
	}
	match(&w->m);
	/* Now and then nothing is waited for: many things then happen at once. */
	if (pick(3) > 0 || w->m.broken)
		DRIVE(w->ends[0], w->ends[1], agrees(w));
}

static void walks(void)
{
	for (uint64_t seed = 1; seed <= WALKS; seed++) {
		struct walk w = {.ends = {end_create(), end_create()}};
		int failures = test_failures;

		state = seed * 0x9e3779b97f4a7c15u;
		do_start(&w);
		for (int i = 0; i < STEPS && test_failures == failures; i++)
			step(&w);
		if (test_failures == failures)
			DRIVE(w.ends[0], w.ends[1], agrees(&w));
		if (test_failures != failures) {
			fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
			for (int i = 0; i < 2; i++)
				fprintf(stderr, "side %d: %d/%d sent, %d/%d failed, %d/%d received, %d/%d flushed, idle %d, model running %d\n",
					i, w.ends[i]->completions, w.m.completions[i], w.ends[i]->errors, w.m.errors[i],
					w.ends[i]->receives, w.m.receives[i], w.ends[i]->receive_errors,
					w.m.receive_errors[i], is_idle(w.ends[i]), w.m.running[i]);
			return;
		}
		end_destroy(w.ends[0]);
		end_destroy(w.ends[1]);
	}
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(walks, nothing_is_left)
