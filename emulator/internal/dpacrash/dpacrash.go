// SPDX-License-Identifier: Apache-2.0

// Package dpacrash has kernels that crash and hang, for the tests of the emulator's DPA in a Go program. They are in C and
// its application is written by hand, because a test cannot have C code.
package dpacrash

// #cgo CFLAGS: -std=gnu11 -O2 -pthread
// #cgo CFLAGS: -DDOCA_EMU_EMBEDDED -DDOCA_ALLOW_EXPERIMENTAL_API
// #cgo CFLAGS: -I${SRCDIR}/../.. -I${SRCDIR}/../../../headers/3.0
// #cgo LDFLAGS: -pthread
// #include "dpacrash.h"
import "C"

import (
	_ "github.com/go-doca/go-doca/emulator" // its libraries
)

// Fault is what a kernel does.
type Fault int

// What kernels do.
const (
	Nothing  Fault = C.DPACRASH_NOTHING
	Null     Fault = C.DPACRASH_NULL     // writes to address 8
	Trap     Fault = C.DPACRASH_TRAP     // executes an illegal instruction
	Overflow Fault = C.DPACRASH_OVERFLOW // needs too much stack
	Hang     Fault = C.DPACRASH_HANG     // never returns
	Handle   Fault = C.DPACRASH_HANDLE   // uses a handle that does not exist
)

// Result is what the host sees of a kernel.
type Result struct {
	Call, Peek, Destroy int // the codes of the RPC, of doca_dpa_peek_at_last_error and of doca_dpa_destroy
}

// Run runs a kernel in a DPA context of its own.
func Run(fault Fault) Result {
	r := C.dpacrash_run(C.int(fault))
	return Result{Call: int(r.call), Peek: int(r.peek), Destroy: int(r.destroy)}
}

// CrashOnHost crashes in C code that is no kernel.
func CrashOnHost() {
	C.dpacrash_on_host()
}
