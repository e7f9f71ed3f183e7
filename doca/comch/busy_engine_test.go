package comch_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/assert"
)

// While a call of DOCA takes long, its engine is not free. Who waits for it heeds its context.
func TestWaitForABusyEngineEnds(t *testing.T) {
	t.Parallel()
	cfg := comch.Config{Names: true}
	l := newLink(t)
	srv := l.listen(t, cfg)
	client, server := l.pair(t, srv, cfg)
	pe := server.Engine()
	_, closing := l.pair(t, srv, cfg)
	closingServer := must(comch.Listen(t.Context(), l.dpu, l.rep, l.name+"-closing", comch.Config{Engine: pe}))(t)
	consumer := must(server.NewConsumer(nil, comch.ConsumerConfig{Engine: pe, BufferSize: 64}))(t)
	producer := must(server.NewProducer(comch.ProducerConfig{Engine: pe, BufferSize: 64}))(t)
	peers := must(client.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 64}))(t)
	messages := []comch.Message{{Imm: []byte("x"), Consumer: peers.ID()}}
	calls := map[string]func(context.Context) error{
		"Server.Accept":      func(ctx context.Context) error { _, err := srv.Accept(ctx); return err },
		"Conn.Recv":          func(ctx context.Context) error { _, err := server.Recv(ctx); return err },
		"Conn.RecvInto":      func(ctx context.Context) error { _, err := server.RecvInto(ctx, make([]byte, 10)); return err },
		"Conn.Send":          func(ctx context.Context) error { return server.Send(ctx, []byte("x")) },
		"Conn.Flush":         server.Flush,
		"Conn.ConsumerEvent": func(ctx context.Context) error { _, err := server.ConsumerEvent(ctx); return err },
		"Conn.WaitConsumer":  func(ctx context.Context) error { _, err := server.WaitConsumer(ctx); return err },
		"Conn.ConsumerNamed": func(ctx context.Context) error { _, err := server.ConsumerNamed(ctx, "x"); return err },
		"Conn.ProducerNamed": func(ctx context.Context) error { _, err := server.ProducerNamed(ctx, "x"); return err },
		"Consumer.Recv":      func(ctx context.Context) error { _, err := consumer.Recv(ctx); return err },
		"Consumer.RecvBatch": func(ctx context.Context) error {
			_, err := consumer.RecvBatch(ctx, make([]comch.Received, 2))
			return err
		},
		"Consumer.Announce":  func(ctx context.Context) error { return consumer.Announce(ctx, "x") },
		"Consumer.Start":     consumer.Start,
		"Consumer.Stop":      consumer.Stop,
		"Producer.Announce":  func(ctx context.Context) error { return producer.Announce(ctx, "x") },
		"Producer.Send":      func(ctx context.Context) error { return producer.Send(ctx, nil, []byte("x"), peers.ID()) },
		"Producer.TrySend":   func(ctx context.Context) error { return producer.TrySend(ctx, nil, []byte("x"), peers.ID()) },
		"Producer.SendBytes": func(ctx context.Context) error { return producer.SendBytes(ctx, []byte("x"), nil, peers.ID()) },
		"Producer.SendBatch": func(ctx context.Context) error { _, err := producer.SendBatch(ctx, messages); return err },
		"Producer.SendAsync": func(ctx context.Context) error {
			_, err := producer.SendAsync(ctx, nil, []byte("x"), peers.ID())
			return err
		},
		"Producer.TrySendAsync": func(ctx context.Context) error {
			_, err := producer.TrySendAsync(ctx, nil, []byte("x"), peers.ID())
			return err
		},
		"Producer.Start":  producer.Start,
		"Producer.Stop":   producer.Stop,
		"Conn.Shutdown":   closing.Shutdown,
		"Server.Shutdown": closingServer.Shutdown,
	}
	doctest.EndWhileBusy(t, calls, comch.Hold(server))
	assert.Equal(t, doca.StateRunning, server.State())
	assert.Eventually(t, func() bool { return errors.Is(closing.Err(), doca.ErrClosed) }, 20*time.Second, time.Millisecond, "it accepts nothing more")
	assert.NoError(t, closing.Close())
	assert.NoError(t, closingServer.Close())
}

// A producer or consumer with an engine of its own asks that of the connection where DOCA has refused something, and whether it has ended.
func TestWaitForABusyEngineOfTheConnectionEnds(t *testing.T) {
	t.Parallel()
	cfg := comch.Config{Names: true}
	client, server := newPair(t, cfg)
	consumer := must(server.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 64}))(t)
	stopped := must(server.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 64}))(t)
	check(t, stopped.Stop(t.Context()))
	producer := must(server.NewProducer(comch.ProducerConfig{BufferSize: 64}))(t)
	must(client.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 8}))(t)
	id := must(server.WaitConsumer(long(t)))(t)
	const none = 99 // no consumer has this number
	messages := []comch.Message{{Imm: []byte("x"), Consumer: none}}
	calls := map[string]func(context.Context) error{
		"Consumer.Recv":      func(ctx context.Context) error { _, err := consumer.Recv(ctx); return err },
		"Consumer.Announce":  func(ctx context.Context) error { return consumer.Announce(ctx, "x") },
		"Consumer.Start":     stopped.Start,
		"Producer.Send":      func(ctx context.Context) error { return producer.Send(ctx, nil, []byte("x"), none) },
		"Producer.TrySend":   func(ctx context.Context) error { return producer.TrySend(ctx, nil, []byte("x"), none) },
		"Producer.SendBytes": func(ctx context.Context) error { return producer.SendBytes(ctx, []byte("too long"+"!"), nil, id) },
		"Producer.SendBatch": func(ctx context.Context) error { _, err := producer.SendBatch(ctx, messages); return err },
		"Producer.SendAsync": func(ctx context.Context) error {
			_, err := producer.SendAsync(ctx, nil, []byte("x"), none)
			return err
		},
	}
	doctest.EndWhileBusy(t, calls, comch.Hold(server))
}
