package comch_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDialErrors(t *testing.T) {
	t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "100")
	l := newLink(t)
	_, err := comch.Dial(t.Context(), l.host, l.name+"-wrong", comch.Config{})
	wantErr(t, err, comch.ErrNoServer, "-wrong", "dial")
	t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "60000") // from now on ctx ends first
	var all sync.WaitGroup
	all.Go(func() {
		_, err := comch.Dial(soon(t), l.host, l.name+"-none", comch.Config{})
		wantErr(t, err, context.DeadlineExceeded, "-none", "dial")
	})
	all.Go(func() {
		_, err := comch.Dial(canceled(t), l.host, l.name+"-none", comch.Config{})
		wantErr(t, err, context.Canceled)
	})
	all.Wait()
	// Both sides must agree on the size of messages.
	srv := l.listen(t, comch.Config{MaxMessageSize: 100})
	ctx, cancel := context.WithCancel(t.Context())
	all.Go(func() { srv.Engine().Run(ctx) })
	_, err = comch.Dial(long(t), l.host, l.name, comch.Config{MaxMessageSize: 101})
	wantErr(t, err, doca.ErrTooBig, "MaxMessageSize, which is 101 on this one")
	cancel()
	all.Wait()
	_, err = srv.Accept(soon(t))
	wantErr(t, err, context.DeadlineExceeded)
}

// The client may come first.
func TestDialBeforeListen(t *testing.T) {
	t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "60000")
	l := newLink(t)
	dialed := make(chan *comch.Conn)
	go func() {
		c, err := comch.Dial(long(t), l.host, l.name, comch.Config{})
		if err != nil {
			t.Error(err)
		}
		dialed <- c
	}()
	time.Sleep(30 * time.Millisecond)
	srv := l.listen(t, comch.Config{})
	server := must(srv.Accept(long(t)))(t)
	client := <-dialed
	send(t, client, "at last")
	recv(t, server, "at last")
}

// Where DOCA looks once, Dial says at once that there is no server, and can be called again until there is one.
func TestDialAgain(t *testing.T) {
	t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "0")
	l := newLink(t)
	for range 3 {
		_, err := comch.Dial(t.Context(), l.host, l.name, comch.Config{}) // with the emulator's 2 seconds, the test would take 6
		wantErr(t, err, comch.ErrNoServer, "is not started")
	}
	l.pair(t, l.listen(t, comch.Config{}), comch.Config{})
}

// The device's Close ends a Dial that is under way.
func TestCloseWhileDialing(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	dialed := make(chan error)
	go func() {
		_, err := comch.Dial(long(t), l.host, l.name, comch.Config{})
		dialed <- err
	}()
	time.Sleep(10 * time.Millisecond)
	check(t, l.host.Close())
	wantErr(t, <-dialed, doca.ErrBadState)
}

// A client that is connected and cannot tell its connection has none.
func TestConnectionThatCannotBeTold(t *testing.T) {
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	doctest.Faults(t, "fail-call=doca_comch_client_get_connection:1")
	client, server := l.pair(t, srv, comch.Config{})
	wantErr(t, client.Send(long(t), []byte("x")), doca.ErrNotConnected)
	check(t, client.Close())
	wantEnd(t, server)
}

// Dial does not give up on a server that exists, however long its program drives no engine.
func TestDialWaitsForServer(t *testing.T) {
	t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "100")
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	dialed := make(chan *comch.Conn, 1)
	go func() {
		c, err := comch.Dial(long(t), l.host, l.name, comch.Config{})
		assert.NoError(t, err)
		l.keep(c)
		dialed <- c
	}()
	for range 2 { // the second one begins after the first Dial, and takes until DOCA gives up
		_, err := comch.Dial(long(t), l.host, l.name+"-none", comch.Config{})
		require.ErrorIs(t, err, comch.ErrNoServer)
	}
	select {
	case c := <-dialed:
		require.Failf(t, "Dial returned", "%v", c)
	default:
	}
	server := must(srv.Accept(long(t)))(t)
	client := <-dialed
	require.NotNil(t, client)
	send(t, client, "at last")
	recv(t, server, "at last")
}

// Where DOCA says why a client is not connected, Dial does.
func TestDialReasons(t *testing.T) {
	t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "20")
	l := newLink(t)
	for name, c := range map[string]struct {
		fault string
		want  []error
		not   []error
		words string
	}{
		"no server, at once":  {"fail-call=doca_ctx_start:1:CONNECTION_ABORTED", []error{comch.ErrNoServer, doca.ErrConnectionAborted}, []error{comch.ErrPeerGone}, "representor"},
		"no server, later":    {"fail-call=doca_comch_client_get_connection:1:CONNECTION_ABORTED", []error{comch.ErrNoServer, doca.ErrConnectionAborted}, []error{comch.ErrPeerGone}, "representor"},
		"no server, not said": {"fail-call=doca_comch_client_get_connection:1:BAD_STATE", []error{doca.ErrNotConnected}, []error{comch.ErrNoServer}, "no server"},
		"full":                {"fail-call=doca_comch_client_get_connection:1:FULL", []error{doca.ErrFull}, []error{comch.ErrNoServer}, "as many clients"},
		"sizes":               {"fail-call=doca_comch_client_get_connection:1:TOO_BIG", []error{doca.ErrTooBig}, []error{comch.ErrNoServer}, "4080"},
		"versions":            {"fail-call=doca_comch_client_get_connection:1:UNSUPPORTED_VERSION", []error{doca.ErrUnsupportedVersion}, []error{comch.ErrNoServer}, "LogSDK"},
		"something else":      {"fail-call=doca_ctx_start:1:DRIVER", []error{doca.ErrDriver}, []error{comch.ErrNoServer}, "doca_ctx_start"},
	} {
		t.Run(name, func(t *testing.T) {
			doctest.Faults(t, c.fault)
			_, err := comch.Dial(long(t), l.host, l.name+"-none", comch.Config{})
			for _, want := range c.want {
				wantErr(t, err, want, c.words)
			}
			for _, not := range c.not {
				require.NotErrorIs(t, err, not)
			}
		})
	}
}
