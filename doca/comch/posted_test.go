package comch_test

import (
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// The Close of a buffer that a consumer holds, which could not be closed, goes on when the
// buffer is received.
func TestBufferClosedBeforeItIsReceived(t *testing.T) {
	client, server := newPair(t, comch.Config{})
	mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{client.Device()}, Access: doca.AccessPCIReadWrite}))(t)
	inv := must(doca.NewInventory(1))(t)
	c := must(client.NewConsumer(mem, comch.ConsumerConfig{}))(t)
	p := must(server.NewProducer(comch.ProducerConfig{}))(t)
	buf := must(inv.Buffer(mem, 0, 64))(t)
	check(t, c.Post(buf))
	id := must(server.WaitConsumer(long(t)))(t)
	check(t, p.Send(long(t), nil, []byte("x"), id))
	doctest.Faults(t, "fail-call=doca_ctx_stop:1")
	wantErr(t, c.Close(), doca.ErrDriver)

	closed := make(chan error)
	go func() { closed <- buf.Close() }()
	for buf.Bytes() != nil { // its Close has not begun
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond) // it waits
	r := must(c.Recv(long(t)))(t)
	if r.Buffer != buf || string(r.Imm) != "x" {
		t.Errorf("Recv = %+v", r)
	}
	select {
	case err := <-closed:
		check(t, err)
	case <-long(t).Done():
		t.Fatal("Close of a buffer that was received does not return")
	}
	check(t, c.Close())
	check(t, inv.Close())
	check(t, mem.Close())
}
