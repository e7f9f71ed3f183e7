// SPDX-License-Identifier: Apache-2.0

package emulator

// #include <stdlib.h>
// #include "core/emu_fault.h"
import "C"

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
)

// Every stands for each event where the number of one is asked for.
const Every uint64 = math.MaxUint64

// Target is what faults apply to: the tasks, allocations and starts of one device, context or connection. At most one of
// the fields may be set. The zero Target is the whole process.
type Target struct {
	// Device is the PCI address of a device, with or without the domain ("0000:03:00.0").
	Device string
	// Object is the address of a context (struct doca_ctx) or connection (struct doca_comch_connection or
	// doca_rdma_connection) of DOCA, for example what bind.RawContext and comch.Conn.Raw return. Faults on a connection apply to the tasks
	// on it, and not to starts.
	Object unsafe.Pointer
}

// String returns the target as the end of a fault, such as "@0000:03:00.0"; "" for the whole process.
func (t Target) String() string {
	switch {
	case t.Device != "":
		return "@" + t.Device
	case t.Object != nil:
		return fmt.Sprintf("@%p", t.Object)
	}
	return ""
}

// Faults says which operations fail, and when. Each fault counts from 1 when it is applied, and counts the events of the
// target On. Tests that use [Faults.Add], with targets of their own, can run in parallel.
//
// The environment variable DOCA_EMU_FAULTS sets the faults that a process starts with, in the form that
// [Faults.String] returns.
type Faults struct {
	// On is what the faults apply to. FailCalls apply to the whole process: with them it must be zero.
	On Target
	// FailTasks are submitted tasks that end in an error. As with the real library, a failed DMA task
	// stops its whole context.
	FailTasks []TaskFault
	// RefuseTasks are submissions of tasks that do nothing and return an error, DOCA_ERROR_AGAIN without a Code. The task stays
	// the program's.
	RefuseTasks []TaskFault
	// Delay is the shortest time between the submission and the completion of a task (0: no delay).
	Delay time.Duration
	// Rate is how many tasks a second a context completes at most (0: no limit). With Delay it models a card's
	// latency and throughput.
	Rate float64
	// ExhaustPools are the numbers of allocations of buffers and tasks that find their pool empty.
	ExhaustPools []uint64
	// LoseDevice is the number of a submitted task whose device is lost (0: none). Contexts on the device
	// stop, their tasks fail, and it cannot be opened or used until the faults end.
	LoseDevice uint64
	// Cuts are the numbers of submitted Comch and RDMA tasks that break their connection, as if the peer was killed.
	Cuts []uint64
	// RNRs are the numbers of RDMA messages that arrive and find no posted receive (receiver not ready), whether there is
	// one or not: the sender tries again. Each try counts.
	RNRs []uint64
	// StallStarts are the numbers of asynchronous starts, of Comch clients and consumers, that never complete.
	StallStarts []uint64
	// HoldTasks keeps submitted tasks from completing until the faults end. What a test does meanwhile it does while they are in
	// flight, however long it takes.
	HoldTasks bool
	// HoldUnflushed keeps tasks that are submitted without DOCA_TASK_SUBMIT_FLAG_FLUSH unsent until a flush.
	HoldUnflushed bool
	// HoldReports holds the callbacks of tasks that are submitted with DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS back until
	// a later task without it, but with DOCA_TASK_SUBMIT_FLAG_FLUSH, completes.
	HoldReports bool
	// FailCalls are calls of DOCA functions that return an error and do nothing.
	FailCalls []CallFault
}

// TaskFault is the failure of one task: of [Faults].FailTasks or RefuseTasks.
type TaskFault struct {
	N    uint64    // the number of the task among all submitted ones, of that kind, from 1, or Every
	Code abi.Error // its status, or what the submission returns; 0 for DOCA_ERROR_IO_FAILED, or DOCA_ERROR_AGAIN
	// Kind is the name of the task in DOCA's functions, such as "memcpy", "send" or "write_imm"; "" for all.
	Kind string
}

// CallFault is the failure of one call.
type CallFault struct {
	Func string    // a DOCA function such as "doca_mmap_start", but not one of the data path
	N    uint64    // the number of the call of this function, from 1, or Every
	Code abi.Error // its result; 0 for DOCA_ERROR_DRIVER
}

// String returns the specification that [SetFaults] reads.
func (f Faults) String() string {
	var items []string
	add := func(format string, args ...any) { items = append(items, fmt.Sprintf(format, args...)+f.On.String()) }
	code := func(c abi.Error) string {
		if c == 0 {
			return ""
		}
		return fmt.Sprintf(":%d", int32(c))
	}
	tasks := func(fault string, list []TaskFault) {
		for _, t := range list {
			kind := ""
			if t.Kind != "" {
				kind = t.Kind + ":"
			}
			add("%s=%s%s%s", fault, kind, number(t.N), code(t.Code))
		}
	}
	tasks("fail-task", f.FailTasks)
	tasks("refuse-task", f.RefuseTasks)
	if f.Delay != 0 {
		add("delay=%dns", f.Delay.Nanoseconds())
	}
	if f.Rate != 0 {
		add("rate=%g", f.Rate)
	}
	for _, n := range f.ExhaustPools {
		add("exhaust-pool=%s", number(n))
	}
	if f.LoseDevice != 0 {
		add("lose-device=%s", number(f.LoseDevice))
	}
	for _, n := range f.Cuts {
		add("cut=%s", number(n))
	}
	for _, n := range f.RNRs {
		add("rnr=%s", number(n))
	}
	for _, n := range f.StallStarts {
		add("stall-start=%s", number(n))
	}
	if f.HoldTasks {
		add("hold-tasks")
	}
	if f.HoldUnflushed {
		add("hold-unflushed")
	}
	if f.HoldReports {
		add("hold-reports")
	}
	for _, c := range f.FailCalls {
		add("fail-call=%s:%s%s", c.Func, number(c.N), code(c.Code))
	}
	return strings.Join(items, ",")
}

func number(n uint64) string {
	if n == Every {
		return "*"
	}
	return strconv.FormatUint(n, 10)
}

// Add adds the faults to those of the process, of which up to 64 may be set at once. The function it returns ends these
// faults and no others; it may be called more than once. Any goroutine may call both. Errors are those of [SetFaults].
func (f Faults) Add() (end func(), err error) {
	cspec := C.CString(f.String())
	defer C.free(unsafe.Pointer(cspec))
	var set C.uint64_t
	var text [1024]C.char
	if code := C.emu_fault_add(cspec, &set, &text[0], C.size_t(len(text))); code != 0 {
		return nil, fmt.Errorf("emulator: %s: %w", C.GoString(&text[0]), abi.Error(code))
	}
	return func() { C.emu_fault_remove(set) }, nil
}

// Apply replaces the faults of the process and restarts all counts, as [SetFaults] does. The function it returns is
// [ClearFaults].
func (f Faults) Apply() (end func(), err error) {
	if err := SetFaults(f.String()); err != nil {
		return nil, err
	}
	return ClearFaults, nil
}

// SetFaults replaces the faults of the process, also those of [Faults.Add], and restarts all counts. Any goroutine may call
// it. The specification is a comma-separated list of up to 64 faults:
//
//	fail-task=[KIND:]N[:CODE]  the Nth submitted task, of that kind, ends with CODE (IO_FAILED)
//	refuse-task=[KIND:]N[:CODE]  the Nth submission of a task, of that kind, does nothing and returns CODE (AGAIN)
//	delay=DURATION             tasks complete no sooner than DURATION after their submission (ns us ms s m)
//	rate=NUMBER                a context completes at most NUMBER tasks a second
//	exhaust-pool=N             the Nth allocation of a buffer or task finds its pool empty
//	lose-device=N              the device of the Nth submitted task is lost
//	cut=N                      the Nth submitted task of Comch or RDMA breaks its connection
//	rnr=N                      the Nth RDMA message that arrives finds no posted receive
//	stall-start=N              the Nth asynchronous start of a context never completes
//	hold-tasks                 no task completes before this fault ends
//	hold-unflushed             tasks submitted without FLUSH stay unsent until a flush
//	hold-reports               tasks submitted with OPTIMIZE_REPORTS are reported with the next one without it and with FLUSH
//	fail-call=SYMBOL:N[:CODE]  the Nth call of the DOCA function returns CODE (DRIVER)
//
// where KIND is a task such as memcpy, send or write_imm, CODE is the name or number of a DOCA error, and N is a number from 1 or * for each. All but fail-call may end in
// @TARGET, the PCI address of a device or the address of a context or connection. If the specification cannot be read,
// SetFaults changes nothing and returns an error that names the fault and says what can fail; it is ErrorInvalidValue to
// errors.Is.
func SetFaults(spec string) error {
	cspec := C.CString(spec)
	defer C.free(unsafe.Pointer(cspec))
	var text [1024]C.char
	if code := C.emu_fault_set(cspec, &text[0], C.size_t(len(text))); code != 0 {
		return fmt.Errorf("emulator: %s: %w", C.GoString(&text[0]), abi.Error(code))
	}
	return nil
}

// ClearFaults ends all faults and revives lost devices. Tasks that a delay holds back complete when they are due,
// those that hold-tasks held back at once.
// Any goroutine may call it.
func ClearFaults() {
	C.emu_fault_clear()
}
