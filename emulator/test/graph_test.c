/* SPDX-License-Identifier: Apache-2.0 */
#include <doca_graph.h>
#include <poll.h>

#include "core/emu_fault.h"
#include "sync_event_fixture.h"

static int completed, failed;
static struct doca_graph_instance *last;

static void on_completed(struct doca_graph_instance *instance, union doca_data instance_data, union doca_data graph_data)
{
	CHECK(instance_data.u64 == 5 && graph_data.u64 == 6);
	completed++;
	last = instance;
}

static void on_failed(struct doca_graph_instance *instance, union doca_data instance_data, union doca_data graph_data)
{
	CHECK(instance_data.u64 == 5 && graph_data.u64 == 6);
	failed++;
	last = instance;
}

static int calls;
static doca_error_t answer; /* of user nodes */

static doca_error_t count_call(void *cookie)
{
	calls++;
	if (cookie != NULL)
		*(int *)cookie = calls;
	return answer;
}

/* Two copies, a user node that looks at what they have done, and another copy. */
struct plan {
	struct fixture *f;
	struct doca_graph *graph;
	struct doca_graph_node *first, *second, *user, *third;
	struct doca_graph_instance *instance;
	struct copy copies[3];
};

static doca_error_t look(void *cookie)
{
	const struct fixture *f = ((struct plan *)cookie)->f;

	calls++;
	CHECK(memcmp(f->src, f->dst, 16) == 0);
	CHECK(f->dst[16] == 0);
	return answer;
}

static struct doca_graph *make_graph(struct doca_pe *pe)
{
	struct doca_graph *graph;

	MUST(doca_graph_create(pe, &graph));
	MUST(doca_graph_set_conf(graph, on_completed, on_failed, 2));
	MUST(doca_graph_set_user_data(graph, (union doca_data){.u64 = 6}));
	return graph;
}

static void set_tasks(struct plan *p)
{
	for (size_t i = 0; i < 3; i++)
		p->copies[i] = make_copy(p->f, i);
	MUST(doca_graph_instance_set_ctx_node_data(p->instance, p->first, p->copies[0].task));
	MUST(doca_graph_instance_set_ctx_node_data(p->instance, p->second, p->copies[1].task));
	MUST(doca_graph_instance_set_ctx_node_data(p->instance, p->third, p->copies[2].task));
}

static struct plan make_plan(void)
{
	struct plan p = {.f = fixture_create(8)};

	completed = failed = calls = 0;
	answer = DOCA_SUCCESS;
	p.graph = make_graph(p.f->pe);
	MUST(doca_graph_node_create_from_ctx(p.graph, p.f->ctx, &p.first));
	MUST(doca_graph_node_create_from_ctx(p.graph, p.f->ctx, &p.second));
	MUST(doca_graph_node_create_from_user(p.graph, look, &p.user));
	MUST(doca_graph_node_create_from_ctx(p.graph, p.f->ctx, &p.third));
	MUST(doca_graph_add_dependency(p.graph, p.first, p.user));
	MUST(doca_graph_add_dependency(p.graph, p.second, p.user));
	MUST(doca_graph_add_dependency(p.graph, p.user, p.third));
	MUST(doca_graph_start(p.graph));
	MUST(doca_graph_instance_create(p.graph, &p.instance));
	MUST(doca_graph_instance_set_user_data(p.instance, (union doca_data){.u64 = 5}));
	return p;
}

static void delete_plan(struct plan *p)
{
	MUST(doca_graph_instance_destroy(p->instance));
	MUST(doca_graph_stop(p->graph));
	MUST(doca_graph_destroy(p->graph));
	for (size_t i = 0; i < 3; i++)
		finish_copy(&p->copies[i]);
	fixture_destroy(p->f);
}

static void order(void)
{
	struct plan p = make_plan();
	union doca_data data;

	set_tasks(&p);
	EXPECT(ERROR_INVALID_VALUE, doca_graph_instance_submit(p.instance)); /* the user node has no data */
	MUST(doca_graph_instance_set_user_node_data(p.instance, p.user, &p));
	EXPECT(SUCCESS, doca_graph_instance_submit(p.instance));
	EXPECT(ERROR_BAD_STATE, doca_graph_instance_submit(p.instance));
	EXPECT(ERROR_BAD_STATE, doca_graph_instance_set_user_node_data(p.instance, p.user, &p));
	EXPECT(ERROR_IN_USE, doca_graph_instance_destroy(p.instance));
	EXPECT(ERROR_IN_USE, doca_graph_stop(p.graph));
	CHECK(calls == 0 && p.f->completions == 0);
	CHECK(drain_pe(p.f->pe) == 4); /* one node each */
	CHECK(calls == 1 && completed == 1 && failed == 0 && last == p.instance && p.f->completions == 3);
	CHECK(memcmp(p.f->src, p.f->dst, 24) == 0);
	MUST(doca_graph_instance_get_user_data(p.instance, &data));
	CHECK(data.u64 == 5);
	MUST(doca_graph_get_user_data(p.graph, &data));
	CHECK(data.u64 == 6);
	delete_plan(&p);
}

/* An instance can be submitted again. */
static void again(void)
{
	struct plan p = make_plan();

	p.f->keep_tasks = 1;
	set_tasks(&p);
	MUST(doca_graph_instance_set_user_node_data(p.instance, p.user, &p));
	for (int i = 1; i <= 3; i++) {
		memset(p.f->dst, 0, sizeof(p.f->dst));
		for (size_t k = 0; k < 3; k++)
			MUST(doca_buf_reset_data_len(p.copies[k].dst));
		EXPECT(SUCCESS, doca_graph_instance_submit(p.instance));
		drain_pe(p.f->pe);
		CHECK(completed == i && calls == i);
	}
	for (size_t k = 0; k < 3; k++)
		doca_task_free(p.copies[k].task);
	delete_plan(&p);
}

static void a_user_node_that_fails(void)
{
	struct plan p = make_plan();

	answer = DOCA_ERROR_UNEXPECTED;
	set_tasks(&p);
	MUST(doca_graph_instance_set_user_node_data(p.instance, p.user, &p));
	EXPECT(SUCCESS, doca_graph_instance_submit(p.instance));
	CHECK(drain_pe(p.f->pe) == 3);
	CHECK(calls == 1 && completed == 0 && failed == 1 && p.f->completions == 2);
	doca_task_free(p.copies[2].task); /* it was not submitted */
	delete_plan(&p);
}

static void a_task_that_fails(void)
{
	struct plan p = make_plan();

	set_tasks(&p);
	MUST(doca_graph_instance_set_user_node_data(p.instance, p.user, &p));
	MUST(emu_fault_set("fail-task=2", NULL, 0));
	EXPECT(SUCCESS, doca_graph_instance_submit(p.instance));
	emu_fault_clear();
	drain_pe(p.f->pe);
	CHECK(calls == 0 && completed == 0 && failed == 1 && p.f->completions == 1 && p.f->errors == 1);
	/* The failure has stopped the context: no task can be submitted. */
	EXPECT(ERROR_BAD_STATE, doca_graph_instance_submit(p.instance));
	CHECK(failed == 1);
	doca_task_free(p.copies[2].task);
	drain_pe(p.f->pe);
	delete_plan(&p);
}

/* A task that is freed while it is submitted never ends: the instance fails. */
static void a_task_that_is_freed(void)
{
	struct plan p = make_plan();

	set_tasks(&p);
	MUST(doca_graph_instance_set_user_node_data(p.instance, p.user, &p));
	EXPECT(SUCCESS, doca_graph_instance_submit(p.instance));
	doca_task_free(p.copies[1].task);
	drain_pe(p.f->pe);
	CHECK(failed == 1 && calls == 0);
	doca_task_free(p.copies[2].task);
	delete_plan(&p);
}

static void configuration(void)
{
	struct fixture *f = fixture_create(1);
	struct doca_graph *graph, *other = make_graph(f->pe);
	struct doca_graph_node *a, *b, *c, *foreign;
	struct doca_graph_instance *instance;
	struct doca_pe *pe;

	EXPECT(ERROR_INVALID_VALUE, doca_graph_create(NULL, &graph));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_create(f->pe, NULL));
	EXPECT(SUCCESS, doca_graph_create(f->pe, &graph));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_set_conf(graph, NULL, on_failed, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_set_conf(graph, on_completed, on_failed, 0));
	MUST(doca_graph_node_create_from_user(graph, count_call, &a));
	EXPECT(ERROR_BAD_STATE, doca_graph_start(graph)); /* not configured */
	MUST(doca_graph_set_conf(graph, on_completed, on_failed, 1));
	EXPECT(ERROR_BAD_STATE, doca_graph_start(graph)); /* no context */
	MUST(doca_graph_node_create_from_ctx(graph, f->ctx, &b));
	MUST(doca_graph_node_create_from_user(graph, count_call, &c));
	MUST(doca_graph_node_create_from_user(other, count_call, &foreign));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_node_create_from_graph(graph, graph, &c));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_add_dependency(graph, a, a));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_add_dependency(graph, a, foreign));
	MUST(doca_graph_add_dependency(graph, a, b));
	MUST(doca_graph_add_dependency(graph, b, c));
	EXPECT(ERROR_BAD_STATE, doca_graph_instance_create(graph, &instance));
	EXPECT(SUCCESS, doca_graph_start(graph));
	EXPECT(ERROR_BAD_STATE, doca_graph_start(graph));
	EXPECT(ERROR_BAD_STATE, doca_graph_add_dependency(graph, c, a));
	EXPECT(ERROR_BAD_STATE, doca_graph_node_create_from_user(graph, count_call, &foreign));
	EXPECT(ERROR_BAD_STATE, doca_graph_destroy(graph));
	MUST(doca_graph_instance_create(graph, &instance));
	EXPECT(ERROR_NO_MEMORY, doca_graph_instance_create(graph, &(struct doca_graph_instance *){NULL}));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_instance_set_user_node_data(instance, b, NULL)); /* another kind */
	EXPECT(ERROR_INVALID_VALUE, doca_graph_instance_set_user_node_data(instance, foreign, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_instance_set_ctx_node_data(instance, b, NULL));
	EXPECT(SUCCESS, doca_graph_stop(graph));
	EXPECT(ERROR_IN_USE, doca_graph_destroy(graph));
	MUST(doca_graph_instance_destroy(instance));
	MUST(doca_graph_add_dependency(graph, c, a));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_start(graph)); /* a circle */
	EXPECT(ERROR_IN_USE, doca_pe_destroy(f->pe));
	MUST(doca_pe_create(&pe));
	MUST(doca_graph_destroy(graph));
	graph = make_graph(pe);
	EXPECT(ERROR_INVALID_VALUE, doca_graph_node_create_from_graph(graph, other, &a)); /* of another engine */
	MUST(doca_graph_destroy(graph));
	MUST(doca_graph_destroy(other));
	MUST(doca_pe_destroy(pe));
	fixture_destroy(f);
}

static void a_graph_in_a_graph(void)
{
	struct plan p = make_plan();
	struct doca_graph *outer = make_graph(p.f->pe);
	struct doca_graph_node *before, *inner, *after;
	struct doca_graph_instance *instance;
	int first = 0, second = 0;

	set_tasks(&p);
	MUST(doca_graph_instance_set_user_node_data(p.instance, p.user, &p));
	MUST(doca_graph_node_create_from_user(outer, count_call, &before));
	MUST(doca_graph_node_create_from_graph(outer, p.graph, &inner));
	MUST(doca_graph_node_create_from_user(outer, count_call, &after));
	MUST(doca_graph_add_dependency(outer, before, inner));
	MUST(doca_graph_add_dependency(outer, inner, after));
	MUST(doca_graph_stop(p.graph));
	EXPECT(ERROR_BAD_STATE, doca_graph_start(outer)); /* the inner one is stopped */
	MUST(doca_graph_start(p.graph));
	EXPECT(SUCCESS, doca_graph_start(outer));
	EXPECT(ERROR_IN_USE, doca_graph_stop(p.graph));
	MUST(doca_graph_instance_create(outer, &instance));
	MUST(doca_graph_instance_set_user_data(instance, (union doca_data){.u64 = 5}));
	MUST(doca_graph_instance_set_user_node_data(instance, before, &first));
	MUST(doca_graph_instance_set_user_node_data(instance, after, &second));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_instance_set_sub_graph_node_data(instance, inner, instance));
	MUST(doca_graph_instance_set_sub_graph_node_data(instance, inner, p.instance));
	EXPECT(SUCCESS, doca_graph_instance_submit(instance));
	drain_pe(p.f->pe);
	CHECK(completed == 2 && first == 1 && second == 3 && calls == 3 && last == instance);
	MUST(doca_graph_instance_destroy(instance));
	MUST(doca_graph_stop(outer));
	MUST(doca_graph_destroy(outer));
	delete_plan(&p);
}

/* Nodes of sync events: one publishes when the copies are done, another one waits for somebody else. */
static void on_set(struct doca_sync_event_task_notify_set *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_sync_event_task_notify_set_as_doca_task(task));
}

static void on_wait(struct doca_sync_event_task_wait_eq *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(task));
}

static void events(void)
{
	struct fixture *f = fixture_create(2);
	struct doca_sync_event *event = make_event(f->dev);
	struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
	struct doca_graph *graph = make_graph(f->pe);
	struct doca_sync_event_task_notify_set *set, *go;
	struct doca_sync_event_task_wait_eq *wait;
	struct doca_graph_node *copy, *publish, *await;
	struct doca_graph_instance *instance;
	const union doca_data none = {.u64 = 0};
	struct copy c = make_copy(f, 0);

	completed = 0;
	MUST(doca_sync_event_task_notify_set_set_conf(event, on_set, on_set, 2));
	MUST(doca_sync_event_task_wait_eq_set_conf(event, on_wait, on_wait, 1));
	MUST(doca_pe_connect_ctx(f->pe, ctx));
	MUST(doca_ctx_start(ctx));
	MUST(doca_graph_node_create_from_ctx(graph, ctx, &await));
	MUST(doca_graph_node_create_from_ctx(graph, f->ctx, &copy));
	MUST(doca_graph_node_create_from_ctx(graph, ctx, &publish));
	MUST(doca_graph_add_dependency(graph, await, copy));
	MUST(doca_graph_add_dependency(graph, copy, publish));
	MUST(doca_graph_start(graph));
	MUST(doca_graph_instance_create(graph, &instance));
	MUST(doca_graph_instance_set_user_data(instance, (union doca_data){.u64 = 5}));
	MUST(doca_sync_event_task_wait_eq_alloc_init(event, 1, ~UINT64_C(0), none, &wait));
	MUST(doca_sync_event_task_notify_set_alloc_init(event, 2, none, &set));
	MUST(doca_sync_event_task_notify_set_alloc_init(event, 1, none, &go));
	EXPECT(ERROR_INVALID_VALUE, doca_graph_instance_set_ctx_node_data(instance, copy, doca_sync_event_task_wait_eq_as_doca_task(wait)));
	MUST(doca_graph_instance_set_ctx_node_data(instance, await, doca_sync_event_task_wait_eq_as_doca_task(wait)));
	MUST(doca_graph_instance_set_ctx_node_data(instance, copy, c.task));
	MUST(doca_graph_instance_set_ctx_node_data(instance, publish, doca_sync_event_task_notify_set_as_doca_task(set)));
	EXPECT(SUCCESS, doca_graph_instance_submit(instance));
	CHECK(drain_pe(f->pe) == 0 && f->completions == 0);
	MUST(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(go)));
	CHECK(drain_pe(f->pe) == 4 && completed == 1);
	CHECK(memcmp(f->src, f->dst, 8) == 0);
	MUST(doca_graph_instance_destroy(instance));
	MUST(doca_graph_stop(graph));
	MUST(doca_graph_destroy(graph));
	MUST(doca_ctx_stop(ctx));
	MUST(doca_sync_event_start(event));
	CHECK(value_of(event) == 2);
	MUST(doca_sync_event_destroy(event));
	finish_copy(&c);
	fixture_destroy(f);
}

/* The instance is destroyed in its callback, and the graph with it. */
static void end_all(struct doca_graph_instance *instance, union doca_data instance_data, union doca_data graph_data)
{
	(void)instance_data;
	completed++;
	EXPECT(SUCCESS, doca_graph_instance_destroy(instance));
	EXPECT(SUCCESS, doca_graph_stop(graph_data.ptr));
	EXPECT(SUCCESS, doca_graph_destroy(graph_data.ptr));
}

static void an_end_in_the_callback(void)
{
	struct fixture *f = fixture_create(1);
	struct doca_graph_node *copy, *user;
	struct doca_graph_instance *instance;
	struct pollfd handle = {.events = POLLIN};
	struct copy c = make_copy(f, 0);
	struct doca_graph *graph;

	completed = calls = 0;
	answer = DOCA_SUCCESS;
	MUST(doca_graph_create(f->pe, &graph));
	MUST(doca_graph_set_conf(graph, end_all, end_all, 1));
	MUST(doca_graph_set_user_data(graph, (union doca_data){.ptr = graph}));
	MUST(doca_graph_node_create_from_ctx(graph, f->ctx, &copy));
	MUST(doca_graph_node_create_from_user(graph, count_call, &user));
	MUST(doca_graph_add_dependency(graph, user, copy));
	MUST(doca_graph_start(graph));
	MUST(doca_graph_instance_create(graph, &instance));
	MUST(doca_graph_instance_set_ctx_node_data(instance, copy, c.task));
	MUST(doca_graph_instance_set_user_node_data(instance, user, NULL));
	MUST(doca_pe_get_notification_handle(f->pe, &handle.fd));
	MUST(doca_pe_request_notification(f->pe));
	MUST(doca_graph_instance_submit(instance));
	CHECK(poll(&handle, 1, 60000) == 1); /* there is a node to run */
	MUST(doca_pe_clear_notification(f->pe, handle.fd));
	drain_pe(f->pe);
	CHECK(completed == 1 && calls == 1);
	finish_copy(&c);
	fixture_destroy(f);
}

TEST_MAIN(order, again, a_user_node_that_fails, a_task_that_fails, a_task_that_is_freed, configuration, a_graph_in_a_graph,
	  events, an_end_in_the_callback)
