package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/examples/internal/buffers"
	"github.com/go-doca/go-doca/internal/selfexec"
)

func TestMain(m *testing.M) {
	os.Setenv("DOCA_PROVIDER", emulator.Name)
	end := selfexec.Apart()
	code := m.Run()
	end()
	os.Exit(code)
}

// connection returns the two ends of a connection.
func connection(t *testing.T) (dpu, host *comch.Conn) {
	t.Helper()
	dev, err := doca.OpenDevice("03:00.0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dev.Close()) })
	rep, err := dev.OpenRepresentor("b1:00.0")
	require.NoError(t, err)
	server, err := comch.Listen(t.Context(), dev, rep, t.Name(), comch.Config{})
	require.NoError(t, err)
	other, err := doca.OpenDevice("b1:00.0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, other.Close()) })
	accepted := make(chan *comch.Conn, 1)
	go func() {
		conn, err := server.Accept(t.Context())
		assert.NoError(t, err)
		accepted <- conn
	}()
	host, err = comch.Dial(t.Context(), other, t.Name(), comch.Config{})
	require.NoError(t, err)
	return <-accepted, host
}

// send sends messages of memory that nobody has filled, as NVIDIA's program does.
func send(ctx context.Context, conn *comch.Conn, l load) error {
	set, err := buffers.New(conn.Device(), 1, l.size, doca.AccessPCIReadOnly)
	if err != nil {
		return err
	}
	defer set.Close()
	buf := set.List[0]
	if err := buf.SetData(0, l.size); err != nil {
		return err
	}
	producer, err := conn.NewProducer(comch.ProducerConfig{})
	if err != nil {
		return err
	}
	defer producer.Close()
	consumer, err := conn.WaitConsumer(ctx)
	if err != nil {
		return err
	}
	for range l.msgs {
		if _, err := producer.SendBatch(ctx, []comch.Message{{Buffer: buf, Consumer: consumer}}); err != nil {
			return err
		}
	}
	return nil
}

func TestConsume(t *testing.T) {
	for _, c := range []struct {
		name            string
		announced, sent load
		want            string
	}{
		{"contents do not matter", load{5, 100}, load{5, 100}, ""},
		{"too short", load{5, 100}, load{1, 99}, "a message of 99 bytes, not the 100 that the peer has announced"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dpu, host := connection(t)
			sent := make(chan error, 1)
			go func() { sent <- send(t.Context(), dpu, c.sent) }()
			err := consume(t.Context(), host, c.announced)
			if c.want == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, c.want)
			}
			assert.NoError(t, <-sent)
		})
	}
}
