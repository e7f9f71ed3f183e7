package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/examples/dpa_msgq_echo/kernels"
)

// goMsgQLoop does in Go what cMsgQLoop does in C.
type goMsgQLoop struct {
	pe         *doca.ProgressEngine
	producer   *comch.Producer
	consumer   *comch.Consumer
	to         uint32
	sent, back uint64
	kept       []any
}

func newGoMsgQLoop(b *testing.B, window int) *goMsgQLoop {
	b.Helper()
	dev, err := doca.OpenDeviceFunc(func(info doca.DeviceInfo) bool { return dpa.Supported(info) == nil })
	ok(b, err)
	l := &goMsgQLoop{}
	b.Cleanup(func() { ok(b, dev.Close()); l.kept = nil })
	d, err := dpa.New(dev, dpa.Config{App: kernels.App()})
	ok(b, err)
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	ok(b, err)
	b.Cleanup(func() { ok(b, pe.Close()) })
	args, err := dpa.Place(d, kernels.EchoArgs{})
	ok(b, err)
	thread, err := d.NewThread(dpa.ThreadConfig{Func: kernels.FuncEcho(), Arg: uint64(args.Addr())})
	ok(b, err)

	to, err := comch.NewMsgQ(d, comch.MsgQConfig{Direction: comch.ToDPA})
	ok(b, err)
	arrivals, err := comch.NewConsumerCompletion(d, comch.ConsumerCompletionConfig{Thread: thread, MaxReceives: window})
	ok(b, err)
	onDPA, err := to.NewDPAConsumer(comch.DPAConsumerConfig{Completion: arrivals, MaxReceives: window})
	ok(b, err)
	l.to, l.pe = onDPA.ID(), pe
	l.producer, err = to.NewProducer(comch.ProducerConfig{Engine: pe, MaxTasks: window})
	ok(b, err)

	from, err := comch.NewMsgQ(d, comch.MsgQConfig{Direction: comch.FromDPA})
	ok(b, err)
	reports, err := d.NewCompletion(dpa.CompletionConfig{QueueSize: window})
	ok(b, err)
	fromDPA, err := from.NewDPAProducer(comch.DPAProducerConfig{Completion: reports, MaxSends: window})
	ok(b, err)
	l.consumer, err = from.NewConsumer(comch.ConsumerConfig{Engine: pe, MaxTasks: window})
	ok(b, err)

	values := kernels.EchoArgs{ConsumerID: l.consumer.ID()}
	values.Consumer, err = onDPA.Handle()
	ok(b, err)
	values.ConsumerComp, err = arrivals.Handle()
	ok(b, err)
	values.Producer, err = fromDPA.Handle()
	ok(b, err)
	values.ProducerComp, err = reports.Handle()
	ok(b, err)
	ok(b, dpa.Put(args, 0, values))
	ok(b, thread.Run())
	_, err = kernels.CallEchoReady(context.Background(), d, args.Addr(), uint32(window))
	ok(b, err)
	l.kept = []any{d, args, thread, to, arrivals, onDPA, from, reports, fromDPA}
	return l
}

// run returns a function that sends rounds times count messages, window of them on their way at a time, and gets them back. It drives
// the engine itself, as the loop in C does.
func (l *goMsgQLoop) run(b *testing.B, count, window int) func(rounds int) {
	bytes := make([]byte, window*comch.MaxMsgQMessage)
	out := make([]comch.Message, 0, window)
	in := make([]comch.Received, window)
	again := make([]*doca.Buffer, window)
	sending := make([]comch.Future, window)
	free, next := window, 0 // futures that nothing is sent with; the next one
	return func(rounds int) {
		for total := l.sent + uint64(rounds*count); l.back < total; {
			for ; free < window && sending[(next+free)%window].Ended(); free++ {
				ok(b, sending[(next+free)%window].Err())
			}
			for out = out[:0]; free > 0 && l.sent < total && l.sent-l.back < uint64(window); l.sent++ {
				message := bytes[len(out)*comch.MaxMsgQMessage:][:comch.MaxMsgQMessage]
				binary.LittleEndian.PutUint64(message, l.sent)
				binary.LittleEndian.PutUint64(message[24:], ^l.sent)
				out = append(out, comch.Message{Imm: message, Consumer: l.to})
			}
			if len(out) > 0 {
				ok(b, l.producer.StartBatch(out, &sending[next]))
				free, next = free-1, (next+1)%window
			}
			_, err := l.pe.Progress()
			ok(b, err)
			n, err := l.consumer.TryRecvBatch(in)
			ok(b, err)
			for i := range n {
				if m := in[i].Imm; binary.LittleEndian.Uint64(m) != l.back || binary.LittleEndian.Uint64(m[24:]) != ^l.back {
					b.Fatalf("message %d came back as %x", l.back, m)
				}
				l.back++
			}
			if n > 0 {
				_, err = l.consumer.PostBatch(again[:n])
				ok(b, err)
			}
		}
	}
}

// BenchmarkMsgQ compares messages to a thread on the DPA and back with the loop in C.
func BenchmarkMsgQ(b *testing.B) {
	for _, window := range []int{1, depth, 256} {
		b.Run(fmt.Sprint(window), func(b *testing.B) {
			l := newGoMsgQLoop(b, window)
			inC, err := newCMsgQLoop(kernels.App(), window)
			ok(b, err)
			compare(b, window, "c", l.run(b, window, window), func(rounds int) { ok(b, inC.run(rounds*window)) })
			ok(b, inC.close())
		})
	}
}
