package cloop

// #include <stdlib.h>
// #include "comch.h"
import "C"

import (
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
)

// Comch has both ends of a Comch connection, driven by C.
type Comch struct{ b *C.struct_comch }

// NewComch prepares depth messages of size bytes, and as many buffers to receive them.
func NewComch(dpu, host, name string, depth, size int) (*Comch, error) {
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
	return &Comch{b}, nil
}

// Run sends all messages and receives them, rounds times.
func (l *Comch) Run(rounds int) error { return failure(C.comch_run(l.b, C.uint64_t(rounds))) }

// Stream sends bursts of so many messages while another thread receives them. Each begins when all of the one before are sent.
func (l *Comch) Stream(bursts, messages int) error {
	return failure(C.comch_stream(l.b, C.uint64_t(bursts), C.uint64_t(messages)))
}

// Ping sends a control message and has it come back, rounds times.
func (l *Comch) Ping(size, rounds int) error {
	return failure(C.comch_ping(l.b, C.size_t(size), C.uint64_t(rounds)))
}

// Verify reports whether the buffers hold what was sent.
func (l *Comch) Verify() bool { return C.comch_verify(l.b) == 1 }

// Close frees everything. It returns the first failure of DOCA.
func (l *Comch) Close() error { return failure(C.comch_free(l.b)) }
