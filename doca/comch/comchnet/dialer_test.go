package comchnet_test

import (
	"context"
	"net"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/stretchr/testify/require"
)

func TestDialer(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	defer li.Close()
	for name, c := range map[string]struct {
		fixed, network, addr string
		want                 error // nil: it connects
	}{
		"comch":        {"", "comch", l.name, nil},
		"tcp":          {"", "tcp", l.name + ":80", nil},
		"tcp6":         {"", "tcp6", l.name + ":http", nil},
		"tcp, no port": {"", "tcp", l.name, &net.AddrError{Err: "missing port in address", Addr: l.name}},
		"udp":          {"", "udp", l.name + ":80", net.UnknownNetworkError("udp")},
		"comch4":       {"", "comch4", l.name, net.UnknownNetworkError("comch4")},
		"tcp46":        {"", "tcp46", l.name + ":80", net.UnknownNetworkError("tcp46")},
		"fixed name":   {l.name, "udp", "whatever", nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := &comchnet.Dialer{Device: l.host, Name: c.fixed}
			conn, err := d.DialContext(t.Context(), c.network, c.addr)
			if c.want != nil {
				want(t, err)
				require.Nil(t, conn)
				require.ErrorContains(t, err, c.want.Error())
				return
			}
			require.NoError(t, err)
			require.Equal(t, l.name, conn.RemoteAddr().String())
			require.NoError(t, conn.Close())
			server, err := li.Accept()
			require.NoError(t, err)
			require.NoError(t, server.Close())
		})
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := (&comchnet.Dialer{Device: l.host}).DialContext(ctx, "comch", l.name)
	want(t, err, context.Canceled)
	for _, d := range []*comchnet.Dialer{nil, {}} {
		_, err := d.DialContext(t.Context(), "comch", l.name)
		want(t, err, doca.ErrInvalidValue)
		require.ErrorContains(t, err, "set it to a device of the host")
	}
}
