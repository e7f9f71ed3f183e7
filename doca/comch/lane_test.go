package comch_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// lane is a producer of one side and a consumer of the other, with memory for each.
type lane struct {
	from, to *comch.Conn
	out, in  *doca.Memory // of the producer, of the consumer
	inv      *doca.Inventory
	producer *comch.Producer
	consumer *comch.Consumer
	id       uint32         // the consumer's
	bufs     []*doca.Buffer // handles, until all is closed
}

// shape is what a lane is made of. The zero value is good for most tests.
type shape struct {
	conn     comch.Config
	producer comch.ProducerConfig
	consumer comch.ConsumerConfig
	memory   int  // bytes of each; 0: 64 KiB
	down     bool // from the server to the client
}

// newLane makes a lane from the client to the server, or the other way round.
func newLane(t testing.TB, s shape) *lane {
	t.Helper()
	l := &lane{}
	l.from, l.to = newPair(t, s.conn)
	if s.down {
		l.from, l.to = l.to, l.from
	}
	if s.memory == 0 {
		s.memory = 64 << 10
	}
	l.out = memory(t, l.from, s.memory)
	l.in = memory(t, l.to, s.memory)
	l.inv = must(doca.NewInventory(8192))(t)
	l.consumer = must(l.to.NewConsumer(l.in, s.consumer))(t)
	l.producer = must(l.from.NewProducer(s.producer))(t)
	l.id = must(l.from.WaitConsumer(long(t)))(t)
	t.Cleanup(func() {
		check(t, l.to.Close()) // posted buffers are given back
		check(t, l.from.Close())
		check(t, l.inv.Close())
		runtime.KeepAlive(l)
	})
	if l.id != l.consumer.ID() {
		t.Fatalf("the peer has consumer %d, this is %d", l.id, l.consumer.ID())
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
	l.bufs = append(l.bufs, b)
	return b
}

// sink is a buffer at an offset of the consumer's memory.
func (l *lane) sink(t testing.TB, offset, size int) *doca.Buffer {
	t.Helper()
	b := must(l.inv.Buffer(l.in, offset, size))(t)
	l.bufs = append(l.bufs, b)
	return b
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

// messages are n messages with texts of their own, with immediate data where the number is
// odd.
func (l *lane) messages(t testing.TB, n int) []comch.Message {
	t.Helper()
	var msgs []comch.Message
	for i := range n {
		m := comch.Message{Buffer: l.source(t, 64*i, text(i)), Consumer: l.id}
		if i%2 == 1 {
			m.Imm = []byte(fmt.Sprint(i))
		}
		msgs = append(msgs, m)
	}
	return msgs
}

func text(i int) string { return fmt.Sprintf("message %d", i) }

func (l *lane) send(t testing.TB, buf *doca.Buffer, imm string) {
	t.Helper()
	check(t, l.producer.Send(long(t), buf, []byte(imm), l.id))
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

// nothing checks that nothing more has come.
func (l *lane) nothing(t testing.TB) {
	t.Helper()
	if r, err := l.consumer.Recv(soon(t)); err != context.DeadlineExceeded {
		t.Fatalf("received %q %q, %v", r.Data, r.Imm, err)
	}
}

func TestSendAndReceive(t *testing.T) {
	t.Parallel()
	for _, down := range []bool{false, true} {
		t.Run(fmt.Sprint("down=", down), func(t *testing.T) {
			t.Parallel()
			l := newLane(t, shape{down: down})
			first, second := l.sink(t, 0, 100), l.sink(t, 100, 100)
			check(t, l.consumer.Post(first))
			check(t, l.consumer.Post(second))
			l.send(t, l.source(t, 0, "hello"), "now")
			l.send(t, l.source(t, 64, "again"), "")
			l.want(t, first, "hello", "now")
			l.want(t, second, "again", "")
			check(t, l.consumer.Post(first)) // shorter than before: nothing of that is left
			l.send(t, l.source(t, 128, "x"), "")
			l.want(t, first, "x", "")
			check(t, l.producer.Close())
			check(t, l.consumer.Close())
		})
	}
}

// The engine of the connection can be that of its consumers and producers.
func TestOneEngineForAll(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	cfg := comch.Config{Engine: pe}
	from, to := l.pair(t, l.listen(t, cfg), cfg)
	in := memory(t, to, 4096)
	consumer := must(to.NewConsumer(in, comch.ConsumerConfig{Engine: pe}))(t)
	producer := must(from.NewProducer(comch.ProducerConfig{Engine: pe}))(t)
	id := must(from.WaitConsumer(long(t)))(t)
	for range 10 {
		check(t, consumer.Post(nil))
		check(t, producer.Send(long(t), nil, []byte("over it"), id))
		if r := must(consumer.Recv(long(t)))(t); string(r.Imm) != "over it" {
			t.Fatalf("received %q", r.Imm)
		}
		send(t, from, "meanwhile")
		recv(t, to, "meanwhile")
	}
	check(t, pe.Close())
	wantErr(t, consumer.Post(nil), doca.ErrClosed)
	wantErr(t, producer.Send(long(t), nil, nil, id), doca.ErrClosed)
	runtime.KeepAlive(in)
}
