package comch_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/assert"
)

// What was sent before a Close arrives before the end does, from either side.
func TestMessagesBeforeClose(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]comch.Config{
		"room for all": {},
		"small queues": {RecvQueueSize: 4, Backlog: 4},
	} {
		for _, from := range []string{"client", "server"} {
			t.Run(name+", from the "+from, func(t *testing.T) {
				t.Parallel()
				client, server := newPair(t, cfg)
				sender, receiver := client, server
				if from == "server" {
					sender, receiver = server, client
				}
				for i := range 100 {
					check(t, sender.Send(long(t), []byte{byte(i)}))
				}
				closed := make(chan error)
				go func() { closed <- sender.Close() }()
				for i := range 100 {
					recv(t, receiver, string([]byte{byte(i)}))
				}
				wantEnd(t, receiver)
				check(t, <-closed)
				check(t, receiver.Close())
			})
		}
	}
}

// A peer that does not read does not keep Close from ending.
func TestCloseWithUnreadMessages(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{RecvQueueSize: 2, Backlog: 2})
	for i := range 50 {
		check(t, client.Send(long(t), []byte{byte(i)}))
		check(t, server.Send(long(t), []byte{byte(i)}))
	}
	check(t, client.Shutdown(long(t)))
	check(t, server.Shutdown(long(t)))
}

// Close ends all waits on the connection.
func TestCloseWhileWaiting(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			client, server := newPair(t, comch.Config{RecvQueueSize: 1, MaxSendTasks: 1, Backlog: 1})
			c := client
			if side == "server" {
				c = server
			}
			waits := map[string]func() error{
				"Recv":          func() error { _, err := c.Recv(long(t)); return err },
				"RecvInto":      func() error { _, err := c.RecvInto(long(t), make([]byte, 10)); return err },
				"ConsumerEvent": func() error { _, err := c.ConsumerEvent(long(t)); return err },
				"WaitConsumer":  func() error { _, err := c.WaitConsumer(long(t)); return err },
				"Done":          func() error { <-c.Done(); return c.Err() },
				"Send": func() error {
					for {
						if err := c.Send(long(t), []byte("x")); err != nil {
							return err
						}
					}
				},
			}
			var all sync.WaitGroup
			for name, wait := range waits {
				all.Go(func() {
					if err := wait(); !errors.Is(err, doca.ErrClosed) || !errors.Is(err, doca.ErrBadState) {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			time.Sleep(5 * time.Millisecond)
			var closers sync.WaitGroup
			for range 4 {
				closers.Go(func() { check(t, c.Close()) })
			}
			closers.Wait()
			all.Wait()
		})
	}
}

// The peer's Close ends all waits, too.
func TestPeerClosesWhileWaiting(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			client, server := newPair(t, comch.Config{RecvQueueSize: 1, MaxSendTasks: 1, Backlog: 1})
			c, peer := client, server
			if side == "server" {
				c, peer = server, client
			}
			var all sync.WaitGroup
			all.Go(func() {
				_, err := c.Recv(long(t))
				assert.ErrorIs(t, err, comch.ErrPeerGone)
			})
			all.Go(func() {
				_, err := c.ConsumerEvent(long(t))
				assert.ErrorIs(t, err, comch.ErrPeerGone)
			})
			all.Go(func() {
				<-c.Done()
				assert.ErrorIs(t, c.Err(), comch.ErrPeerGone)
			})
			all.Go(func() {
				for {
					if err := c.Send(long(t), []byte("x")); err != nil {
						assert.ErrorIs(t, err, comch.ErrPeerGone)
						return
					}
				}
			})
			time.Sleep(5 * time.Millisecond)
			check(t, peer.Close())
			all.Wait()
			check(t, c.Close())
		})
	}
}

// A close whose context has ended goes on, and a later one waits for it.
func TestShutdownWithoutTime(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []*comch.Conn{client, server} {
		if err := c.Shutdown(ended); err != nil {
			wantErr(t, err, context.Canceled)
		}
		wantErr(t, c.Send(t.Context(), []byte("x")), doca.ErrClosed)
		check(t, c.Close())
	}
}

// A close that fails is told, and the next one goes on.
func TestClosesThatFail(t *testing.T) {
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	for _, call := range []string{"doca_ctx_stop", "doca_comch_client_destroy", "doca_pe_destroy"} {
		t.Run("client/"+call, func(t *testing.T) {
			client, server := l.pair(t, srv, comch.Config{})
			doctest.Faults(t, "fail-call="+call+":1")
			wantErr(t, client.Close(), doca.ErrDriver, call)
			wantErr(t, client.Send(t.Context(), []byte("x")), doca.ErrClosed)
			check(t, client.Close())
			wantEnd(t, server)
			check(t, server.Close())
		})
	}
	client, server := l.pair(t, srv, comch.Config{})
	for _, code := range []string{"AGAIN", "IN_USE"} { // which mean that it may do later
		doctest.Faults(t, "fail-call=doca_comch_server_disconnect:1:"+code+",fail-call=doca_comch_server_disconnect:2:"+code)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		wantErr(t, server.Shutdown(ended), context.Canceled)
	}
	doctest.Faults(t, "fail-call=doca_comch_server_disconnect:1")
	wantErr(t, server.Close(), doca.ErrDriver, "doca_comch_server_disconnect")
	doctest.Faults(t, "fail-call=doca_comch_server_disconnect:1:AGAIN")
	check(t, server.Close())
	wantEnd(t, client)

	client, _ = l.pair(t, srv, comch.Config{})
	for _, call := range []string{"doca_ctx_stop", "doca_comch_server_destroy", "doca_pe_destroy"} {
		t.Run("server/"+call, func(t *testing.T) {
			doctest.Faults(t, "fail-call="+call+":1")
			wantErr(t, srv.Close(), doca.ErrDriver, call)
		})
	}
	check(t, srv.Close())
	wantEnd(t, client)
}

// Tasks that take their time do not keep a connection from being closed.
func TestCloseWithTasksInFlight(t *testing.T) {
	client, server := newPair(t, comch.Config{})
	release := doctest.Hold(t)
	for _, c := range []*comch.Conn{client, server} {
		send(t, c, "on its way")
		wantErr(t, c.Flush(soon(t)), context.DeadlineExceeded)
	}
	closed := make(chan error, 1)
	go func() { closed <- client.Close() }()
	time.Sleep(10 * time.Millisecond) // it is under way
	release()
	check(t, <-closed)
	check(t, server.Close())
}
