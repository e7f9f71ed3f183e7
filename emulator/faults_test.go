// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

func TestFaultsString(t *testing.T) {
	f := Faults{
		FailTasks:    []TaskFault{{N: 1}, {N: 2, Code: abi.ErrorConnectionReset}},
		Delay:        1500 * time.Microsecond,
		ExhaustPools: []uint64{3, 4},
		LoseDevice:   5,
		FailCalls:    []CallFault{{Func: "doca_pe_create", N: 6}, {Func: "doca_mmap_start", N: 7, Code: abi.ErrorNoMemory}},
	}
	const want = "fail-task=1,fail-task=2:11,delay=1500000ns,exhaust-pool=3,exhaust-pool=4,lose-device=5," +
		"fail-call=doca_pe_create:6,fail-call=doca_mmap_start:7:7"
	if got := f.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	end, err := f.Apply()
	if err != nil {
		t.Fatal(err)
	}
	end()
}

func createPE(t *testing.T) error {
	t.Helper()
	pe, err := common.PECreate()
	if err != nil {
		return err
	}
	if err := common.PEDestroy(nil, pe); err != nil {
		t.Fatal(err)
	}
	return nil
}

func TestFailCall(t *testing.T) {
	end, err := Faults{FailCalls: []CallFault{{Func: "doca_pe_create", N: 2, Code: abi.ErrorNoMemory}}}.Apply()
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if err := createPE(t); err != nil {
		t.Errorf("first call: %v", err)
	}
	if err := createPE(t); !errors.Is(err, abi.ErrorNoMemory) {
		t.Errorf("second call: %v", err)
	}
	if err := createPE(t); err != nil {
		t.Errorf("third call: %v", err)
	}
	if err := SetFaults("fail-call=doca_pe_create:1"); err != nil {
		t.Fatal(err)
	}
	if err := createPE(t); !errors.Is(err, abi.ErrorDriver) {
		t.Errorf("after SetFaults: %v", err)
	}
	if err := SetFaults("fail-call=doca_pe_create:1"); err != nil {
		t.Fatal(err)
	}
	ClearFaults()
	if err := createPE(t); err != nil {
		t.Errorf("after ClearFaults: %v", err)
	}
}

func TestFaultsThatCannotBeRead(t *testing.T) {
	for _, f := range []Faults{
		{FailTasks: []TaskFault{{N: 0}}},
		{FailTasks: []TaskFault{{N: 1, Code: 77}}},
		{Delay: -time.Second},
		{FailCalls: []CallFault{{Func: "doca_no_such_function", N: 1}}},
		{FailCalls: []CallFault{{Func: "doca_task_submit", N: 1}}}, // data path
	} {
		end, err := f.Apply()
		if err == nil || end != nil {
			t.Errorf("%s was accepted", f)
			ClearFaults()
			continue
		}
		if !errors.Is(err, abi.ErrorInvalidValue) || !strings.Contains(err.Error(), "cannot read the fault") {
			t.Errorf("%s: %v", f, err)
		}
	}
}
