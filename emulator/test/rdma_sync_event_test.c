/* SPDX-License-Identifier: Apache-2.0 */

/* Sync events of a peer across RDMA. */

#include <doca_sync_event.h>

#include "rdma_peer.h"

END_CALLBACKS(remote_net_sync_event_get)
END_CALLBACKS(remote_net_sync_event_notify_set)
END_CALLBACKS(remote_net_sync_event_notify_add)

struct scene {
	struct end *a, *b;
	struct doca_sync_event *event;		  /* of b */
	struct doca_sync_event_remote_net *remote; /* for a */
};

static struct end *start_with_events(void)
{
	struct end *end = end_create();

	MUST(doca_rdma_task_remote_net_sync_event_get_set_conf(end->rdma, end_remote_net_sync_event_get_done,
							       end_remote_net_sync_event_get_failed, 4));
	MUST(doca_rdma_task_remote_net_sync_event_notify_set_set_conf(end->rdma,
								       end_remote_net_sync_event_notify_set_done,
								       end_remote_net_sync_event_notify_set_failed, 4));
	MUST(doca_rdma_task_remote_net_sync_event_notify_add_set_conf(end->rdma,
								       end_remote_net_sync_event_notify_add_done,
								       end_remote_net_sync_event_notify_add_failed, 4));
	MUST(doca_ctx_start(end->ctx));
	return end;
}

static struct scene open_scene(void)
{
	struct scene s = {.a = start_with_events(), .b = start_with_events()};
	const uint8_t *blob;
	size_t len;

	connect_ends(s.a, s.b);
	MUST(doca_sync_event_create(&s.event));
	MUST(doca_sync_event_add_publisher_location_remote_net(s.event));
	MUST(doca_sync_event_add_subscriber_location_cpu(s.event, s.b->dev));
	MUST(doca_sync_event_start(s.event));
	MUST(doca_sync_event_export_to_remote_net(s.event, &blob, &len));
	MUST(doca_sync_event_remote_net_create_from_export(s.a->dev, blob, len, &s.remote));
	return s;
}

static void close_scene(struct scene *s)
{
	MUST(doca_sync_event_remote_net_destroy(s->remote));
	MUST(doca_sync_event_destroy(s->event));
	end_destroy(s->a);
	end_destroy(s->b);
}

static uint64_t word(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static void set_event(struct scene *s, struct doca_buf *src)
{
	struct doca_rdma_task_remote_net_sync_event_notify_set *task;

	MUST(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(s->a->rdma, s->a->conn, s->remote, src, no_data,
									   &task));
	CHECK(doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(task) == s->remote);
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_remote_net_sync_event_notify_set_as_task(task)));
}

static void add_to_event(struct scene *s, struct doca_buf *result, uint64_t add)
{
	struct doca_rdma_task_remote_net_sync_event_notify_add *task;

	MUST(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(s->a->rdma, s->a->conn, s->remote, result, add,
									   no_data, &task));
	CHECK(doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(task) == add);
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_remote_net_sync_event_notify_add_as_task(task)));
}

static void get_event(struct scene *s, struct doca_buf *dst)
{
	struct doca_rdma_task_remote_net_sync_event_get *task;

	MUST(doca_rdma_task_remote_net_sync_event_get_allocate_init(s->a->rdma, s->a->conn, s->remote, dst, no_data, &task));
	EXPECT(SUCCESS, doca_task_submit(doca_rdma_task_remote_net_sync_event_get_as_task(task)));
}

static void operations(void)
{
	struct scene s = open_scene();
	struct doca_buf *src = local_src(s.a, 0, 8), *dst = local_dst(s.a, 64, 64);
	uint64_t value = 0, seven = 7;

	memcpy(s.a->memory, &seven, 8);
	set_event(&s, src);
	DRIVE(s.a, s.a, s.a->completions == 1); /* the peer's program does nothing */
	EXPECT(SUCCESS, doca_sync_event_get(s.event, &value));
	CHECK(value == 7);
	add_to_event(&s, dst, 10);
	DRIVE(s.a, s.a, s.a->completions == 2);
	EXPECT(SUCCESS, doca_sync_event_get(s.event, &value));
	CHECK(value == 17 && word(s.a->memory + 64) == 7 && data_len(dst) == 8);
	add_to_event(&s, NULL, 1);
	get_event(&s, dst); /* behind it */
	DRIVE(s.a, s.a, s.a->completions == 4);
	CHECK(word(s.a->memory + 72) == 18 && data_len(dst) == 16);
	put_buf(src);
	put_buf(dst);
	close_scene(&s);
}

static void errors(void)
{
	for (int i = 0; i < 5; i++) {
		struct scene s = open_scene();
		struct doca_buf *src = local_src(s.a, 0, i == 0 ? 7 : 8), *dst = local_dst(s.a, 64, i == 1 ? 7 : 8);
		uint64_t value = 0;

		if (i == 4)
			MUST(doca_sync_event_stop(s.event));
		if (i == 0 || i == 4)
			set_event(&s, src);
		else
			get_event(&s, i == 2 ? NULL : dst);
		if (i == 3) {
			DRIVE(s.a, s.a, s.a->completions == 1);
		} else {
			DRIVE(s.a, s.a, s.a->errors == 1 && is_idle(s.a));
			CHECK(s.a->last_error == DOCA_ERROR_IO_FAILED);
		}
		if (i != 4)
			EXPECT(SUCCESS, doca_sync_event_get(s.event, &value));
		CHECK(value == 0);
		put_buf(src);
		put_buf(dst);
		close_scene(&s);
	}
}

/* The program forks while the library's thread is at the event. */

struct adder {
	struct scene scene;
	uint64_t num;
	bool ends; /* accessed with atomics */
};

static void *add_until_told(void *arg)
{
	struct adder *adder = arg;
	struct scene *s = &adder->scene;

	while (!__atomic_load_n(&adder->ends, __ATOMIC_SEQ_CST)) {
		for (int i = 0; i < 4; i++)
			add_to_event(s, NULL, 1);
		adder->num += 4;
		DRIVE(s->a, s->a, s->a->completions == (int)adder->num);
	}
	return NULL;
}

static void do_nothing(void)
{
}

static void forks(void)
{
	struct adder adder = {.scene = open_scene()};
	uint64_t value = 0;
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, add_until_told, &adder) == 0);
	alarm(LONG_MS / 1000); /* a fork that never ends is the end of this program */
	for (int i = 0; i < 300; i++)
		expect_end(start_child(do_nothing), 0);
	alarm(0);
	__atomic_store_n(&adder.ends, true, __ATOMIC_SEQ_CST);
	CHECK(pthread_join(thread, NULL) == 0);
	EXPECT(SUCCESS, doca_sync_event_get(adder.scene.event, &value));
	CHECK(value == adder.num);
	close_scene(&adder.scene);
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(operations, errors, forks, nothing_is_left)
