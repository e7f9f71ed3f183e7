package comch_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/assert"
)

func TestProducerIDs(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	other := must(l.from.NewProducer(comch.ProducerConfig{MaxTasks: 2}))(t)
	if other.ID() == l.producer.ID() || other.MaxTasks() != 2 || other.Conn() != l.from {
		t.Errorf("%v has id %d like %v, %d tasks", other, other.ID(), l.producer, other.MaxTasks())
	}
	for range 3 {
		for _, p := range []*comch.Producer{l.producer, other} {
			check(t, l.consumer.Post(nil))
			check(t, p.Send(long(t), nil, nil, l.id))
			if r := must(l.consumer.Recv(long(t)))(t); r.ProducerID != p.ID() {
				t.Errorf("received from %d, sent by %d", r.ProducerID, p.ID())
			}
		}
	}
}

func TestProducerStopAndStart(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	waiting := make(chan error)
	go func() { waiting <- l.producer.Send(long(t), nil, nil, l.id) }()
	l.nothing(t)
	check(t, l.producer.Stop(long(t)))
	wantErr(t, <-waiting, doca.ErrBadState)
	wantErr(t, l.producer.Send(long(t), nil, nil, l.id), doca.ErrBadState, "idle")
	for i := range 3 {
		check(t, l.producer.Start(long(t)))
		dst := l.sink(t, 0, 64)
		check(t, l.consumer.Post(dst))
		l.send(t, l.source(t, 0, text(i)), "")
		l.want(t, dst, text(i), "")
		check(t, l.producer.Stop(long(t)))
		check(t, dst.Close())
	}
}

// Close waits for a message that has failed, of which nobody knows yet why.
func TestCloseWhileFailureIsLookedInto(t *testing.T) {
	l := newLane(t, shape{})
	check(t, l.consumer.Post(nil))
	fault(t, "fail-task=send:1:NOT_CONNECTED", func() {
		wantErr(t, l.producer.Send(soon(t), nil, []byte("x"), l.id), context.DeadlineExceeded)
	})
	limit := long(t)
	check(t, l.producer.Shutdown(limit))
	check(t, limit.Err()) // it did not need the end of the limit to go on
}

// What cannot be had fails with an error, and works when it can be had again.
func TestNoTasksToBeHad(t *testing.T) {
	l := newLane(t, shape{})
	fault(t, "exhaust-pool=3", func() {
		wantErr(t, l.consumer.Post(nil), doca.ErrNoMemory)
	})
	fault(t, "exhaust-pool=3", func() {
		wantErr(t, l.producer.Send(long(t), nil, nil, l.id), doca.ErrNoMemory)
	})
	check(t, l.consumer.Post(nil))
	l.send(t, nil, "1")
	l.want(t, nil, "", "1")
}

// SendBytes that waits for a buffer, which another goroutine's message has, allocates no more than one that does not.
func TestSendBytesWaitsWithoutAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	l := newLane(t, shape{})
	p := must(l.from.NewProducer(comch.ProducerConfig{BufferSize: 8, Buffers: 1}))(t)
	ctx, data := context.Background(), []byte("data")
	begin, ended := make(chan struct{}), make(chan error)
	const senders = 3
	for range senders {
		go func() {
			for range begin {
				ended <- p.SendBytes(ctx, data, nil, l.id)
			}
		}()
	}
	defer close(begin)
	bufs := make([]*doca.Buffer, senders)
	for i := range bufs {
		bufs[i] = l.sink(t, 64*i, 64)
	}
	out := make([]comch.Received, senders)
	round := func() {
		for range senders {
			begin <- struct{}{}
		}
		runtime.Gosched() // they wait for the buffer, or for room for the message that has it
		must(l.consumer.PostBatch(bufs))(t)
		for n := 0; n < senders; {
			n += must(l.consumer.RecvBatch(ctx, out))(t)
		}
		for range senders {
			check(t, <-ended)
		}
	}
	for range 10 {
		round()
	}
	assert.Zero(t, testing.AllocsPerRun(100, round))
}
