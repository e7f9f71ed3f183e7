package comch_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/require"
)

// farewell is the message that package comch reserves.
const farewell = "\xf9\x1d\x62\xc8go-doca\x00\x8e\x30\xb5\x07\x9a"

// With farewells, both sides know that the other has closed the connection.
func TestFarewell(t *testing.T) {
	t.Parallel()
	cfg := comch.Config{Farewell: true}
	for name, end := range map[string]func(l *link, srv *comch.Server, client, server *comch.Conn) (closed closer, left *comch.Conn){
		"client": func(_ *link, _ *comch.Server, client, server *comch.Conn) (closer, *comch.Conn) {
			return client, server
		},
		"connection of the server": func(_ *link, _ *comch.Server, client, server *comch.Conn) (closer, *comch.Conn) {
			return server, client
		},
		"server": func(_ *link, srv *comch.Server, client, _ *comch.Conn) (closer, *comch.Conn) {
			return srv, client
		},
		"host's device": func(l *link, _ *comch.Server, _, server *comch.Conn) (closer, *comch.Conn) {
			return l.host, server
		},
		"engine of the server": func(_ *link, srv *comch.Server, client, _ *comch.Conn) (closer, *comch.Conn) {
			return srv.Engine(), client
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			srv := l.listen(t, cfg)
			client, server := l.pair(t, srv, cfg)
			closed, left := end(l, srv, client, server)
			for _, c := range []*comch.Conn{client, server} {
				send(t, c, "one")
			}
			recv(t, left, "one")
			check(t, closed.Close())
			wantEndAs(t, left, comch.EndOrderly)
			check(t, left.Close())
		})
	}
}

// The farewell comes behind all messages, also those that wait for a peer that reads none, and no
// lack of tasks keeps it back.
func TestFarewellComesLast(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			cfg := comch.Config{Farewell: true, MaxSendTasks: 4, RecvQueueSize: 2, Backlog: 2}
			from, to := newPair(t, cfg)
			if side == "server" {
				from, to = to, from
			}
			n := 0
			for from.Send(soon(t), []byte{byte(n)}) == nil {
				n++
			}
			require.NotZero(t, n)
			check(t, from.Close())
			for i := range n {
				recv(t, to, string([]byte{byte(i)}))
			}
			wantEndAs(t, to, comch.EndOrderly)
			check(t, to.Close())
		})
	}
}

// A side that waits for a farewell takes an end without one for a broken connection.
func TestNoFarewell(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			cfgs := map[string]comch.Config{side: {Farewell: true}}
			client, server := l.pair(t, l.listen(t, cfgs["server"]), cfgs["client"])
			c, peer := client, server
			if side == "server" {
				c, peer = server, client
			}
			check(t, peer.Close())
			wantEndAs(t, c, comch.EndBroken)
			require.ErrorContains(t, c.Err(), "Config.Farewell")
			check(t, c.Close())
		})
	}
}

// Without farewells, no message is special: C programs may send any.
func TestFarewellIsOptional(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{})
	send(t, client, farewell)
	recv(t, server, farewell)
	check(t, client.Close())
	wantEnd(t, server)
}

func TestFarewellLimits(t *testing.T) {
	t.Parallel()
	client, _ := newPair(t, comch.Config{Farewell: true})
	wantErr(t, client.Send(t.Context(), []byte(farewell)), doca.ErrInvalidValue, "reserved")
	send(t, client, farewell+"!")

	l := newLink(t)
	_, err := comch.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{Farewell: true, MaxMessageSize: len(farewell) - 1})
	wantErr(t, err, doca.ErrInvalidValue, "MaxMessageSize", "Farewell")
	srv := l.listen(t, comch.Config{Farewell: true, MaxMessageSize: len(farewell), MaxSendTasks: 8192})
	check(t, srv.Close())
}
