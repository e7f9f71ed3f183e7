/* SPDX-License-Identifier: Apache-2.0 */

/* Sync events whose publisher or subscriber is a DPA. */

#include "dpa_call.h"
#include "sync_event_fixture.h"

#define ALL (~UINT64_C(0))

/* The DPA and the CPU publish and subscribe. */
static struct doca_sync_event *make_dpa_event(struct doca_dev *dev, struct doca_dpa *dpa)
{
	struct doca_sync_event *event = make_event(dev);

	MUST(doca_sync_event_add_publisher_location_dpa(event, dpa));
	MUST(doca_sync_event_add_subscriber_location_dpa(event, dpa));
	MUST(doca_sync_event_start(event));
	return event;
}

static doca_dpa_dev_sync_event_t handle_of(struct doca_sync_event *event, struct doca_dpa *dpa)
{
	doca_dpa_dev_sync_event_t handle = 0;

	MUST(doca_sync_event_get_dpa_handle(event, dpa, &handle));
	return handle;
}

static void handles(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa, *other;
	struct doca_sync_event *event;
	doca_dpa_dev_sync_event_t handle, again;

	MUST(doca_dpa_create(dev, &dpa));
	MUST(doca_dpa_create(dev, &other));
	MUST(doca_dpa_set_app(dpa, &app));
	MUST(doca_sync_event_create(&event));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_dpa(NULL, dpa));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_add_subscriber_location_dpa(event, NULL));
	EXPECT(SUCCESS, doca_sync_event_add_publisher_location_dpa(event, dpa));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_start(event)); /* no subscriber */
	EXPECT(SUCCESS, doca_sync_event_add_subscriber_location_dpa(event, dpa));
	EXPECT(SUCCESS, doca_sync_event_add_subscriber_location_dpa(event, dpa)); /* once more */
	EXPECT(ERROR_BAD_STATE, doca_sync_event_get_dpa_handle(event, dpa, &handle)); /* not started */
	EXPECT(SUCCESS, doca_sync_event_start(event));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_add_publisher_location_dpa(event, dpa));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_get_dpa_handle(event, dpa, &handle)); /* the DPA is not started */
	EXPECT(SUCCESS, doca_dpa_start(dpa));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_get_dpa_handle(NULL, dpa, &handle));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_get_dpa_handle(event, NULL, &handle));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_get_dpa_handle(event, dpa, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_get_dpa_handle(event, other, &handle));
	EXPECT(SUCCESS, doca_sync_event_get_dpa_handle(event, dpa, &handle));
	EXPECT(SUCCESS, doca_sync_event_get_dpa_handle(event, dpa, &again));
	CHECK(handle != 0 && handle == again);
	EXPECT(ERROR_IN_USE, doca_dpa_stop(dpa));
	EXPECT(ERROR_IN_USE, doca_dpa_destroy(dpa)); /* it must outlive the event */
	EXPECT(SUCCESS, doca_sync_event_destroy(event));
	EXPECT(SUCCESS, doca_dpa_destroy(dpa));
	EXPECT(SUCCESS, doca_dpa_destroy(other));
	MUST(doca_dev_close(dev));
}

struct values {
	doca_dpa_dev_sync_event_t event;
	doca_dpa_dev_async_ops_t async;
	uint64_t value, mask, result;
};

static void get(void *arg)
{
	struct values *v = arg;

	device->sync_event_get(v->event, &v->result);
}

static void add(void *arg)
{
	struct values *v = arg;

	device->sync_event_update_add(v->event, v->value);
}

static void set(void *arg)
{
	struct values *v = arg;

	device->sync_event_update_set(v->event, v->value);
}

static void wait_gt(void *arg)
{
	struct values *v = arg;

	device->sync_event_wait_gt(v->event, v->value, v->mask);
}

static void post_wait_gt(void *arg)
{
	struct values *v = arg;

	device->sync_event_post_wait_gt(v->async, v->event, v->value);
}

static void post_wait_ne(void *arg)
{
	struct values *v = arg;

	device->sync_event_post_wait_ne(v->async, v->event, v->value);
}

static void values(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_sync_event *event = make_dpa_event(dev, dpa);
	struct values v = {.event = handle_of(event, dpa)};

	MUST(doca_sync_event_update_set(event, 7));
	on_dpa(dpa, get, &v);
	CHECK(v.result == 7);
	v.value = UINT64_C(1) << 40;
	on_dpa(dpa, add, &v);
	CHECK(value_of(event) == (UINT64_C(1) << 40) + 7);
	v.value = 3;
	on_dpa(dpa, set, &v);
	CHECK(value_of(event) == 3);
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

/* A kernel waits for the host, and the host for the kernel, many times. */

#define ROUNDS 500

struct rounds {
	doca_dpa_dev_sync_event_t there, back;
};

static void answer(void *arg)
{
	struct rounds *r = arg;

	for (uint64_t i = 1; i <= ROUNDS; i++) {
		device->sync_event_wait_gt(r->there, i - 1, ALL);
		device->sync_event_update_add(r->back, 2);
	}
}

static void waits(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_sync_event *there = make_dpa_event(dev, dpa), *back = make_dpa_event(dev, dpa);
	struct rounds r = {.there = handle_of(there, dpa), .back = handle_of(back, dpa)};
	struct job job = {answer, &r};
	struct values masked = {.event = r.there, .value = 0, .mask = 0xff00};

	launch_on_dpa(dpa, &job);
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		MUST(doca_sync_event_update_set(there, i));
		MUST(doca_sync_event_wait_gt(back, i * 2 - 1, ALL));
	}
	MUST(doca_sync_event_update_set(there, 0x100));
	on_dpa(dpa, wait_gt, &masked);
	MUST(doca_sync_event_destroy(there));
	MUST(doca_sync_event_destroy(back));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

/* Asynchronous waits. */

struct queue {
	struct doca_dpa_completion *comp;
	struct doca_dpa_async_ops *async;
	doca_dpa_dev_completion_t comp_handle;
	doca_dpa_dev_async_ops_t async_handle;
	int num, type;
	uint32_t user_data;
};

static void make_queue(struct queue *queue, struct doca_dpa *dpa)
{
	MUST(doca_dpa_completion_create(dpa, 16, &queue->comp));
	MUST(doca_dpa_completion_start(queue->comp));
	MUST(doca_dpa_completion_get_dpa_handle(queue->comp, &queue->comp_handle));
	MUST(doca_dpa_async_ops_create(dpa, 16, 0x123456, &queue->async));
	MUST(doca_dpa_async_ops_attach(queue->async, queue->comp));
	MUST(doca_dpa_async_ops_start(queue->async));
	MUST(doca_dpa_async_ops_get_dpa_handle(queue->async, &queue->async_handle));
}

static void destroy_queue(struct queue *queue)
{
	MUST(doca_dpa_async_ops_destroy(queue->async));
	MUST(doca_dpa_completion_destroy(queue->comp));
}

static void take_one(void *arg)
{
	struct queue *queue = arg;
	uint64_t element;

	queue->num = device->get_completion(queue->comp_handle, &element);
	if (queue->num == 0)
		return;
	queue->type = device->get_completion_type(element);
	queue->user_data = device->get_completion_user_data(element);
	device->completion_ack(queue->comp_handle, 1);
}

static bool took_one(struct queue *queue, struct doca_dpa *dpa)
{
	on_dpa(dpa, take_one, queue);
	return queue->num == 1;
}

static void posted_waits(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_sync_event *event = make_dpa_event(dev, dpa);
	struct queue queue;
	struct values v = {.event = handle_of(event, dpa), .value = 4};

	make_queue(&queue, dpa);
	v.async = queue.async_handle;
	on_dpa(dpa, post_wait_gt, &v);
	MUST(doca_sync_event_update_set(event, 4));
	CHECK(!took_one(&queue, dpa));
	MUST(doca_sync_event_update_set(event, 5));
	WAIT_UNTIL(took_one(&queue, dpa));
	CHECK(queue.type == 0 && queue.user_data == 0x123456);
	v.value = 5;
	on_dpa(dpa, post_wait_ne, &v);
	CHECK(!took_one(&queue, dpa));
	MUST(doca_sync_event_update_set(event, 0));
	WAIT_UNTIL(took_one(&queue, dpa));
	CHECK(queue.type == 0);
	v.value = 254;
	on_dpa(dpa, post_wait_ne, &v);
	WAIT_UNTIL(took_one(&queue, dpa));
	/* The event is destroyed under a wait. */
	v.value = 0;
	on_dpa(dpa, post_wait_gt, &v);
	MUST(doca_sync_event_destroy(event));
	WAIT_UNTIL(took_one(&queue, dpa));
	CHECK(queue.type == 0xD);
	destroy_queue(&queue);
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

/* Mistakes. */

static void a_value_too_large(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_sync_event *event = make_dpa_event(dev, dpa);
	struct queue queue;
	struct values v = {.event = handle_of(event, dpa), .value = 255};

	make_queue(&queue, dpa);
	v.async = queue.async_handle;
	IS_FATAL(dpa, post_wait_gt, &v);
	destroy_queue(&queue);
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

static void a_wrong_direction(void)
{
	static void (*const readers[])(void *arg) = {get, wait_gt}, (*const writers[])(void *arg) = {set, add};
	struct doca_dev *dev = open_dev(DPU_0);

	for (size_t i = 0; i < 4; i++) {
		struct doca_dpa *dpa = start_dpa(dev);
		struct doca_sync_event *event = make_event(dev);
		struct values v = {.value = 1, .mask = ALL};

		if (i < 2)
			MUST(doca_sync_event_add_publisher_location_dpa(event, dpa));
		else
			MUST(doca_sync_event_add_subscriber_location_dpa(event, dpa));
		MUST(doca_sync_event_start(event));
		v.event = handle_of(event, dpa);
		on_dpa(dpa, i < 2 ? set : get, &v);
		IS_FATAL(dpa, i < 2 ? readers[i] : writers[i - 2], &v);
		MUST(doca_sync_event_destroy(event));
		MUST(doca_dpa_destroy(dpa));
	}
	MUST(doca_dev_close(dev));
}

static void wrong_handles(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	doca_dpa_dev_sync_event_t last = 0;

	for (int i = 0; i < 4; i++) {
		struct doca_dpa *dpa = start_dpa(dev), *other = start_dpa(dev);
		struct doca_sync_event *event = make_dpa_event(dev, dpa), *foreign = make_dpa_event(dev, other);
		struct values v = {.event = handle_of(event, dpa), .mask = ALL};

		if (i == 0)
			v.event = 0;
		if (i == 1)
			v.event = handle_of(foreign, other);
		if (i == 2)
			MUST(doca_sync_event_stop(event));
		if (i == 3)
			v.event = last; /* of an earlier context */
		else
			last = handle_of(foreign, other);
		IS_FATAL(dpa, get, &v);
		EXPECT(SUCCESS, doca_dpa_peek_at_last_error(other));
		MUST(doca_sync_event_destroy(event));
		MUST(doca_sync_event_destroy(foreign));
		MUST(doca_dpa_destroy(other));
		MUST(doca_dpa_destroy(dpa));
	}
	MUST(doca_dev_close(dev));
}

/* The event is destroyed while a kernel waits for it. */
static void destroyed_under_a_kernel(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_sync_event *event = make_dpa_event(dev, dpa);
	struct values v = {.event = handle_of(event, dpa), .mask = ALL};
	struct job job = {wait_gt, &v};

	launch_on_dpa(dpa, &job);
	usleep(2000); /* it may be in the wait by now */
	MUST(doca_sync_event_destroy(event));
	WAIT_UNTIL(doca_dpa_peek_at_last_error(dpa) == DOCA_ERROR_BAD_STATE);
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

TEST_MAIN(handles, values, waits, posted_waits, a_value_too_large, a_wrong_direction, wrong_handles,
	  destroyed_under_a_kernel)
