/* SPDX-License-Identifier: Apache-2.0 */
#include "fips180.h"

#include <string.h>

static inline uint32_t rotate_left(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static inline uint32_t rotate_right(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static inline uint32_t choose(uint32_t x, uint32_t y, uint32_t z)
{
	return (x & y) ^ (~x & z);
}

static inline uint32_t majority(uint32_t x, uint32_t y, uint32_t z)
{
	return (x & y) ^ (x & z) ^ (y & z);
}

static inline uint32_t word(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Section 6.1.2. */
static void sha1_compress(uint32_t state[8], const uint8_t block[FIPS180_BLOCK_SIZE])
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
	uint32_t w[80];

	for (int t = 0; t < 16; t++)
		w[t] = word(block + 4 * t);
	for (int t = 16; t < 80; t++)
		w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (int t = 0; t < 80; t++) {
		uint32_t f, k;

		if (t < 20) {
			f = choose(b, c, d);
			k = 0x5a827999;
		} else if (t < 40) {
			f = b ^ c ^ d;
			k = 0x6ed9eba1;
		} else if (t < 60) {
			f = majority(b, c, d);
			k = 0x8f1bbcdc;
		} else {
			f = b ^ c ^ d;
			k = 0xca62c1d6;
		}
		f += rotate_left(a, 5) + e + k + w[t];
		e = d;
		d = c;
		c = rotate_left(b, 30);
		b = a;
		a = f;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
}

/* Section 4.2.2. */
static const uint32_t sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* Section 6.2.2. */
static void sha256_compress(uint32_t state[8], const uint8_t block[FIPS180_BLOCK_SIZE])
{
	uint32_t v[8]; /* a to h */
	uint32_t w[64];

	for (int t = 0; t < 16; t++)
		w[t] = word(block + 4 * t);
	for (int t = 16; t < 64; t++) {
		uint32_t s0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
		uint32_t s1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;

		w[t] = s1 + w[t - 7] + s0 + w[t - 16];
	}
	memcpy(v, state, sizeof(v));
	for (int t = 0; t < 64; t++) {
		uint32_t s1 = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
		uint32_t s0 = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
		uint32_t t1 = v[7] + s1 + choose(v[4], v[5], v[6]) + sha256_k[t] + w[t];
		uint32_t t2 = s0 + majority(v[0], v[1], v[2]);

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		state[i] += v[i];
}

const struct fips180_function fips180_sha1 = {
	.initial = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0},
	.digest_size = 20,
	.compress = sha1_compress,
};

const struct fips180_function fips180_sha256 = {
	.initial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
	.digest_size = 32,
	.compress = sha256_compress,
};

void fips180_init(struct fips180 *hash, const struct fips180_function *function)
{
	hash->function = function;
	memcpy(hash->state, function->initial, sizeof(hash->state));
	hash->len = 0;
}

void fips180_update(struct fips180 *hash, const uint8_t *data, size_t len)
{
	size_t used = hash->len % FIPS180_BLOCK_SIZE;

	hash->len += len;
	while (len > 0) {
		size_t n = FIPS180_BLOCK_SIZE - used;

		if (n > len)
			n = len;
		memcpy(hash->block + used, data, n);
		used += n;
		data += n;
		len -= n;
		if (used == FIPS180_BLOCK_SIZE) {
			hash->function->compress(hash->state, hash->block);
			used = 0;
		}
	}
}

void fips180_final(struct fips180 *hash, uint8_t *digest)
{
	static const uint8_t padding[FIPS180_BLOCK_SIZE] = {0x80};
	uint64_t bits = hash->len * 8;
	uint8_t length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	/* At least one byte, and as many as leave room for the length at the end of a block. */
	fips180_update(hash, padding,
		       1 + (2 * FIPS180_BLOCK_SIZE - 1 - sizeof(length) - hash->len % FIPS180_BLOCK_SIZE) %
				       FIPS180_BLOCK_SIZE);
	fips180_update(hash, length, sizeof(length));
	for (size_t i = 0; i < hash->function->digest_size; i++)
		digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
