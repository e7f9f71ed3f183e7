/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs use without an include of their own: it comes with the DOCA headers. This file includes nothing else,
 * and it registers its log source without a semicolon, as some programs do.
 */

#include <doca_dma.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(HEADERS::TEST)

int main(void)
{
	uint64_t number = UINT64_C(1) << 40;
	char text[64];
	char *copy;

	snprintf(text, sizeof(text), "%" PRIu64, number);
	copy = malloc(strlen(text) + 1);
	assert(copy != NULL);
	memcpy(copy, text, strlen(text) + 1);
	number = DOCA_VERSION_EXACT;
	if (strcmp(copy, "1099511627776") != 0 || number != 50331706 || DOCA_VERSION_OFFICIAL != 50389648 ||
	    DOCA_VERSION_CALC_EXACT(3, 0, 58) != DOCA_VERSION_EXACT || log_source < 0) {
		fprintf(stderr, "headers_test: %s, %" PRIu64 ", source %d\n", copy, number, log_source);
		abort();
	}
	free(copy);
	printf("headers_test: passed\n");
	return EXIT_SUCCESS;
}
