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

// Faults is what goes wrong, and when. All counts start at 1 when the faults are applied, and count the
// whole process: tests that apply faults cannot run in parallel with others that use the emulator.
//
// The environment variable DOCA_EMU_FAULTS gives a process the faults it starts with, in the form that
// [Faults.String] returns.
type Faults struct {
	// FailTasks are submitted tasks that end in an error. As with the real library, a failed DMA task
	// stops its whole context.
	FailTasks []TaskFault
	// Delay holds every task back, so that none completes sooner than this after its submission.
	Delay time.Duration
	// ExhaustPools names allocations of buffers and tasks that find their pool empty.
	ExhaustPools []uint64
	// LoseDevice names a submitted task whose device is lost (0: none). Contexts on the device stop,
	// their tasks fail, and it can be neither opened nor used until the faults end.
	LoseDevice uint64
	// FailCalls are calls of DOCA functions that return an error and do nothing.
	FailCalls []CallFault
}

// TaskFault is the failure of one submitted task.
type TaskFault struct {
	N    uint64    // which task, counting all that are submitted
	Code abi.Error // how it ends; 0 for DOCA_ERROR_IO_FAILED
}

// CallFault is the failure of one call.
type CallFault struct {
	Func string    // a DOCA function such as "doca_mmap_start"; those of the data path cannot fail this way
	N    uint64    // which of its calls
	Code abi.Error // what it returns; 0 for DOCA_ERROR_DRIVER
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

// Apply replaces the faults of the process, and starts all counts anew. The function it returns ends
// all faults and revives lost devices.
func (f Faults) Apply() (end func(), err error) {
	if err := SetFaults(f.String()); err != nil {
		return nil, err
	}
	return ClearFaults, nil
}

// SetFaults replaces the faults of the process, and starts all counts anew. The specification is a
// comma-separated list of
//
//	fail-task=N[:CODE]         the Nth submitted task ends with CODE (IO_FAILED)
//	delay=DURATION             tasks complete no sooner than DURATION after their submission (ns us ms s m)
//	exhaust-pool=N             the Nth allocation of a buffer or task finds its pool empty
//	lose-device=N              the device of the Nth submitted task is lost
//	fail-call=SYMBOL:N[:CODE]  the Nth call of the DOCA function returns CODE (DRIVER)
//
// where CODE is a DOCA error by name or number. A specification that cannot be read changes nothing.
func SetFaults(spec string) error {
	cspec := C.CString(spec)
	defer C.free(unsafe.Pointer(cspec))
	var text [512]C.char
	if code := C.emu_fault_set(cspec, &text[0], C.size_t(len(text))); code != 0 {
		return fmt.Errorf("emulator: %s: %w", C.GoString(&text[0]), abi.Error(code))
	}
	return nil
}

// ClearFaults ends all faults and revives lost devices. Tasks that a delay holds back complete when
// they are due.
func ClearFaults() {
	C.emu_fault_clear()
}
