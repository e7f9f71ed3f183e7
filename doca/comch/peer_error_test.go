package comch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPeerError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  comch.PeerError
		text string
	}{
		{comch.PeerError{Op: "send", Object: "comch client#3", End: comch.EndOrderly, Err: doca.ErrNotConnected},
			"doca: send on comch client#3: the peer has closed the connection: DOCA_ERROR_NOT_CONNECTED"},
		{comch.PeerError{Op: "flush", End: comch.EndBroken, Err: doca.ErrConnectionReset, Advice: "so what"},
			"doca: flush: the peer has disappeared without closing the connection: DOCA_ERROR_CONNECTION_RESET: so what"},
		{comch.PeerError{Op: "flush"}, "doca: flush: the peer has closed the connection or has disappeared"},
		{comch.PeerError{Object: "comch client#3"}, "doca: comch client#3: the peer has closed the connection or has disappeared"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			assert.EqualError(t, &c.err, c.text)
			assert.ErrorIs(t, &c.err, comch.ErrPeerGone)
			assert.NotErrorIs(t, &c.err, io.EOF, "it receives nothing")
			if c.err.Err != nil {
				assert.ErrorIs(t, &c.err, c.err.Err)
			}
		})
	}
}

// However a send is waiting when the peer closes, and on either side: it ends with ErrPeerGone. The
// peer stops its consumer first, which DOCA answers as it answers a wrong number.
func TestSendsWhenThePeerCloses(t *testing.T) {
	t.Parallel()
	sends := map[string]func(l *lane, ctx context.Context, msg comch.Message) error{
		"Send": func(l *lane, ctx context.Context, msg comch.Message) error {
			return l.producer.Send(ctx, msg.Buffer, msg.Imm, l.id)
		},
		"TrySend": func(l *lane, ctx context.Context, msg comch.Message) error {
			for {
				if err := l.producer.TrySend(ctx, msg.Buffer, msg.Imm, l.id); !isAgain(err) {
					return err
				}
			}
		},
		"SendBatch": func(l *lane, ctx context.Context, msg comch.Message) error {
			_, err := l.producer.SendBatch(ctx, []comch.Message{msg, msg, msg})
			return err
		},
		"Future": func(l *lane, ctx context.Context, msg comch.Message) error {
			f, err := l.producer.SendAsync(ctx, msg.Buffer, msg.Imm, l.id)
			if err != nil {
				return err
			}
			<-f.Done()
			return f.Err()
		},
	}
	for name, wait := range sends {
		for _, down := range []bool{false, true} {
			t.Run(fmt.Sprint(name, "/down=", down), func(t *testing.T) {
				t.Parallel()
				for i := range 15 {
					l := newLane(t, shape{down: down})
					msg := comch.Message{Imm: []byte("x"), Consumer: l.id}
					if i%2 == 1 {
						msg.Buffer = l.source(t, 0, "a text")
					}
					if i%3 == 0 {
						l.post(t, 1)
						check(t, l.producer.Send(long(t), msg.Buffer, nil, l.id))
					}
					ended := make(chan error)
					go func() { ended <- wait(l, long(t), msg) }()
					if i%4 > 0 {
						<-soon(t).Done()
					}
					check(t, l.to.Close())
					wantGone(t, name, <-ended, told(l.from), false)
					wantGone(t, "later", l.producer.Send(long(t), msg.Buffer, msg.Imm, l.id), told(l.from), false)
					check(t, l.producer.Close())
					wantErr(t, l.producer.Send(long(t), nil, nil, l.id), doca.ErrClosed)
				}
			})
		}
	}
}

func isAgain(err error) bool { return errors.Is(err, doca.ErrAgain) }

// What receives from a consumer when the peer closes gets what was sent, and then the end.
func TestReceivesWhenThePeerCloses(t *testing.T) {
	t.Parallel()
	for _, down := range []bool{false, true} {
		t.Run(fmt.Sprint("down=", down), func(t *testing.T) {
			t.Parallel()
			for range 10 {
				l := newLane(t, shape{down: down})
				l.post(t, 8)
				l.send(t, l.source(t, 0, "before the end"), "")
				ended := make(chan error)
				go func() {
					r, err := l.consumer.Recv(long(t))
					if err == nil && string(r.Data) == "before the end" {
						_, err = l.consumer.Recv(long(t))
					}
					ended <- err
				}()
				check(t, l.from.Close())
				wantGone(t, "Recv", <-ended, told(l.to), true)
				n, err := l.consumer.RecvBatch(long(t), make([]comch.Received, 4))
				require.Zero(t, n)
				wantGone(t, "RecvBatch", err, told(l.to), true)
				wantGone(t, "Post", l.consumer.Post(nil), told(l.to), false)
			}
		})
	}
}

// A consumer that stops alone is not the end of the connection.
func TestConsumerGone(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	ended := make(chan error)
	go func() { ended <- l.producer.Send(long(t), nil, []byte("x"), l.id) }()
	<-soon(t).Done()
	check(t, l.consumer.Close())
	for _, err := range []error{<-ended, l.producer.Send(long(t), nil, []byte("x"), l.id), l.producer.TrySend(long(t), nil, []byte("x"), l.id)} {
		require.ErrorIs(t, err, comch.ErrConsumerGone)
		require.ErrorIs(t, err, doca.ErrInvalidValue)
		require.NotErrorIs(t, err, comch.ErrPeerGone)
		require.EqualError(t, err, fmt.Sprintf("doca: send on %v: comch: the peer's consumer has stopped: DOCA_ERROR_INVALID_VALUE: "+
			"the connection goes on without consumer %d: send to another consumer", l.producer, l.id))
	}
	send(t, l.from, "still here")
	recv(t, l.to, "still here")

	err := l.producer.Send(long(t), nil, []byte("x"), 12345)
	require.ErrorIs(t, err, doca.ErrInvalidValue, "there was no such consumer")
	require.NotErrorIs(t, err, comch.ErrConsumerGone)

	second := must(l.to.NewConsumer(l.in, comch.ConsumerConfig{}))(t)
	check(t, second.Post(l.sink(t, 0, 2)))
	for len(l.from.Consumers()) == 0 {
		must(l.from.ConsumerEvent(long(t)))(t)
	}
	err = l.producer.Send(long(t), l.source(t, 0, "too long"), nil, second.ID())
	require.ErrorIs(t, err, doca.ErrInvalidValue, "the data does not fit")
	require.NotErrorIs(t, err, comch.ErrConsumerGone)
	require.NotErrorIs(t, err, comch.ErrPeerGone)
}

// A message to a consumer that has stopped says so as well if the consumer has started again meanwhile, with the same number.
func TestConsumerGoneAndBack(t *testing.T) {
	t.Parallel()
	from, to := newPair(t, comch.Config{})
	consumer := must(to.NewConsumer(memory(t, to, 64), comch.ConsumerConfig{}))(t)
	producer := must(from.NewProducer(comch.ProducerConfig{Engine: from.Engine()}))(t) // which nobody drives meanwhile
	id := must(from.WaitConsumer(long(t)))(t)
	for _, send := range []func() error{
		func() error { return producer.TrySend(long(t), nil, []byte("x"), id) },
		func() error { return producer.Send(long(t), nil, []byte("x"), id) },
	} {
		check(t, consumer.Stop(long(t)))
		check(t, consumer.Start(long(t)))
		check(t, consumer.Post(nil))
		err := send()
		require.ErrorIs(t, err, comch.ErrConsumerGone)
		require.NotErrorIs(t, err, comch.ErrPeerGone)
		check(t, producer.Send(long(t), nil, []byte("y"), id))
		r := must(consumer.Recv(long(t)))(t)
		require.Equal(t, "y", string(r.Imm))
		err = producer.Send(long(t), nil, make([]byte, 33), id)
		require.NotErrorIs(t, err, comch.ErrConsumerGone, "the message is wrong")
	}
	check(t, from.Close())
	check(t, to.Close())
}

// If it is not known yet why a message was refused, the end of the context is the error, not a mistake of the program.
func TestRefusedWithoutTime(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	check(t, l.consumer.Post(l.sink(t, 0, 2)))
	tooLong := l.source(t, 0, "too long")
	err := l.producer.Send(soon(t), tooLong, nil, l.id)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, doca.ErrInvalidValue)
	require.EqualError(t, err, fmt.Sprintf("doca: send on %v: context deadline exceeded: "+
		"DOCA has refused the message: it does not fit, or consumer %d has stopped", l.producer, l.id))
	require.ErrorIs(t, l.producer.Send(long(t), tooLong, nil, l.id), doca.ErrInvalidValue)
}

// A client that has heard nothing from its server is told that it may have been refused, and no other.
func TestAdviceOfARefusedClient(t *testing.T) {
	t.Parallel()
	const advice = "nothing has arrived from the server"
	heard := map[string]func(t *testing.T, client, server *comch.Conn){
		"a message": func(t *testing.T, client, server *comch.Conn) { send(t, server, "hello"); recv(t, client, "hello") },
		"a message that nobody reads": func(t *testing.T, _, server *comch.Conn) {
			send(t, server, "hello")
			check(t, server.Flush(long(t)))
		},
		"a name": func(t *testing.T, client, server *comch.Conn) {
			p := must(server.NewProducer(comch.ProducerConfig{}))(t)
			check(t, p.Announce(long(t), "p"))
			must(client.ProducerNamed(long(t), "p"))(t)
		},
		"a consumer": func(t *testing.T, client, server *comch.Conn) {
			must(server.NewConsumer(memory(t, server, 64), comch.ConsumerConfig{}))(t)
			must(client.WaitConsumer(long(t)))(t)
		},
		"data": func(t *testing.T, client, server *comch.Conn) {
			c := must(client.NewConsumer(memory(t, client, 64), comch.ConsumerConfig{}))(t)
			check(t, c.Post(nil))
			p := must(server.NewProducer(comch.ProducerConfig{}))(t)
			check(t, p.Send(long(t), nil, []byte("x"), must(server.WaitConsumer(long(t)))(t)))
			must(c.Recv(long(t)))(t)
		},
	}
	for name, hear := range heard {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, server := newPair(t, comch.Config{Names: true})
			hear(t, client, server)
			check(t, server.Close())
			<-client.Done()
			assert.NotContains(t, client.Err().Error(), advice)
			wantErr(t, client.Send(long(t), []byte("x")), comch.ErrPeerGone, "Config.Farewell")
		})
	}
	t.Run("a farewell", func(t *testing.T) {
		t.Parallel()
		client, server := newPair(t, comch.Config{Farewell: true})
		check(t, server.Close())
		<-client.Done()
		assert.NotContains(t, client.Err().Error(), advice)
	})
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		client, server := newPair(t, comch.Config{})
		p := must(client.NewProducer(comch.ProducerConfig{}))(t)
		c := must(client.NewConsumer(memory(t, client, 64), comch.ConsumerConfig{}))(t)
		check(t, server.Close())
		<-client.Done()
		wantErr(t, client.Err(), comch.ErrPeerGone, advice)
		wantErr(t, p.Send(long(t), nil, []byte("x"), 1), comch.ErrPeerGone, advice)
		_, err := c.Recv(long(t))
		wantErr(t, err, comch.ErrPeerGone, advice)
	})
}

// An error after this side's Close says that the peer had ended the connection before, if it had; and each error
// names the operation.
func TestCauseAfterClose(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		for _, gone := range []bool{false, true} {
			t.Run(fmt.Sprint(side, "/peer gone=", gone), func(t *testing.T) {
				t.Parallel()
				for range 10 {
					e := newEnds(t, side, comch.Config{Names: true})
					if gone {
						check(t, e.peer.Close())
						<-e.conn.Done()
					}
					check(t, e.conn.Close())
					ctx := long(t)
					_, recv := e.conn.Recv(ctx)
					_, data := e.consumer.Recv(ctx)
					_, named := e.conn.ConsumerNamed(ctx, "x")
					_, raw := e.conn.Raw()
					_, consumer := e.conn.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 1})
					_, producer := e.conn.NewProducer(comch.ProducerConfig{})
					for op, err := range map[string]error{
						"err": e.conn.Err(), "receive": recv, "flush": e.conn.Flush(ctx), "raw": raw, `wait for a consumer named "x"`: named,
						"create consumer": consumer, "create producer": producer,
					} {
						wantErr(t, err, doca.ErrClosed, "doca: "+op+" on "+e.conn.String())
						assert.Equal(t, gone, errors.Is(err, comch.ErrPeerGone), "%v", err)
						assert.NotErrorIs(t, err, io.EOF)
					}
					for object, err := range map[string]error{
						"receive on " + e.consumer.String(): data, "send on " + e.producer.String(): e.producer.Send(ctx, nil, []byte("x"), e.id),
						"post on " + e.consumer.String(): e.consumer.Post(nil), "send on " + e.conn.String(): e.conn.Send(ctx, []byte("x")),
					} {
						wantErr(t, err, doca.ErrClosed, "doca: "+object)
						assert.Equal(t, gone, errors.Is(err, comch.ErrPeerGone), "%v", err)
						assert.NotErrorIs(t, err, io.EOF)
					}
				}
			})
		}
	}
}
