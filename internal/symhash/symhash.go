// Package symhash says in which bucket of the emulator's table a function is. gen, which writes the table, and the emulator,
// which searches it, must agree on that.
package symhash

// Buckets is the number of buckets, a power of two: about as many as the emulator has functions.
const Buckets = 1024

// Bucket returns the bucket of a function. A program looks up hundreds of names before it can do anything, so it takes eight
// bytes at a time.
func Bucket(name string) int {
	h := uint64(len(name))
	for len(name) > 8 {
		h = mix(h ^ word(name))
		name = name[8:]
	}
	var last uint64
	for i := range len(name) {
		last |= uint64(name[i]) << (8 * i)
	}
	return int(mix(h^last) >> 32 % Buckets)
}

// mix spreads each bit of h to the high bits, and those back to the low ones, for the next word.
func mix(h uint64) uint64 {
	h *= 0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	return h ^ h>>32
}

// word returns the first eight bytes of s: a single load.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
