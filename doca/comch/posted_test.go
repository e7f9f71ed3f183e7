package comch_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// The Close of a buffer that a consumer holds, which could not be closed, does not wait for
// what may never come.
func TestBufferOfConsumerThatCannotBeClosed(t *testing.T) {
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

	ended := long(t)
	for _, close := range []func(context.Context) error{buf.Shutdown, inv.Shutdown} {
		err := close(ended)
		wantErr(t, err, doca.ErrInUse, "posted to "+c.String())
		check(t, ended.Err())
	}
	r := must(c.Recv(long(t)))(t)
	if r.Buffer != buf || string(r.Imm) != "x" {
		t.Errorf("Recv = %+v", r)
	}
	check(t, buf.Close())
	check(t, c.Close())
	check(t, inv.Close())
	check(t, mem.Close())
}
