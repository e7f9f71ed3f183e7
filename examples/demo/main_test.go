package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/emulator"
)

func TestMain(m *testing.M) {
	os.Setenv("DOCA_PROVIDER", emulator.Name)
	os.Exit(m.Run())
}

// The error says why no device can copy, and not only that none can.
func TestNoDeviceCanCopy(t *testing.T) {
	end, err := emulator.Faults{FailCalls: []emulator.CallFault{{Func: "doca_dma_cap_task_memcpy_is_supported", N: emulator.Every}}}.Add()
	require.NoError(t, err)
	defer end()
	_, err = device()
	require.ErrorIs(t, err, doca.ErrDriver)
}
