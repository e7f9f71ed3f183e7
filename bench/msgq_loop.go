package main

// #cgo CFLAGS: -I${SRCDIR}/../emulator/dpacore -I${SRCDIR}/../examples/dpa_msgq_echo/device
// #include "msgq_loop.h"
import "C"

import (
	"unsafe"

	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/generated/abi"
)

// cMsgQLoop is a MsgQ to a DPA and one back, driven by C.
type cMsgQLoop struct{ b *C.struct_msgq_bench }

// newCMsgQLoop prepares the queues, with window messages on their way at a time.
func newCMsgQLoop(app *dpa.App, window int) (*cMsgQLoop, error) {
	if err := bind(); err != nil {
		return nil, err
	}
	var code C.int
	b := C.msgq_bench_new((*C.struct_doca_dpa_app)(unsafe.Pointer(app)), C.uint32_t(window), &code)
	if b == nil {
		return nil, abi.Error(code)
	}
	return &cMsgQLoop{b}, nil
}

// run sends messages and gets them back.
func (l *cMsgQLoop) run(messages int) error {
	return failure(C.msgq_bench_run(l.b, C.uint64_t(messages)))
}

func (l *cMsgQLoop) close() error { return failure(C.msgq_bench_free(l.b)) }
