// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

// Variable is an environment variable that the emulator reads.
type Variable struct {
	Name    string
	Values  string // which it may have
	Default string // what holds if it is not set
	Meaning string
}

// Variables lists the environment variables that the emulator reads, in the order of their names. Any goroutine may call it.
func Variables() []Variable { return slices.Clone(variables) }

var variables = []Variable{
	{"DOCA_EMU_CHECK_OVERLAPS", "1", "unchecked", "a DMA copy fails if it and another copy in flight use the same bytes and one writes"},
	{"DOCA_EMU_COMCH_CONNECT_TIMEOUT", "milliseconds", "2000", "how long a Comch client looks for its server"},
	{"DOCA_EMU_DMA_MAX_BUF_SIZE", "bytes", "2097152", "the largest DMA task"},
	{"DOCA_EMU_DPA_MAX_RUN_TIME", "milliseconds", "60000", "how long a kernel on the DPA may run"},
	{"DOCA_EMU_FAULTS", "faults, separated by commas", "none", "the faults that the process starts with"},
	{"DOCA_EMU_RDMA_ADDRESS", "an IPv4 or IPv6 address, or none", "all addresses", "where other hosts reach this process by RDMA"},
	{"DOCA_EMU_RDMA_TIMEOUT", "milliseconds", "10000", "how long an RDMA peer may leave a request unanswered"},
	{"DOCA_EMU_REFUSE_RELAXED", "1", "accepted", "relaxed ordering with PCI access is refused, as DOCA 3.2 does on a card"},
	{"DOCA_EMU_RELEASE", "3.1 or 3.2", "3.0", "the emulator is that release of DOCA, with the functions that it has added"},
	{"DOCA_EMU_RUNTIME_DIR", "a directory", "doca-emulator in XDG_RUNTIME_DIR, or /tmp/doca-emulator-UID", "where processes find each other"},
	{"DOCA_EMU_SIDE", "dpu or host", "both", "the process sees the devices of that side only"},
	{"DOCA_EMU_SPLIT_DEVICES", "1", "one entry", "each PCI function has two entries in the list of devices: one for RDMA, one for Comch"},
}

// FaultKind is a kind of fault that [SetFaults] reads.
type FaultKind struct {
	Form    string // such as delay=DURATION
	Meaning string
}

// FaultKinds lists the faults that [SetFaults] reads. Any goroutine may call it.
func FaultKinds() []FaultKind { return slices.Clone(faultKinds) }

var faultKinds = []FaultKind{
	{"fail-task=[KIND:]N[:CODE]", "the Nth submitted task, of that kind, ends with CODE (IO_FAILED)"},
	{"refuse-task=[KIND:]N[:CODE]", "the Nth submission of a task, of that kind, does nothing and returns CODE (AGAIN)"},
	{"delay=DURATION", "tasks complete no sooner than DURATION after their submission (ns us ms s m)"},
	{"rate=NUMBER", "a context completes at most NUMBER tasks a second"},
	{"exhaust-pool=N", "the Nth allocation of a buffer or task finds its pool empty"},
	{"lose-device=N", "the device of the Nth submitted task is lost"},
	{"cut=N", "the Nth submitted task of Comch or RDMA breaks its connection"},
	{"rnr=N", "the Nth RDMA message that arrives finds no posted receive"},
	{"stall-start=N", "the Nth asynchronous start of a context never completes"},
	{"hold-tasks", "no task completes before this fault ends"},
	{"hold-unflushed", "tasks submitted without FLUSH stay unsent until a flush"},
	{"hold-reports", "tasks submitted with OPTIMIZE_REPORTS are reported with the next one without it and with FLUSH"},
	{"fail-call=SYMBOL:N[:CODE]", "the Nth call of the DOCA function returns CODE (DRIVER)"},
}

// Coverage is how much of one library of DOCA the emulator has.
type Coverage struct {
	Library     string   // the generated package, such as dma
	Implemented int      // functions
	Missing     []string // functions that return DOCA_ERROR_NOT_SUPPORTED
}

//go:embed coverage.txt
var coverageText string

// Covered says for each library how much of it the emulator has. Any goroutine may call it.
func Covered() []Coverage {
	var list []Coverage
	for line := range strings.Lines(coverageText) {
		line = strings.TrimSpace(line)
		if words := strings.Fields(line); len(words) == 6 && words[0] == "#" && words[3] == "implemented," {
			n, _ := strconv.Atoi(words[2]) // the generator writes a number
			list = append(list, Coverage{Library: strings.TrimSuffix(words[1], ":"), Implemented: n})
		}
		if columns := strings.Split(line, " | "); len(columns) == 3 && columns[2] == "stub" {
			last := &list[len(list)-1]
			last.Missing = append(last.Missing, columns[1])
		}
	}
	return list
}
