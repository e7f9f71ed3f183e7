package comch_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// consumer makes a consumer on memory of its own.
func consumer(t testing.TB, c *comch.Conn) *comch.Consumer {
	t.Helper()
	mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{c.Device()}, Access: doca.AccessPCIReadWrite}))(t)
	t.Cleanup(func() { mem.Close() })
	con := must(c.NewConsumer(mem, comch.ConsumerConfig{MaxTasks: 4}))(t)
	t.Cleanup(func() { con.Close() })
	return con
}

// Each side learns of the other's consumers: one event when one comes, one when it goes.
func TestConsumerEvents(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{})
	for _, ends := range [][2]*comch.Conn{{client, server}, {server, client}} {
		own, peer := ends[0], ends[1]
		var consumers []*comch.Consumer
		var ids []uint32
		for range 3 {
			con := consumer(t, own)
			consumers, ids = append(consumers, con), append(ids, con.ID())
			if con.ID() == 0 || con.ID() >= 0xffff || slices.Contains(ids[:len(ids)-1], con.ID()) {
				t.Errorf("the consumer's number is %#x, others have %v", con.ID(), ids)
			}
		}
		for _, id := range ids {
			if e := must(peer.ConsumerEvent(long(t)))(t); e != (comch.ConsumerEvent{ID: id}) {
				t.Errorf("event %+v, want %d", e, id)
			}
		}
		if have := peer.Consumers(); !slices.Equal(have, ids) {
			t.Errorf("Consumers() = %v, want %v", have, ids)
		}
		if id := must(peer.WaitConsumer(long(t)))(t); id != ids[0] {
			t.Errorf("WaitConsumer = %d, want %d", id, ids[0])
		}
		for i, con := range consumers {
			check(t, con.Close())
			if e := must(peer.ConsumerEvent(long(t)))(t); e != (comch.ConsumerEvent{ID: ids[i], Expired: true}) {
				t.Errorf("event %+v, want that %d has expired", e, ids[i])
			}
		}
		if have := peer.Consumers(); len(have) != 0 {
			t.Errorf("Consumers() = %v", have)
		}
	}
}

// What happens to consumers before a message was sent is known when the message arrives.
func TestEventsComeBeforeLaterMessages(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{})
	for range 20 {
		con := consumer(t, client)
		send(t, client, "it is there")
		recv(t, server, "it is there")
		if have := server.Consumers(); !slices.Equal(have, []uint32{con.ID()}) {
			t.Fatalf("Consumers() = %v, want %d", have, con.ID())
		}
		check(t, con.Close())
		send(t, client, "it is gone")
		recv(t, server, "it is gone")
		if have := server.Consumers(); len(have) != 0 {
			t.Fatalf("Consumers() = %v", have)
		}
	}
	for range 40 {
		must(server.ConsumerEvent(long(t)))(t)
	}
}

// Closing a connection closes its consumers first, and the peer learns of it.
func TestCloseWithConsumers(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			own, peer := newPair(t, comch.Config{})
			if side == "server" {
				own, peer = peer, own
			}
			con := consumer(t, own)
			id := must(peer.WaitConsumer(long(t)))(t)
			check(t, own.Close())
			if s := con.State(); s != doca.StateClosed {
				t.Errorf("the consumer is %v", s)
			}
			for _, want := range []comch.ConsumerEvent{{ID: id}, {ID: id, Expired: true}} {
				if e := must(peer.ConsumerEvent(long(t)))(t); e != want {
					t.Errorf("event %+v, want %+v", e, want)
				}
			}
			wantEnd(t, peer)
			_, err := own.NewConsumer(nil, comch.ConsumerConfig{})
			wantErr(t, err, doca.ErrInvalidValue)
			mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{peer.Device()}, Access: doca.AccessPCIReadWrite}))(t)
			defer mem.Close()
			_, err = peer.NewConsumer(mem, comch.ConsumerConfig{})
			wantErr(t, err, doca.ErrNotConnected)
		})
	}
}

// Events that nobody reads do not pile up without end.
func TestUnreadEvents(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{})
	server.Done() // from now on the server's engine is driven
	for range 600 {
		con := consumer(t, client)
		// One that closes before the peer has heard of it need not leave events.
		require.Eventually(t, func() bool { return slices.Contains(server.Consumers(), con.ID()) }, 20*time.Second, 100*time.Microsecond)
		check(t, con.Close())
	}
	send(t, client, "done")
	recv(t, server, "done")
	for range 1024 {
		must(server.ConsumerEvent(long(t)))(t)
	}
	if e, err := server.ConsumerEvent(soon(t)); err == nil {
		t.Errorf("%+v after 1024 events, want no more", e)
	}
}
