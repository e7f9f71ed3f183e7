package dpa_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/doca/syncevent"
)

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

func second[A any](_ A, err error) error { return err }

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	doctest.Main(m)
}

// soonish is a context that ends before the test hangs.
func soonish(t testing.TB) context.Context { return doctest.Deadline(t, 20*time.Second) }

// soon is a context that ends 20 ms after the wait for it has begun.
func soon(t testing.TB) context.Context { return doctest.Soon(t, 20*time.Millisecond) }

func open(t testing.TB) *doca.Device {
	t.Helper()
	return closed(t, must(doca.OpenDevice(doctest.DPU0))(t))
}

// closed closes an object at the end of the test.
func closed[T interface{ Close() error }](t testing.TB, c T) T {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close of %v: %v", c, err)
		}
	})
	return c
}

// config is one whose log is a file of the test.
func config(t testing.TB) dpa.Config {
	t.Helper()
	return dpa.Config{App: dpatest.App(), LogFile: filepath.Join(t.TempDir(), "log")}
}

func newDPA(t testing.TB) *dpa.DPA {
	t.Helper()
	return closed(t, must(dpa.New(open(t), config(t)))(t))
}

// numbers allocates n numbers, which are 0.
func numbers(t testing.TB, d *dpa.DPA, n int) (*dpa.Memory, dpatest.Numbers) {
	t.Helper()
	m := closed(t, must(d.Alloc(8*n))(t))
	doctest.Check(t, m.Fill(0, 8*n, 0))
	return m, dpatest.Numbers{First: m.Addr(), Count: uint32(n)}
}

func number(t testing.TB, m *dpa.Memory, i int) uint64 {
	t.Helper()
	return must(dpa.Get[uint64](m, 8*i))(t)
}

// toHost is an event that the DPA changes and the program sees.
func toHost(t testing.TB, d *dpa.DPA) *syncevent.Event {
	t.Helper()
	return closed(t, must(syncevent.New(d.Device(), syncevent.Config{Publishers: syncevent.CPU | syncevent.DPA, DPA: d}))(t))
}

// toDPA is an event that the program changes and the DPA sees.
func toDPA(t testing.TB, d *dpa.DPA) *syncevent.Event {
	t.Helper()
	return closed(t, must(syncevent.New(d.Device(), syncevent.Config{Subscribers: syncevent.CPU | syncevent.DPA, DPA: d}))(t))
}

// launched waits for the end of a kernel.
func launched(t testing.TB, l *dpa.Launch, err error) {
	t.Helper()
	doctest.Check(t, err)
	doctest.Check(t, l.Wait(soonish(t)))
}
