// SPDX-License-Identifier: Apache-2.0

// Package liar is a DOCA that lies, for tests: the emulator, whose answers and arguments are changed as asked. A case of
// conformance that notices no lie cannot fail. The import registers it as a provider, [Name].
package liar

// #cgo CFLAGS: -std=gnu11 -O2
// #cgo CFLAGS: -DDOCA_EMU_EMBEDDED -DDOCA_ALLOW_EXPERIMENTAL_API
// #cgo CFLAGS: -I${SRCDIR}/../../../emulator -I${SRCDIR}/../../../headers/3.0
// #include <stdlib.h>
// #include "liar.h"
import "C"

import (
	"os"
	"strings"
	"sync"
	"unsafe"

	_ "github.com/go-doca/go-doca/emulator" // what it lies about
	"github.com/go-doca/go-doca/generated/abi"
)

// Name is the value of DOCA_PROVIDER that selects the liar.
const Name = "liar"

// VersionVariable is the environment variable with the release that the liar says it is.
const VersionVariable = "LIAR_VERSION"

func init() {
	if v := os.Getenv(VersionVariable); v != "" {
		C.liar_set_version(C.CString(v))
	}
	abi.RegisterProvider(abi.Provider{Name: Name, Lookup: lookup})
}

// honest are functions that are passed on as they are: those with any number of arguments, and those for code on a DPA.
var honest = []string{"doca_dpa_kernel_launch", "doca_dpa_rpc", "doca_dpa_dev_", "emu_"}

func lookup(library, name string) unsafe.Pointer {
	l, n := C.CString(library), C.CString(name)
	defer C.free(unsafe.Pointer(l))
	defer C.free(unsafe.Pointer(n))
	for _, prefix := range honest {
		if strings.HasPrefix(name, prefix) || name == "doca_log" {
			return C.liar_real(l, n)
		}
	}
	return C.liar_thunk(l, n)
}

// Lie is one change of what a function does.
type Lie struct {
	Function string
	Nth      int // the number of the call since the last Reset, from 1; 0: each call
	// One of these: the code that it returns in place of Real, if that is what it would return (or of any code, if Any).
	Code, Real int32
	Any        bool
	// Text is what it returns, for a first argument of Code or more.
	Text string
	// Result flips the lowest bit of what it returns.
	Result bool
	// Out flips the lowest bit of what it writes to this argument, from 1.
	Out int
	// In adds 192 to this argument, from 1.
	In int
}

var mu sync.Mutex

// Tell adds a lie; a function tells one at a time.
func Tell(l Lie) {
	mu.Lock()
	defer mu.Unlock()
	n := C.CString(l.Function)
	defer C.free(unsafe.Pointer(n))
	kind := C.int(C.LIE_CODE)
	arg := C.int(0)
	var text *C.char
	switch {
	case l.Text != "":
		kind, text = C.LIE_TEXT, C.CString(l.Text) // the emulator keeps its texts for ever, too
	case l.Result:
		kind = C.LIE_RESULT
	case l.Out > 0:
		kind, arg = C.LIE_OUT, C.int(l.Out-1)
	case l.In > 0:
		kind, arg = C.LIE_IN, C.int(l.In-1)
	}
	C.liar_tell(n, kind, C.int(l.Nth), arg, C.int32_t(l.Code), C.int32_t(l.Real), C.int(abi.Byte(l.Any)), text)
}

// Reset ends all lies and sets the counts of calls to 0.
func Reset() {
	mu.Lock()
	defer mu.Unlock()
	C.liar_reset()
}

// Calls returns how many calls of each function there were since the last Reset.
func Calls() map[string]int {
	mu.Lock()
	defer mu.Unlock()
	m := map[string]int{}
	for i := C.int(0); i < C.liar_count(); i++ {
		if n := C.liar_calls(i); n > 0 {
			m[C.GoString(C.liar_name(i))] = int(n)
		}
	}
	return m
}
