package core_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/doca/internal/spare"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listener returns a function that makes something with an engine of its own: a server. No test may run beside those that use it.
func listener(t *testing.T) func() *comch.Server {
	t.Helper()
	dev := must(doca.OpenDevice(dpu0))(t)
	t.Cleanup(func() { check(t, dev.Close()) })
	rep := must(dev.OpenRepresentor(host0))(t)
	core.DropSpares()
	t.Cleanup(core.DropSpares)
	n := 0
	return func() *comch.Server {
		n++
		return must(comch.Listen(t.Context(), dev, rep, fmt.Sprintf("spare-%d-%d", os.Getpid(), n), comch.Config{}))(t)
	}
}

// What an engine of a context's own has had of DOCA is used again, as often as there are some, and all else is new.
func TestSpareEngines(t *testing.T) {
	listen := listener(t)
	first := listen()
	pe, number := core.PEOf(first.Engine())
	check(t, first.Close())
	assert.Equal(t, 1, core.Spares())

	second := listen()
	again, next := core.PEOf(second.Engine())
	assert.Equal(t, pe, again)
	assert.NotEqual(t, number, next)
	assert.NotEqual(t, first.Engine().String(), second.Engine().String())
	_, err := first.Engine().Progress()
	wantErr(t, err, doca.ErrClosed)
	third := listen()
	other, _ := core.PEOf(third.Engine())
	assert.NotEqual(t, pe, other, "two engines have one of DOCA's")
	check(t, second.Close())
	check(t, third.Close())
	assert.Equal(t, 2, core.Spares())

	var servers []*comch.Server
	for range core.MaxSpare + 2 {
		servers = append(servers, listen())
	}
	assert.Zero(t, core.Spares())
	for _, s := range servers {
		check(t, s.Close())
	}
	assert.Equal(t, core.MaxSpare, core.Spares())
}

// A goroutine that has slept on a spare engine's handle has left it to the next one, which is woken as usual.
func TestSpareEngineSleeps(t *testing.T) {
	listen := listener(t)
	for range 20 {
		s := listen()
		ended := make(chan error)
		go func() {
			_, err := s.Accept(context.Background())
			ended <- err
		}()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			core.UntilAsleep(t.Context(), s.Engine())
			cancel()
		}()
		wantErr(t, s.Engine().Run(ctx), context.Canceled)
		check(t, s.Close())
		wantErr(t, <-ended, doca.ErrClosed)
	}
	assert.LessOrEqual(t, core.Spares(), 1)
}

// What the program knows of DOCA's engine may still be in use after Close: no other engine gets it.
func TestShownEnginesAreNotSpare(t *testing.T) {
	listen := listener(t)
	for name, show := range map[string]func(*doca.ProgressEngine) error{
		"handle": func(pe *doca.ProgressEngine) error { _, err := pe.NotificationHandle(); return err },
		"raw":    func(pe *doca.ProgressEngine) error { _, err := bind.RawEngine(pe); return err },
	} {
		s := listen()
		require.NoError(t, show(s.Engine()), name)
		check(t, s.Close())
		assert.Zero(t, core.Spares(), name)
	}
}

// An engine that was armed is spare, and is not armed for the next one.
func TestArmedEngineIsSpare(t *testing.T) {
	listen := listener(t)
	s := listen()
	check(t, s.Engine().Arm())
	check(t, s.Close())
	assert.Equal(t, 1, core.Spares())
	s = listen()
	_, err := s.Engine().Progress()
	check(t, err)
	check(t, s.Close())
}

// An engine that has lost something is not spare.
func TestLossyEngineIsNotSpare(t *testing.T) {
	listen := listener(t)
	s := listen()
	core.Lose(s.Engine())
	check(t, s.Close())
	assert.Zero(t, core.Spares())
}

// An engine that has got no timer from the system at one time is not spare: the next one is to have its own.
func TestEngineWithoutTimerIsNotSpare(t *testing.T) {
	listen := listener(t)
	s := listen()
	core.FailTimer(s.Engine())
	check(t, s.Close())
	assert.Zero(t, core.Spares())
}

// DOCA's engine is for those who hold the lock, so they can ask for it.
func TestRawEngineWithLock(t *testing.T) {
	listen := listener(t)
	s := listen()
	free := core.Hold(s.Engine())
	asked := make(chan error, 1)
	go func() {
		_, err := bind.RawEngine(s.Engine())
		asked <- err
	}()
	select {
	case err := <-asked:
		check(t, err)
	case <-time.After(20 * time.Second):
		t.Error("RawEngine waits for the lock")
	}
	free()
	check(t, s.Close())
}

// Whoever asks for DOCA's engine while it is closed gets it or an error, and no spare engine that another one has.
func TestRawEngineWhileClosing(t *testing.T) {
	listen := listener(t)
	for i := range 1000 {
		s := listen()
		asked := make(chan error)
		go func() {
			for until := time.Now().Add(time.Duration(i%150) * time.Microsecond); time.Now().Before(until); {
			}
			pe, err := bind.RawEngine(s.Engine())
			if err == nil && pe == nil {
				err = errors.New("there is no engine")
			}
			asked <- err
		}()
		check(t, s.Close())
		if err := <-asked; err != nil {
			wantErr(t, err, doca.ErrClosed)
		} else {
			assert.Zero(t, core.Spares())
		}
		core.DropSpares()
	}
}

// While the functions for engines are to fail they are called, and a spare engine that cannot be used is closed.
func TestWithoutSpares(t *testing.T) {
	listen := listener(t)
	check(t, listen().Close())
	end := spare.Without()
	s := listen()
	assert.Equal(t, 1, core.Spares())
	check(t, s.Close())
	assert.Equal(t, 1, core.Spares())
	end()
	s = listen()
	assert.Zero(t, core.Spares())
	check(t, s.Close())
}

// An engine of a context's own was created where the context was.
func TestPrivateEngineSite(t *testing.T) {
	s := listener(t)()
	sites := map[string]int{}
	for _, o := range doca.OpenObjects() {
		if strings.HasPrefix(o.Name, "engine#") || strings.HasPrefix(o.Name, "comch server#") {
			sites[o.Site]++
		}
	}
	for site, n := range sites {
		assert.Equal(t, 2, n, site)
		assert.Contains(t, site, "engine_spare_test.go")
	}
	assert.Len(t, sites, 1)
	check(t, s.Close())
}

// A Close that fails leaves the engine open with its context, spares or not.
func TestSpareAfterFailedClose(t *testing.T) {
	listen := listener(t)
	s := listen()
	faults(t, "fail-call=doca_comch_server_destroy:1")
	err := s.Close()
	if !errors.Is(err, doca.ErrDriver) {
		t.Fatalf("error %v, want that of the fault", err)
	}
	assert.Zero(t, core.Spares())
	check(t, s.Close())
	assert.Equal(t, 1, core.Spares())
}
