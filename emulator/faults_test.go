// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

func TestFaultsString(t *testing.T) {
	f := Faults{
		FailTasks:    []TaskFault{{N: 1}, {N: 2, Code: abi.ErrorConnectionReset}, {N: 3, Kind: "write_imm"}},
		RefuseTasks:  []TaskFault{{N: 1, Kind: "memcpy"}, {N: 2, Code: abi.ErrorNoMemory}},
		Delay:        1500 * time.Microsecond,
		ExhaustPools: []uint64{3, 4},
		LoseDevice:   5,
		FailCalls:    []CallFault{{Func: "doca_pe_create", N: 6}, {Func: "doca_mmap_start", N: 7, Code: abi.ErrorNoMemory}},
	}
	const want = "fail-task=1,fail-task=2:11,fail-task=write_imm:3,refuse-task=memcpy:1,refuse-task=2:7,delay=1500000ns,exhaust-pool=3,exhaust-pool=4,lose-device=5," +
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

func TestFaultsStringWithTarget(t *testing.T) {
	t.Parallel()
	f := Faults{
		On: Target{Device: "03:00.0"}, FailTasks: []TaskFault{{N: Every}}, Rate: 4e6, Cuts: []uint64{1}, StallStarts: []uint64{Every},
		LoseDevice: 2, ExhaustPools: []uint64{3}, RNRs: []uint64{4}, HoldTasks: true, HoldUnflushed: true, HoldReports: true,
	}
	assert.Equal(t, "fail-task=*@03:00.0,rate=4e+06@03:00.0,exhaust-pool=3@03:00.0,lose-device=2@03:00.0,cut=1@03:00.0,"+
		"rnr=4@03:00.0,stall-start=*@03:00.0,hold-tasks@03:00.0,hold-unflushed@03:00.0,hold-reports@03:00.0", f.String())
	object := new(int)
	assert.Equal(t, fmt.Sprintf("delay=1ns@%p", object), Faults{On: Target{Object: unsafe.Pointer(object)}, Delay: 1}.String())
}

// A call fault names a function of any library of the emulator. Another one is refused, with one that can fail.
func TestFaultNames(t *testing.T) {
	for _, name := range []string{"doca_pe_create", "doca_dma_create", "doca_comch_server_create", "doca_rdma_create", "doca_sync_event_create", "doca_dpa_create", "doca_comch_msgq_create", "doca_compress_create"} {
		end, err := Faults{FailCalls: []CallFault{{Func: name, N: 1}}}.Add()
		if strings.Contains(name, "compress") { // a stub, which cannot fail on demand: it does all the time
			require.ErrorContains(t, err, "doca_compress_create is no function of the control path in the libraries of the emulator that are loaded; one that can fail is doca_")
			continue
		}
		require.NoError(t, err, name)
		end()
	}
	for wrong, like := range map[string]string{"doca_dma_creat": "doca_dma_create", "doca_comch_server_creatx": "doca_comch_server_create", "doca_": "doca_ctx_start"} {
		_, err := Faults{FailCalls: []CallFault{{Func: wrong, N: 1}}}.Add()
		require.ErrorIs(t, err, abi.ErrorInvalidValue)
		require.ErrorContains(t, err, wrong+" is no function of the control path in the libraries of the emulator that are loaded; one that can fail is "+like+"; faults are fail-task=")
	}
}

// What is added by one does not end what another has added.
func TestAddFaults(t *testing.T) {
	first, err := Faults{FailCalls: []CallFault{{Func: "doca_pe_create", N: Every}}}.Add()
	require.NoError(t, err)
	second, err := Faults{FailCalls: []CallFault{{Func: "doca_mmap_create", N: 1}}, On: Target{}}.Add()
	require.NoError(t, err)
	require.ErrorIs(t, createPE(t), abi.ErrorDriver)
	second()
	second()
	require.ErrorIs(t, createPE(t), abi.ErrorDriver)
	first()
	require.NoError(t, createPE(t))

	_, err = Faults{FailCalls: []CallFault{{Func: "doca_pe_create", N: 1}}, On: Target{Device: "03:00.0"}}.Add()
	require.ErrorIs(t, err, abi.ErrorInvalidValue)
	require.ErrorContains(t, err, `cannot read the fault "fail-call=doca_pe_create:1@03:00.0": faults are fail-task=[KIND:]N[:CODE] and `)
}
