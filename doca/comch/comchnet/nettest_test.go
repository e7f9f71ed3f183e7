package comchnet_test

import (
	"net"
	"testing"

	"golang.org/x/net/nettest"
)

func TestNettest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		pipe nettest.MakePipe
	}{
		{"client first", func() (c1, c2 net.Conn, stop func(), err error) {
			client, server := pipe(t)
			return client, server, func() { client.Close(); server.Close() }, nil
		}},
		{"server first", func() (c1, c2 net.Conn, stop func(), err error) {
			client, server := pipe(t)
			return server, client, func() { server.Close(); client.Close() }, nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			nettest.TestConn(t, c.pipe)
		})
	}
}
