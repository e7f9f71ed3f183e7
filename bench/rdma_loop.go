package main

// #include "rdma_loop.h"
import "C"

import "github.com/go-doca/go-doca/generated/abi"

// cRDMALoop is two connected RDMA contexts, driven by C.
type cRDMALoop struct{ b *C.struct_rdma_bench }

// newCRDMALoop prepares count writes of size bytes each, depth of them in flight at a time. With moving,
// each has a new range in each round.
func newCRDMALoop(depth, count, size int, moving bool) (*cRDMALoop, error) {
	if err := bind(); err != nil {
		return nil, err
	}
	var code C.int
	moves := C.int(0)
	if moving {
		moves = 1
	}
	b := C.rdma_bench_new(C.uint32_t(depth), C.uint32_t(count), C.size_t(size), moves, &code)
	if b == nil {
		return nil, abi.Error(code)
	}
	return &cRDMALoop{b}, nil
}

// run does all writes, rounds times.
func (l *cRDMALoop) run(rounds int) error { return failure(C.rdma_bench_run(l.b, C.uint64_t(rounds))) }

// runBlocking does all writes one at a time, rounds times.
func (l *cRDMALoop) runBlocking(rounds int) error {
	return failure(C.rdma_bench_run_blocking(l.b, C.uint64_t(rounds)))
}

// memcpy copies the same bytes without DOCA.
func (l *cRDMALoop) memcpy(rounds int) { C.rdma_bench_memcpy(l.b, C.uint64_t(rounds)) }

// verify reports whether the target holds what the source does.
func (l *cRDMALoop) verify() bool { return C.rdma_bench_verify(l.b) == 1 }

func (l *cRDMALoop) close() error { return failure(C.rdma_bench_free(l.b)) }
