/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <pthread.h>
#include <string.h>

#include "emu_dpa.h"
#include "emu_dpa_dev.h"
#include "emu_dpa_dev_base.h"
#include "emu_dpa_dev_buf.h"
#include "emu_dpa_run.h"

typedef void(any_fn)(void);

static struct emu_dpa_dev_ops table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* What is called instead of a function that no library has set. Their arguments do not matter. */

static void end_kernel(const char *what)
{
	struct emu_dpa_run *run = emu_dpa_enter(what);

	emu_dpa_fatal(run, "the emulator has no such object on this DPA");
}

static void no_sync_event(void)
{
	end_kernel("doca_dpa_dev_sync_event");
}

static void no_msgq(void)
{
	end_kernel("doca_dpa_dev_comch");
}

static void no_rdma(void)
{
	end_kernel("doca_dpa_dev_rdma");
}

static void no_devemu(void)
{
	end_kernel("doca_dpa_dev_devemu_pci");
}

/* The functions of one header follow one another in the table. */

#define START(first) offsetof(struct emu_dpa_dev_ops, first)
#define SYNC_EVENT START(sync_event_get)
#define MSGQ START(comch_consumer_ack)
#define RDMA START(rdma_post_read)
#define DEVEMU START(devemu_pci_get_db_completion)

static void fill(size_t from, size_t to, any_fn *fn)
{
	for (; from < to; from += sizeof(fn))
		memcpy((char *)&table + from, &fn, sizeof(fn));
}

static void make_table(void)
{
	table.abi = EMU_DPA_DEV_OPS_ABI;
	table.size = sizeof(table);
	emu_dpa_dev_base_set(&table);
	emu_dpa_dev_buf_set(&table);
	fill(SYNC_EVENT, MSGQ, no_sync_event);
	fill(MSGQ, RDMA, no_msgq);
	fill(RDMA, DEVEMU, no_rdma);
	fill(DEVEMU, sizeof(table), no_devemu);
}

const struct emu_dpa_dev_ops *emu_dpa_dev_table(void)
{
	pthread_once(&once, make_table);
	return &table;
}

/* Device code calls none of the functions before it has a handle, which comes after this. */
static void set(const struct emu_dpa_dev_ops *ops, size_t from, size_t to, bool *is_set)
{
	emu_dpa_dev_table();
	pthread_mutex_lock(&lock);
	if (!*is_set)
		memcpy((char *)&table + from, (const char *)ops + from, to - from);
	*is_set = true;
	pthread_mutex_unlock(&lock);
}

void emu_dpa_dev_ops_set_sync_event(const struct emu_dpa_dev_ops *ops)
{
	static bool is_set;

	set(ops, SYNC_EVENT, MSGQ, &is_set);
}

void emu_dpa_dev_ops_set_msgq(const struct emu_dpa_dev_ops *ops)
{
	static bool is_set;

	set(ops, MSGQ, RDMA, &is_set);
}

void emu_dpa_dev_ops_set_rdma(const struct emu_dpa_dev_ops *ops)
{
	static bool is_set;

	set(ops, RDMA, DEVEMU, &is_set);
}
