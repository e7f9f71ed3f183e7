/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_SYNC_EVENT_FIXTURE_H_
#define EMULATOR_TEST_SYNC_EVENT_FIXTURE_H_

/* Events for tests. */

#include <doca_sync_event.h>

#include "fixture.h"

/* The CPU publishes and subscribes. */
static inline struct doca_sync_event *make_event(struct doca_dev *dev)
{
	struct doca_sync_event *event;

	MUST(doca_sync_event_create(&event));
	MUST(doca_sync_event_add_publisher_location_cpu(event, dev));
	MUST(doca_sync_event_add_subscriber_location_cpu(event, dev));
	return event;
}

/* One that can also be exported, in both ways. */
static inline struct doca_sync_event *make_shared_event(struct doca_dev *dev)
{
	struct doca_sync_event *event = make_event(dev);

	MUST(doca_sync_event_add_publisher_location_remote_pci(event));
	MUST(doca_sync_event_add_subscriber_location_remote_pci(event));
	MUST(doca_sync_event_add_publisher_location_remote_net(event));
	return event;
}

static inline uint64_t value_of(struct doca_sync_event *event)
{
	uint64_t value = ~UINT64_C(0);

	MUST(doca_sync_event_get(event, &value));
	return value;
}

#endif /* EMULATOR_TEST_SYNC_EVENT_FIXTURE_H_ */
