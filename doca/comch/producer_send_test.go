package comch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

// A message needs a posted buffer: TrySend says so, Send waits for one.
func TestCredits(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	src, dst := l.source(t, 0, "data"), l.sink(t, 0, 64)
	try := func(imm string) error { return l.producer.TrySend(long(t), src, []byte(imm), l.id) }
	wantErr(t, try("1"), doca.ErrAgain, "no buffer posted")
	check(t, l.consumer.Post(dst))
	check(t, try("2"))
	wantErr(t, try("3"), doca.ErrAgain) // not before it is posted again, though it has come
	l.want(t, dst, "data", "2")
	wantErr(t, try("4"), doca.ErrAgain)

	sent := make(chan error)
	go func() { sent <- l.producer.Send(long(t), src, []byte("5"), l.id) }()
	l.nothing(t)
	select {
	case err := <-sent:
		t.Fatalf("Send has ended: %v", err)
	default:
	}
	wantErr(t, src.SetData(0, 1), doca.ErrInUse)
	check(t, l.consumer.Post(dst))
	check(t, <-sent)
	l.want(t, dst, "data", "5")
	check(t, src.SetData(0, 1))

	_, err := l.producer.TrySendAsync(long(t), src, []byte("6"), l.id)
	wantErr(t, err, doca.ErrAgain)
	check(t, l.consumer.Post(dst))
	f := must(l.producer.TrySendAsync(long(t), src, []byte("7"), l.id))(t)
	check(t, f.Wait(long(t)))
	l.want(t, dst, "d", "7")
}

// What waits for a posted buffer can be given up, and is then not sent.
func TestSendEndsWithContext(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	src, dst := l.source(t, 0, "given up"), l.sink(t, 0, 64)
	wantErr(t, l.producer.Send(soon(t), src, nil, l.id), context.DeadlineExceeded)
	_, err := l.producer.SendAsync(soon(t), src, nil, l.id)
	wantErr(t, err, context.DeadlineExceeded)
	check(t, src.SetData(0, 3)) // it is free
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	check(t, l.consumer.Post(dst))
	wantErr(t, l.producer.Send(ended, src, nil, l.id), context.Canceled)
	l.nothing(t)
	l.send(t, src, "")
	l.want(t, dst, "giv", "")

	// Of a batch, the number says how much is on its way.
	l.post(t, 3)
	n, err := l.producer.SendBatch(soon(t), l.messages(t, 5))
	wantErr(t, err, context.DeadlineExceeded)
	if n != 3 {
		t.Errorf("SendBatch = %d, 3 were posted", n)
	}
	for i := range 3 {
		if r := must(l.consumer.Recv(long(t)))(t); string(r.Data) != text(i) {
			t.Errorf("received %q", r.Data)
		}
	}
	l.post(t, 1)
	l.nothing(t)
}

// A consumer that posts nothing does not keep messages for others.
func TestConsumersDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{producer: comch.ProducerConfig{MaxTasks: 2}})
	stalled := must(l.to.NewConsumer(l.in, comch.ConsumerConfig{}))(t)
	must(l.from.ConsumerEvent(long(t)))(t)
	for e := must(l.from.ConsumerEvent(long(t)))(t); e.ID != stalled.ID(); {
		t.Fatalf("event %+v", e)
	}
	sent := make(chan error, 8)
	for range cap(sent) {
		go func() {
			msgs := make([]comch.Message, 10)
			for i := range msgs {
				msgs[i] = comch.Message{Imm: []byte("s"), Consumer: stalled.ID()}
			}
			_, err := l.producer.SendBatch(long(t), msgs)
			sent <- err
		}()
	}
	for i := range 100 {
		check(t, l.consumer.Post(nil))
		l.send(t, nil, fmt.Sprint(i))
		l.want(t, nil, "", fmt.Sprint(i))
	}
	for range 10 * cap(sent) {
		check(t, stalled.Post(nil))
		must(stalled.Recv(long(t)))(t)
	}
	for range cap(sent) {
		check(t, <-sent)
	}
}

func TestConsumerThatIsNot(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	for _, id := range []uint32{0, l.id + 1, 0xffff, 1 << 31} {
		wantErr(t, l.producer.Send(long(t), nil, nil, id), doca.ErrInvalidValue, fmt.Sprint("consumer ", id))
	}
	waiting := make(chan error)
	go func() { waiting <- l.producer.Send(long(t), nil, nil, l.id) }()
	l.nothing(t)
	check(t, l.consumer.Close())
	wantErr(t, <-waiting, doca.ErrInvalidValue, "has stopped")
	for len(l.from.Consumers()) > 0 {
		must(l.from.ConsumerEvent(long(t)))(t)
	}
	wantErr(t, l.producer.Send(long(t), nil, nil, l.id), doca.ErrInvalidValue)
	next := must(l.to.NewConsumer(l.in, comch.ConsumerConfig{}))(t) // the producer is none the worse for it
	check(t, next.Post(nil))
	id := must(l.from.WaitConsumer(long(t)))(t)
	check(t, l.producer.Send(long(t), nil, []byte("next"), id))
	if r := must(next.Recv(long(t)))(t); string(r.Imm) != "next" {
		t.Errorf("received %q", r.Imm)
	}
}

func TestSourcesThatCannotBeSent(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	l.post(t, 4)
	elsewhere := memory(t, l.to, 4096)
	foreign := must(l.inv.Buffer(elsewhere, 0, 8))(t)
	wantErr(t, l.producer.Send(long(t), foreign, nil, l.id), doca.ErrInvalidValue, "MemoryConfig.Devices")
	a, b := l.source(t, 0, "a"), l.source(t, 8, "b")
	check(t, a.Chain(b))
	wantErr(t, l.producer.Send(long(t), a, nil, l.id), doca.ErrInvalidValue, "list has 2")
	wantErr(t, l.producer.Send(long(t), b, nil, l.id), doca.ErrNotPermitted)
	check(t, a.Unchain(b))
	l.send(t, a, "")
	check(t, b.Close())
	wantErr(t, l.producer.Send(long(t), b, nil, l.id), doca.ErrClosed)
	n, err := l.producer.SendBatch(long(t), []comch.Message{{Buffer: a, Consumer: l.id}, {Buffer: b, Consumer: l.id}})
	if n != 0 {
		t.Errorf("SendBatch = %d", n) // nothing is sent of what cannot be
	}
	wantErr(t, err, doca.ErrClosed)
	l.send(t, a, "")
	check(t, elsewhere.Close())
}

// One buffer can back any number of messages on their way.
func TestOneSourceForMany(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	src := l.source(t, 0, "shared")
	inUse := func() bool { return errors.Is(src.SetData(0, len("shared")), doca.ErrInUse) }
	const n = 20
	sent := make(chan error, n)
	for range n {
		go func() { sent <- l.producer.Send(long(t), src, nil, l.id) }()
	}
	require.Eventually(t, inUse, 20*time.Second, time.Millisecond)
	dsts := l.post(t, n)
	for range n {
		check(t, <-sent)
	}
	for _, dst := range dsts {
		l.want(t, dst, "shared", "")
	}

	// A source that is closed stays until all of them have ended.
	go func() {
		_, err := l.producer.SendBatch(long(t), slices.Repeat([]comch.Message{{Buffer: src, Consumer: l.id}}, n))
		sent <- err
	}()
	require.Eventually(t, inUse, 20*time.Second, time.Millisecond)
	closed := make(chan error)
	go func() { closed <- src.Close() }()
	dsts = l.post(t, n)
	check(t, <-sent)
	for _, dst := range dsts {
		l.want(t, dst, "shared", "")
	}
	check(t, <-closed)
}

// A task that fails is the failure of its message alone.
func TestMessagesThatFail(t *testing.T) {
	l := newLane(t, shape{})
	dst := l.post(t, 1)[0]
	fault(t, "fail-task=1:IO_FAILED", func() {
		wantErr(t, l.producer.Send(long(t), nil, nil, l.id), doca.ErrIOFailed, l.producer.String())
	})
	l.send(t, nil, "1")
	l.want(t, dst, "", "1")
	fault(t, "fail-task=1:IO_FAILED", func() { check(t, l.consumer.Post(dst)) })
	r, err := l.consumer.Recv(long(t))
	wantErr(t, err, doca.ErrIOFailed, l.consumer.String())
	if r.Buffer != dst {
		t.Errorf("the buffer that comes back is %v, want %v", r.Buffer, dst)
	}
	check(t, l.consumer.Post(dst))
	l.send(t, nil, "2")
	l.want(t, dst, "", "2")

	// In a batch it is the end of what was not submitted.
	l.post(t, 9)
	fault(t, "fail-task=3:IO_FAILED", func() {
		n, err := l.producer.SendBatch(long(t), l.messages(t, 8))
		wantErr(t, err, doca.ErrIOFailed)
		if n != 2 {
			t.Errorf("SendBatch = %d, want 2", n)
		}
	})
	for name, call := range map[string]func() error{
		"doca_comch_consumer_create": func() error { _, err := l.to.NewConsumer(l.in, comch.ConsumerConfig{}); return err },
		"doca_comch_consumer_task_post_recv_set_conf": func() error {
			_, err := l.to.NewConsumer(l.in, comch.ConsumerConfig{})
			return err
		},
		"doca_comch_producer_create": func() error { _, err := l.from.NewProducer(comch.ProducerConfig{}); return err },
		"doca_comch_producer_get_id": func() error { _, err := l.from.NewProducer(comch.ProducerConfig{}); return err },
		"doca_ctx_start":             func() error { _, err := l.from.NewProducer(comch.ProducerConfig{}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			fault(t, "fail-call="+name+":1:DRIVER", func() {
				if err := call(); !errors.Is(err, doca.ErrDriver) {
					t.Errorf("%s fails: %v", name, err)
				}
			})
		})
	}
}

// TestTrySendAloneDrives: a loop of TrySend gets its message through, though nobody else drives the engine, which has other messages
// on their way.
func TestTrySendAloneDrives(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{producer: comch.ProducerConfig{MaxTasks: 2}})
	l.post(t, 4)
	var f comch.Future
	msgs := []comch.Message{{Imm: []byte("a"), Consumer: l.id}, {Imm: []byte("b"), Consumer: l.id}, {Imm: []byte("c"), Consumer: l.id}}
	check(t, l.producer.StartBatch(msgs, &f)) // the third waits for a task
	err := l.producer.TrySend(t.Context(), nil, []byte("d"), l.id)
	for tries := 0; err != nil; tries++ {
		require.ErrorIs(t, err, doca.ErrAgain)
		require.Less(t, tries, 100)
		err = l.producer.TrySend(t.Context(), nil, []byte("d"), l.id)
	}
	assert.True(t, f.Ended())
	for _, want := range []string{"a", "b", "c", "d"} {
		assert.Equal(t, want, string(must(l.consumer.Recv(long(t)))(t).Imm))
	}
}
