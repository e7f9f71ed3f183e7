package comch_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/require"
)

func TestListenErrors(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	ctx := t.Context()
	srv := l.listen(t, comch.Config{})
	if srv.Name() != l.name || srv.Device() != l.dpu || srv.Representor() != l.rep || srv.State() != doca.StateRunning {
		t.Errorf("the server is %v, %q", srv, srv.Name())
	}
	_, err := comch.Listen(ctx, l.dpu, l.rep, l.name, comch.Config{})
	wantErr(t, err, doca.ErrAlreadyExist, "another server", "start")
	other := must(comch.Listen(ctx, l.dpu, l.rep, l.name+"2", comch.Config{}))(t)
	check(t, other.Close())
	check(t, srv.Close())
	check(t, l.listen(t, comch.Config{}).Close()) // the name is free again

	caps := must(comch.CapabilitiesOf(l.dpu.Info()))(t)
	longest := strings.Repeat("n", int(caps.MaxNameLen)-len(l.name)-1) + l.name
	check(t, must(comch.Listen(ctx, l.dpu, l.rep, longest, comch.Config{}))(t).Close())
	for _, name := range []string{"", longest + "x"} {
		_, err = comch.Listen(ctx, l.dpu, l.rep, name, comch.Config{})
		wantErr(t, err, doca.ErrInvalidValue, "name", fmt.Sprint(len(name)))
		_, err = comch.Dial(ctx, l.host, name, comch.Config{})
		wantErr(t, err, doca.ErrInvalidValue, "name", fmt.Sprint(len(name)))
	}
	_, err = comch.Listen(ctx, l.dpu, l.rep, "nul\x00", comch.Config{})
	wantErr(t, err, doca.ErrInvalidValue, "NUL")
	_, err = comch.Listen(ctx, l.host, l.rep, l.name, comch.Config{})
	wantErr(t, err, doca.ErrNotSupported, "DPU")
	_, err = comch.Dial(ctx, l.dpu, l.name, comch.Config{})
	wantErr(t, err, doca.ErrNotSupported, "host")
	_, err = comch.Listen(ctx, l.dpu, nil, l.name, comch.Config{})
	wantErr(t, err, doca.ErrInvalidValue, "representor")
	_, err = comch.Listen(ctx, nil, l.rep, l.name, comch.Config{})
	wantErr(t, err, doca.ErrInvalidValue, "device")
	_, err = comch.Dial(ctx, nil, l.name, comch.Config{})
	wantErr(t, err, doca.ErrInvalidValue, "device")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = comch.Listen(ended, l.dpu, l.rep, l.name, comch.Config{})
	wantErr(t, err, context.Canceled)
	check(t, l.rep.Close())
	_, err = comch.Listen(ctx, l.dpu, l.rep, l.name, comch.Config{})
	wantErr(t, err, doca.ErrClosed, "representor#")
}

func TestAccept(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	_, err := srv.Accept(soon(t))
	wantErr(t, err, context.DeadlineExceeded)

	// One that has ended before it is accepted is there for its messages, and only for them.
	silent := l.dial2(t, srv)
	check(t, silent.Close())
	talker := l.dial2(t, srv)
	send(t, talker, "are you there?")
	check(t, talker.Close())
	c := must(srv.Accept(long(t)))(t)
	recv(t, c, "are you there?")
	wantEnd(t, c)
	check(t, c.Close())
	_, err = srv.Accept(soon(t))
	wantErr(t, err, context.DeadlineExceeded)
	_, err = srv.Accept(canceled(t))
	wantErr(t, err, context.Canceled)
}

// Connections that nobody accepts do not pile up: there are as many as a server can have, and
// the next one is closed.
func TestAcceptLimit(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	most := int(must(comch.CapabilitiesOf(l.dpu.Info()))(t).MaxClients)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go srv.Engine().Run(ctx)
	for i := range most {
		c := must(comch.Dial(long(t), l.host, l.name, comch.Config{MaxSendTasks: 1}))(t)
		check(t, c.Send(long(t), []byte{byte(i), byte(i >> 8)}))
		check(t, c.Close())
	}
	c := l.dial(t, comch.Config{})
	wantEnd(t, c)
	for i := range most {
		server := must(srv.Accept(long(t)))(t)
		recv(t, server, string([]byte{byte(i), byte(i >> 8)}))
		check(t, server.Close())
	}
	_, server := l.pair(t, srv, comch.Config{})
	check(t, server.Close())
}

// Each connection of a server is on its own: messages, ends, and Close of one.
func TestManyConnections(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv := l.listen(t, comch.Config{MaxSendTasks: 8})
	var all sync.WaitGroup
	all.Go(func() {
		for range 20 {
			c, err := srv.Accept(long(t))
			if err != nil {
				t.Error(err)
				return
			}
			all.Go(func() { // an echo
				defer c.Close()
				for {
					msg, err := c.Recv(long(t))
					if err != nil {
						return
					}
					if err := c.Send(long(t), msg); err != nil {
						t.Errorf("echo: %v", err)
						return
					}
				}
			})
		}
	})
	for k := range 20 {
		all.Go(func() {
			c, err := comch.Dial(long(t), l.host, l.name, comch.Config{})
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			for i := range 50 {
				msg := fmt.Sprintf("client %d, message %d", k, i)
				if err := c.Send(long(t), []byte(msg)); err != nil {
					t.Error(err)
					return
				}
				if got, err := c.Recv(long(t)); err != nil || string(got) != msg {
					t.Errorf("Recv = %q, %v; want %q", got, err, msg)
					return
				}
			}
		})
	}
	all.Wait()
}

// A client that does not read takes its share of the send tasks and no more.
func TestStuckClient(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	cfg := comch.Config{RecvQueueSize: 2, MaxSendTasks: 4}
	srv := l.listen(t, cfg)
	_, stuck := l.pair(t, srv, cfg)
	client, server := l.pair(t, srv, cfg)
	var err error
	for err == nil {
		err = stuck.Send(soon(t), []byte("for nobody"))
	}
	wantErr(t, err, context.DeadlineExceeded)
	for range 100 {
		send(t, server, "ping")
		recv(t, client, "ping")
	}
	check(t, stuck.Close())
	for range 100 {
		send(t, server, "ping")
		recv(t, client, "ping")
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
	wantEnd(t, early)
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
	cfg := comch.Config{RecvQueueSize: 2, MaxMessageSize: 4000, MaxSendTasks: 8192}
	srv := l.listen(t, cfg)
	var clients []*comch.Conn
	for range 25 {
		client, server := l.pair(t, srv, cfg)
		clients = append(clients, client)
		for range 300 { // more than a socket takes
			check(t, server.Send(long(t), make([]byte, 4000)))
		}
	}
	check(t, srv.Shutdown(long(t)))
	for _, c := range clients {
		check(t, c.Close())
	}
}

// A connection that nobody reads stops the others of its server when its backlog is full, until
// it is read or closed.
func TestFullBacklogStopsTheOthers(t *testing.T) {
	t.Parallel()
	for name, resume := range map[string]func(t *testing.T, unread *comch.Conn){
		"read":   func(t *testing.T, unread *comch.Conn) { recv(t, unread, "0"); recv(t, unread, "1") },
		"closed": func(t *testing.T, unread *comch.Conn) { check(t, unread.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			cfg := comch.Config{Backlog: 3}
			srv := l.listen(t, cfg)
			talker, unread := l.pair(t, srv, cfg)
			client, server := l.pair(t, srv, cfg)
			for i := range cfg.Backlog {
				send(t, talker, fmt.Sprint(i))
			}
			for must(unread.Stats())(t).RecvMessages < uint64(cfg.Backlog) { // receives what is for the other
				_, err := server.Recv(soon(t))
				require.ErrorIs(t, err, context.DeadlineExceeded)
			}
			send(t, client, "behind it")
			_, err := server.Recv(soon(t))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			resume(t, unread)
			recv(t, server, "behind it")
		})
	}
}

// Accept leaves the engine to those that receive, and takes it back when they have gone, however they went.
func TestAcceptAmongReceivers(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	accepted := make(chan *comch.Conn, 10)
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			for {
				c, err := srv.Accept(context.Background())
				if err != nil {
					ended <- err
					return
				}
				accepted <- c
			}
		}()
	}
	arrives := func(when string) (client, server *comch.Conn) {
		client = l.dial(t, comch.Config{})
		select {
		case server = <-accepted:
			l.keep(server)
		case <-long(t).Done():
			t.Fatalf("no connection is accepted %s", when)
		}
		return client, server
	}
	client, server := arrives("while nobody else waits")
	ctx, cancel := context.WithCancel(t.Context())
	echo := make(chan error)
	go func() {
		for {
			msg, err := server.Recv(ctx)
			if err == nil {
				err = server.Send(ctx, msg)
			}
			if err != nil {
				echo <- err
				return
			}
		}
	}()
	for range 100 {
		ask(t, client, "hello")
	}
	arrives("while a goroutine receives")
	ask(t, client, "hello")
	cancel()
	require.ErrorIs(t, <-echo, context.Canceled)
	arrives("after its ctx has ended")
	_, err := server.Recv(soon(t))
	wantErr(t, err, context.DeadlineExceeded)
	check(t, server.Close())
	_, other := arrives("after a connection was closed")
	go other.Recv(context.Background())
	check(t, srv.Close())
	wantErr(t, <-ended, doca.ErrClosed)
	wantErr(t, <-ended, doca.ErrClosed)
}

// A goroutine that begins with Accept shows no line of the program: leak reports show where it has made the server.
func TestAcceptByItself(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	go srv.Accept(t.Context())
	defer l.dial(t, comch.Config{}).Close()
	site := func(kind, of string) string {
		for _, o := range doca.OpenObjects() {
			if strings.HasPrefix(o.Name, kind) && strings.Contains(o.Name, of) {
				return o.Site
			}
		}
		return ""
	}
	require.Eventually(t, func() bool { return site("comch connection#", srv.String()) != "" }, 20*time.Second, time.Millisecond)
	require.Equal(t, site(srv.String(), ""), site("comch connection#", srv.String()))
	require.Contains(t, site(srv.String(), ""), "_test.go:")
}
