// SPDX-License-Identifier: Apache-2.0

// Package emulator is DOCA in software: the libraries doca-common, doca-dma, doca-comch, doca-rdma and doca-dpa in C, linked
// into the program that imports it.
//
//	import _ "github.com/go-doca/go-doca/emulator"
//
// The import registers the emulator as a provider of the bindings. A program uses it where no DOCA SDK is installed,
// or where the environment says DOCA_PROVIDER=emulator.
//
// The emulator has one BlueField with two ports. Each port has a PCI function on the DPU side (0000:03:00.0 and
// 0000:03:00.1) and one on the host side (0000:b1:00.0 and 0000:b1:00.1), which the DPU side sees through a
// representor. A process sees all four functions, or those of one side if DOCA_EMU_SIDE is host or dpu.
//
// The largest DMA copy is 2 MiB, as on hardware, unless DOCA_EMU_DMA_MAX_BUF_SIZE gives another number of bytes.
// DOCA_EMU_FAULTS makes operations fail, as [SetFaults] does. With DOCA_EMU_CHECK_OVERLAPS=1 a copy fails if another one
// is in flight on the same bytes and one of them writes.
//
// Comch and exported memory work within a process and between processes of one user. Processes find each other in the
// directory DOCA_EMU_RUNTIME_DIR (by default doca-emulator in XDG_RUNTIME_DIR, or /tmp/doca-emulator-UID). A client
// looks for its server for 2 seconds, unless DOCA_EMU_COMCH_CONNECT_TIMEOUT gives another number of milliseconds.
//
// Work is done inside doca_pe_progress, one task per call, in the order of submission. A run without [Faults] and
// without a second process or thread is the same every time.
//
// Code for the DPA runs in the process, on threads of its own. A kernel may run for a minute, unless
// DOCA_EMU_DPA_MAX_RUN_TIME gives another number of milliseconds.
//
// It is DOCA 3.0, unless DOCA_EMU_RELEASE is 3.1 or 3.2: then it has the functions that these releases have added, and says so in
// doca_version_runtime. The first call decides.
//
// Functions that the emulator does not implement return DOCA_ERROR_NOT_SUPPORTED; coverage.txt lists them.
package emulator

// #cgo CFLAGS: -std=gnu11 -O2 -pthread
// #cgo CFLAGS: -DDOCA_EMU_EMBEDDED -DDOCA_ALLOW_EXPERIMENTAL_API
// #cgo CFLAGS: -I${SRCDIR} -I${SRCDIR}/../headers/3.0
// #cgo LDFLAGS: -pthread
// #include "symbols.h"
// #include "core/emu_release.h"
import "C"

import (
	"sync/atomic"
	"unsafe"

	_ "github.com/go-doca/go-doca/emulator/comch"
	_ "github.com/go-doca/go-doca/emulator/compress"
	_ "github.com/go-doca/go-doca/emulator/core"
	_ "github.com/go-doca/go-doca/emulator/dma"
	_ "github.com/go-doca/go-doca/emulator/dpa"
	_ "github.com/go-doca/go-doca/emulator/dpacore"
	_ "github.com/go-doca/go-doca/emulator/erasurecoding"
	_ "github.com/go-doca/go-doca/emulator/rdma"
	_ "github.com/go-doca/go-doca/emulator/syncevent"
	"github.com/go-doca/go-doca/generated/abi"
	_ "github.com/go-doca/go-doca/headers"
	"github.com/go-doca/go-doca/internal/symhash"
)

// Name is the value of DOCA_PROVIDER that selects the emulator.
const Name = "emulator"

func init() {
	abi.RegisterProvider(abi.Provider{Name: Name, Lookup: lookup})
}

func numSymbols() int { return int(C.emu_num_symbols) }

// symbolAt returns entry i of the table.
func symbolAt(i int) *symbol {
	return (*symbol)(unsafe.Add(unsafe.Pointer(&C.emu_symbols), i*C.sizeof_struct_emu_symbol))
}

// next is the entry behind the one that was found last.
var next atomic.Int64

// lookup searches the table. A program asks for hundreds of functions before it can do anything, most of them in the order of the
// table; others are found by their buckets. To make a map of the table would cost each program a quarter of a millisecond.
func lookup(library, name string) unsafe.Pointer {
	i := int(next.Load())
	if i >= numSymbols() || !symbolAt(i).is(library, name) {
		if i = search(library, name); i < 0 {
			return nil
		}
	}
	next.Store(int64(i + 1))
	s := symbolAt(i)
	if s.since != nil && !bool(C.emu_release_has(s.since)) {
		return nil
	}
	return unsafe.Pointer(s.fn)
}

// search returns the index of a function, or -1.
func search(library, name string) int {
	bucket := symhash.Bucket(name)
	starts := (*[symhash.Buckets + 1]uint16)(unsafe.Pointer(&C.emu_bucket_starts))
	for at := starts[bucket]; at < starts[bucket+1]; at++ {
		i := int(*(*uint16)(unsafe.Add(unsafe.Pointer(&C.emu_by_bucket), int(at)*C.sizeof_uint16_t)))
		if symbolAt(i).is(library, name) {
			return i
		}
	}
	return -1
}

// symbol is an entry of the table.
type symbol C.struct_emu_symbol

// is reports whether an entry is a function of a library.
func (s *symbol) is(library, name string) bool {
	l, f := s.names()
	return f == name && l == library
}

// names returns the library and the function, in C memory.
func (s *symbol) names() (library, function string) {
	return unsafe.String((*byte)(unsafe.Pointer(s.library)), s.library_len), unsafe.String((*byte)(unsafe.Pointer(s.name)), s.name_len)
}
