package alltests

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/msgqtest"
)

// msgqs is a queue to a DPA and one back, with what belongs to them.
type msgqs struct {
	dev      *doca.Device
	dpa      *dpa.DPA
	args     *dpa.Memory
	thread   *dpa.Thread
	to, from *comch.MsgQ
	arrivals *comch.ConsumerCompletion
	sends    *dpa.Completion
	onDPA    *comch.DPAConsumer
	fromDPA  *comch.DPAProducer
	producer *comch.Producer
	consumer *comch.Consumer
}

func openMsgQs(p *play) *msgqs {
	q := &msgqs{}
	q.dev = opened(doca.OpenDevice(doctest.DPU0))(p)
	q.dpa = opened(dpa.New(q.dev, dpa.Config{App: msgqtest.App()}))(p)
	q.args = opened(dpa.Place(q.dpa, msgqtest.Ends{}))(p)
	q.thread = opened(q.dpa.NewThread(dpa.ThreadConfig{Func: msgqtest.FuncEcho(), Arg: uint64(q.args.Addr())}))(p)
	q.to = opened(comch.NewMsgQ(q.dpa, comch.MsgQConfig{Direction: comch.ToDPA, MaxConsumers: 1, MaxProducers: 1}))(p)
	q.arrivals = opened(comch.NewConsumerCompletion(q.dpa, comch.ConsumerCompletionConfig{Thread: q.thread, MaxReceives: 4}))(p)
	q.onDPA = opened(q.to.NewDPAConsumer(comch.DPAConsumerConfig{Completion: q.arrivals, MaxReceives: 4}))(p)
	q.producer = opened(q.to.NewProducer(comch.ProducerConfig{MaxTasks: 4}))(p)
	q.from = opened(comch.NewMsgQ(q.dpa, comch.MsgQConfig{Direction: comch.FromDPA}))(p)
	q.sends = opened(q.dpa.NewCompletion(dpa.CompletionConfig{}))(p)
	q.fromDPA = opened(q.from.NewDPAProducer(comch.DPAProducerConfig{Completion: q.sends, MaxSends: 4}))(p)
	q.consumer = opened(q.from.NewConsumer(comch.ConsumerConfig{MaxTasks: 4}))(p)
	p.check(dpa.Put(q.args, 0, msgqtest.Ends{
		Consumer: got(q.onDPA.Handle())(p), ConsumerComp: got(q.arrivals.Handle())(p),
		Producer: got(q.fromDPA.Handle())(p), ProducerComp: got(q.sends.Handle())(p), To: q.consumer.ID(),
	}))
	p.check(q.thread.Run())
	got(msgqtest.CallMakeRoom(p.ctx, q.dpa, q.args.Addr(), 4))(p)
	return q
}

// useMsgQs uses all that openMsgQs has made.
func useMsgQs(p *play) {
	q := openMsgQs(p)
	for _, text := range []string{"one", "two", "three", "four", "five", "six"} {
		p.check(q.producer.Send(p.ctx, nil, []byte(text), q.onDPA.ID()))
		p.want("the answer", text, string(got(q.consumer.Recv(p.ctx))(p).Imm))
		p.check(q.consumer.Post(nil))
	}
	p.check(q.producer.Stop(p.ctx))
	p.check(q.producer.Start(p.ctx))
	p.check(q.fromDPA.Close())
	p.check(q.to.Close())
	p.check(q.dpa.Close())
}

func ofMsgQs(t testing.TB, target func(*msgqs) closer) stage {
	t.Helper()
	p := &play{ctx: limit(t), cancel: func() {}}
	var q *msgqs
	p.run(func(p *play) { q = openMsgQs(p) })
	if len(p.errs) > 0 {
		t.Fatal(p.errs)
	}
	return stage{target: target(q), rest: []closer{q.dev}, kept: []any{q}}
}
