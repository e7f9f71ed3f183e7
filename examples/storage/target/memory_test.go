package target

import (
	"context"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
)

// watched is a context that calls left when somebody stops waiting for its end.
type watched struct {
	context.Context
	done chan struct{}
	left func()
}

func (w *watched) Done() <-chan struct{} { return w.done }

func (w *watched) AfterFunc(func()) (stop func() bool) { return func() bool { w.left(); return true } }

// deaf is a listener that hears nobody.
type deaf struct{ net.Listener }

func (deaf) Accept() (net.Conn, error) { return nil, net.ErrClosed }

// lost returns how many handles of objects that a file has made were collected while the objects were open.
func lost(file string) (n int) {
	for _, o := range doca.Leaks() {
		if strings.HasPrefix(o.Site, file+":") {
			n++
		}
	}
	return n
}

// The memory that is served is not left to the collector: Serve lets go of its context when the sessions have ended, and closes the
// device after that. What is collected in between is known when memory of the test is, which nothing holds.
func TestServeClosesMemory(t *testing.T) {
	t.Setenv("DOCA_PROVIDER", emulator.Name)
	t.Setenv("DOCA_EMU_RUNTIME_DIR", t.TempDir()+"/run")
	doca.SetLeakReporter(func(doca.Object) {})
	t.Cleanup(func() { doca.SetLeakReporter(nil) })
	dev, err := doca.OpenDevice("03:00.0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dev.Close()) })
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	collected := 0
	collect := func() {
		for range 2 {
			_, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
			require.NoError(t, err)
			collected++
			for start := time.Now(); lost("memory_test.go") < collected; time.Sleep(time.Millisecond) {
				require.Less(t, time.Since(start), 20*time.Second, "the collector does not find the memory of the test")
				runtime.GC()
			}
		}
	}
	ctx := &watched{Context: t.Context(), done: make(chan struct{}), left: func() {
		collect()
		assert.Zero(t, lost("target.go"), "memory was left to the collector")
	}}
	cfg := Config{Device: "03:00.1", CPUs: []int{dataplane.AnyCPU}, Listener: deaf{l}}
	assert.ErrorIs(t, Serve(ctx, cfg, Content{BlockSize: 512, Data: make([]byte, 64<<10)}, nil), net.ErrClosed)
	assert.Equal(t, 2, collected)
}
