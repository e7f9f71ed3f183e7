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
				if msg, err := c.Recv(long(t)); err != io.EOF {
					t.Errorf("Recv = %q, %v", msg, err)
				}
			})
			all.Go(func() {
				if _, err := c.ConsumerEvent(long(t)); err != io.EOF {
					t.Errorf("ConsumerEvent: %v", err)
				}
			})
			all.Go(func() {
				if <-c.Done(); c.Err() != io.EOF {
					t.Errorf("Err() = %v", c.Err())
				}
			})
			all.Go(func() {
				for {
					if err := c.Send(long(t), []byte("x")); err != nil {
						if !errors.Is(err, doca.ErrNotConnected) {
							t.Errorf("Send: %v", err)
						}
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

// Closing a server closes its connections, accepted or not; the clients see the end.
func TestServerClose(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	client, server := l.pair(t, srv, comch.Config{})
	early := l.dial2(t, srv)
	send(t, early, "nobody reads this")
	send(t, server, "bye")
	accepting := make(chan error)
	go func() {
		for {
			if _, err := srv.Accept(long(t)); err != nil {
				accepting <- err
				return
			}
		}
	}()
	check(t, srv.Close())
	wantErr(t, <-accepting, doca.ErrBadState)
	_, err := srv.Accept(t.Context())
	wantErr(t, err, doca.ErrClosed, "server#")
	recv(t, client, "bye")
	wantEnd(t, client)
	if _, err := early.Recv(long(t)); err != io.EOF {
		t.Errorf("Recv of a connection that was not accepted: %v", err)
	}
	_, err = server.Recv(t.Context())
	wantErr(t, err, doca.ErrClosed)
	if s := srv.State(); s != doca.StateClosed {
		t.Errorf("the server is %v", s)
	}
	check(t, srv.Close())
}

// dial2 connects to a server that nobody accepts at.
func (l *link) dial2(t *testing.T, srv *comch.Server) *comch.Conn {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	driver := make(chan struct{})
	go func() {
		srv.Engine().Run(ctx)
		close(driver)
	}()
	c := l.dial(t, comch.Config{})
	cancel()
	<-driver
	return c
}

// Clients that do not read do not keep a server from being closed, and take their time
// together: DOCA gives each of them a second.
func TestServerCloseWithStuckClients(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	cfg := comch.Config{RecvQueueSize: 2, MaxMessageSize: 4000, MaxSendTasks: 4096}
	srv := l.listen(t, cfg)
	var clients []*comch.Conn
	for range 8 {
		client, server := l.pair(t, srv, cfg)
		clients = append(clients, client)
		for range 300 { // more than a socket takes
			check(t, server.Send(long(t), make([]byte, 4000)))
		}
	}
	check(t, srv.Shutdown(doctest.Deadline(t, 5*time.Second)))
	for _, c := range clients {
		check(t, c.Close())
	}
}

// Closing the devices closes everything on them, with the engines.
func TestDeviceClose(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	client, server := l.pair(t, l.listen(t, comch.Config{}), comch.Config{})
	check(t, l.dpu.Close())
	wantEnd(t, client)
	check(t, l.host.Close())
	_, err := client.Recv(t.Context())
	wantErr(t, err, doca.ErrClosed)
	_, err = server.Recv(t.Context())
	wantErr(t, err, doca.ErrClosed)
	_, err = client.Engine().Progress()
	wantErr(t, err, doca.ErrClosed)
	_, err = comch.Dial(t.Context(), l.host, l.name, comch.Config{})
	wantErr(t, err, doca.ErrClosed)
	_, err = comch.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
	wantErr(t, err, doca.ErrClosed)
}

// Engines of the program's own are shared, and stay open.
func TestSharedEngine(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	cfg := comch.Config{Engine: pe}
	srv := l.listen(t, cfg)
	client, server := l.pair(t, srv, cfg)
	other, second := l.pair(t, srv, cfg)
	for range 10 {
		send(t, client, "a")
		send(t, other, "b")
		recv(t, second, "b")
		recv(t, server, "a")
		send(t, server, "c")
		recv(t, client, "c")
	}
	check(t, client.Close())
	wantEnd(t, server)
	send(t, second, "still here")
	recv(t, other, "still here")
	check(t, srv.Close())
	wantEnd(t, other)
	must(pe.Progress())(t)
	check(t, pe.Close())
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
