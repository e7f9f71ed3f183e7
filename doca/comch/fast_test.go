package comch_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// lane is a producer of one side and a consumer of the other, with memory for each.
type lane struct {
	client, server *comch.Conn
	out, in        *doca.Memory // of the producer, of the consumer
	inv            *doca.Inventory
	producer       *comch.Producer
	consumer       *comch.Consumer
}

// shape is what a lane is made of. The zero value is good for most tests.
type shape struct {
	conn     comch.Config
	producer comch.ProducerConfig
	consumer comch.ConsumerConfig
	memory   int  // bytes of each; 0: 64 KiB
	up       bool // from the server to the client
}

// newLane makes a lane from the client to the server, or the other way round.
func newLane(t testing.TB, s shape) *lane {
	t.Helper()
	l := &lane{}
	l.client, l.server = newPair(t, s.conn)
	from, to := l.client, l.server
	if s.up {
		from, to = to, from
	}
	if s.memory == 0 {
		s.memory = 64 << 10
	}
	l.out = memory(t, from, s.memory)
	l.in = memory(t, to, s.memory)
	l.inv = must(doca.NewInventory(4096))(t)
	t.Cleanup(func() { check(t, l.inv.Close()) })
	t.Cleanup(func() { check(t, to.Close()) }) // posted buffers are given back
	l.consumer = must(to.NewConsumer(l.in, s.consumer))(t)
	l.producer = must(from.NewProducer(s.producer))(t)
	if id := must(from.WaitConsumer(long(t)))(t); id != l.consumer.ID() {
		t.Fatalf("the peer has consumer %d, this is %d", id, l.consumer.ID())
	}
	return l
}

// memory is memory that a peer may write to.
func memory(t testing.TB, c *comch.Conn, size int) *doca.Memory {
	t.Helper()
	return must(doca.NewMemory(size, doca.MemoryConfig{Devices: []*doca.Device{c.Device()},
		Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite}))(t)
}

// source is a buffer at an offset of the producer's memory that holds the text.
func (l *lane) source(t testing.TB, offset int, text string) *doca.Buffer {
	t.Helper()
	copy(l.out.Bytes()[offset:], text)
	b := must(l.inv.Buffer(l.out, offset, max(1, len(text))))(t)
	check(t, b.SetData(0, len(text)))
	return b
}

// sink is a buffer at an offset of the consumer's memory.
func (l *lane) sink(t testing.TB, offset, size int) *doca.Buffer {
	t.Helper()
	return must(l.inv.Buffer(l.in, offset, size))(t)
}

// post posts n buffers of 64 bytes each.
func (l *lane) post(t testing.TB, n int) []*doca.Buffer {
	t.Helper()
	var bufs []*doca.Buffer
	for i := range n {
		bufs = append(bufs, l.sink(t, 64*i, 64))
	}
	if k, err := l.consumer.PostBatch(bufs); k != n || err != nil {
		t.Fatalf("PostBatch = %d, %v", k, err)
	}
	return bufs
}

// want receives a message and checks it.
func (l *lane) want(t testing.TB, buf *doca.Buffer, data, imm string) {
	t.Helper()
	r := must(l.consumer.Recv(long(t)))(t)
	if r.Buffer != buf || string(r.Data) != data || string(r.Imm) != imm || r.ProducerID != l.producer.ID() {
		t.Fatalf("received %q %q of producer %d in %v; want %q %q of %d in %v", r.Data, r.Imm, r.ProducerID, r.Buffer, data, imm, l.producer.ID(), buf)
	}
	if buf != nil && (buf.DataLen() != len(data) || string(buf.Data()) != data) {
		t.Fatalf("the buffer holds %q", buf.Data())
	}
}

func TestSendAndReceive(t *testing.T) {
	t.Parallel()
	for _, up := range []bool{false, true} {
		t.Run(fmt.Sprint("up=", up), func(t *testing.T) {
			t.Parallel()
			l := newLane(t, shape{up: up})
			first, second := l.sink(t, 0, 100), l.sink(t, 100, 100)
			check(t, l.consumer.Post(first))
			check(t, l.consumer.Post(second))
			check(t, l.producer.Send(long(t), l.source(t, 0, "hello"), []byte("now"), l.consumer.ID()))
			check(t, l.producer.Send(long(t), l.source(t, 64, "again"), nil, l.consumer.ID()))
			l.want(t, first, "hello", "now")
			l.want(t, second, "again", "")
			check(t, l.consumer.Post(first)) // shorter than before: nothing of that is left
			check(t, l.producer.Send(long(t), l.source(t, 128, "x"), nil, l.consumer.ID()))
			l.want(t, first, "x", "")
			check(t, l.producer.Close())
			check(t, l.consumer.Close())
		})
	}
}

var _ = bytes.Equal
var _ context.Context
