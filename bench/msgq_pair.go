package main

import (
	"context"
	"encoding/binary"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/examples/dpa_msgq_echo/kernels"
)

// goMsgQLoop does in Go what cloop.MsgQ does in C.
type goMsgQLoop struct {
	producer   *comch.Producer
	consumer   *comch.Consumer
	to         uint32
	sent, back uint64
	kept       []any
}

func newGoMsgQLoop(r *rig, window int) *goMsgQLoop {
	dev, err := doca.OpenDeviceFunc(func(info doca.DeviceInfo) bool { return dpa.Supported(info) == nil })
	r.ok(err)
	l := &goMsgQLoop{}
	r.later(func() error { l.kept = nil; return dev.Close() })
	d, err := dpa.New(dev, dpa.Config{App: kernels.App()})
	r.ok(err)
	pe := r.engine(true)
	args, err := dpa.Place(d, kernels.EchoArgs{})
	r.ok(err)
	thread, err := d.NewThread(dpa.ThreadConfig{Func: kernels.FuncEcho(), Arg: uint64(args.Addr())})
	r.ok(err)

	to, err := comch.NewMsgQ(d, comch.MsgQConfig{Direction: comch.ToDPA})
	r.ok(err)
	arrivals, err := comch.NewConsumerCompletion(d, comch.ConsumerCompletionConfig{Thread: thread, MaxReceives: window})
	r.ok(err)
	onDPA, err := to.NewDPAConsumer(comch.DPAConsumerConfig{Completion: arrivals, MaxReceives: window})
	r.ok(err)
	l.to = onDPA.ID()
	l.producer, err = to.NewProducer(comch.ProducerConfig{Engine: pe, MaxTasks: window})
	r.ok(err)

	from, err := comch.NewMsgQ(d, comch.MsgQConfig{Direction: comch.FromDPA})
	r.ok(err)
	reports, err := d.NewCompletion(dpa.CompletionConfig{QueueSize: window})
	r.ok(err)
	fromDPA, err := from.NewDPAProducer(comch.DPAProducerConfig{Completion: reports, MaxSends: window})
	r.ok(err)
	l.consumer, err = from.NewConsumer(comch.ConsumerConfig{Engine: pe, MaxTasks: window, AutoPost: true})
	r.ok(err)

	values := kernels.EchoArgs{ConsumerID: l.consumer.ID()}
	values.Consumer, err = onDPA.Handle()
	r.ok(err)
	values.ConsumerComp, err = arrivals.Handle()
	r.ok(err)
	values.Producer, err = fromDPA.Handle()
	r.ok(err)
	values.ProducerComp, err = reports.Handle()
	r.ok(err)
	r.ok(dpa.Put(args, 0, values))
	r.ok(thread.Run())
	_, err = kernels.CallEchoReady(context.Background(), d, args.Addr(), uint32(window))
	r.ok(err)
	l.kept = []any{d, args, thread, to, arrivals, onDPA, from, reports, fromDPA}
	return l
}

// run returns a function that sends rounds times count messages, window of them on their way at a time, and gets them back. One at a time is
// sent by Send, as a program does that has nothing to do before the answer; more are started, and those that have come make room for others.
func (l *goMsgQLoop) run(r *rig, count, window int) func(rounds int) {
	ctx := context.Background()
	bytes := make([]byte, window*comch.MaxMsgQMessage)
	out := make([]comch.Message, 0, window)
	in := make([]comch.Received, window)
	sending := make([]comch.Future, window)
	started := 0
	return func(rounds int) {
		for total := l.sent + uint64(rounds*count); l.back < total; {
			for out = out[:0]; l.sent < total && l.sent-l.back < uint64(window); l.sent++ {
				message := bytes[len(out)*comch.MaxMsgQMessage:][:comch.MaxMsgQMessage]
				binary.LittleEndian.PutUint64(message, l.sent)
				binary.LittleEndian.PutUint64(message[24:], ^l.sent)
				out = append(out, comch.Message{Imm: message, Consumer: l.to})
			}
			switch {
			case window == 1:
				r.ok(l.producer.Send(ctx, nil, out[0].Imm, l.to))
			case len(out) > 0:
				f := &sending[started%window]
				if started >= window {
					r.ok(f.Wait(ctx)) // of an earlier round
				}
				r.ok(l.producer.StartBatch(out, f))
				started++
			}
			n, err := l.consumer.RecvBatch(ctx, in)
			r.ok(err)
			for i := range n {
				m := in[i].Imm
				if binary.LittleEndian.Uint64(m) != l.back || binary.LittleEndian.Uint64(m[24:]) != ^l.back {
					r.check(false, "message %d came back as %x", l.back, m)
				}
				l.back++
			}
		}
	}
}
