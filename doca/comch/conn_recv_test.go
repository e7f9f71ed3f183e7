package comch_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/assert"
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
