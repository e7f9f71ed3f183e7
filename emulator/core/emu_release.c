/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_version.h>

#include "emu_release.h"

static const struct release {
	const char *name;
	const char *version;
} releases[] = {{"3.0", DOCA_VERSION_STRING}, {"3.1", "3.1.0000"}, {"3.2", "3.2.0000"}}; /* the oldest first */

#define NUM_RELEASES (sizeof(releases) / sizeof(releases[0]))

static const struct release *chosen = &releases[0];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct release *find(const char *name)
{
	for (size_t i = 0; i < NUM_RELEASES; i++)
		if (strcmp(releases[i].name, name) == 0)
			return &releases[i];
	return NULL;
}

/* The functions of a process are those of one release for its whole life. */
static void choose(void)
{
	const char *name = getenv("DOCA_EMU_RELEASE");
	const struct release *found;

	if (name == NULL || name[0] == '\0')
		return;
	found = find(name);
	if (found != NULL)
		chosen = found;
	else
		fprintf(stderr, "DOCA emulator: DOCA_EMU_RELEASE is %s: want 3.0, 3.1 or 3.2; this is %s\n", name,
			releases[0].name);
}

const char *emu_release_version(void)
{
	pthread_once(&once, choose);
	return chosen->version;
}

bool emu_release_has(const char *release)
{
	const struct release *wanted = find(release);

	pthread_once(&once, choose);
	return wanted != NULL && wanted <= chosen;
}
