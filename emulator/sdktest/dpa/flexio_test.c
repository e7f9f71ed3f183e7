/* SPDX-License-Identifier: Apache-2.0 */

/* Reads the resources of applications as programs with a DPA do. */

#include <string.h>

#include <libflexio/flexio_ver.h>
#define FLEXIO_VER_USED FLEXIO_VER(24, 10, 0)
#include <libflexio/flexio.h>

#include "../check.h"

#define CREATE(key, text, res) flexio_resources_create(key, text, strlen(text), res)

static const char file[] = "---\n"
			   "# resources\n"
			   "first:\n"
			   "  eugs: [ 2 ] # one group\n"
			   "  eus: [0-3, 8,10 - 11]\n"
			   "\n"
			   "other:\n"
			   "  eus: []\n"
			   "  unknown: to this library? no: below another key\n"
			   "\"third\":\n"
			   "empty:\n";

static void test_resources(void)
{
	static const uint32_t eus[] = {0, 1, 2, 3, 8, 10, 11};
	struct flexio_resources *res = NULL;

	CHECK(CREATE("first", file, &res) == FLEXIO_STATUS_SUCCESS);
	CHECK(flexio_resources_get_eugs_num(res) == 1);
	CHECK(flexio_resources_get_eus_num(res) == 7);
	CHECK(memcmp(flexio_resources_get_eus(res), eus, sizeof(eus)) == 0);
	CHECK(flexio_resources_destroy(res) == FLEXIO_STATUS_SUCCESS);

	/* The length counts, with or without the NUL. */
	CHECK(flexio_resources_create("first", file, sizeof(file), &res) == FLEXIO_STATUS_SUCCESS);
	CHECK(flexio_resources_destroy(res) == FLEXIO_STATUS_SUCCESS);
	CHECK(CREATE("empty", file, &res) == FLEXIO_STATUS_SUCCESS);
	CHECK(flexio_resources_get_eus_num(res) == 0 && flexio_resources_get_eugs_num(res) == 0);
	CHECK(flexio_resources_get_eus(res) == NULL);
	CHECK(flexio_resources_destroy(res) == FLEXIO_STATUS_SUCCESS);
}

static void test_errors(void)
{
	static const char *const bad[] = {
		"",
		"firs:\n",
		"first\n",
		"first: [1]\n",
		"first:\nfirst:\n",
		"first:\n  eus: 1\n",
		"first:\n  eus: [1\n",
		"first:\n  eus: [1,]\n",
		"first:\n  eus: [3-1]\n",
		"first:\n  eus: [1] 2\n",
		"first:\n  eus: [4294967296]\n",
		"first:\n  eus: [0-4294967295]\n",
		"first:\n  eus: [1]\n  eus: [2]\n",
		"first:\n  cores: [1]\n",
	};
	struct flexio_resources *unchanged = (struct flexio_resources *)1, *res = unchanged;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(CREATE("first", bad[i], &res) == FLEXIO_STATUS_FAILED);
	CHECK(CREATE("nothing", file, &res) == FLEXIO_STATUS_FAILED);
	CHECK(flexio_resources_create("first", file, 10, &res) == FLEXIO_STATUS_FAILED);
	CHECK(flexio_resources_create(NULL, file, sizeof(file), &res) == FLEXIO_STATUS_FAILED);
	CHECK(flexio_resources_create("first", NULL, 1, &res) == FLEXIO_STATUS_FAILED);
	CHECK(CREATE("first", file, NULL) == FLEXIO_STATUS_FAILED);
	CHECK(res == unchanged);
	CHECK(flexio_resources_destroy(NULL) == FLEXIO_STATUS_FAILED);
	CHECK(flexio_resources_get_eus_num(NULL) == -1 && flexio_resources_get_eugs_num(NULL) == -1);
	CHECK(flexio_resources_get_eus(NULL) == NULL);
}

int main(void)
{
	test_resources();
	test_errors();
	return check_done("flexio_test");
}
