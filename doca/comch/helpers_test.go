package comch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	dpu0  = "0000:03:00.0"
	host0 = "0000:b1:00.0"
)

// The helpers that all packages share.
var (
	check   = doctest.Check
	wantErr = doctest.WantErr
)

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

// link is both ends of a channel in one process.
type link struct {
	dpu, host *doca.Device
	rep       *doca.Representor
	name      string

	mu   sync.Mutex
	kept []any // handles, until the devices are closed
}

var names atomic.Int32

// newLink opens the devices. Its name is that of no other test.
func newLink(t testing.TB) *link {
	t.Helper()
	l := &link{name: fmt.Sprintf("test-%d-%d", time.Now().UnixNano(), names.Add(1))}
	l.dpu = must(doca.OpenDevice(dpu0))(t)
	l.host = must(doca.OpenDevice(host0))(t)
	l.rep = must(l.dpu.OpenRepresentor(host0))(t)
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{l.host, l.dpu} {
			if err := c.Close(); err != nil {
				t.Errorf("Close of %v: %v", c, err)
			}
		}
		l.keep(nil)
	})
	return l
}

func (l *link) keep(handle any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, handle)
}

func (l *link) listen(t testing.TB, cfg comch.Config) *comch.Server {
	t.Helper()
	srv := must(comch.Listen(t.Context(), l.dpu, l.rep, l.name, cfg))(t)
	l.keep(srv)
	return srv
}

func (l *link) dial(t testing.TB, cfg comch.Config) *comch.Conn {
	t.Helper()
	c := must(comch.Dial(long(t), l.host, l.name, cfg))(t)
	l.keep(c)
	return c
}

// pair returns both ends of a connection to srv.
func (l *link) pair(t testing.TB, srv *comch.Server, cfg comch.Config) (client, server *comch.Conn) {
	t.Helper()
	dialed := make(chan *comch.Conn)
	go func() {
		defer close(dialed)
		c, err := comch.Dial(long(t), l.host, l.name, cfg)
		if err != nil {
			t.Error(err)
			return
		}
		dialed <- c
	}()
	server = must(srv.Accept(long(t)))(t)
	client = <-dialed
	if client == nil {
		t.FailNow()
	}
	l.keep(client)
	l.keep(server)
	return client, server
}

// newPair is one connection of a server of its own.
func newPair(t testing.TB, cfg comch.Config) (client, server *comch.Conn) {
	t.Helper()
	l := newLink(t)
	return l.pair(t, l.listen(t, cfg), cfg)
}

func send(t testing.TB, c *comch.Conn, msg string) {
	t.Helper()
	if err := c.Send(long(t), []byte(msg)); err != nil {
		t.Fatalf("Send %q: %v", msg, err)
	}
}

func recv(t testing.TB, c *comch.Conn, want string) {
	t.Helper()
	got, err := c.Recv(long(t))
	if err != nil || string(got) != want {
		t.Fatalf("Recv = %q, %v; want %q", got, err, want)
	}
}

// long is a context that ends before the test hangs.
func long(t testing.TB) context.Context { return doctest.Deadline(t, 20*time.Second) }

// soon is a context that ends 20 ms after the wait for it has begun.
func soon(t testing.TB) context.Context { return doctest.Soon(t, 20*time.Millisecond) }

// wantEnd checks that the peer has closed the connection, without a farewell, and that everything
// says so. DOCA tells a server how it was; it does not tell a client.
func wantEnd(t testing.TB, c *comch.Conn) {
	t.Helper()
	wantEndAs(t, c, told(c))
}

// told is how DOCA says that a peer has closed a connection.
func told(c *comch.Conn) comch.End {
	if c.Server() == nil {
		return comch.EndUnknown
	}
	return comch.EndOrderly
}

// wantEndAs checks that the peer has ended the connection and how, and that everything says so.
func wantEndAs(t testing.TB, c *comch.Conn, end comch.End) {
	t.Helper()
	msg, err := c.Recv(long(t))
	require.Nil(t, msg)
	wantGone(t, "Recv", err, end, true)
	_, err = c.RecvInto(long(t), make([]byte, 8))
	wantGone(t, "RecvInto", err, end, true)
	wantGone(t, "Err", c.Err(), end, true)
	for err = nil; err == nil; { // events that nobody has read come first
		_, err = c.ConsumerEvent(long(t))
	}
	wantGone(t, "ConsumerEvent", err, end, true)
	_, err = c.WaitConsumer(long(t))
	wantGone(t, "WaitConsumer", err, end, true)
	wantGone(t, "Send", c.Send(long(t), []byte("x")), end, false)
	wantGone(t, "Flush", c.Flush(long(t)), end, false)
	_, err = c.NewProducer(comch.ProducerConfig{})
	wantGone(t, "NewProducer", err, end, false)
	mem := memory(t, c, 64)
	_, err = c.NewConsumer(mem, comch.ConsumerConfig{})
	wantGone(t, "NewConsumer", err, end, false)
	check(t, mem.Close())
	select {
	case <-c.Done():
	default:
		t.Error("Done is open")
	}
}

// wantGone checks that an error says that the peer is gone, and how.
func wantGone(t testing.TB, what string, err error, end comch.End, receives bool) {
	t.Helper()
	require.ErrorIs(t, err, comch.ErrPeerGone, what)
	peer := new(comch.PeerError)
	require.ErrorAs(t, err, &peer, what)
	assert.Equal(t, end, peer.End, "%s: %v", what, err)
	assert.Equal(t, end == comch.EndOrderly && receives, errors.Is(err, io.EOF), "%s is io.EOF: %v", what, err)
	assert.NotErrorIs(t, err, doca.ErrInvalidValue, what)
	assert.NotErrorIs(t, err, doca.ErrClosed, what)
	if end == comch.EndBroken {
		assert.ErrorIs(t, err, doca.ErrConnectionReset, what)
	} else {
		assert.ErrorIs(t, err, doca.ErrNotConnected, what)
	}
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// fault runs f with faults set. It is not a subtest: what follows needs what f does.
func fault(t *testing.T, spec string, f func()) {
	t.Helper()
	doctest.Faults(t, spec)
	defer emulator.ClearFaults()
	f()
}

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

// receive receives n messages by the batch, posting as it goes, and calls each.
func (l *lane) receive(t testing.TB, n int, each func(i int, r *comch.Received)) {
	t.Helper()
	out := make([]comch.Received, 7)
	bufs := make([]*doca.Buffer, len(out))
	for i := 0; i < n; {
		k, err := l.consumer.RecvBatch(long(t), out[:min(len(out), n-i)])
		if err != nil {
			t.Error(err)
			return
		}
		for j := range out[:k] {
			each(i+j, &out[j])
			bufs[j] = out[j].Buffer
		}
		i += k
		if _, err := l.consumer.PostBatch(bufs[:k]); err != nil {
			t.Error(err)
			return
		}
	}
}

// receiveWhile receives whatever comes while f runs.
func (l *lane) receiveWhile(t *testing.T, f func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(long(t))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			r, err := l.consumer.Recv(ctx)
			if err != nil {
				return
			}
			check(t, l.consumer.Post(r.Buffer))
		}
	}()
	f()
	cancel()
	<-done
}

// connect makes both ends of a connection for an example, whose devices it opens.
func connect(ctx context.Context, name string) (client, server *comch.Conn) {
	dpu, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	rep, err := dpu.OpenRepresentor("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	srv, err := comch.Listen(ctx, dpu, rep, name, comch.Config{})
	if err != nil {
		log.Fatal(err)
	}
	host, err := doca.OpenDevice("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	accepted := make(chan *comch.Conn)
	go func() { // Dial waits for the server to do its part
		conn, err := srv.Accept(ctx)
		if err != nil {
			log.Fatal(err)
		}
		accepted <- conn
	}()
	if client, err = comch.Dial(ctx, host, name, comch.Config{}); err != nil {
		log.Fatal(err)
	}
	return client, <-accepted
}
