package dpa_test

import (
	"sync"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// remoteEvent makes what code on a DPA signals through RDMA.
func remoteEvent(t testing.TB, dev *doca.Device) *syncevent.Remote {
	t.Helper()
	ev := closed(t, must(syncevent.New(dev, syncevent.Config{Publishers: syncevent.RemoteNet}))(t))
	return closed(t, must(syncevent.ImportNet(dev, must(ev.ExportNet())(t)))(t))
}

// A DPA that has the handle of a remote event closes it, for DOCA does not destroy the DPA before: whichever was made first, and
// whatever the program closes.
func TestRemoteEventIsClosedBeforeDPA(t *testing.T) {
	t.Parallel()
	for _, closes := range []string{"the DPA", "the device", "the event"} {
		t.Run(closes, func(t *testing.T) {
			t.Parallel()
			dev := open(t)
			remote := remoteEvent(t, dev)
			d := closed(t, must(dpa.New(dev, config(t)))(t))
			h := must(remote.DPAHandle(d))(t)
			assert.Equal(t, h, must(remote.DPAHandle(d))(t))
			first := map[string]interface{ Close() error }{"the DPA": d, "the device": dev, "the event": remote}[closes]
			require.NoError(t, first.Close())
			require.ErrorIs(t, second(remote.DPAHandle(d)), doca.ErrClosed)
			require.NoError(t, d.Close())
		})
	}
}

// A DPA that gets no handle does not close the event.
func TestRemoteEventOfAnotherDPA(t *testing.T) {
	t.Parallel()
	dev := open(t)
	remote := remoteEvent(t, dev)
	d, other := newDPA(t), newDPA(t)
	must(remote.DPAHandle(d))(t)
	for range 2 {
		require.ErrorIs(t, second(remote.DPAHandle(other)), doca.ErrNotSupported)
	}
	require.NoError(t, other.Close())
	require.ErrorIs(t, second(remote.DPAHandle(other)), doca.ErrClosed)
	must(remote.DPAHandle(d))(t)
}

// The handle is asked for while everything is closed.
func TestRemoteEventRaces(t *testing.T) {
	t.Parallel()
	for range 20 {
		dev := open(t)
		remote := remoteEvent(t, dev)
		d := must(dpa.New(dev, config(t)))(t)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for {
					if _, err := remote.DPAHandle(d); err != nil {
						assert.ErrorIs(t, err, doca.ErrClosed)
						return
					}
				}
			})
		}
		all.Go(func() { assert.NoError(t, d.Close()) })
		all.Go(func() { assert.NoError(t, remote.Close()) })
		all.Wait()
	}
}
