package comch_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A wait that was given up takes no message with it.
func TestCancelledRecv(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := server.Recv(ended)
	wantErr(t, err, context.Canceled)
	wantErr(t, client.Send(ended, []byte("never")), context.Canceled)
	got := 0
	for i := range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		var reader sync.WaitGroup
		reader.Go(func() {
			if _, err := server.Recv(ctx); err == nil {
				got++
			} else if !errors.Is(err, context.Canceled) {
				t.Errorf("Recv: %v", err)
			}
		})
		check(t, client.Send(long(t), []byte{byte(i)}))
		cancel()
		reader.Wait()
	}
	for ; got < 200; got++ {
		must(server.Recv(long(t)))(t)
	}
	_, err = server.Recv(soon(t))
	wantErr(t, err, context.DeadlineExceeded)
}

// receivesWhatIsThere checks that receive returns what has arrived although its ctx has ended, and else the
// error of ctx.
func receivesWhatIsThere(t *testing.T, want []string, receive func(ctx context.Context) (string, error)) {
	t.Helper()
	ended, limit := canceled(t), long(t)
	for _, w := range want {
		got, err := receive(ended)
		for errors.Is(err, context.Canceled) && limit.Err() == nil { // it is on its way
			got, err = receive(ended)
		}
		check(t, err)
		assert.Equal(t, w, got)
	}
	_, err := receive(ended)
	wantErr(t, err, context.Canceled)
}

// What has arrived comes before the end of ctx, in all calls that receive.
func TestRecvWithContextThatHasEnded(t *testing.T) {
	t.Parallel()
	t.Run("Conn", func(t *testing.T) {
		t.Parallel()
		client, server := newPair(t, comch.Config{})
		var buf [8]byte
		send(t, client, "1")
		send(t, client, "2")
		receivesWhatIsThere(t, []string{"1", "2"}, func(ctx context.Context) (string, error) {
			msg, err := server.Recv(ctx)
			return string(msg), err
		})
		send(t, client, "3")
		receivesWhatIsThere(t, []string{"3"}, func(ctx context.Context) (string, error) {
			n, err := server.RecvInto(ctx, buf[:])
			return string(buf[:n]), err
		})
		send(t, client, "the last one")
		check(t, client.Close())
		recv(t, server, "the last one")
		wantEnd(t, server)
		_, err := server.Recv(canceled(t)) // there is nothing to wait for
		wantErr(t, err, comch.ErrPeerGone)
	})
	t.Run("Consumer", func(t *testing.T) {
		t.Parallel()
		l := newLane(t, shape{})
		l.post(t, 3)
		l.send(t, nil, "1")
		l.send(t, nil, "2")
		receivesWhatIsThere(t, []string{"1", "2"}, func(ctx context.Context) (string, error) {
			r, err := l.consumer.Recv(ctx)
			return string(r.Imm), err
		})
	})
}

// Messages that peers do not take any more when they end their connections are no reason of their own for a receive to fail: the end is.
func TestRecvAtTheEndWithMessagesInFlight(t *testing.T) {
	t.Parallel()
	for name, receive := range map[string]func(context.Context, *comch.Conn) error{
		"Recv": func(ctx context.Context, c *comch.Conn) error { _, err := c.Recv(ctx); return err },
		"RecvInto": func(ctx context.Context, c *comch.Conn) error {
			_, err := c.RecvInto(ctx, make([]byte, 64))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			srv := l.listen(t, comch.Config{})
			var clients, servers []*comch.Conn
			for range 8 {
				client, server := l.pair(t, srv, comch.Config{RecvQueueSize: 1, Backlog: 1})
				for range 8 { // more than the client's queue and backlog take
					send(t, server, "to a client that does not read")
				}
				clients, servers = append(clients, client), append(servers, server)
			}
			var all sync.WaitGroup
			for _, c := range servers {
				all.Go(func() {
					err := receive(long(t), c)
					assert.ErrorIs(t, err, comch.ErrPeerGone)
					assert.ErrorIs(t, err, io.EOF)
				})
			}
			time.Sleep(10 * time.Millisecond) // until most of them wait
			free := comch.Hold(servers[0])    // so that all end at once
			for _, c := range clients {
				check(t, c.Close())
			}
			free()
			all.Wait()
		})
	}
}

// A message that was not handed over for a reason that looks like the end of the connection is told all the same if that goes on, and
// one that arrives meanwhile is received.
func TestRecvAfterUnsentMessage(t *testing.T) {
	client, server := newPair(t, comch.Config{})
	doctest.Faults(t, "fail-task=send:1:NOT_CONNECTED")
	send(t, server, "is lost")
	_, err := server.Recv(long(t))
	wantErr(t, err, doca.ErrNotConnected, "could not hand over")
	require.NotErrorIs(t, err, comch.ErrPeerGone)
	send(t, client, "goes on")
	recv(t, server, "goes on")
	require.Error(t, server.Flush(long(t)))
	check(t, server.Flush(long(t)))

	doctest.Faults(t, "fail-task=send:1:NOT_CONNECTED")
	send(t, server, "is lost")
	arrives := time.AfterFunc(100*time.Millisecond, func() { assert.NoError(t, client.Send(context.Background(), []byte("arrives"))) })
	defer arrives.Stop()
	recv(t, server, "arrives")
}
