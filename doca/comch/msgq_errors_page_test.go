package comch_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/msgqtest"
)

func TestMsgQErrorsPage(t *testing.T) {
	row := doctest.Row
	second := func(_ any, err error) error { return err }
	names := map[string]error{
		"dpa.ErrFatal": dpa.ErrFatal, "comch.ErrPeerGone": comch.ErrPeerGone, "comch.ErrConsumerGone": comch.ErrConsumerGone,
		"doca.ErrNotPermitted": doca.ErrNotPermitted,
	}
	doctest.ErrorsPage(t, "doca/comch, MsgQ", names, []doctest.ErrorRow{
		row("Code on the DPA has crashed, run too long, or used a handle that is not valid", "`Consumer.Recv`, `Consumer.Post`, `Producer.Send`, `MsgQ.NewProducer`, `NewMsgQ`",
			"`dpa.ErrFatal`, `doca.ErrBadState`", func(t *testing.T) []error {
				q := newQueues(t, msgqtest.FuncCrash(), 4)
				q.makeRoom(4)
				check(t, q.producer.Send(t.Context(), nil, number(0), q.onDPA.ID()))
				errs := []error{second(q.consumer.Recv(t.Context())), q.consumer.Post(nil)}
				send := error(nil)
				for send == nil {
					send = q.producer.Send(t.Context(), nil, number(1), q.onDPA.ID())
				}
				return append(errs, send, second(q.to.NewProducer(comch.ProducerConfig{})), second(comch.NewMsgQ(q.d, comch.MsgQConfig{Direction: comch.ToDPA})))
			}),
		row("The messages of the queue go the other way", "`MsgQ.NewConsumer`, `MsgQ.NewProducer`, `MsgQ.NewDPAConsumer`, `MsgQ.NewDPAProducer`", "`doca.ErrNotPermitted`",
			func(t *testing.T) []error {
				q := newQueues(t, msgqtest.FuncSink(), 4)
				return []error{second(q.to.NewConsumer(comch.ConsumerConfig{})), second(q.from.NewProducer(comch.ProducerConfig{})),
					second(q.from.NewDPAConsumer(comch.DPAConsumerConfig{Completion: q.arrivals})), second(q.to.NewDPAProducer(comch.DPAProducerConfig{Completion: q.sends}))}
			}),
		row("The queue has its `MaxConsumers` or `MaxProducers`", "`MsgQ.NewConsumer`, `MsgQ.NewProducer`", "`doca.ErrNoMemory`", func(t *testing.T) []error {
			q := newQueues(t, msgqtest.FuncSink(), 4)
			must(q.from.NewConsumer(comch.ConsumerConfig{}))(t)
			must(q.to.NewProducer(comch.ProducerConfig{}))(t)
			return []error{second(q.from.NewConsumer(comch.ConsumerConfig{})), second(q.to.NewProducer(comch.ProducerConfig{}))}
		}),
		row("A message has a buffer, or bytes that need one", "`Producer.Send`, `Producer.SendBytes`, `Consumer.Post`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			q := newQueues(t, msgqtest.FuncSink(), 4)
			mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{q.dev}}))(t)
			buf := must(must(doca.NewInventory(1))(t).Buffer(mem, 0, 64))(t)
			must(msgqtest.CallSendNumbers(t.Context(), q.d, q.args.Addr(), 0, 1))(t)
			must(q.consumer.Recv(t.Context()))(t)
			return []error{q.producer.Send(t.Context(), buf, nil, q.onDPA.ID()), q.producer.SendBytes(t.Context(), []byte("x"), nil, q.onDPA.ID()), q.consumer.Post(buf)}
		}),
		row("The message is longer than `MaxMsgQMessage`", "`Producer.Send`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			q := newQueues(t, msgqtest.FuncSink(), 4)
			return []error{q.producer.Send(t.Context(), nil, make([]byte, comch.MaxMsgQMessage+1), q.onDPA.ID())}
		}),
		row("The queue has no such consumer on the DPA", "`Producer.Send`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			q := newQueues(t, msgqtest.FuncSink(), 4)
			return []error{q.producer.Send(t.Context(), nil, number(0), q.onDPA.ID()+7)}
		}),
		row("A name is given or asked for", "`Consumer.Announce`, `Producer.Announce`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			q := newQueues(t, msgqtest.FuncSink(), 4)
			return []error{q.consumer.Announce(t.Context(), "x"), q.producer.Announce(t.Context(), "x")}
		}),
		row("Code on the DPA has posted no receive", "`Producer.TrySend`", "`doca.ErrAgain`", func(t *testing.T) []error {
			q := newQueues(t, msgqtest.FuncSink(), 4)
			return []error{q.producer.TrySend(t.Context(), nil, number(0), q.onDPA.ID())}
		}),
		row("`MaxTasks` receives are posted", "`Consumer.Post`", "`doca.ErrFull`", func(t *testing.T) []error {
			return []error{newQueues(t, msgqtest.FuncSink(), 4).consumer.Post(nil)}
		}),
		row("`AutoPost` for a consumer of a connection", "`Conn.NewConsumer`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			client, _ := newPair(t, comch.Config{})
			return []error{second(client.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 8, AutoPost: true}))}
		}),
		row("The queue or its DPA is closed", "`MsgQ.NewConsumer`, `Consumer.Recv`, `Producer.Send`, `DPAConsumer.Handle`", "`doca.ErrClosed`, `doca.ErrBadState`", func(t *testing.T) []error {
			q := newQueues(t, msgqtest.FuncSink(), 4)
			check(t, q.d.Close())
			return []error{second(q.from.NewConsumer(comch.ConsumerConfig{})), second(q.consumer.Recv(t.Context())), q.producer.Send(t.Context(), nil, number(0), 1), second(q.onDPA.Handle())}
		}),
		row("This side has stopped the consumer or producer", "`Consumer.Recv`, `Consumer.Post`, `Producer.Send`", "`doca.ErrBadState`", func(t *testing.T) []error {
			q := newQueues(t, msgqtest.FuncSink(), 4)
			check(t, q.consumer.Stop(t.Context()))
			check(t, q.producer.Stop(t.Context()))
			return []error{second(q.consumer.Recv(t.Context())), q.consumer.Post(nil), q.producer.Send(t.Context(), nil, number(0), q.onDPA.ID())}
		}),
		row("`ctx` ends first", "`Consumer.Recv`, `Producer.Send`", "`context.Canceled`", func(t *testing.T) []error {
			q := newQueues(t, msgqtest.FuncSink(), 4)
			return []error{second(q.consumer.Recv(canceled(t))), q.producer.Send(canceled(t), nil, number(0), q.onDPA.ID())}
		}),
	})
}
