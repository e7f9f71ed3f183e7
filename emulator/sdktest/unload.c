/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose plugin uses DOCA and is closed. The library has installed handlers of signals if the plugin has used a
 * DPA, and may have more that the system calls, so it must stay.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	void *library = dlopen("libdoca_dpa.so.2", RTLD_NOW);
	void *function = library == NULL ? NULL : dlsym(library, "doca_version_runtime");
	Dl_info info;

	if (function == NULL || dlclose(library) != 0) {
		fprintf(stderr, "unload: %s\n", dlerror());
		return 1;
	}
	if (dladdr(function, &info) == 0) {
		fprintf(stderr, "unload: libdoca_common is gone\n");
		return 1;
	}
	puts("unload: libdoca_common is still there");
	return 0;
}
