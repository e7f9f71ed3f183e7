/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DPACRASH_H_
#define DPACRASH_H_

enum {
	DPACRASH_NOTHING,
	DPACRASH_NULL,
	DPACRASH_TRAP,
	DPACRASH_OVERFLOW,
	DPACRASH_HANG,
	DPACRASH_HANDLE,
};

struct dpacrash_result {
	int call;
	int peek;
	int destroy;
};

__attribute__((visibility("hidden"))) struct dpacrash_result dpacrash_run(int fault);
__attribute__((visibility("hidden"))) void dpacrash_on_host(void);

#endif /* DPACRASH_H_ */
