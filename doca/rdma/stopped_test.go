package rdma_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The process of a peer that is stopped answers nothing for 10 seconds. Shutdown of what waits for an answer ends with its
// ctx, and can be called again; Shutdown of what ends the operations does not wait.
func TestShutdownPeerStopped(t *testing.T) {
	t.Parallel()
	type shutter interface{ Shutdown(context.Context) error }
	for name, c := range map[string]struct {
		target func(s *side, remote *syncevent.Remote) shutter
		waits  bool // for operations in flight
	}{
		"connection":    {func(s *side, _ *syncevent.Remote) shutter { return s.conn }, true},
		"memory":        {func(s *side, _ *syncevent.Remote) shutter { return s.mem }, true},
		"peer's memory": {func(s *side, _ *syncevent.Remote) shutter { return s.peer }, true},
		"remote event":  {func(_ *side, r *syncevent.Remote) shutter { return r }, true},
		"context":       {func(s *side, _ *syncevent.Remote) shutter { return s.rdma }, false},
		"device":        {func(s *side, _ *syncevent.Remote) shutter { return s.dev }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, p := withProcess(t, "events")
			require.NoError(t, s.conn.Handshake(soonish(t)))
			must(s.rdma.Post(s.buffer(t, 4096, 4096)))(t)
			require.NoError(t, s.conn.SendImm(soonish(t), 1, nil, 0, 0))
			remote := must(syncevent.ImportNet(s.dev, must(s.rdma.Recv(soonish(t)))(t).Data))(t)
			selfexec.Stop(t, p.Process)

			var inFlight []*rdma.Future
			for range 3 {
				inFlight = append(inFlight, must(s.conn.EventAddAsync(soonish(t), remote, s.mem, 0, 1))(t),
					must(s.conn.FetchAddAsync(soonish(t), s.peer, 0, s.mem, 8, 1))(t), must(s.conn.SendAsync(soonish(t), s.mem, 0, memSize/2))(t))
			}
			target := c.target(s, remote)
			if !c.waits {
				require.NoError(t, target.Shutdown(soonish(t)))
				return
			}
			wantErr(t, target.Shutdown(soon(t)), context.DeadlineExceeded)
			closed := make(chan error, 1)
			go func() { closed <- target.Shutdown(soonish(t)) }()
			require.NoError(t, s.rdma.Shutdown(soonish(t)), "ends the operations")
			for _, f := range inFlight {
				assert.Error(t, f.Wait(soonish(t)))
			}
			require.NoError(t, <-closed)
		})
	}
}
