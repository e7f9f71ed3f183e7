package comch_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca/comch"
)

// A receiver that does not read stops the sender; when it reads, everything arrives.
func TestBackPressure(t *testing.T) {
	t.Parallel()
	cfg := comch.Config{RecvQueueSize: 8, MaxSendTasks: 4, Backlog: 16}
	client, server := newPair(t, cfg)
	<-soonDone(server) // somebody drives the server's engine: only the backlog is in the way
	room := cfg.Backlog + cfg.RecvQueueSize + cfg.MaxSendTasks
	for i := range room {
		check(t, client.Send(long(t), []byte{byte(i), byte(i >> 8)}))
	}
	wantErr(t, client.Send(soon(t), []byte("one too many")), context.DeadlineExceeded)
	for i := range room {
		recv(t, server, string([]byte{byte(i), byte(i >> 8)}))
	}
	_, err := server.Recv(soon(t))
	wantErr(t, err, context.DeadlineExceeded)
	send(t, client, "on")
	recv(t, server, "on")
}

// What was sent gets on its way while its sender waits for something else.
func TestSendAndGoAway(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{RecvQueueSize: 4})
	for i := range 100 {
		check(t, client.Send(long(t), []byte{byte(i)}))
	}
	for i := range 100 {
		recv(t, server, string([]byte{byte(i)}))
	}
}

// soonDone has the connection's engine driven and is done itself.
func soonDone(c *comch.Conn) <-chan struct{} {
	c.Done()
	done := make(chan struct{})
	close(done)
	return done
}
