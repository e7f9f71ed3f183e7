package comch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

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

// A consumer has memory and tasks for as many buffers as were posted at once, up to MaxTasks, also after a restart.
func TestPostsOnDemand(t *testing.T) {
	t.Parallel()
	const most = 75
	l := newLane(t, shape{consumer: comch.ConsumerConfig{MaxTasks: most}})
	bufs := make([]*doca.Buffer, most+1)
	for i := range bufs {
		bufs[i] = l.sink(t, 8*i, 8)
	}
	assert.Zero(t, comch.Posts(l.consumer))
	for i := range 3 * most { // few at once
		check(t, l.consumer.Post(bufs[i%2]))
		l.send(t, nil, fmt.Sprint(i))
		l.want(t, bufs[i%2], "", fmt.Sprint(i))
	}
	assert.Equal(t, 32, comch.Posts(l.consumer))
	for round := range 2 {
		n, err := l.consumer.PostBatch(bufs[:20])
		assert.NoError(t, err)
		k, err := l.consumer.PostBatch(bufs[20:])
		assert.Equal(t, most, n+k)
		wantErr(t, err, doca.ErrFull, fmt.Sprint(most))
		assert.Equal(t, most, comch.Posts(l.consumer))
		for i := range most {
			l.send(t, nil, fmt.Sprint(i))
			l.want(t, bufs[i], "", fmt.Sprint(i))
		}
		if round == 0 {
			check(t, l.consumer.Stop(long(t)))
			for len(l.from.Consumers()) > 0 {
				must(l.from.ConsumerEvent(long(t)))(t)
			}
			check(t, l.consumer.Start(long(t)))
			l.id = must(l.from.WaitConsumer(long(t)))(t)
		}
	}
}

// What a message has filled is the buffer's data for all that comes after it, and until the next one.
func TestDataOfReceivedBuffers(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{consumer: comch.ConsumerConfig{MaxTasks: 1}}) // so that all posts have the same place
	back := must(l.to.NewProducer(comch.ProducerConfig{}))(t)
	echo := must(l.from.NewConsumer(l.out, comch.ConsumerConfig{}))(t)
	id := must(l.to.WaitConsumer(long(t)))(t)
	a, b := l.sink(t, 0, 64), l.sink(t, 64, 64)
	src, copied := l.source(t, 512, "0123456789"), must(l.inv.Buffer(l.out, 1024, 64))(t)
	receive := func(n int) {
		t.Helper()
		check(t, src.SetData(0, n))
		check(t, l.consumer.Post(a))
		l.send(t, src, "")
		r := must(l.consumer.Recv(long(t)))(t)
		assert.Same(t, a, r.Buffer)
		assert.Equal(t, "0123456789"[:n], string(r.Data))
		assert.Equal(t, 64, cap(r.Data))
	}
	sent := func(want string) {
		t.Helper()
		check(t, echo.Post(copied))
		check(t, back.Send(long(t), a, nil, id))
		assert.Equal(t, want, string(must(echo.Recv(long(t)))(t).Data))
	}

	receive(5)
	receive(7) // posted again at once
	sent("0123456")
	receive(4)
	assert.Equal(t, 4, a.DataLen())
	receive(0)
	assert.Zero(t, a.DataLen())
	receive(6)
	check(t, a.SetData(2, 3))
	sent("234")
	receive(8)
	check(t, b.SetData(0, 0))
	check(t, a.Chain(b))
	assert.Equal(t, 8, a.DataLen())
	check(t, a.Unchain(b))
	sent("01234567")
	receive(9)
	check(t, a.Reset(128, 64)) // other bytes
	assert.Equal(t, 64, a.DataLen())
	copy(a.Bytes(), "reset")
	check(t, a.SetData(0, 5))
	sent("reset")
	receive(3)
	assert.Equal(t, "012", string(l.in.Bytes()[128:131]))

	// A buffer that comes back without a message has the data from before, and DOCA learns of it again.
	receive(6)
	check(t, l.consumer.Post(a))
	check(t, l.consumer.Stop(long(t)))
	sent("012345")
	assert.Equal(t, 6, a.DataLen())
}

// A place that had a buffer, and then none, has the buffer again.
func TestPostNothingInBetween(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{consumer: comch.ConsumerConfig{MaxTasks: 1}})
	a, src := l.sink(t, 0, 64), l.source(t, 0, "data")
	for range 3 {
		check(t, l.consumer.Post(a))
		l.send(t, src, "")
		l.want(t, a, "data", "")
		check(t, l.consumer.Post(nil))
		l.send(t, nil, "imm")
		l.want(t, nil, "", "imm")
	}
}

// A consumer does not keep a buffer that it has given back: its loss is noticed.
func TestReceivedBufferIsLost(t *testing.T) {
	reports := make(chan doca.Object, 1)
	doca.SetLeakReporter(func(o doca.Object) { reports <- o })
	defer doca.SetLeakReporter(nil)
	l := newLane(t, shape{})
	func() {
		lost := must(l.inv.Buffer(l.in, 0, 64))(t)
		for range 2 {
			check(t, l.consumer.Post(lost))
			l.send(t, nil, "")
			l.want(t, lost, "", "")
		}
	}()
	assert.Contains(t, doctest.CollectLeak(t, reports).Name, "buffer#")
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

// As soon as Recv says that the consumer is closed, the inventory of the posted buffers can be
// closed: Close waits for them to come back.
func TestInventoryOfPostedBuffers(t *testing.T) {
	t.Parallel()
	for range 30 {
		l := newLane(t, shape{})
		inv := must(doca.NewInventory(64))(t)
		for i := range 64 {
			b := must(inv.Buffer(l.in, 64*i, 64))(t)
			l.bufs = append(l.bufs, b)
			check(t, l.consumer.Post(b))
		}
		more := must(l.to.NewConsumer(l.in, comch.ConsumerConfig{}))(t) // is closed first
		closed := make(chan error)
		go func() { closed <- l.to.Close() }()
		ended := canceled(t)
		_, err := l.consumer.Recv(ended)
		for err == context.Canceled {
			_, err = l.consumer.Recv(ended)
		}
		wantErr(t, err, doca.ErrClosed)
		assert.NoError(t, inv.Shutdown(long(t)))
		check(t, <-closed)
		check(t, more.Close())
	}
}

// A message goes to the region that Reset has given a buffer, whichever task had the buffer before.
func TestPostAfterReset(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{consumer: comch.ConsumerConfig{MaxTasks: 2}})
	for _, region := range [][2]int{{512, 64}, {100, 200}} { // apart from the one before, and around it
		b := l.sink(t, 128, 64)
		for round := range 5 { // the buffer is at one task and at the other
			if round == 1 {
				check(t, b.Reset(region[0], region[1]))
			}
			check(t, l.consumer.Post(b))
			text := fmt.Sprint("round ", round)
			l.send(t, l.source(t, 64*round, text), "")
			l.want(t, b, text, "")
			if round > 0 {
				assert.Equal(t, text, string(l.in.Bytes()[region[0]:][:len(text)]))
			}
		}
	}
}
