/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "emu_fault_calls.h"

#define MAX_LIBRARIES 64

static struct {
	const char *start, *end;
} libraries[MAX_LIBRARIES];

static size_t num_libraries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void emu_fault_add_calls(const char *start, const char *end)
{
	size_t i = 0;

	if (start == end)
		return;
	pthread_mutex_lock(&lock);
	while (i < num_libraries && libraries[i].start != start)
		i++;
	if (i == num_libraries && i < MAX_LIBRARIES) {
		libraries[i].start = start;
		libraries[i].end = end;
		num_libraries++;
	}
	pthread_mutex_unlock(&lock);
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] != '\0' && a[n] == b[n])
		n++;
	return n;
}

const char *emu_fault_like(const char *symbol)
{
	const char *best = "doca_ctx_start";
	size_t length = sizeof("doca_") - 1;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < num_libraries; i++) {
		for (const char *at = libraries[i].start; at < libraries[i].end; at += strlen(at) + 1) {
			size_t n = common_prefix(at, symbol);

			if (n > length || (n == length && symbol[n] == '\0' && at[n] == '\0')) {
				length = n;
				best = at;
			}
		}
	}
	pthread_mutex_unlock(&lock);
	return best;
}

bool emu_fault_can_fail(const char *symbol)
{
	return strcmp(emu_fault_like(symbol), symbol) == 0;
}
