package cloop

// #cgo CFLAGS: -I${SRCDIR}/../../emulator/dpacore -I${SRCDIR}/../../examples/dpa_msgq_echo/device
// #include "msgq.h"
import "C"

import (
	"unsafe"

	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/generated/abi"
)

// MsgQ is a MsgQ to a DPA and one back, driven by C.
type MsgQ struct{ b *C.struct_msgq_bench }

// NewMsgQ prepares the queues, with window messages on their way at a time.
func NewMsgQ(app *dpa.App, window int) (*MsgQ, error) {
	if err := bind(); err != nil {
		return nil, err
	}
	var code C.int
	b := C.msgq_bench_new((*C.struct_doca_dpa_app)(unsafe.Pointer(app)), C.uint32_t(window), &code)
	if b == nil {
		return nil, abi.Error(code)
	}
	return &MsgQ{b}, nil
}

// Run sends messages and gets them back.
func (l *MsgQ) Run(messages int) error {
	return failure(C.msgq_bench_run(l.b, C.uint64_t(messages)))
}

// Close frees everything. It returns the first failure of DOCA.
func (l *MsgQ) Close() error { return failure(C.msgq_bench_free(l.b)) }
