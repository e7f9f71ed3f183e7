package comchnet_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/require"
)

// failSteps has all steps of engines fail that have slept, until end is called. Clients come now and then, and wake the server's.
func (l *link) failSteps(t *testing.T) (end func()) {
	t.Helper()
	faults, err := emulator.Faults{FailCalls: []emulator.CallFault{{Func: "doca_pe_clear_notification", N: emulator.Every}}}.Apply()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	clients.Go(func() {
		for ctx.Err() == nil {
			if c, err := comchnet.Dial(ctx, l.host, l.name, comch.Config{}); err == nil {
				_ = c.Close()
			}
			time.Sleep(soon) // for the server's engine to fall asleep
		}
	})
	return sync.OnceFunc(func() {
		cancel()
		faults()
		clients.Wait()
	})
}

// temporary reports what net/http's Serve and gRPC ask for. The method of net.Error is deprecated for programs.
func temporary(err error) bool {
	e, ok := err.(interface{ Temporary() bool })
	return ok && e.Temporary()
}

// A listener whose engine fails reports that, and accepts the clients that come later.
func TestListenerOutlivesAFailedStep(t *testing.T) { // alone, because of the faults
	l := newLink(t)
	li := l.listen(t)
	end := l.failSteps(t)
	defer end()
	for failures := 0; failures < 2; {
		c, err := li.Accept()
		if err == nil { // who has come before the engine slept
			_ = c.Close()
			continue
		}
		failures++
		want(t, err, doca.ErrDriver)
		require.True(t, temporary(err))
	}
	end()
	client := l.dial(t)
	limit(t, client)
	_, err := client.Write([]byte("x"))
	require.NoError(t, err)
	for got := []byte{0}; got[0] != 'x'; {
		c, err := li.Accept()
		if err != nil { // of a step before the faults have ended
			require.True(t, temporary(err))
			continue
		}
		limit(t, c)
		_, _ = io.ReadFull(c, got)
		_ = c.Close()
	}
	require.NoError(t, client.Close())
	require.NoError(t, li.Close())
	_, err = li.Accept()
	want(t, err, net.ErrClosed)
	require.False(t, temporary(err))
}

// A closed listener whose server still has streams speaks of no failures of the server.
func TestClosedListenerHidesFailedSteps(t *testing.T) { // alone, because of the faults
	l := newLink(t)
	li := l.listen(t)
	client := l.dial(t)
	stream, err := li.Accept()
	require.NoError(t, err)
	end := l.failSteps(t)
	defer end()
	for range 10 {
		for !li.Failed() {
			time.Sleep(time.Millisecond)
		}
		require.NoError(t, li.Close())
		_, err := li.Accept()
		want(t, err, net.ErrClosed)
		require.False(t, temporary(err))
	}
	end()
	require.NoError(t, client.Close())
	require.NoError(t, stream.Close())
}

// The listener of a server that has stopped for good says so each time.
func TestListenerEndsWithItsServer(t *testing.T) {
	l := newLink(t)
	srv, err := comch.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
	require.NoError(t, err)
	li, err := comchnet.NewListener(srv)
	require.NoError(t, err)
	require.NoError(t, srv.Close())
	for range 2 {
		_, err := li.Accept()
		want(t, err, net.ErrClosed, doca.ErrClosed)
		require.False(t, temporary(err))
	}
	require.NoError(t, li.Close())
}

// A server of HTTP goes on after failed steps.
func TestHTTPOutlivesAFailedStep(t *testing.T) { // alone, because of the faults
	l := newLink(t)
	li := l.listen(t)
	end := l.failSteps(t)
	defer end()
	logged := make(firstLine, 1)
	server := &http.Server{Handler: handler(), ErrorLog: log.New(logged, "", 0)}
	served := make(chan error)
	go func() { served <- server.Serve(li) }()
	require.Contains(t, <-logged, "call Accept again")
	end()
	client := l.client()
	resp, err := client.Get(l.url("/"))
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "hello", string(body))
	require.NoError(t, resp.Body.Close())
	client.CloseIdleConnections()
	require.NoError(t, li.Close())
	require.ErrorIs(t, <-served, net.ErrClosed)
}

// firstLine takes the first line that is written, and drops the others.
type firstLine chan string

func (f firstLine) Write(p []byte) (int, error) {
	select {
	case f <- string(p):
	default:
	}
	return len(p), nil
}
