package comch_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// DOCA knows of a connection's end before the engine that nobody drives tells of it.
func TestUseBeforeTheEndIsTold(t *testing.T) {
	t.Parallel()
	ended := func() *comch.Conn {
		client, server := newPair(t, comch.Config{})
		send(t, client, "hello")
		recv(t, server, "hello")
		check(t, client.Close())
		return server
	}
	s := must(ended().Stats())(t)
	if s != (comch.Stats{RecvMessages: 1, RecvBytes: 5}) {
		t.Errorf("Stats() = %+v", s)
	}
	c := ended()
	mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{c.Device()}, Access: doca.AccessPCIReadWrite}))(t)
	con, err := c.NewConsumer(mem, comch.ConsumerConfig{})
	if err == nil { // it was quicker
		_, err = con.Recv(long(t))
	}
	wantErr(t, err, doca.ErrNotConnected)
	check(t, mem.Close())
}
