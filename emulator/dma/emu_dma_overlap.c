/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/emu_buf.h"
#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "core/emu_remote.h"

#include "emu_dma_overlap.h"

struct range {
	uintptr_t addr;
	size_t len;
	const struct emu_remote *remote; /* whose address it is */
	bool is_written;
};

/* A copy in flight. */
struct flight {
	struct flight *next;
	const struct doca_task *task;
	size_t num;
	struct range ranges[];
};

static struct flight *flights;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool emu_dma_overlap_wanted(void)
{
	const char *text = getenv("DOCA_EMU_CHECK_OVERLAPS");

	if (text == NULL || strcmp(text, "1") != 0)
		return false;
	emu_fault_look();
	return true;
}

static size_t count(const struct doca_buf *buf)
{
	size_t num = 0;

	for (; buf != NULL; buf = buf->next)
		num++;
	return num;
}

static void add(struct flight *flight, const struct doca_buf *buf, uintptr_t addr, size_t len, bool is_written)
{
	if (len != 0 && buf->mmap != NULL)
		flight->ranges[flight->num++] = (struct range){addr, len, buf->mmap->remote, is_written};
}

/* The data segments of the source; of the destination the bytes behind its data, as many as are copied. */
static struct flight *describe(const struct doca_task *task, const struct doca_buf *src, const struct doca_buf *dst)
{
	struct flight *flight = malloc(sizeof(*flight) + (count(src) + count(dst)) * sizeof(flight->ranges[0]));
	size_t left = 0;

	if (flight == NULL)
		return NULL;
	flight->task = task;
	flight->num = 0;
	for (; src != NULL; src = src->next) {
		add(flight, src, (uintptr_t)src->data, src->data_len, false);
		left += src->data_len;
	}
	for (; dst != NULL && left > 0; dst = dst->next) {
		uintptr_t tail = (uintptr_t)dst->data + dst->data_len, end = (uintptr_t)dst->head + dst->len;
		size_t room = tail < end ? end - tail : 0, len = room < left ? room : left;

		add(flight, dst, tail, len, true);
		left -= len;
	}
	return flight;
}

static bool conflict(const struct range *a, const struct range *b)
{
	return (a->is_written || b->is_written) && a->addr < b->addr + b->len && b->addr < a->addr + a->len &&
	       emu_remote_is_same_process(a->remote, b->remote);
}

static const char *use(const struct range *range)
{
	return range->is_written ? "written" : "read";
}

/* Logs the first conflict of two copies. */
static bool overlaps(const struct flight *a, const struct flight *b)
{
	for (size_t i = 0; i < a->num; i++) {
		for (size_t k = 0; k < b->num; k++) {
			const struct range *x = &a->ranges[i], *y = &b->ranges[k];

			if (!conflict(x, y))
				continue;
			EMU_LOG_ERR("DOCA_EMU_CHECK_OVERLAPS: a copy fails because another one is in flight on the "
				    "same bytes: %zu bytes at 0x%zx are %s, and %zu bytes at 0x%zx are %s",
				    x->len, (size_t)x->addr, use(x), y->len, (size_t)y->addr, use(y));
			return true;
		}
	}
	return false;
}

bool emu_dma_overlap_begin(const struct doca_task *task, const struct doca_buf *src, const struct doca_buf *dst)
{
	struct flight *flight = describe(task, src, dst);
	bool is_good = true;

	if (flight == NULL)
		return true; /* nothing can be said without memory */
	pthread_mutex_lock(&lock);
	for (const struct flight *other = flights; other != NULL && is_good; other = other->next)
		is_good = !overlaps(flight, other);
	if (is_good) {
		flight->next = flights;
		flights = flight;
	}
	pthread_mutex_unlock(&lock);
	if (!is_good)
		free(flight);
	return is_good;
}

void emu_dma_overlap_end(const struct doca_task *task)
{
	struct flight *found = NULL;

	pthread_mutex_lock(&lock);
	for (struct flight **at = &flights; *at != NULL; at = &(*at)->next) {
		if ((*at)->task == task) {
			found = *at;
			*at = found->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	free(found);
}
