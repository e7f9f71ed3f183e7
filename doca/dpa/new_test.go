package dpa_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
)

// A device may be closed while a context is made on it: the race detector would find what New does to it without the lock.
func TestNewWhileDeviceCloses(t *testing.T) {
	t.Parallel()
	for range 10 {
		dev := must(doca.OpenDevice(doctest.DPU0))(t)
		cfg := dpa.Config{App: dpatest.App()}
		cfg.LogFile, cfg.TraceFile = fifo(t, "log"), fifo(t, "trace") // DOCA waits for who reads them
		var all sync.WaitGroup
		all.Go(func() {
			d, err := dpa.New(dev, cfg)
			if err != nil {
				assert.ErrorIs(t, err, doca.ErrClosed)
				return
			}
			assert.NoError(t, d.Close())
		})
		log := must(os.Open(cfg.LogFile))(t) // New is about to open the trace
		all.Go(func() { assert.NoError(t, dev.Close()) })
		trace := must(os.Open(cfg.TraceFile))(t)
		all.Wait()
		require.NoError(t, errors.Join(log.Close(), trace.Close()))
	}
}

// fifo makes a named pipe.
func fifo(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}
