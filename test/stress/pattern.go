package main

import (
	"bytes"
	"math/rand/v2"
)

// noise is what all messages are cut from: random bytes, the same in each process.
var noise = func() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 1<<20)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}()

// cut returns which part of noise message number seq of a stream is: its offset and length.
func cut(stream, seq uint64, longest int) (off, n int) {
	h := (stream+1)*0x9e3779b97f4a7c15 ^ (seq+1)*0xbf58476d1ce4e5b9
	h = (h ^ h>>31) * 0x94d049bb133111eb
	h ^= h >> 29
	n = 1 + int(h>>32)%longest
	return int(uint32(h)) % (len(noise) - longest), n
}

// message returns message number seq of a stream, which both sides can compute.
func message(stream, seq uint64, longest int) []byte {
	off, n := cut(stream, seq, longest)
	return noise[off : off+n]
}

func isMessage(got []byte, stream, seq uint64, longest int) bool {
	return bytes.Equal(got, message(stream, seq, longest))
}
