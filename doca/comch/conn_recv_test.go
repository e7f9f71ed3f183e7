package comch_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/go-doca/go-doca/doca/comch"
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
