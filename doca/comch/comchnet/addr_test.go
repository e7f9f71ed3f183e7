package comchnet_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/stretchr/testify/require"
)

func TestAddrs(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	name := client.Raw().Name()
	require.Equal(t, comchnet.Addr{Name: name, PCIAddr: "0000:b1:00.0"}, client.LocalAddr())
	require.Equal(t, comchnet.Addr{Name: name}, client.RemoteAddr())
	require.Equal(t, comchnet.Addr{Name: name, PCIAddr: "0000:03:00.0"}, server.LocalAddr())
	require.Equal(t, comchnet.Addr{Name: name, PCIAddr: "0000:b1:00.0"}, server.RemoteAddr())
	require.Equal(t, "comch", client.LocalAddr().Network())
	require.Equal(t, name, client.RemoteAddr().String())
	require.Equal(t, name+"@0000:b1:00.0", client.LocalAddr().String())
}
