package cloop

// #include "rdma.h"
import "C"

import "github.com/go-doca/go-doca/generated/abi"

// RDMA is two connected RDMA contexts, driven by C.
type RDMA struct{ b *C.struct_rdma_bench }

// NewRDMA prepares count writes of size bytes each, depth of them in flight at a time. With moving,
// each has a new range in each round.
func NewRDMA(depth, count, size int, moving bool) (*RDMA, error) {
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
	return &RDMA{b}, nil
}

// Run does all writes, rounds times.
func (l *RDMA) Run(rounds int) error { return failure(C.rdma_bench_run(l.b, C.uint64_t(rounds))) }

// RunBlocking does all writes one at a time, rounds times.
func (l *RDMA) RunBlocking(rounds int) error {
	return failure(C.rdma_bench_run_blocking(l.b, C.uint64_t(rounds)))
}

// Memcpy copies the same bytes without DOCA.
func (l *RDMA) Memcpy(rounds int) { C.rdma_bench_memcpy(l.b, C.uint64_t(rounds)) }

// Verify reports whether the target holds what the source does.
func (l *RDMA) Verify() bool { return C.rdma_bench_verify(l.b) == 1 }

// Close frees everything. It returns the first failure of DOCA.
func (l *RDMA) Close() error { return failure(C.rdma_bench_free(l.b)) }
