package main

// #cgo CFLAGS: -O2 -DDOCA_ALLOW_EXPERIMENTAL_API -I${SRCDIR}/../headers/3.0
// #include "loop.h"
import "C"

import (
	"runtime/cgo"

	"github.com/go-doca/go-doca/generated/abi"
)

// cLoop is a DMA context with a number of tasks, driven by C.
type cLoop struct{ b *C.struct_bench }

// What a copy in C does with its buffers; see loop.h.
const (
	fixedBufs     = C.BENCH_FIXED
	setData       = C.BENCH_SET_DATA
	setSourceData = C.BENCH_SET_SOURCE_DATA
	getBufs       = C.BENCH_GET
)

// newCLoop prepares count copies of size bytes each, depth of them in flight at a time.
func newCLoop(depth, count, size int, buffers uint32) (*cLoop, error) {
	return newLoop(depth, count, size, 0, buffers)
}

func newLoop(depth, count, size int, intoGo C.int, buffers C.enum_bench_buffers) (*cLoop, error) {
	if err := bind(); err != nil {
		return nil, err
	}
	var code C.int
	b := C.bench_new(C.uint32_t(depth), C.uint32_t(count), C.size_t(size), intoGo, buffers, &code)
	if b == nil {
		return nil, abi.Error(code)
	}
	return &cLoop{b}, nil
}

// run does all copies, rounds times.
func (l *cLoop) run(rounds int) error { return failure(C.bench_run(l.b, C.uint64_t(rounds))) }

// runBlocking does all copies one at a time, rounds times.
func (l *cLoop) runBlocking(rounds int) error {
	return failure(C.bench_run_blocking(l.b, C.uint64_t(rounds)))
}

// copyRounds copies count ranges of size bytes with memcpy, rounds times.
func copyRounds(to, from []byte, count, size, rounds int) {
	C.bench_copy((*C.uint8_t)(&to[0]), (*C.uint8_t)(&from[0]), C.uint32_t(count), C.size_t(size), C.uint64_t(rounds))
}

// memcpy copies the same bytes without DOCA.
func (l *cLoop) memcpy(rounds int) { C.bench_memcpy(l.b, C.uint64_t(rounds)) }

// verify reports whether the destinations hold what the sources do.
func (l *cLoop) verify() bool { return C.bench_verify(l.b) == 1 }

func (l *cLoop) close() error { return failure(C.bench_free(l.b)) }

func failure(code C.int) error {
	if code == 0 {
		return nil
	}
	return abi.Error(code)
}

// callbackLoop makes the copies as a simple handwritten binding would: each call crosses into
// C, and each completion crosses into Go.
type callbackLoop struct {
	*cLoop
	copies []operation
	each   bool // a handle for each copy, else one for each task
	done   int
}

// operation is what such a binding keeps for a copy in flight. C knows it by its handle.
type operation struct {
	loop   *callbackLoop
	handle cgo.Handle
}

func newCallbackLoop(depth, size int, each bool) (*callbackLoop, error) {
	l := &callbackLoop{copies: make([]operation, depth), each: each}
	var err error
	if l.cLoop, err = newLoop(depth, depth, size, 1, C.BENCH_FIXED); err != nil {
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

func (l *callbackLoop) run(rounds int) error {
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

func (l *callbackLoop) close() error {
	if !l.each {
		for i := range l.copies {
			l.copies[i].handle.Delete()
		}
	}
	return l.cLoop.close()
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
