// SPDX-License-Identifier: Apache-2.0

package emulator

// #include <stdlib.h>
// #include "core/emu_fault.h"
import "C"

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
)

// Faults says which operations fail, and when. Counts start at 1 when the faults are applied. They cover the whole
// process: tests that apply faults must not run in parallel with others that use the emulator.
//
// The environment variable DOCA_EMU_FAULTS sets the faults that a process starts with, in the form that
// [Faults.String] returns.
type Faults struct {
	// FailTasks are submitted tasks that end in an error. As with the real library, a failed DMA task
	// stops its whole context.
	FailTasks []TaskFault
	// Delay is the shortest time between the submission and the completion of a task (0: no delay).
	Delay time.Duration
	// ExhaustPools are the numbers of allocations of buffers and tasks that find their pool empty.
	ExhaustPools []uint64
	// LoseDevice is the number of a submitted task whose device is lost (0: none). Contexts on the device
	// stop, their tasks fail, and it cannot be opened or used until the faults end.
	LoseDevice uint64
	// FailCalls are calls of DOCA functions that return an error and do nothing.
	FailCalls []CallFault
}

// TaskFault is the failure of one submitted task.
type TaskFault struct {
	N    uint64    // the number of the task among all submitted ones, from 1
	Code abi.Error // its status; 0 for DOCA_ERROR_IO_FAILED
}

// CallFault is the failure of one call.
type CallFault struct {
	Func string    // a DOCA function such as "doca_mmap_start", but not one of the data path
	N    uint64    // the number of the call of this function, from 1
	Code abi.Error // its result; 0 for DOCA_ERROR_DRIVER
}

// String returns the specification that [SetFaults] reads.
func (f Faults) String() string {
	var items []string
	code := func(c abi.Error) string {
		if c == 0 {
			return ""
		}
		return fmt.Sprintf(":%d", int32(c))
	}
	for _, t := range f.FailTasks {
		items = append(items, fmt.Sprintf("fail-task=%d%s", t.N, code(t.Code)))
	}
	if f.Delay != 0 {
		items = append(items, fmt.Sprintf("delay=%dns", f.Delay.Nanoseconds()))
	}
	for _, n := range f.ExhaustPools {
		items = append(items, fmt.Sprintf("exhaust-pool=%d", n))
	}
	if f.LoseDevice != 0 {
		items = append(items, fmt.Sprintf("lose-device=%d", f.LoseDevice))
	}
	for _, c := range f.FailCalls {
		items = append(items, fmt.Sprintf("fail-call=%s:%d%s", c.Func, c.N, code(c.Code)))
	}
	return strings.Join(items, ",")
}

// Apply replaces the faults of the process and restarts all counts, as [SetFaults] does. The function it returns is
// [ClearFaults].
func (f Faults) Apply() (end func(), err error) {
	if err := SetFaults(f.String()); err != nil {
		return nil, err
	}
	return ClearFaults, nil
}

// SetFaults replaces the faults of the process and restarts all counts. Any goroutine may call it. The specification
// is a comma-separated list of up to 64 faults:
//
//	fail-task=N[:CODE]         the Nth submitted task ends with CODE (IO_FAILED)
//	delay=DURATION             tasks complete no sooner than DURATION after their submission (ns us ms s m)
//	exhaust-pool=N             the Nth allocation of a buffer or task finds its pool empty
//	lose-device=N              the device of the Nth submitted task is lost
//	fail-call=SYMBOL:N[:CODE]  the Nth call of the DOCA function returns CODE (DRIVER)
//
// where CODE is the name or number of a DOCA error. If the specification cannot be read, SetFaults changes nothing
// and returns an error that names the fault; it is ErrorInvalidValue to errors.Is.
func SetFaults(spec string) error {
	cspec := C.CString(spec)
	defer C.free(unsafe.Pointer(cspec))
	var text [512]C.char
	if code := C.emu_fault_set(cspec, &text[0], C.size_t(len(text))); code != 0 {
		return fmt.Errorf("emulator: %s: %w", C.GoString(&text[0]), abi.Error(code))
	}
	return nil
}

// ClearFaults ends all faults and revives lost devices. Tasks that a delay holds back complete when they are due.
// Any goroutine may call it.
func ClearFaults() {
	C.emu_fault_clear()
}
