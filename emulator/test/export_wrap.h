/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_EXPORT_WRAP_H_
#define EMULATOR_TEST_EXPORT_WRAP_H_

/* For programs that are linked so that process_vm_readv and process_vm_writev come to this file. */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

typedef ssize_t (*vm_call)(pid_t pid, const struct iovec *local, unsigned long num_local, const struct iovec *remote,
			   unsigned long num_remote, unsigned long flags);

#define VM_PARAMS                                                                                          \
	pid_t pid, const struct iovec *local, unsigned long num_local, const struct iovec *remote,         \
		unsigned long num_remote, unsigned long flags

ssize_t __real_process_vm_readv(VM_PARAMS);
ssize_t __real_process_vm_writev(VM_PARAMS);
ssize_t __wrap_process_vm_readv(VM_PARAMS);
ssize_t __wrap_process_vm_writev(VM_PARAMS);

static int vm_error;		 /* they fail with this; accessed with atomics */
static void (*vm_begins)(void);	 /* called in the middle of them, before anything is copied */
static void (*vm_ends)(void);	 /* called after everything was copied */
static unsigned long vm_calls; /* number of calls that copied */

static ssize_t vm_wrapped(vm_call real, VM_PARAMS)
{
	int error = __atomic_load_n(&vm_error, __ATOMIC_RELAXED);
	ssize_t n;

	if (vm_begins != NULL)
		vm_begins();
	if (error != 0) {
		errno = error;
		return -1;
	}
	__atomic_fetch_add(&vm_calls, 1, __ATOMIC_RELAXED);
	n = real(pid, local, num_local, remote, num_remote, flags);
	if (vm_ends != NULL)
		vm_ends();
	return n;
}

ssize_t __wrap_process_vm_readv(VM_PARAMS)
{
	return vm_wrapped(__real_process_vm_readv, pid, local, num_local, remote, num_remote, flags);
}

ssize_t __wrap_process_vm_writev(VM_PARAMS)
{
	return vm_wrapped(__real_process_vm_writev, pid, local, num_local, remote, num_remote, flags);
}

#endif /* EMULATOR_TEST_EXPORT_WRAP_H_ */
