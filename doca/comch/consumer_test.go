package comch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// The ids of consumers are their own on their side of a connection; the peer learns of each
// that comes and goes.
func TestConsumerIDs(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	seen := map[uint32]bool{l.id: true}
	var more []*comch.Consumer
	for range 10 {
		c := must(l.to.NewConsumer(l.in, comch.ConsumerConfig{MaxTasks: 1, ImmDataLen: 4}))(t)
		if id := c.ID(); id == 0 || id >= 0xffff || seen[id] {
			t.Fatalf("id %d after %v", id, seen)
		}
		seen[c.ID()] = true
		more = append(more, c)
		if c.MaxTasks() != 1 || c.ImmDataLen() != 4 || c.Conn() != l.to {
			t.Errorf("%v has %d tasks and %d bytes", c, c.MaxTasks(), c.ImmDataLen())
		}
	}
	for i := range 11 {
		if e := must(l.from.ConsumerEvent(long(t)))(t); !seen[e.ID] || e.Expired {
			t.Fatalf("event %d: %+v", i, e)
		}
	}
	check(t, more[3].Close())
	if e := must(l.from.ConsumerEvent(long(t)))(t); e.ID != more[3].ID() || !e.Expired {
		t.Fatalf("%+v, want the end of %d", e, more[3].ID())
	}
	other := must(l.from.NewConsumer(l.out, comch.ConsumerConfig{}))(t)
	if id := must(l.to.WaitConsumer(long(t)))(t); id != other.ID() {
		t.Errorf("the client's consumer is %d here, %d there", id, other.ID())
	}
}

// Messages fill buffers in the order in which they were posted.
func TestOrderOfPosts(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	bufs := make([]*doca.Buffer, 64)
	for i := range bufs {
		bufs[i] = l.sink(t, 64*i, 64)
	}
	for range 20 {
		rand.Shuffle(len(bufs), func(i, j int) { bufs[i], bufs[j] = bufs[j], bufs[i] })
		for i := 0; i < len(bufs); { // some at once, some alone
			n := min(1+rand.IntN(9), len(bufs)-i)
			if k, err := l.consumer.PostBatch(bufs[i : i+n]); k != n || err != nil {
				t.Fatalf("PostBatch = %d, %v", k, err)
			}
			i += n
		}
		for i := range bufs {
			l.send(t, nil, fmt.Sprint(i))
		}
		for i, b := range bufs {
			l.want(t, b, "", fmt.Sprint(i))
		}
	}
}

func TestImmediateDataAlone(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	buf := l.sink(t, 0, 64)
	check(t, l.consumer.Post(nil))
	check(t, l.consumer.Post(buf))
	check(t, l.consumer.Post(nil))
	l.send(t, nil, "alone")
	l.send(t, nil, "with room")
	l.want(t, nil, "", "alone")
	l.want(t, buf, "", "with room")
	err := l.producer.Send(long(t), l.source(t, 0, "no room"), nil, l.id)
	wantErr(t, err, doca.ErrInvalidValue, "does not fit")
	l.send(t, nil, "") // what failed has used nothing up
	l.want(t, nil, "", "")
}

func TestImmediateDataLength(t *testing.T) {
	t.Parallel()
	most := int(must(comch.CapabilitiesOf(must(doca.Devices())(t)[0]))(t).Consumer.MaxImmDataLen)
	for _, c := range []struct{ len, fits int }{{0, most}, {8, 8}, {most, most}} {
		l := newLane(t, shape{consumer: comch.ConsumerConfig{ImmDataLen: c.len}})
		if n := l.consumer.ImmDataLen(); n != c.fits {
			t.Errorf("ImmDataLen is %d, want %d", n, c.fits)
		}
		imm := strings.Repeat("i", c.fits)
		check(t, l.consumer.Post(nil))
		wantErr(t, l.producer.Send(long(t), nil, []byte(imm+"x"), l.id), doca.ErrInvalidValue)
		l.send(t, nil, imm)
		l.want(t, nil, "", imm)
	}
	from, to := newPair(t, comch.Config{})
	mem := memory(t, to, 4096)
	for _, n := range []int{-1, most + 1} {
		_, err := to.NewConsumer(mem, comch.ConsumerConfig{ImmDataLen: n})
		wantErr(t, err, doca.ErrInvalidValue, "ImmDataLen", fmt.Sprint(most))
	}
	for _, n := range []int{-1, 1 << 30} {
		_, err := to.NewConsumer(mem, comch.ConsumerConfig{MaxTasks: n})
		wantErr(t, err, doca.ErrInvalidValue, "ConsumerConfig.MaxTasks")
		_, err = from.NewProducer(comch.ProducerConfig{MaxTasks: n})
		wantErr(t, err, doca.ErrInvalidValue, "ProducerConfig.MaxTasks")
	}
}

func TestDataThatDoesNotFit(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	buf := l.sink(t, 0, 8)
	check(t, l.consumer.Post(buf))
	wantErr(t, l.producer.Send(long(t), l.source(t, 0, "nine byte"), nil, l.id), doca.ErrInvalidValue, "does not fit", fmt.Sprint(l.id))
	l.send(t, l.source(t, 64, "8 bytes!"), "")
	l.want(t, buf, "8 bytes!", "")
	if string(l.in.Bytes()[8:10]) != "\x00\x00" {
		t.Error("something was written behind the buffer")
	}
}

func TestConsumerMemory(t *testing.T) {
	t.Parallel()
	from, to := newPair(t, comch.Config{})
	_, err := to.NewConsumer(nil, comch.ConsumerConfig{})
	wantErr(t, err, doca.ErrInvalidValue, "nil")
	for name, access := range map[string]doca.Access{
		"local": doca.AccessLocalReadWrite, "read only": doca.AccessLocalReadWrite | doca.AccessPCIReadOnly,
	} {
		mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{to.Device()}, Access: access}))(t)
		if _, err := to.NewConsumer(mem, comch.ConsumerConfig{}); err == nil {
			t.Errorf("%s: a consumer was made", name)
		} else {
			wantErr(t, err, doca.ErrInvalidValue, "AccessPCIReadWrite")
		}
		check(t, mem.Close())
	}
	mem := memory(t, from, 4096)
	_, err = to.NewConsumer(mem, comch.ConsumerConfig{})
	wantErr(t, err, doca.ErrInvalidValue, "MemoryConfig.Devices", mem.String())
	check(t, mem.Close())
	mem = memory(t, to, 4096)
	check(t, mem.Close())
	_, err = to.NewConsumer(mem, comch.ConsumerConfig{})
	wantErr(t, err, doca.ErrClosed)
}

func TestBuffersThatCannotBePosted(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{consumer: comch.ConsumerConfig{MaxTasks: 3}})
	wantErr(t, l.consumer.Post(l.source(t, 0, "elsewhere")), doca.ErrInvalidValue, l.in.String(), l.out.String())

	a, b := l.sink(t, 0, 64), l.sink(t, 64, 64)
	check(t, a.Chain(b))
	wantErr(t, l.consumer.Post(a), doca.ErrNotPermitted, "list")
	wantErr(t, l.consumer.Post(b), doca.ErrNotPermitted, "list")
	check(t, a.Unchain(b))

	check(t, l.consumer.Post(a))
	wantErr(t, l.consumer.Post(a), doca.ErrInUse, "posted to "+l.consumer.String())
	wantErr(t, a.SetData(0, 1), doca.ErrInUse)
	wantErr(t, a.Chain(b), doca.ErrInUse)
	wantErr(t, a.Close(), doca.ErrInUse, "posted to "+l.consumer.String())
	// A closed buffer is one that Close has failed on, too, as far as new work goes.
	l.send(t, nil, "")
	l.want(t, a, "", "")
	wantErr(t, l.consumer.Post(a), doca.ErrClosed)
	check(t, a.Close())

	closed := l.sink(t, 128, 64)
	check(t, l.consumer.Post(closed))
	l.send(t, nil, "")
	l.want(t, closed, "", "")
	check(t, closed.Close())
	wantErr(t, l.consumer.Post(closed), doca.ErrClosed)

	// A batch is posted up to the first that cannot be.
	list := []*doca.Buffer{b, nil, b, nil}
	if n, err := l.consumer.PostBatch(list); n != 2 {
		t.Errorf("PostBatch = %d, %v", n, err)
	} else {
		wantErr(t, err, doca.ErrInUse)
	}
	if n, err := l.consumer.PostBatch([]*doca.Buffer{nil, nil}); n != 1 {
		t.Errorf("PostBatch = %d, %v", n, err)
	} else {
		wantErr(t, err, doca.ErrFull, "3 buffers", "MaxTasks")
	}
	wantErr(t, l.consumer.Post(nil), doca.ErrFull)
	l.send(t, nil, "1")
	wantErr(t, l.consumer.Post(nil), doca.ErrFull) // it has come, and was not taken
	l.want(t, b, "", "1")
	check(t, l.consumer.Post(nil))
}

// A buffer that was received is the receiver's own: it can be used for all else, and be posted
// again.
func TestReceivedBufferIsFree(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	back := must(l.to.NewProducer(comch.ProducerConfig{}))(t)
	sink := must(l.from.NewConsumer(l.out, comch.ConsumerConfig{}))(t)
	id := must(l.to.WaitConsumer(long(t)))(t)
	buf, echo := l.sink(t, 0, 64), must(l.inv.Buffer(l.out, 1024, 64))(t)
	for i := range 10 {
		check(t, l.consumer.Post(buf))
		check(t, sink.Post(echo))
		l.send(t, l.source(t, 0, text(i)), "")
		l.want(t, buf, text(i), "")
		check(t, back.Send(long(t), buf, nil, id)) // as it came
		if r := must(sink.Recv(long(t)))(t); string(r.Data) != text(i) {
			t.Fatalf("%q came back", r.Data)
		}
		check(t, buf.SetData(2, 3))
		check(t, sink.Post(echo))
		check(t, back.Send(long(t), buf, nil, id))
		if r := must(sink.Recv(long(t)))(t); string(r.Data) != text(i)[2:5] {
			t.Fatalf("%q came back", r.Data)
		}
	}
}

func TestRecvEndsWithContext(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	l.post(t, 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.consumer.Recv(ended)
	wantErr(t, err, context.Canceled)
	l.nothing(t)
	if n, err := l.consumer.RecvBatch(ended, nil); n != 0 || err != nil {
		t.Errorf("RecvBatch of none = %d, %v", n, err)
	}
	l.send(t, nil, "late")
	if r := must(l.consumer.Recv(long(t)))(t); string(r.Imm) != "late" {
		t.Errorf("received %q", r.Imm)
	}
}

// Any number of goroutines may receive: each message is for one of them.
func TestManyReceivers(t *testing.T) {
	t.Parallel()
	const receivers, messages = 8, 400
	l := newLane(t, shape{consumer: comch.ConsumerConfig{MaxTasks: 16}})
	for range 16 {
		check(t, l.consumer.Post(nil))
	}
	ctx, cancel := context.WithCancel(long(t))
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	got := map[string]int{}
	for i := range receivers {
		wg.Go(func() {
			out := make([]comch.Received, 1+i%3)
			for {
				n, err := l.consumer.RecvBatch(ctx, out)
				if err != nil {
					return
				}
				mu.Lock()
				for _, r := range out[:n] {
					got[string(r.Imm)]++
				}
				if len(got) == messages {
					cancel()
				}
				mu.Unlock()
				for range n {
					check(t, l.consumer.Post(nil))
				}
			}
		})
	}
	for i := range messages {
		l.send(t, nil, fmt.Sprint(i))
	}
	wg.Wait()
	for i := range messages {
		if n := got[fmt.Sprint(i)]; n != 1 {
			t.Fatalf("message %d came %d times", i, n)
		}
	}
}

// A consumer that was stopped has given back what was posted and still returns what it had
// received; it can be started again.
func TestConsumerStopAndStart(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	bufs := l.post(t, 4)
	l.send(t, l.source(t, 0, "before"), "")
	l.send(t, l.source(t, 0, "before"), "")
	if r := must(l.consumer.Recv(long(t)))(t); r.Buffer != bufs[0] {
		t.Fatalf("received %v", r.Buffer)
	}
	stop := func() {
		t.Helper()
		check(t, l.consumer.Stop(long(t)))
		for len(l.from.Consumers()) > 0 {
			must(l.from.ConsumerEvent(long(t)))(t)
		}
	}
	stop()
	check(t, bufs[2].SetData(0, 0)) // given back
	wantErr(t, bufs[1].SetData(0, 0), doca.ErrInUse)
	l.want(t, bufs[1], "before", "")
	_, err := l.consumer.Recv(long(t))
	wantErr(t, err, doca.ErrBadState, "idle")
	wantErr(t, l.consumer.Post(nil), doca.ErrBadState)
	for range 3 {
		check(t, l.consumer.Start(long(t)))
		check(t, l.consumer.Post(bufs[3]))
		for len(l.from.Consumers()) == 0 {
			must(l.from.ConsumerEvent(long(t)))(t)
		}
		l.send(t, l.source(t, 0, "after"), "")
		l.want(t, bufs[3], "after", "")
		stop()
	}
}
