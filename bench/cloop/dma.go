package cloop

// #cgo CFLAGS: -O2 -DDOCA_ALLOW_EXPERIMENTAL_API -I${SRCDIR}/../../headers/3.0
// #include "dma.h"
import "C"

import (
	"runtime/cgo"

	"github.com/go-doca/go-doca/generated/abi"
)

// DMA is a DMA context with a number of tasks, driven by C.
type DMA struct{ b *C.struct_bench }

// What a copy in C does with its buffers; see dma.h.
const (
	FixedBufs     = C.BENCH_FIXED
	SetData       = C.BENCH_SET_DATA
	SetSourceData = C.BENCH_SET_SOURCE_DATA
	GetBufs       = C.BENCH_GET
	Memories      = C.BENCH_MEMORIES
)

// NewDMA prepares count copies of size bytes each, depth of them in flight at a time.
func NewDMA(depth, count, size int, buffers uint32) (*DMA, error) {
	return newDMA(depth, count, size, 0, buffers)
}

func newDMA(depth, count, size int, intoGo C.int, buffers C.enum_bench_buffers) (*DMA, error) {
	if err := bind(); err != nil {
		return nil, err
	}
	var code C.int
	b := C.bench_new(C.uint32_t(depth), C.uint32_t(count), C.size_t(size), intoGo, buffers, &code)
	if b == nil {
		return nil, abi.Error(code)
	}
	return &DMA{b}, nil
}

// Run does all copies, rounds times.
func (l *DMA) Run(rounds int) error { return failure(C.bench_run(l.b, C.uint64_t(rounds))) }

// RunVaried makes rounds of one copy, of two, and so on until all, rounds times.
func (l *DMA) RunVaried(rounds int) error {
	return failure(C.bench_run_varied(l.b, C.uint64_t(rounds)))
}

// RunOn is Run without a pause between two rounds: as many copies are in flight all the time.
func (l *DMA) RunOn(rounds int) error { return failure(C.bench_run_on(l.b, C.uint64_t(rounds))) }

// RunBlocking does all copies one at a time, rounds times.
func (l *DMA) RunBlocking(rounds int) error {
	return failure(C.bench_run_blocking(l.b, C.uint64_t(rounds)))
}

// CopyRounds copies count ranges of size bytes with memcpy, rounds times.
func CopyRounds(to, from []byte, count, size, rounds int) {
	C.bench_copy((*C.uint8_t)(&to[0]), (*C.uint8_t)(&from[0]), C.uint32_t(count), C.size_t(size), C.uint64_t(rounds))
}

// Memcpy copies the same bytes without DOCA.
func (l *DMA) Memcpy(rounds int) { C.bench_memcpy(l.b, C.uint64_t(rounds)) }

// Verify reports whether the destinations hold what the sources do.
func (l *DMA) Verify() bool { return C.bench_verify(l.b) == 1 }

// Close frees everything. It returns the first failure of DOCA.
func (l *DMA) Close() error { return failure(C.bench_free(l.b)) }

func failure(code C.int) error {
	if code == 0 {
		return nil
	}
	return abi.Error(code)
}

// Callbacks makes the copies as a simple handwritten binding would: each call crosses into
// C, and each completion crosses into Go.
type Callbacks struct {
	*DMA
	copies []operation
	each   bool // a handle for each copy, else one for each task
	done   int
}

// operation is what such a binding keeps for a copy in flight. C knows it by its handle.
type operation struct {
	loop   *Callbacks
	handle cgo.Handle
}

// NewCallbacks prepares depth copies of size bytes, with a handle for each copy, or else for each task.
func NewCallbacks(depth, size int, each bool) (*Callbacks, error) {
	l := &Callbacks{copies: make([]operation, depth), each: each}
	var err error
	if l.DMA, err = newDMA(depth, depth, size, 1, C.BENCH_FIXED); err != nil {
		return nil, err
	}
	for i := range l.copies {
		l.copies[i].loop = l
		if !each {
			l.copies[i].handle = cgo.NewHandle(&l.copies[i])
		}
	}
	return l, nil
}

// Run does all copies, rounds times.
func (l *Callbacks) Run(rounds int) error {
	for range rounds {
		l.done = 0
		for i := range l.copies {
			if l.each {
				l.copies[i].handle = cgo.NewHandle(&l.copies[i])
			}
			if err := failure(C.bench_submit(l.b, C.uint32_t(i), C.uintptr_t(l.copies[i].handle))); err != nil {
				return err
			}
		}
		for l.done < len(l.copies) {
			C.bench_progress(l.b)
		}
	}
	return nil
}

// Close frees everything. It returns the first failure of DOCA.
func (l *Callbacks) Close() error {
	if !l.each {
		for i := range l.copies {
			l.copies[i].handle.Delete()
		}
	}
	return l.DMA.Close()
}

//export benchCompletion
func benchCompletion(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	op := h.Value().(*operation)
	op.loop.done++
	if op.loop.each {
		h.Delete()
	}
}
