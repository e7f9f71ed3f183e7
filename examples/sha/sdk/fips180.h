/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIPS180_H_
#define FIPS180_H_

/*
 * SHA-1 and SHA-256 as FIPS 180-4 defines them: a state of 32-bit words that takes in blocks of 64 bytes.
 */

#include <stddef.h>
#include <stdint.h>

#define FIPS180_BLOCK_SIZE 64
#define FIPS180_MAX_DIGEST_SIZE 32

struct fips180_function {
	uint32_t initial[8]; /* words of the state */
	size_t digest_size;  /* bytes */
	void (*compress)(uint32_t state[8], const uint8_t block[FIPS180_BLOCK_SIZE]);
};

extern const struct fips180_function fips180_sha1;
extern const struct fips180_function fips180_sha256;

struct fips180 {
	const struct fips180_function *function;
	uint32_t state[8];
	uint64_t len; /* bytes taken in */
	uint8_t block[FIPS180_BLOCK_SIZE];
};

void fips180_init(struct fips180 *hash, const struct fips180_function *function);
void fips180_update(struct fips180 *hash, const uint8_t *data, size_t len);
/* Writes digest_size bytes. */
void fips180_final(struct fips180 *hash, uint8_t *digest);

#endif /* FIPS180_H_ */
