package comch_test

import (
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/require"
)

// The groups of calls that answer alike.
const (
	readCalls  = "`Conn.Recv`, `Conn.RecvInto`, `Conn.Err`, `Conn.ConsumerEvent`, `Conn.WaitConsumer`, `Consumer.Recv`, `Consumer.RecvBatch`"
	writeCalls = "`Conn.Send`, `Conn.Flush`, `Conn.NewConsumer`, `Conn.NewProducer`, `Consumer.Post`, `Consumer.PostBatch`, `Consumer.Start`, `Producer.Send`, `Producer.TrySend`, `Producer.SendBatch`, `Producer.SendAsync`, `Producer.Start`"
)

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
	e.producer = must(e.conn.NewProducer(comch.ProducerConfig{}))(t)
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
	add(e.producer.Send(ctx, nil, []byte("x"), e.id))
	add(e.producer.TrySend(ctx, nil, []byte("x"), e.id))
	_, err = e.producer.SendBatch(ctx, []comch.Message{{Imm: []byte("x"), Consumer: e.id}})
	add(err)
	_, err = e.producer.SendAsync(ctx, nil, []byte("x"), e.id)
	add(err)
	add(e.stoppedP.Start(ctx))
	return errs
}

// killed is the end on one side of a connection whose other process was killed.
func killed(t *testing.T, side string) *ends {
	t.Helper()
	e := &ends{}
	l := newLink(t)
	var p *process
	e.conn, p = l.withProcess(t, side, comch.Config{}, "COMCH_TEST_CONSUMER=1")
	e.equip(t)
	p.kill()
	<-e.conn.Done() // until then, DOCA may take what nobody will receive
	return e
}

// closedPeer is the end on one side of a connection that the other has closed.
func closedPeer(t *testing.T, side string, cfg comch.Config) *ends {
	t.Helper()
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
		doctest.Row("The server has closed it or was killed, without `Farewell`", readCalls, "`comch.ErrPeerGone`, `doca.ErrNotConnected`",
			func(t *testing.T) []error { return killed(t, "client").reads(t) }),
		doctest.Row("The same; to send", writeCalls, "`comch.ErrPeerGone`, `doca.ErrNotConnected`",
			func(t *testing.T) []error { return closedPeer(t, "client", comch.Config{}).writes(t) }),
		doctest.Row("The client was killed", readCalls, "`comch.ErrPeerGone`, `doca.ErrConnectionReset`",
			func(t *testing.T) []error { return killed(t, "server").reads(t) }),
		doctest.Row("The client was killed; to send", writeCalls, "`comch.ErrPeerGone`, `doca.ErrConnectionReset`",
			func(t *testing.T) []error { return killed(t, "server").writes(t) }),
		doctest.Row("The peer has stopped the consumer alone", "`Producer.Send`, `Producer.TrySend`", "`comch.ErrConsumerGone`, `doca.ErrInvalidValue`",
			func(t *testing.T) []error {
				l := newLane(t, shape{})
				check(t, l.consumer.Close())
				return []error{l.producer.Send(long(t), nil, []byte("x"), l.id), l.producer.TrySend(long(t), nil, []byte("x"), l.id)}
			}),
		doctest.Row("There was no such consumer", "`Producer.Send`", "`doca.ErrInvalidValue`",
			one(func(t *testing.T) error { return newLane(t, shape{}).producer.Send(long(t), nil, []byte("x"), 12345) })),
		doctest.Row("The data does not fit the posted buffer", "`Producer.Send`", "`doca.ErrInvalidValue`",
			one(func(t *testing.T) error {
				l := newLane(t, shape{})
				check(t, l.consumer.Post(l.sink(t, 0, 2)))
				return l.producer.Send(long(t), l.source(t, 0, "too long"), nil, l.id)
			})),
		doctest.Row("The consumer has posted no buffer", "`Producer.TrySend`", "`doca.ErrAgain`",
			one(func(t *testing.T) error {
				l := newLane(t, shape{})
				return l.producer.TrySend(long(t), nil, []byte("x"), l.id)
			})),
		doctest.Row("`MaxTasks` buffers are posted", "`Consumer.Post`", "`doca.ErrFull`",
			one(func(t *testing.T) error {
				e := newEnds(t, "client", comch.Config{})
				check(t, e.consumer.Post(nil))
				return e.consumer.Post(nil)
			})),
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
		doctest.Row("This side has closed the connection", "`Conn.Recv`, `Conn.Err`, `Conn.Send`, `Consumer.Recv`, `Consumer.Post`, `Producer.Send`", "`doca.ErrClosed`, `doca.ErrBadState`",
			func(t *testing.T) []error {
				e := newEnds(t, "client", comch.Config{})
				check(t, e.conn.Close())
				reads := e.reads(t)
				return []error{reads[0], reads[2], e.conn.Send(long(t), []byte("x")), reads[5], e.consumer.Post(nil), e.producer.Send(long(t), nil, nil, e.id)}
			}),
		doctest.Row("This side has stopped the consumer or producer", "`Consumer.Recv`, `Consumer.Post`, `Producer.Send`", "`doca.ErrBadState`",
			func(t *testing.T) []error {
				e := newEnds(t, "client", comch.Config{})
				_, err := e.stopped.Recv(long(t))
				return []error{err, e.stopped.Post(nil), e.stoppedP.Send(long(t), nil, nil, e.id)}
			}),
		doctest.Row("`ctx` ends first", "`Conn.Recv`, `Conn.Send`, `Consumer.Recv`, `Producer.Send`, `Server.Accept`, `Dial`", "`context.Canceled`",
			func(t *testing.T) []error {
				l := newLink(t)
				srv := l.listen(t, comch.Config{})
				client, server := l.pair(t, srv, comch.Config{})
				e := (&ends{conn: client, peer: server}).equip(t)
				ctx := canceled(t)
				_, recv := client.Recv(ctx)
				_, data := e.consumer.Recv(ctx)
				_, accept := srv.Accept(ctx)
				_, dial := comch.Dial(ctx, l.host, l.name, comch.Config{})
				return []error{recv, client.Send(ctx, []byte("x")), data, e.producer.Send(ctx, nil, nil, e.id), accept, dial}
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
