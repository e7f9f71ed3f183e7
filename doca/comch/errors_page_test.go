package comch_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/require"
)

// The groups of calls that answer alike.
const (
	readCalls  = "`Conn.Recv`, `Conn.RecvInto`, `Conn.Err`, `Conn.ConsumerEvent`, `Conn.WaitConsumer`, `Conn.ConsumerNamed`, `Conn.ProducerNamed`, `Consumer.Recv`, `Consumer.RecvBatch`"
	writeCalls = "`Conn.Send`, `Conn.Flush`, `Conn.NewConsumer`, `Conn.NewProducer`, `Consumer.Post`, `Consumer.PostBatch`, `Consumer.Start`, `Consumer.Announce`, `Producer.Send`, `Producer.TrySend`, `Producer.SendBytes`, `Producer.SendBatch`, `Producer.SendAsync`, `Producer.TrySendAsync`, `Producer.Start`, `Producer.Announce`"
)

const nameCalls = "`Consumer.Announce`, `Producer.Announce`, `Conn.ConsumerNamed`, `Conn.ProducerNamed`"

// ends is a connection with a consumer and a producer on each side.
type ends struct {
	conn, peer *comch.Conn
	consumer   *comch.Consumer
	producer   *comch.Producer
	stopped    *comch.Consumer
	stoppedP   *comch.Producer
	mem        *doca.Memory
	id         uint32
}

// newEnds makes one; conn is the server's end or the client's.
func newEnds(t *testing.T, side string, cfg comch.Config) *ends {
	t.Helper()
	e := &ends{}
	e.conn, e.peer = newPair(t, cfg)
	if side == "server" {
		e.conn, e.peer = e.peer, e.conn
	}
	return e.equip(t)
}

func (e *ends) equip(t *testing.T) *ends {
	t.Helper()
	if e.peer != nil {
		must(e.peer.NewConsumer(memory(t, e.peer, 64), comch.ConsumerConfig{}))(t)
	}
	e.mem = memory(t, e.conn, 64)
	e.consumer = must(e.conn.NewConsumer(e.mem, comch.ConsumerConfig{MaxTasks: 1}))(t)
	e.producer = must(e.conn.NewProducer(comch.ProducerConfig{BufferSize: 64}))(t)
	e.stopped = must(e.conn.NewConsumer(e.mem, comch.ConsumerConfig{}))(t)
	e.stoppedP = must(e.conn.NewProducer(comch.ProducerConfig{}))(t)
	require.NoError(t, e.stopped.Stop(t.Context()))
	require.NoError(t, e.stoppedP.Stop(t.Context()))
	e.id = must(e.conn.WaitConsumer(long(t)))(t)
	return e
}

func (e *ends) reads(t *testing.T) (errs []error) {
	t.Helper()
	ctx := long(t)
	add := func(err error) { errs = append(errs, err) }
	_, err := e.conn.Recv(ctx)
	add(err)
	_, err = e.conn.RecvInto(ctx, nil)
	add(err)
	add(e.conn.Err())
	for err = nil; err == nil; {
		_, err = e.conn.ConsumerEvent(ctx)
	}
	add(err)
	_, err = e.conn.WaitConsumer(ctx)
	add(err)
	_, err = e.conn.ConsumerNamed(ctx, "x")
	add(err)
	_, err = e.conn.ProducerNamed(ctx, "x")
	add(err)
	_, err = e.consumer.Recv(ctx)
	add(err)
	_, err = e.consumer.RecvBatch(ctx, make([]comch.Received, 1))
	add(err)
	return errs
}

func (e *ends) writes(t *testing.T) (errs []error) {
	t.Helper()
	ctx := long(t)
	add := func(err error) { errs = append(errs, err) }
	_, err := e.consumer.Recv(ctx) // Post says it when this has
	require.Error(t, err)
	add(e.conn.Send(ctx, []byte("x")))
	add(e.conn.Flush(ctx))
	_, err = e.conn.NewConsumer(e.mem, comch.ConsumerConfig{})
	add(err)
	_, err = e.conn.NewProducer(comch.ProducerConfig{})
	add(err)
	add(e.consumer.Post(nil))
	_, err = e.consumer.PostBatch([]*doca.Buffer{nil})
	add(err)
	add(e.stopped.Start(ctx))
	add(e.stopped.Announce(ctx, "x"))
	add(e.producer.Send(ctx, nil, []byte("x"), e.id))
	add(e.producer.TrySend(ctx, nil, []byte("x"), e.id))
	add(e.producer.SendBytes(ctx, []byte("x"), nil, e.id))
	_, err = e.producer.SendBatch(ctx, []comch.Message{{Imm: []byte("x"), Consumer: e.id}})
	add(err)
	_, err = e.producer.SendAsync(ctx, nil, []byte("x"), e.id)
	add(err)
	_, err = e.producer.TrySendAsync(ctx, nil, []byte("x"), e.id)
	add(err)
	add(e.stoppedP.Start(ctx))
	add(e.producer.Announce(ctx, "x"))
	return errs
}

func (e *ends) names(t *testing.T, name string) []error {
	t.Helper()
	ctx := long(t)
	_, consumer := e.conn.ConsumerNamed(ctx, name)
	_, producer := e.conn.ProducerNamed(ctx, name)
	return []error{e.consumer.Announce(ctx, name), e.producer.Announce(ctx, name), consumer, producer}
}

// reset checks that the second errors say that the peer was killed, too, and returns the first.
func reset(t *testing.T, errs, same []error) []error {
	t.Helper()
	for _, err := range same {
		require.ErrorIs(t, err, comch.ErrPeerGone)
		require.ErrorIs(t, err, doca.ErrConnectionReset)
		require.NotErrorIs(t, err, io.EOF)
	}
	return errs
}

// killed is the end on one side of a connection whose other process was killed.
func killed(t *testing.T, side string, cfg comch.Config) *ends {
	t.Helper()
	e := &ends{}
	l := newLink(t)
	var p *process
	env := []string{"COMCH_TEST_CONSUMER=1"}
	if cfg.Farewell {
		env = append(env, "COMCH_TEST_FAREWELL=1")
	}
	cfg.Names = true
	e.conn, p = l.withProcess(t, side, cfg, env...)
	e.equip(t)
	p.kill()
	<-e.conn.Done() // until then, DOCA may take what nobody will receive
	return e
}

// closedPeer is the end on one side of a connection that the other has closed.
func closedPeer(t *testing.T, side string, cfg comch.Config) *ends {
	t.Helper()
	cfg.Names = true
	e := newEnds(t, side, cfg)
	check(t, e.peer.Close())
	<-e.conn.Done()
	return e
}

func TestErrorsPage(t *testing.T) {
	names := map[string]error{
		"comch.ErrPeerGone": comch.ErrPeerGone, "comch.ErrConsumerGone": comch.ErrConsumerGone, "comch.ErrNoServer": comch.ErrNoServer,
	}
	one := func(f func(t *testing.T) error) func(*testing.T) []error {
		return func(t *testing.T) []error { return []error{f(t)} }
	}
	farewell := comch.Config{Farewell: true}
	doctest.ErrorsPage(t, "doca/comch", names, []doctest.ErrorRow{
		doctest.Row("The client has closed the connection", readCalls, "`comch.ErrPeerGone`, `io.EOF`, `doca.ErrNotConnected`",
			func(t *testing.T) []error { return closedPeer(t, "server", comch.Config{}).reads(t) }),
		doctest.Row("The client has closed it; to send", writeCalls, "`comch.ErrPeerGone`, `doca.ErrNotConnected`",
			func(t *testing.T) []error { return closedPeer(t, "server", comch.Config{}).writes(t) }),
		doctest.Row("The server has closed it, with `Farewell`", readCalls, "`comch.ErrPeerGone`, `io.EOF`, `doca.ErrNotConnected`",
			func(t *testing.T) []error { return closedPeer(t, "client", farewell).reads(t) }),
		doctest.Row("The server has closed it, with `Farewell`; to send", writeCalls, "`comch.ErrPeerGone`, `doca.ErrNotConnected`",
			func(t *testing.T) []error { return closedPeer(t, "client", farewell).writes(t) }),
		doctest.Row("The server has closed it or was killed, without `Farewell`", readCalls, "`comch.ErrPeerGone`, `doca.ErrNotConnected`",
			func(t *testing.T) []error { return killed(t, "client", comch.Config{}).reads(t) }),
		doctest.Row("The same; to send", writeCalls, "`comch.ErrPeerGone`, `doca.ErrNotConnected`",
			func(t *testing.T) []error { return closedPeer(t, "client", comch.Config{}).writes(t) }),
		doctest.Row("The client was killed, with `Farewell` or without", readCalls, "`comch.ErrPeerGone`, `doca.ErrConnectionReset`",
			func(t *testing.T) []error {
				return reset(t, killed(t, "server", comch.Config{}).reads(t), killed(t, "server", farewell).reads(t))
			}),
		doctest.Row("The client was killed, with `Farewell` or without; to send", writeCalls, "`comch.ErrPeerGone`, `doca.ErrConnectionReset`",
			func(t *testing.T) []error {
				return reset(t, killed(t, "server", comch.Config{}).writes(t), killed(t, "server", farewell).writes(t))
			}),
		doctest.Row("The server was killed, with `Farewell`", readCalls, "`comch.ErrPeerGone`, `doca.ErrConnectionReset`",
			func(t *testing.T) []error { return killed(t, "client", farewell).reads(t) }),
		doctest.Row("The server was killed, with `Farewell`; to send", writeCalls, "`comch.ErrPeerGone`, `doca.ErrConnectionReset`",
			func(t *testing.T) []error { return killed(t, "client", farewell).writes(t) }),
		doctest.Row("The peer has stopped the consumer alone", "`Producer.Send`, `Producer.SendBytes`, `Producer.TrySend`", "`comch.ErrConsumerGone`, `doca.ErrInvalidValue`",
			func(t *testing.T) []error {
				l := newLane(t, shape{})
				p := must(l.from.NewProducer(comch.ProducerConfig{BufferSize: 64}))(t)
				check(t, l.consumer.Close())
				return []error{l.producer.Send(long(t), nil, []byte("x"), l.id), p.SendBytes(long(t), []byte("x"), nil, l.id), l.producer.TrySend(long(t), nil, []byte("x"), l.id)}
			}),
		doctest.Row("There was no such consumer", "`Producer.Send`", "`doca.ErrInvalidValue`",
			one(func(t *testing.T) error { return newLane(t, shape{}).producer.Send(long(t), nil, []byte("x"), 12345) })),
		doctest.Row("The data does not fit the posted buffer", "`Producer.Send`", "`doca.ErrInvalidValue`",
			one(func(t *testing.T) error {
				l := newLane(t, shape{})
				check(t, l.consumer.Post(l.sink(t, 0, 2)))
				return l.producer.Send(long(t), l.source(t, 0, "too long"), nil, l.id)
			})),
		doctest.Row("The consumer has posted no buffer", "`Producer.TrySend`, `Producer.TrySendAsync`", "`doca.ErrAgain`",
			func(t *testing.T) []error {
				l := newLane(t, shape{})
				_, err := l.producer.TrySendAsync(long(t), nil, []byte("x"), l.id)
				return []error{l.producer.TrySend(long(t), nil, []byte("x"), l.id), err}
			}),
		doctest.Row("`MaxTasks` buffers are posted", "`Consumer.Post`", "`doca.ErrFull`",
			one(func(t *testing.T) error {
				e := newEnds(t, "client", comch.Config{})
				check(t, e.consumer.Post(nil))
				return e.consumer.Post(nil)
			})),
		doctest.Row("The data is longer than `ProducerConfig.BufferSize`", "`Producer.SendBytes`", "`doca.ErrTooBig`",
			one(func(t *testing.T) error {
				return newEnds(t, "client", comch.Config{}).producer.SendBytes(long(t), make([]byte, 65), nil, 1)
			})),
		doctest.Row("The producer has no `BufferSize`", "`Producer.SendBytes`", "`doca.ErrInvalidValue`",
			one(func(t *testing.T) error { return newLane(t, shape{}).producer.SendBytes(long(t), []byte("x"), nil, 1) })),
		doctest.Row("The name is empty", nameCalls, "`doca.ErrInvalidValue`",
			func(t *testing.T) []error { return newEnds(t, "client", comch.Config{Names: true}).names(t, "") }),
		doctest.Row("This side has no `Config.Names`", nameCalls, "`doca.ErrInvalidValue`",
			func(t *testing.T) []error { return newEnds(t, "client", comch.Config{}).names(t, "x") }),
		doctest.Row("The name is longer than `MaxMessageSize` less 22 bytes", nameCalls, "`doca.ErrTooBig`",
			func(t *testing.T) []error {
				e := newEnds(t, "client", comch.Config{Names: true})
				return e.names(t, strings.Repeat("x", e.conn.MaxMessageSize()-21))
			}),
		doctest.Row("The message is longer than `MaxMessageSize`", "`Conn.Send`", "`doca.ErrTooBig`",
			one(func(t *testing.T) error {
				client, _ := newPair(t, comch.Config{})
				return client.Send(long(t), make([]byte, client.MaxMessageSize()+1))
			})),
		doctest.Row("The message is longer than the slice", "`Conn.RecvInto`", "`doca.ErrTooBig`",
			one(func(t *testing.T) error {
				client, server := newPair(t, comch.Config{})
				send(t, client, "too long")
				_, err := server.RecvInto(long(t), nil)
				return err
			})),
		doctest.Row("This side has closed the connection", "`Conn.Recv`, `Conn.Err`, `Conn.Send`, `Conn.ConsumerNamed`, `Consumer.Recv`, `Consumer.Post`, `Consumer.Announce`, `Producer.Send`, `Producer.SendBytes`", "`doca.ErrClosed`, `doca.ErrBadState`",
			func(t *testing.T) []error {
				e := newEnds(t, "client", comch.Config{Names: true})
				check(t, e.conn.Close())
				reads := e.reads(t)
				return []error{reads[0], reads[2], e.conn.Send(long(t), []byte("x")), reads[5], reads[7], e.consumer.Post(nil), e.consumer.Announce(long(t), "x"),
					e.producer.Send(long(t), nil, nil, e.id), e.producer.SendBytes(long(t), []byte("x"), nil, e.id)}
			}),
		doctest.Row("This side has stopped the consumer or producer", "`Consumer.Recv`, `Consumer.Post`, `Producer.Send`", "`doca.ErrBadState`",
			func(t *testing.T) []error {
				e := newEnds(t, "client", comch.Config{})
				_, err := e.stopped.Recv(long(t))
				return []error{err, e.stopped.Post(nil), e.stoppedP.Send(long(t), nil, nil, e.id)}
			}),
		doctest.Row("`ctx` ends first", "`Conn.Recv`, `Conn.Send`, `Conn.ConsumerNamed`, `Consumer.Recv`, `Consumer.Announce`, `Producer.Send`, `Producer.SendBytes`, `Server.Accept`, `Dial`", "`context.Canceled`",
			func(t *testing.T) []error {
				l := newLink(t)
				cfg := comch.Config{Names: true}
				srv := l.listen(t, cfg)
				client, server := l.pair(t, srv, cfg)
				e := (&ends{conn: client, peer: server}).equip(t)
				ctx := canceled(t)
				_, recv := client.Recv(ctx)
				_, data := e.consumer.Recv(ctx)
				_, accept := srv.Accept(ctx)
				_, dial := comch.Dial(ctx, l.host, l.name, comch.Config{})
				_, named := client.ConsumerNamed(ctx, "x")
				return []error{recv, client.Send(ctx, []byte("x")), named, data, e.consumer.Announce(ctx, "x"), e.producer.Send(ctx, nil, nil, e.id),
					e.producer.SendBytes(ctx, []byte("x"), nil, e.id), accept, dial}
			}),
		doctest.Row("DOCA says that there is no such server", "`Dial`", "`comch.ErrNoServer`, `doca.ErrConnectionAborted`",
			one(func(t *testing.T) error {
				l := newLink(t)
				doctest.Faults(t, "fail-call=doca_ctx_start:1:CONNECTION_ABORTED")
				_, err := comch.Dial(long(t), l.host, l.name, comch.Config{})
				return err
			})),
		doctest.Row("DOCA says that the server has no room", "`Dial`", "`doca.ErrFull`",
			one(func(t *testing.T) error {
				t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "20")
				l := newLink(t)
				doctest.Faults(t, "fail-call=doca_comch_client_get_connection:1:FULL")
				_, err := comch.Dial(long(t), l.host, l.name, comch.Config{})
				return err
			})),
		doctest.Row("DOCA says that the sizes of messages differ", "`Dial`", "`doca.ErrTooBig`",
			one(func(t *testing.T) error {
				l := newLink(t)
				srv := l.listen(t, comch.Config{MaxMessageSize: 100})
				go srv.Accept(t.Context())
				_, err := comch.Dial(long(t), l.host, l.name, comch.Config{MaxMessageSize: 200})
				return err
			})),
		doctest.Row("DOCA gives up and does not say why", "`Dial`", "`doca.ErrNotConnected`",
			one(func(t *testing.T) error {
				t.Setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "20")
				l := newLink(t)
				doctest.Faults(t, "fail-call=doca_comch_client_get_connection:1:BAD_STATE")
				_, err := comch.Dial(long(t), l.host, l.name, comch.Config{})
				return err
			})),
		doctest.Row("The device does not support this side", "`Listen`, `Dial`", "`doca.ErrNotSupported`",
			func(t *testing.T) []error {
				l := newLink(t)
				_, listen := comch.Listen(long(t), l.host, l.rep, l.name, comch.Config{})
				_, dial := comch.Dial(long(t), l.dpu, l.name, comch.Config{})
				return []error{listen, dial}
			}),
		doctest.Row("Another server has the name", "`Listen`", "`doca.ErrAlreadyExist`",
			one(func(t *testing.T) error {
				l := newLink(t)
				l.listen(t, comch.Config{})
				_, err := comch.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
				return err
			})),
		doctest.Row("The server's device is lost", "`Conn.Recv`, `Conn.Err`", "`doca.ErrConnectionAborted`",
			func(t *testing.T) []error {
				_, server := newPair(t, comch.Config{})
				doctest.Faults(t, "lose-device=1")
				server.Send(long(t), []byte("x"))
				_, err := server.Recv(long(t))
				return []error{err, server.Err()}
			}),
		doctest.Row("The client's device is lost", "`Conn.Recv`, `Conn.Err`", "`comch.ErrPeerGone`, `doca.ErrNotConnected`",
			func(t *testing.T) []error {
				client, _ := newPair(t, comch.Config{})
				doctest.Faults(t, "lose-device=1")
				client.Send(long(t), []byte("x"))
				_, err := client.Recv(long(t))
				return []error{err, client.Err()}
			}),
		doctest.Row("DOCA does not say what a message is for", "`Conn.Recv`, `Conn.Err`, `Conn.Send`", "`doca.ErrUnexpected`",
			func(t *testing.T) []error {
				client, server := newPair(t, comch.Config{})
				doctest.Faults(t, "fail-call=doca_ctx_get_user_data:1")
				check(t, client.Send(long(t), []byte("x")))
				_, err := server.Recv(long(t))
				return []error{err, server.Err(), server.Send(long(t), []byte("x"))}
			}),
		doctest.Row("DOCA does not start or stop something in time", "`Conn.NewConsumer`, `Consumer.Close`", "`doca.ErrTimeOut`",
			func(t *testing.T) []error {
				defer comch.SetLimits(20*time.Millisecond, 20*time.Millisecond)()
				_, server := newPair(t, comch.Config{})
				mem := memory(t, server, 64)
				consumer := must(server.NewConsumer(mem, comch.ConsumerConfig{}))(t)
				doctest.Faults(t, "fail-call=doca_ctx_start:1:IN_PROGRESS,fail-call=doca_ctx_stop:2:AGAIN")
				_, start := server.NewConsumer(mem, comch.ConsumerConfig{})
				stop := consumer.Close()
				return []error{start, stop}
			}),
	})
}
