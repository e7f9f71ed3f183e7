/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/emu_log.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_kernel.h"
#include "syncevent/emu_event_dpa.h"
#include "syncevent/emu_event_wait.h"

#include "emu_dpa_launch.h"

/* The largest value that hardware can wait for. */
#define MAX_WAIT_THRESHOLD 254

struct emu_dpa_launch {
	struct emu_event_wait wait;
	uint64_t comp_event; /* a handle, or 0 */
	enum emu_event_op comp_op;
	uint64_t comp_count;
	struct emu_dpa_launch *next; /* those that wait, under the lock of the context */
	struct emu_dpa_launch **link; /* what points to it; NULL: it does not wait */
	struct emu_dpa_kernel kernel; /* with the arguments behind it: comes last */
};

static struct emu_dpa_launch *launch_of(struct emu_dpa_kernel *kernel)
{
	return (struct emu_dpa_launch *)(void *)((char *)kernel - offsetof(struct emu_dpa_launch, kernel));
}

static void has_ended(struct emu_dpa_kernel *kernel, bool is_done)
{
	struct emu_dpa_launch *launch = launch_of(kernel);

	if (is_done && launch->comp_event != 0)
		emu_event_dpa_update(launch->comp_event, launch->comp_op, launch->comp_count);
	free(launch);
}

/* Waiting launches. */

static void add(struct doca_dpa *base, struct emu_dpa_launch *launch)
{
	pthread_mutex_lock(&base->lock);
	launch->next = base->launches;
	if (launch->next != NULL)
		launch->next->link = &launch->next;
	launch->link = &base->launches;
	base->launches = launch;
	pthread_mutex_unlock(&base->lock);
}

/* Under the lock. False: someone else has taken it. */
static bool take(struct emu_dpa_launch *launch)
{
	if (launch->link == NULL)
		return false;
	*launch->link = launch->next;
	if (launch->next != NULL)
		launch->next->link = launch->link;
	launch->link = NULL;
	return true;
}

/* Whoever takes a launch out of the list frees it or lets it run. */
static void wait_has_ended(struct emu_event_wait *wait, doca_error_t status)
{
	struct emu_dpa_launch *launch = (struct emu_dpa_launch *)wait;
	struct doca_dpa *base = launch->kernel.dpa->base;
	bool is_ours;

	pthread_mutex_lock(&base->lock);
	is_ours = take(launch);
	pthread_mutex_unlock(&base->lock);
	if (!is_ours)
		return;
	if (status != DOCA_SUCCESS) {
		EMU_LOG_WARN("DPA: the kernel %s does not run: the event that it waits for has ended",
			     launch->kernel.func->name);
		free(launch);
	} else if (!emu_dpa_kernel_queue(base->kernels, &launch->kernel)) {
		emu_dpa_fail(base, "the system has no threads for the kernel %s", launch->kernel.func->name);
		free(launch);
	}
}

void emu_dpa_launch_drop_all(struct doca_dpa *dpa)
{
	struct emu_dpa_launch *launch;

	for (;;) {
		pthread_mutex_lock(&dpa->lock);
		launch = dpa->launches;
		if (launch != NULL)
			take(launch);
		pthread_mutex_unlock(&dpa->lock);
		if (launch == NULL)
			break;
		emu_event_wait_cancel(&launch->wait);
		free(launch);
	}
}

/* Launches. */

static doca_error_t check_events(const struct doca_dpa *dpa, const struct emu_dpa_launch_args *how)
{
	if (how->wait_event != NULL && !emu_event_subscribes(how->wait_event, dpa)) {
		EMU_LOG_ERR("DPA: the DPA is no subscriber of the wait event");
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (how->wait_event != NULL && how->wait_threshold > MAX_WAIT_THRESHOLD) {
		EMU_LOG_ERR("DPA: the wait threshold is larger than %d", MAX_WAIT_THRESHOLD);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (how->comp_event != NULL && !emu_event_publishes(how->comp_event, dpa)) {
		EMU_LOG_ERR("DPA: the DPA is no publisher of the completion event");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

/* A function of the application, of that sort. */
static const struct emu_dpa_func *find_func(const struct doca_dpa *dpa, doca_dpa_func_t *func, bool is_rpc)
{
	const struct emu_dpa_func *found = emu_dpa_find_func(dpa, func);

	if (found == NULL) {
		EMU_LOG_ERR("DPA: the function is not one of the application %s", dpa->base->app->name);
		return NULL;
	}
	if (found->is_rpc != is_rpc) {
		EMU_LOG_ERR("DPA: %s is %s", found->name,
			    is_rpc ? "a kernel (__dpa_global__): call doca_dpa_kernel_launch_update_set" :
				     "for doca_dpa_rpc (__dpa_rpc__)");
		return NULL;
	}
	return found;
}

static void collect(struct emu_dpa_kernel *kernel, va_list *args)
{
	if (kernel->func->collect != NULL)
		kernel->func->collect(kernel->args, args);
}

static doca_error_t begin(struct doca_dpa *base, struct emu_dpa_launch *launch, const struct emu_dpa_launch_args *how)
{
	doca_error_t result = DOCA_SUCCESS;

	if (how->comp_event != NULL)
		result = emu_event_dpa_handle(how->comp_event, base, &launch->comp_event);
	if (result != DOCA_SUCCESS)
		return result;
	if (how->wait_event != NULL) {
		launch->wait = (struct emu_event_wait){
			.event = how->wait_event,
			.condition = EMU_EVENT_NOT_LESS,
			.value = how->wait_threshold,
			.mask = UINT64_MAX,
			.ended = wait_has_ended,
		};
		add(base, launch);
		result = emu_event_wait_begin(&launch->wait);
		if (result == DOCA_ERROR_IN_PROGRESS)
			return DOCA_SUCCESS;
		pthread_mutex_lock(&base->lock);
		take(launch);
		pthread_mutex_unlock(&base->lock);
		if (result != DOCA_SUCCESS)
			return result == DOCA_ERROR_BAD_STATE ? result : DOCA_ERROR_DRIVER;
	}
	return emu_dpa_kernel_queue(base->kernels, &launch->kernel) ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

doca_error_t emu_dpa_launch(struct doca_dpa *dpa, const struct emu_dpa_launch_args *how, va_list *args)
{
	const struct emu_dpa_func *func;
	struct emu_dpa_launch *launch;
	doca_error_t result = check_events(dpa, how);

	if (result != DOCA_SUCCESS)
		return result;
	func = find_func(dpa, how->func, false);
	if (func == NULL || how->num_threads == 0 || how->num_threads > EMU_DPA_MAX_THREADS_PER_KERNEL)
		return DOCA_ERROR_INVALID_VALUE;
	launch = calloc(1, sizeof(*launch) + func->args_size);
	if (launch == NULL)
		return DOCA_ERROR_DRIVER;
	launch->comp_op = how->comp_op;
	launch->comp_count = how->comp_count;
	launch->kernel.dpa = dpa;
	launch->kernel.func = func;
	launch->kernel.num_threads = how->num_threads;
	launch->kernel.ended = has_ended;
	collect(&launch->kernel, args);
	result = begin(dpa->base, launch, how);
	if (result != DOCA_SUCCESS)
		free(launch);
	return result;
}

/* RPCs. */

struct rpc {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool has_ended;
	bool is_done;
	struct emu_dpa_kernel kernel; /* with the arguments behind it: comes last */
};

static void rpc_has_ended(struct emu_dpa_kernel *kernel, bool is_done)
{
	struct rpc *rpc = (struct rpc *)(void *)((char *)kernel - offsetof(struct rpc, kernel));

	pthread_mutex_lock(&rpc->lock);
	rpc->has_ended = true;
	rpc->is_done = is_done;
	pthread_cond_signal(&rpc->ended);
	pthread_mutex_unlock(&rpc->lock); /* frees it */
}

static void wait_for(struct rpc *rpc)
{
	pthread_mutex_lock(&rpc->lock);
	while (!rpc->has_ended)
		pthread_cond_wait(&rpc->ended, &rpc->lock);
	pthread_mutex_unlock(&rpc->lock);
}

doca_error_t emu_dpa_launch_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *result, va_list *args)
{
	const struct emu_dpa_func *found = find_func(dpa, func, true);
	struct rpc *rpc;
	bool is_done = false;

	if (found == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	rpc = calloc(1, sizeof(*rpc) + found->args_size);
	if (rpc == NULL)
		return DOCA_ERROR_DRIVER;
	pthread_mutex_init(&rpc->lock, NULL);
	pthread_cond_init(&rpc->ended, NULL);
	rpc->kernel.dpa = dpa;
	rpc->kernel.func = found;
	rpc->kernel.num_threads = 1;
	rpc->kernel.ended = rpc_has_ended;
	collect(&rpc->kernel, args);
	if (emu_dpa_kernel_queue(dpa->base->kernels, &rpc->kernel)) {
		wait_for(rpc);
		is_done = rpc->is_done;
	}
	if (is_done)
		*result = rpc->kernel.result;
	pthread_cond_destroy(&rpc->ended);
	pthread_mutex_destroy(&rpc->lock);
	free(rpc);
	return is_done ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}
