package main

// #include <stdlib.h>
// #include "comch_loop.h"
import "C"

import (
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
)

// cComch has both ends of a Comch connection, driven by C.
type cComch struct{ b *C.struct_comch }

// newCComch prepares depth messages of size bytes, and as many buffers to receive them.
func newCComch(dpu, host, name string, depth, size int) (*cComch, error) {
	if err := bind(); err != nil {
		return nil, err
	}
	var args [3]*C.char
	for i, s := range []string{dpu, host, name} {
		args[i] = C.CString(s)
		defer C.free(unsafe.Pointer(args[i]))
	}
	var code C.int
	b := C.comch_new(args[0], args[1], args[2], C.uint32_t(depth), C.size_t(size), &code)
	if b == nil {
		return nil, abi.Error(code)
	}
	return &cComch{b}, nil
}

// run sends all messages and receives them, rounds times.
func (l *cComch) run(rounds int) error { return failure(C.comch_run(l.b, C.uint64_t(rounds))) }

// stream sends messages while another thread receives them.
func (l *cComch) stream(messages int) error {
	return failure(C.comch_stream(l.b, C.uint64_t(messages)))
}

// ping sends a control message and has it come back, rounds times.
func (l *cComch) ping(size, rounds int) error {
	return failure(C.comch_ping(l.b, C.size_t(size), C.uint64_t(rounds)))
}

// verify reports whether the buffers hold what was sent.
func (l *cComch) verify() bool { return C.comch_verify(l.b) == 1 }

func (l *cComch) close() error { return failure(C.comch_free(l.b)) }
