package comch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/msgqtest"
	gendpa "github.com/go-doca/go-doca/generated/dpa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// queues is a DPA with a thread, and a queue to it and one back.
type queues struct {
	t        testing.TB
	dev      *doca.Device
	d        *dpa.DPA
	args     *dpa.Memory // of the thread
	thread   *dpa.Thread
	to, from *comch.MsgQ
	arrivals *comch.ConsumerCompletion
	sends    *dpa.Completion
	onDPA    *comch.DPAConsumer
	fromDPA  *comch.DPAProducer
	producer *comch.Producer
	consumer *comch.Consumer
	window   int
	autoPost bool
}

const queueUser = 0xabcdef

// newQueues makes it all, but room for messages on the DPA. f is the function of the thread.
func newQueues(t testing.TB, f dpa.Func, window int) *queues {
	t.Helper()
	return newQueuesWith(t, f, comch.ConsumerConfig{MaxTasks: window})
}

// newQueuesWith is newQueues with a configuration of the consumer in this process.
func newQueuesWith(t testing.TB, f dpa.Func, cfg comch.ConsumerConfig) *queues {
	t.Helper()
	window := cfg.MaxTasks
	q := &queues{t: t, dev: must(doca.OpenDevice(dpu0))(t), window: window, autoPost: cfg.AutoPost}
	t.Cleanup(func() { assert.NoError(t, q.dev.Close()) })
	q.d = must(dpa.New(q.dev, dpa.Config{App: msgqtest.App()}))(t)
	q.args = must(dpa.Place(q.d, msgqtest.Ends{}))(t)
	q.thread = must(q.d.NewThread(dpa.ThreadConfig{Func: f, Arg: uint64(q.args.Addr())}))(t)

	q.to = must(comch.NewMsgQ(q.d, comch.MsgQConfig{Direction: comch.ToDPA, MaxConsumers: 1, MaxProducers: 2}))(t)
	q.arrivals = must(comch.NewConsumerCompletion(q.d, comch.ConsumerCompletionConfig{Thread: q.thread, MaxReceives: window}))(t)
	q.onDPA = must(q.to.NewDPAConsumer(comch.DPAConsumerConfig{Completion: q.arrivals, MaxReceives: window}))(t)
	q.producer = must(q.to.NewProducer(comch.ProducerConfig{MaxTasks: window}))(t)

	q.from = must(comch.NewMsgQ(q.d, comch.MsgQConfig{Direction: comch.FromDPA, MaxConsumers: 2, MaxProducers: 1}))(t)
	q.sends = must(q.d.NewCompletion(dpa.CompletionConfig{QueueSize: window}))(t)
	q.fromDPA = must(q.from.NewDPAProducer(comch.DPAProducerConfig{Completion: q.sends, MaxSends: window, UserData: queueUser}))(t)
	q.consumer = must(q.from.NewConsumer(cfg))(t)

	check(t, dpa.Put(q.args, 0, msgqtest.Ends{
		Consumer: must(q.onDPA.Handle())(t), ConsumerComp: must(q.arrivals.Handle())(t),
		Producer: must(q.fromDPA.Handle())(t), ProducerComp: must(q.sends.Handle())(t), To: q.consumer.ID(),
	}))
	check(t, q.thread.Run())
	return q
}

// makeRoom makes room for messages on the DPA.
func (q *queues) makeRoom(n int) {
	q.t.Helper()
	must(msgqtest.CallMakeRoom(q.t.Context(), q.d, q.args.Addr(), uint32(n)))(q.t)
}

// ends returns what the thread has counted.
func (q *queues) ends() msgqtest.Ends {
	q.t.Helper()
	return must(dpa.Get[msgqtest.Ends](q.args, 0))(q.t)
}

// number is a message with a number in all its words.
func number(n uint64) []byte {
	var b []byte
	for range comch.MaxMsgQMessage / 8 {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

// echo sends messages to the thread, in batches of at most the window, and checks that they come back in order.
func (q *queues) echo(first, count uint64) {
	q.t.Helper()
	in := make([]comch.Received, q.window)
	none := make([]*doca.Buffer, q.window)
	for sent, back := first, first; back < first+count; {
		var out []comch.Message
		for ; sent < first+count && sent-back < uint64(q.window); sent++ {
			out = append(out, comch.Message{Imm: number(sent), Consumer: q.onDPA.ID()})
		}
		must(q.producer.SendBatch(q.t.Context(), out))(q.t)
		n := must(q.consumer.RecvBatch(q.t.Context(), in))(q.t)
		for _, r := range in[:n] {
			require.Equal(q.t, number(back), r.Imm)
			require.Nil(q.t, r.Buffer)
			require.Empty(q.t, r.Data)
			require.Equal(q.t, q.fromDPA.ID(), r.ProducerID)
			back++
		}
		if !q.autoPost {
			must(q.consumer.PostBatch(none[:n]))(q.t)
		}
	}
}

func TestMsgQEcho(t *testing.T) {
	t.Parallel()
	q := newQueues(t, msgqtest.FuncEcho(), 32)
	q.makeRoom(32)
	q.echo(0, 5000)
	e := q.ends()
	assert.EqualValues(t, 5000, e.Messages)
	assert.EqualValues(t, 5000*comch.MaxMsgQMessage, e.Bytes)
	assert.Equal(t, q.producer.ID(), e.ProducerID)
	assert.Zero(t, e.Failed)
	assert.EqualValues(t, queueUser, e.UserData)
	check(t, q.d.Err())
}

func TestMsgQLengths(t *testing.T) {
	t.Parallel()
	q := newQueues(t, msgqtest.FuncEcho(), 4)
	q.makeRoom(4)
	for n := range comch.MaxMsgQMessage + 1 {
		msg := number(rand.Uint64())[:n]
		check(t, q.producer.Send(t.Context(), nil, msg, q.onDPA.ID()))
		r := must(q.consumer.Recv(t.Context()))(t)
		assert.Equal(t, string(msg), string(r.Imm), "%d bytes", n)
		check(t, q.consumer.Post(nil))
	}
	err := q.producer.Send(t.Context(), nil, make([]byte, comch.MaxMsgQMessage+1), q.onDPA.ID())
	wantErr(t, err, doca.ErrInvalidValue)
	assert.ErrorContains(t, err, "33 bytes of immediate data")
	err = q.producer.Send(t.Context(), nil, number(1), q.onDPA.ID()+1)
	wantErr(t, err, doca.ErrInvalidValue)
	assert.ErrorContains(t, err, fmt.Sprintf("the queue has no consumer %d on the DPA", q.onDPA.ID()+1))
}

// TestMsgQWaitsForRoom: a send waits until code on the DPA has made room.
func TestMsgQWaitsForRoom(t *testing.T) {
	t.Parallel()
	q := newQueues(t, msgqtest.FuncSink(), 4)
	to := q.onDPA.ID()
	err := q.producer.TrySend(t.Context(), nil, number(1), to)
	wantErr(t, err, doca.ErrAgain)
	assert.ErrorContains(t, err, "doca_dpa_dev_comch_consumer_ack")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	wantErr(t, q.producer.Send(ctx, nil, number(1), to), context.DeadlineExceeded)
	done := make(chan error)
	go func() { done <- q.producer.Send(t.Context(), nil, number(2), to) }()
	select {
	case err := <-done:
		t.Fatalf("Send has returned %v without room", err)
	case <-time.After(20 * time.Millisecond):
	}
	q.makeRoom(1)
	check(t, <-done)
	require.Eventually(t, func() bool { return q.ends().Messages == 1 }, 20*time.Second, time.Millisecond)
}

// TestMsgQFromDPA: what code on the DPA sends arrives in a loop of Messages, as much as there is room for.
func TestMsgQFromDPA(t *testing.T) {
	t.Parallel()
	q := newQueues(t, msgqtest.FuncSink(), 8)
	n := must(msgqtest.CallSendNumbers(t.Context(), q.d, q.args.Addr(), 0, 100))(t)
	assert.EqualValues(t, 8, n, "as many as the consumer has room for")
	want := uint64(0)
	for r, err := range q.consumer.Messages(t.Context()) {
		check(t, err)
		require.Equal(t, want, binary.LittleEndian.Uint64(r.Imm))
		if want++; want == 500 {
			break
		}
		if want == n {
			n += must(msgqtest.CallSendNumbers(t.Context(), q.d, q.args.Addr(), n, 7))(t)
		}
	}
	assert.Zero(t, q.ends().Failed)
}

func TestMsgQRestart(t *testing.T) {
	t.Parallel()
	q := newQueues(t, msgqtest.FuncEcho(), 8)
	q.makeRoom(8)
	q.echo(0, 20)
	for range 3 {
		check(t, q.consumer.Stop(t.Context()))
		check(t, q.producer.Stop(t.Context()))
		_, err := q.consumer.Recv(t.Context())
		wantErr(t, err, doca.ErrBadState)
		check(t, q.consumer.Start(t.Context()))
		check(t, q.producer.Start(t.Context()))
		q.echo(0, 20)
	}
}

func TestMsgQRefuses(t *testing.T) {
	t.Parallel()
	q := newQueues(t, msgqtest.FuncSink(), 4)
	mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{q.dev}}))(t)
	buf := must(must(doca.NewInventory(1))(t).Buffer(mem, 0, 64))(t)
	wantErr(t, q.consumer.Post(nil), doca.ErrFull)
	must(msgqtest.CallSendNumbers(t.Context(), q.d, q.args.Addr(), 0, 1))(t)
	must(q.consumer.Recv(t.Context()))(t) // there is a place for another receive
	first := func(_ any, err error) error { return err }
	assert.ErrorContains(t, first(comch.NewMsgQ(nil, comch.MsgQConfig{Direction: comch.ToDPA})), "create msgq on dpa")
	for name, err := range map[string]error{
		"nil DPA":              first(comch.NewMsgQ(nil, comch.MsgQConfig{Direction: comch.ToDPA})),
		"no direction":         first(comch.NewMsgQ(q.d, comch.MsgQConfig{})),
		"wrong direction":      first(comch.NewMsgQ(q.d, comch.MsgQConfig{Direction: 3})),
		"negative number":      first(comch.NewMsgQ(q.d, comch.MsgQConfig{Direction: comch.ToDPA, MaxConsumers: -1})),
		"producer's buffers":   first(q.to.NewProducer(comch.ProducerConfig{BufferSize: 8})),
		"consumer's buffers":   first(q.from.NewConsumer(comch.ConsumerConfig{Buffers: 8})),
		"long immediate":       first(q.from.NewConsumer(comch.ConsumerConfig{ImmDataLen: 33})),
		"no completion":        first(q.to.NewDPAConsumer(comch.DPAConsumerConfig{})),
		"zero completion":      first(q.to.NewDPAConsumer(comch.DPAConsumerConfig{Completion: new(comch.ConsumerCompletion)})),
		"long DPA immediate":   first(q.to.NewDPAConsumer(comch.DPAConsumerConfig{Completion: q.arrivals, ImmDataLen: 33})),
		"no DPA completion":    first(q.from.NewDPAProducer(comch.DPAProducerConfig{})),
		"large user data":      first(q.from.NewDPAProducer(comch.DPAProducerConfig{Completion: q.sends, UserData: 1 << 24})),
		"negative sends":       first(q.from.NewDPAProducer(comch.DPAProducerConfig{Completion: q.sends, MaxSends: -1})),
		"completion of nil":    first(comch.NewConsumerCompletion(nil, comch.ConsumerCompletionConfig{})),
		"zero thread":          first(comch.NewConsumerCompletion(q.d, comch.ConsumerCompletionConfig{Thread: new(dpa.Thread)})),
		"negative consumers":   first(comch.NewConsumerCompletion(q.d, comch.ConsumerCompletionConfig{MaxConsumers: -1})),
		"send of a buffer":     q.producer.Send(t.Context(), buf, nil, q.onDPA.ID()),
		"receive to a buffer":  q.consumer.Post(buf),
		"bytes":                q.producer.SendBytes(t.Context(), []byte("x"), nil, q.onDPA.ID()),
		"name of a producer":   q.producer.Announce(t.Context(), "x"),
		"name of a consumer":   q.consumer.Announce(t.Context(), "x"),
		"no such consumer":     q.producer.Send(t.Context(), nil, number(0), q.onDPA.ID()+7),
		"zero queue":           first(new(comch.MsgQ).NewProducer(comch.ProducerConfig{})),
		"zero DPA consumer":    first(new(comch.DPAConsumer).Handle()),
		"zero DPA producer":    first(new(comch.DPAProducer).Handle()),
		"zero completion back": first(new(comch.ConsumerCompletion).Handle()),
	} {
		assert.ErrorIs(t, err, doca.ErrInvalidValue, name)
	}
	doctest.WantErr(t, first(comch.NewConsumerCompletion(q.d, comch.ConsumerCompletionConfig{})), doca.ErrInvalidValue, "ConsumerCompletionConfig.Thread is nil")
	for name, err := range map[string]error{
		"consumer of a queue to the DPA":       first(q.to.NewConsumer(comch.ConsumerConfig{})),
		"DPA producer of a queue to the DPA":   first(q.to.NewDPAProducer(comch.DPAProducerConfig{Completion: q.sends})),
		"producer of a queue from the DPA":     first(q.from.NewProducer(comch.ProducerConfig{})),
		"DPA consumer of a queue from the DPA": first(q.from.NewDPAConsumer(comch.DPAConsumerConfig{Completion: q.arrivals})),
	} {
		assert.ErrorIs(t, err, doca.ErrNotPermitted, name)
		assert.ErrorContains(t, err, "the queue's direction is", name)
	}
	assert.Nil(t, q.consumer.Conn())
	assert.Nil(t, q.producer.Conn())
}

// TestMsgQFatal: when code on the DPA crashes, calls that wait end, and everything can be closed and made again.
func TestMsgQFatal(t *testing.T) {
	t.Parallel()
	q := newQueues(t, msgqtest.FuncCrash(), 4)
	q.makeRoom(4)
	received := make(chan error)
	go func() {
		_, err := q.consumer.Recv(t.Context())
		received <- err
	}()
	check(t, q.producer.Send(t.Context(), nil, number(0), q.onDPA.ID()))
	err := <-received
	wantErr(t, err, dpa.ErrFatal)
	assert.ErrorContains(t, err, "receive on ")
	assert.ErrorContains(t, err, "make a new one with dpa.New")
	assert.NotErrorIs(t, err, comch.ErrPeerGone)
	require.Eventually(t, func() bool {
		return errors.Is(q.producer.Send(t.Context(), nil, number(1), q.onDPA.ID()), dpa.ErrFatal)
	}, 20*time.Second, time.Millisecond)
	wantErr(t, q.consumer.Post(nil), dpa.ErrFatal)
	_, err = q.to.NewProducer(comch.ProducerConfig{})
	wantErr(t, err, dpa.ErrFatal)
	check(t, q.d.Close())
	first := func(_ any, err error) error { return err }
	for name, err := range map[string]error{ // that is what the program has done, whatever was before
		"producer":     first(q.to.NewProducer(comch.ProducerConfig{})),
		"consumer":     first(q.from.NewConsumer(comch.ConsumerConfig{})),
		"DPA consumer": first(q.to.NewDPAConsumer(comch.DPAConsumerConfig{Completion: q.arrivals})),
		"DPA producer": first(q.from.NewDPAProducer(comch.DPAProducerConfig{Completion: q.sends})),
	} {
		assert.ErrorIs(t, err, doca.ErrClosed, name)
		assert.NotErrorIs(t, err, dpa.ErrFatal, name)
	}
	again := newQueues(t, msgqtest.FuncEcho(), 4)
	again.makeRoom(4)
	again.echo(0, 10)
}

// TestMsgQCloseInAnyOrder closes with messages on their way.
func TestMsgQCloseInAnyOrder(t *testing.T) {
	t.Parallel()
	for range 30 {
		q := newQueues(t, msgqtest.FuncEcho(), 8)
		q.makeRoom(3)
		for n := range uint64(8) {
			must(q.producer.SendAsync(t.Context(), nil, number(n), q.onDPA.ID()))
		}
		objects := []interface{ Close() error }{q.d, q.args, q.thread, q.to, q.from, q.arrivals, q.sends, q.onDPA, q.fromDPA, q.producer, q.consumer}
		rand.Shuffle(len(objects), func(i, k int) { objects[i], objects[k] = objects[k], objects[i] })
		for _, o := range objects {
			check(t, o.Close())
			check(t, o.Close())
		}
		_, err := q.onDPA.Handle()
		wantErr(t, err, doca.ErrClosed)
		_, err = q.from.NewConsumer(comch.ConsumerConfig{})
		wantErr(t, err, doca.ErrClosed)
	}
}

func TestMsgQAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	q := newQueues(t, msgqtest.FuncEcho(), 16)
	q.makeRoom(16)
	out := make([]comch.Message, 16)
	for i := range out {
		out[i] = comch.Message{Imm: number(uint64(i)), Consumer: q.onDPA.ID()}
	}
	in := make([]comch.Received, 16)
	none := make([]*doca.Buffer, 16)
	turn := func() {
		must(q.producer.SendBatch(t.Context(), out))(t)
		for back := 0; back < len(out); {
			n := must(q.consumer.RecvBatch(t.Context(), in))(t)
			must(q.consumer.PostBatch(none[:n]))(t)
			back += n
		}
	}
	for range 10 {
		turn()
	}
	assert.Zero(t, testing.AllocsPerRun(200, turn))
}

// A call whose error may be that of the DPA ends with its ctx while another call of DOCA on the DPA takes long.
func TestMsgQBehindOneThatTakesLong(t *testing.T) {
	t.Parallel()
	q := newQueues(t, msgqtest.FuncSink(), 4)
	q.makeRoom(4)
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- dpa.UseThread(q.thread, "hold", func(*gendpa.Thread) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	err := q.producer.Send(soon(t), nil, number(0), q.onDPA.ID()+7)
	doctest.WantErr(t, err, context.DeadlineExceeded, "DOCA has said DOCA_ERROR_INVALID_VALUE")
	assert.NoError(t, q.producer.Send(t.Context(), nil, number(0), q.onDPA.ID()), "others go on")
	close(release)
	require.NoError(t, <-ended)
}
