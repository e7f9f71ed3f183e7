package dma_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/emulator"
)

// Tests with faults of their own context run in parallel and do not disturb each other.
func TestFaultsOfOneContext(t *testing.T) {
	for _, name := range []string{"a", "b", "c"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dev, err := doca.OpenDevice("03:00.0")
			require.NoError(t, err)
			defer dev.Close()
			pe, err := doca.NewProgressEngine(doca.EngineConfig{})
			require.NoError(t, err)
			defer pe.Close()
			mem, err := doca.NewMemory(128, doca.MemoryConfig{Devices: []*doca.Device{dev}})
			require.NoError(t, err)
			inv, err := doca.NewInventory(2)
			require.NoError(t, err)
			defer inv.Close()
			src, err := inv.Buffer(mem, 0, 64)
			require.NoError(t, err)
			require.NoError(t, src.SetData(0, 64))
			dst, err := inv.Buffer(mem, 64, 64)
			require.NoError(t, err)
			var copiers [2]*dma.DMA
			for i := range copiers {
				copiers[i], err = dma.New(dev, pe, dma.Config{})
				require.NoError(t, err)
			}
			raw, err := bind.RawContext(copiers[0].Context)
			require.NoError(t, err)
			end, err := emulator.Faults{On: emulator.Target{Object: unsafe.Pointer(raw)}, FailTasks: []emulator.TaskFault{{N: emulator.Every}}}.Add()
			require.NoError(t, err)
			for range 20 {
				_, err = copiers[0].Copy(t.Context(), dst, src)
				require.ErrorIs(t, err, doca.ErrIOFailed)
				require.NoError(t, copiers[0].Start(t.Context()))
				_, err = copiers[1].Copy(t.Context(), dst, src)
				require.NoError(t, err)
			}
			end()
			_, err = copiers[0].Copy(t.Context(), dst, src)
			assert.NoError(t, err)
		})
	}
	t.Run("no context", func(t *testing.T) {
		_, err := bind.RawContext(nil)
		assert.ErrorIs(t, err, doca.ErrInvalidValue)
		_, err = bind.RawContext(&doca.Context{})
		assert.ErrorIs(t, err, doca.ErrInvalidValue)
	})
}
