/* SPDX-License-Identifier: Apache-2.0 */

/* A child of a fork uses DOCA whatever the threads of the parent were doing in it. */

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/emu_fault.h"
#include "fixture.h"

#define FORKS 200

static int num_working; /* accessed with atomics; 0: the threads end */
static struct doca_devinfo **devices;

/* Nothing here allocates memory: the sanitizers do not guard their allocators against forks. */
static void open_and_close(void)
{
	struct doca_dev *dev;

	MUST(doca_dev_open(devices[0], &dev));
	MUST(doca_dev_close(dev));
}

static void *log_lines(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&num_working, __ATOMIC_ACQUIRE) > 0)
		(void)doca_log(DOCA_LOG_LEVEL_INFO, 0, __FILE__, __LINE__, __func__, "a line");
	return NULL;
}

static void *use_devices(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&num_working, __ATOMIC_ACQUIRE) > 0)
		open_and_close();
	return NULL;
}

static void forks(void)
{
	void *(*const work[])(void *) = {log_lines, use_devices};
	pthread_t threads[2];
	struct doca_log_backend *backend;
	uint32_t num_devices;
	char err[256];
	int status;

	MUST(doca_devinfo_create_list(&devices, &num_devices));
	MUST(doca_log_backend_create_with_fd(open("/dev/null", O_WRONLY), &backend));
	MUST(emu_fault_set("fail-call=doca_pe_create:1000000", err, sizeof(err))); /* calls are counted */
	num_working = 1;
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], NULL, work[i], NULL) == 0);
	for (int i = 0; i < FORKS; i++) {
		pid_t child = fork();

		if (child == 0) {
			alarm(30);
			open_and_close();
			(void)doca_log(DOCA_LOG_LEVEL_INFO, 0, __FILE__, __LINE__, __func__, "the child's");
			_exit(0);
		}
		CHECK(child > 0 && waitpid(child, &status, 0) == child);
		CHECK(status == 0);
		if (status != 0)
			break;
	}
	__atomic_store_n(&num_working, 0, __ATOMIC_RELEASE);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	MUST(emu_fault_set("", err, sizeof(err)));
	MUST(doca_devinfo_destroy_list(devices));
}

TEST_MAIN(forks)
