package comchnet_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/stretchr/testify/require"
)

func TestAddrs(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	defer li.Close()
	seen := map[string]bool{}
	for range 3 {
		client := l.dial(t)
		defer client.Close()
		server, err := li.Accept()
		require.NoError(t, err)
		defer server.Close()
		for _, c := range []struct {
			addr net.Addr
			want comchnet.Addr
		}{
			{client.LocalAddr(), comchnet.Addr{Name: l.name, PCIAddr: "0000:b1:00.0"}},
			{client.RemoteAddr(), comchnet.Addr{Name: l.name}},
			{server.LocalAddr(), comchnet.Addr{Name: l.name, PCIAddr: "0000:03:00.0"}},
			{server.RemoteAddr(), comchnet.Addr{Name: l.name, PCIAddr: "0000:b1:00.0"}},
		} {
			got := c.addr.(comchnet.Addr)
			if c.want.PCIAddr == "0000:b1:00.0" {
				require.NotZero(t, got.Stream, "the client's end")
				require.Equal(t, fmt.Sprintf("[%s@0000:b1:00.0]:%d", l.name, got.Stream), got.String())
				host, port, err := net.SplitHostPort(got.String())
				require.NoError(t, err)
				require.Equal(t, l.name+"@0000:b1:00.0", host)
				require.Equal(t, fmt.Sprint(got.Stream), port)
				require.False(t, seen[got.String()], "no other stream of this process has it")
				seen[got.String()] = true
			} else {
				require.Equal(t, c.want.String(), got.String())
			}
			got.Stream = 0
			require.Equal(t, c.want, got)
			require.Equal(t, "comch", got.Network())
		}
	}
	require.Equal(t, "web", comchnet.Addr{Name: "web"}.String())
}
