package dpa_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	gen "github.com/go-doca/go-doca/generated/dpa"
)

// Calls end with their ctx, and Close at its limit, while another call of DOCA takes long.
func TestCallsBehindOneThatTakesLong(t *testing.T) {
	dev := open(t)
	d := must(dpa.New(dev, config(t)))(t)
	m, list := numbers(t, d, 1)
	thread := closed(t, must(d.NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake()}))(t))
	l := must(dpatest.LaunchAdd(d, dpa.LaunchOptions{}, list, 1))(t)
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- dpa.UseThread(thread, "hold", func(*gen.Thread) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	for name, call := range map[string]func(context.Context) error{
		"wait for a kernel": l.Wait,
		"call": func(ctx context.Context) error {
			_, err := dpatest.CallSum(ctx, d, list)
			return err
		},
		"close the DPA":    d.Shutdown,
		"close a thread":   thread.Shutdown,
		"close a memory":   m.Shutdown,
		"close the device": dev.Shutdown,
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, call(soon(t)), context.DeadlineExceeded)
		})
	}
	reset := dpa.SetCloseLimit(1)
	doctest.WantErr(t, d.Close(), doca.ErrTimeOut, "another call of DOCA has not returned")
	reset()
	close(release)
	require.NoError(t, <-ended)
	require.NoError(t, l.Wait(soonish(t)))
	require.NoError(t, d.Close())
}
