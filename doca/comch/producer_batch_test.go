package comch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
)

// A batch may be longer than what the consumer has posted, than the tasks that there are, and
// than what goes to C at once.
func TestSendBatch(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 5, 33, 500, 3000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			l := newLane(t, shape{memory: 256 << 10, producer: comch.ProducerConfig{MaxTasks: 4}, consumer: comch.ConsumerConfig{MaxTasks: 8}})
			l.post(t, 8)
			msgs := l.messages(t, n)
			done := make(chan struct{})
			go func() {
				defer close(done)
				l.receive(t, 3*n, func(i int, r *comch.Received) {
					m := msgs[i%n]
					if string(r.Data) != text(i%n) || string(r.Imm) != string(m.Imm) {
						t.Errorf("message %d is %q %q", i, r.Data, r.Imm)
					}
				})
			}()
			for range 3 {
				if k, err := l.producer.SendBatch(long(t), msgs); k != n || err != nil {
					t.Errorf("SendBatch = %d, %v", k, err)
				}
			}
			<-done
		})
	}
}

// What is sent is what the buffers hold and the messages say at the time, also if it is sent in
// the way of the last time.
func TestSendBatchAgain(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	l.post(t, 8)
	msgs := l.messages(t, 4)
	msgs[2].Buffer = nil
	round := func(want ...string) {
		t.Helper()
		if n, err := l.producer.SendBatch(long(t), msgs); n != len(msgs) || err != nil {
			t.Fatalf("SendBatch = %d, %v", n, err)
		}
		l.receive(t, len(msgs), func(i int, r *comch.Received) {
			if got := string(r.Data) + "/" + string(r.Imm); got != want[i] {
				t.Errorf("message %d is %q, want %q", i, got, want[i])
			}
		})
	}
	round("message 0/", "message 1/1", "/", "message 3/3")
	round("message 0/", "message 1/1", "/", "message 3/3")
	copy(msgs[0].Buffer.Bytes(), "MESSAGE") // other bytes
	msgs[1].Imm, msgs[3].Imm = nil, []byte("three")
	round("MESSAGE 0/", "message 1/", "/", "message 3/three")
	check(t, msgs[1].Buffer.SetData(8, 1)) // another segment
	round("MESSAGE 0/", "1/", "/", "message 3/three")
	msgs[2].Buffer, msgs[0].Buffer = msgs[0].Buffer, nil // the same number, other places
	round("/", "1/", "MESSAGE 0/", "message 3/three")
	msgs[3].Buffer = msgs[2].Buffer // one buffer twice
	round("/", "1/", "MESSAGE 0/", "MESSAGE 0/three")
	msgs = msgs[1:]
	round("1/", "MESSAGE 0/", "MESSAGE 0/three")
	check(t, msgs[0].Buffer.Close())
	n, err := l.producer.SendBatch(long(t), msgs)
	wantErr(t, err, doca.ErrClosed)
	if n != 0 {
		t.Errorf("SendBatch = %d", n)
	}
	msgs[0].Buffer = nil
	round("/", "MESSAGE 0/", "MESSAGE 0/three")
}

// Batches share the tasks of a producer, and each message is that of its batch, whatever a task has sent before.
func TestSendBatchesInTurns(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{producer: comch.ProducerConfig{MaxTasks: 5}})
	other := must(l.to.NewConsumer(l.in, comch.ConsumerConfig{}))(t)
	id := other.ID()
	for len(l.from.Consumers()) < 2 {
		must(l.from.ConsumerEvent(long(t)))(t)
	}
	l.post(t, 8)
	for i := range 8 {
		check(t, other.Post(l.sink(t, 1024+64*i, 64)))
	}
	all := l.messages(t, 12)
	for i := range all {
		all[i].Imm = nil
	}
	batches := [][]comch.Message{all[:3:3], all[3:6:6], all[5:9:9], all[:7:7], all[9:]} // of 3, 3, 4, 7 and 3
	for round := range 400 {
		msgs := batches[rand.IntN(len(batches))]
		if k := rand.IntN(len(msgs)); round%5 == 0 { // now and then one of them is another
			switch rand.IntN(4) {
			case 0:
				check(t, msgs[k].Buffer.SetData(0, 1+rand.IntN(9)))
			case 1:
				msgs[k].Buffer = all[rand.IntN(len(all))].Buffer
			case 2:
				msgs[k].Imm = []byte(fmt.Sprint(round))
			case 3:
				msgs[k].Imm = nil
			}
		}
		if round%7 == 0 {
			k := rand.IntN(len(msgs))
			msgs[k].Consumer = l.id + id - msgs[k].Consumer
		}
		n, err := l.producer.SendBatch(long(t), msgs)
		check(t, err)
		assert.Len(t, msgs, n)
		for i := range msgs {
			to := l.consumer
			if msgs[i].Consumer == id {
				to = other
			}
			r := must(to.Recv(long(t)))(t)
			assert.Equal(t, string(msgs[i].Buffer.Data())+"/"+string(msgs[i].Imm), string(r.Data)+"/"+string(r.Imm), "message %d of round %d", i, round)
			check(t, to.Post(r.Buffer))
		}
	}
}

// The tasks of a producer that has stopped are gone: those of the next start know nothing of the messages.
func TestSendBatchAfterStart(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{producer: comch.ProducerConfig{MaxTasks: 4}})
	l.post(t, 8)
	msgs := l.messages(t, 4)
	for range 3 {
		n, err := l.producer.SendBatch(long(t), msgs)
		check(t, err)
		if n != len(msgs) {
			t.Fatalf("SendBatch = %d", n)
		}
		l.receive(t, n, func(i int, r *comch.Received) {
			if string(r.Data) != text(i) || string(r.Imm) != string(msgs[i].Imm) {
				t.Errorf("message %d is %q %q", i, r.Data, r.Imm)
			}
		})
		check(t, l.producer.Stop(long(t)))
		check(t, l.producer.Start(long(t)))
	}
}

// Two producers may have the same buffer, each with its own view of what DOCA knows of it.
func TestOneSourceForTwoProducers(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	other := must(l.from.NewProducer(comch.ProducerConfig{}))(t)
	src := l.source(t, 0, "abcdef")
	for n := 1; n <= 6; n++ {
		check(t, src.SetData(0, n))
		waiting := make(chan error)
		go func() { waiting <- other.Send(long(t), src, nil, l.id) }()
		l.nothing(t)
		l.post(t, 2)
		l.send(t, src, "")
		check(t, <-waiting)
		for range 2 {
			if r := must(l.consumer.Recv(long(t)))(t); string(r.Data) != "abcdef"[:n] {
				t.Errorf("received %q", r.Data)
			}
		}
	}
}

// The first message that cannot be sent ends a batch; those before it are there.
func TestSendBatchFails(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	bufs := l.post(t, 8)
	msgs := l.messages(t, 6)
	for name, spoil := range map[string]func(m *comch.Message){
		"no such consumer": func(m *comch.Message) { m.Consumer++ },
		"too long":         func(m *comch.Message) { m.Buffer = l.source(t, 4096, fmt.Sprintf("%65d", 0)) },
	} {
		t.Run(name, func(t *testing.T) {
			bad := append([]comch.Message(nil), msgs...)
			spoil(&bad[4])
			n, err := l.producer.SendBatch(long(t), bad)
			wantErr(t, err, doca.ErrInvalidValue)
			if n != 4 {
				t.Errorf("%s: SendBatch = %d", name, n)
			}
			for i := range 4 {
				l.want(t, bufs[i], text(i), string(msgs[i].Imm))
			}
			l.nothing(t)
			for i := range 4 {
				check(t, l.consumer.Post(bufs[i]))
			}
			bufs = append(bufs[4:], bufs[:4]...)
		})
	}
	tooMuch := append([]comch.Message(nil), msgs...)
	tooMuch[4].Imm = make([]byte, 1<<16)
	n, err := l.producer.SendBatch(long(t), tooMuch)
	wantErr(t, err, doca.ErrInvalidValue, "immediate data")
	if n != 0 {
		t.Errorf("SendBatch = %d", n)
	}
	l.nothing(t)
	// It goes wrong only when it is its turn, after those before it have waited.
	l.receiveWhile(t, func() {
		list := append(append([]comch.Message(nil), msgs...), msgs...)
		list[10].Consumer++
		n, err := l.producer.SendBatch(long(t), list)
		wantErr(t, err, doca.ErrInvalidValue)
		if n != 10 {
			t.Errorf("SendBatch = %d", n)
		}
	})
}

// SendBatch counts no message that is known to have failed, also if its context ends while a later one waits.
func TestSendBatchFailsAndWaits(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	end, err := emulator.Faults{
		On:        emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(l.producer.Context))(t))},
		FailTasks: []emulator.TaskFault{{N: 1}},
	}.Add()
	check(t, err)
	defer end()
	bufs := l.post(t, 1)
	n, err := l.producer.SendBatch(soon(t), l.messages(t, 3))
	if !errors.Is(err, doca.ErrIOFailed) { // which is known in time if the machine is slow to end the context
		wantErr(t, err, context.DeadlineExceeded)
	}
	require.Zero(t, n, "the first has failed, the second is there, and the third waits")
	l.want(t, bufs[0], text(1), "1")
	l.nothing(t)
}

// A batch allocates nothing.
func TestBatchesDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("with -race a sync.Pool drops part of what it gets, which allocates: run without it")
	}
	const n = 32
	l := newLane(t, shape{})
	bufs := l.post(t, n)
	msgs := l.messages(t, n)
	out := make([]comch.Received, n)
	ctx := long(t)
	var err error
	round := func() {
		if _, e := l.producer.SendBatch(ctx, msgs); e != nil {
			err = e
		}
		for i := 0; i < n; {
			k, e := l.consumer.RecvBatch(ctx, out)
			for j := range out[:k] {
				bufs[j] = out[j].Buffer
			}
			if e == nil {
				_, e = l.consumer.PostBatch(bufs[:k])
			}
			if e != nil {
				err = e
				return
			}
			i += k
		}
		if e := l.producer.Send(ctx, msgs[1].Buffer, msgs[1].Imm, l.id); e != nil {
			err = e
		}
		if _, e := l.consumer.RecvBatch(ctx, out[:1]); e != nil {
			err = e
		}
		if e := l.consumer.Post(out[0].Buffer); e != nil {
			err = e
		}
	}
	round()
	if allocs := testing.AllocsPerRun(200, round); allocs > 0 {
		t.Errorf("%v allocations in a round", allocs)
	}
	check(t, err)
}

// A data segment counts for later messages, too, if the message for which it was set was given up before DOCA took it.
func TestDataOfMessagesGivenUp(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{producer: comch.ProducerConfig{MaxTasks: 1}})
	msgs := []comch.Message{{Consumer: l.id}, {Consumer: l.id}, {Buffer: l.source(t, 0, "the last"), Consumer: l.id}}
	check(t, msgs[2].Buffer.SetData(4, 3))
	l.post(t, 1) // for the first
	n, err := l.producer.SendBatch(soon(t), msgs)
	wantErr(t, err, context.DeadlineExceeded)
	if n != 1 {
		t.Errorf("SendBatch = %d", n)
	}
	check(t, l.consumer.Post(l.sink(t, 64, 64)))
	check(t, l.producer.Send(long(t), msgs[2].Buffer, nil, l.id))
	l.receive(t, 2, func(i int, r *comch.Received) {
		if want := []string{"", "las"}[i]; string(r.Data) != want {
			t.Errorf("message %d is %q, want %q", i, r.Data, want)
		}
	})
}

// Messages for one consumer stay in order, also if there is room for the first of them only after those behind them were tried.
func TestBatchesThatWaitStayInOrder(t *testing.T) {
	l := newLane(t, shape{producer: comch.ProducerConfig{MaxTasks: 8}})
	var futures [3]comch.Future
	for i := range futures {
		check(t, l.producer.StartBatch([]comch.Message{{Imm: []byte{byte('a' + i)}, Consumer: l.id}}, &futures[i]))
	}
	for range futures {
		check(t, l.consumer.Post(nil))
	}
	check(t, l.consumer.Post(nil))
	doctest.Faults(t, "refuse-task=send:1") // the first that is tried
	wantErr(t, l.producer.TrySend(t.Context(), nil, []byte("t"), l.id), doca.ErrAgain)
	for i := range futures {
		check(t, futures[i].Wait(long(t)))
	}
	doctest.Faults(t, "")
	for i := range futures {
		l.want(t, nil, "", string(byte('a'+i)))
	}
}
