package syncevent_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/syncevent"
)

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	doctest.Main(m)
}

// shared is the configuration of an event that can be exported in every way.
var shared = syncevent.Config{
	Publishers:  syncevent.CPU | syncevent.RemotePCI | syncevent.RemoteNet,
	Subscribers: syncevent.CPU | syncevent.RemotePCI,
}

// soonish is a context that ends before the test hangs.
func soonish(t testing.TB) context.Context { return doctest.Deadline(t, 20*time.Second) }

// soon is a context that ends 10 ms after the wait for it has begun.
func soon(t testing.TB) context.Context { return doctest.Soon(t, 10*time.Millisecond) }

func open(t testing.TB, addr string) *doca.Device {
	t.Helper()
	dev := must(doca.OpenDevice(addr))(t)
	closeAfter(t, dev)
	return dev
}

func engine(t testing.TB) *doca.ProgressEngine {
	t.Helper()
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	closeAfter(t, pe)
	return pe
}

func closeAfter(t testing.TB, c interface{ Close() error }) {
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close of %v: %v", c, err)
		}
	})
}

func newEvent(t testing.TB, dev *doca.Device, cfg syncevent.Config) *syncevent.Event {
	t.Helper()
	ev := must(syncevent.New(dev, cfg))(t)
	closeAfter(t, ev)
	return ev
}

func newTaskEvent(t testing.TB, cfg syncevent.Config) *syncevent.TaskEvent {
	t.Helper()
	ev := must(syncevent.NewTaskEvent(open(t, doctest.DPU0), engine(t), cfg))(t)
	closeAfter(t, ev)
	return ev
}
