package dpa_test

import (
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Close does not wait for ever for a kernel, whoever calls it, and goes on when it is called again.
func TestCloseGivesUp(t *testing.T) {
	dev := open(t)
	d := must(dpa.New(dev, config(t)))(t)
	ev := must(syncevent.New(dev, syncevent.Config{Subscribers: syncevent.CPU | syncevent.DPA, DPA: d}))(t)
	seen := must(d.Alloc(8))(t)
	must(dpatest.LaunchAwaitEvent(d, dpa.LaunchOptions{}, must(ev.DPAHandle(d))(t), 4, seen.Addr()))(t)
	reset := dpa.SetCloseLimit(10 * time.Millisecond)
	defer reset()
	for _, c := range []interface{ Close() error }{d, dev} {
		err := c.Close()
		doctest.WantErr(t, err, doca.ErrTimeOut, "it waits for the kernel await_event on ")
		assert.NotErrorIs(t, err, dpa.ErrFatal)
	}
	reset()
	require.NoError(t, ev.Set(t.Context(), 5))
	require.NoError(t, d.Close())
}

// Nor does it wait for ever for the handlers of the log.
func TestCloseGivesUpHandlers(t *testing.T) {
	log := &records{gate: make(chan struct{})}
	d := must(dpa.New(open(t), dpa.Config{App: dpatest.App(), Log: log}))(t)
	launched(t, must(dpatest.LaunchSay(d, dpa.LaunchOptions{}, 1))(t), nil)
	reset := dpa.SetCloseLimit(10 * time.Millisecond)
	defer reset()
	doctest.WantErr(t, d.Close(), doca.ErrTimeOut, "the handlers of Config.Log and Config.Trace have not returned")
	reset()
	close(log.gate)
	require.NoError(t, d.Close())
	assert.Len(t, log.list(), 3)
}
