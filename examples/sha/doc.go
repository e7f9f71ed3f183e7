// Package sha computes message digests with the SHA engine of a device. It is an example: it binds
// a made-up library, libdoca_sha, that the folder sdk has the header and a software form of.
// docs/binding.md explains it step by step.
//
// [SHA.Sum] computes the digest of one buffer into another and waits. [SHA.SumAsync] returns a
// future. A [Batch] is prepared once and run many times.
//
// A sum reads the data segment of the source, which may be a list of buffers. It writes the digest
// to the head of the destination's region; then the digest is the destination's data segment.
// Several sums may read one source at the same time. A destination serves one sum at a time.
//
// A task that fails stops the whole context: all other sums in flight fail as well, and the context
// becomes idle. Start makes the same SHA usable again.
package sha

//go:generate make -s -C sdk
//go:generate go tool gen generate -sdk build/sdk -libs sha -out internal/doca
