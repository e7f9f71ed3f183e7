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

func TestConfig(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	caps := must(comch.CapabilitiesOf(l.dpu.Info()))(t)
	for field, set := range map[string]func(*comch.Config, int){
		"MaxMessageSize": func(c *comch.Config, n int) { c.MaxMessageSize = n },
		"RecvQueueSize":  func(c *comch.Config, n int) { c.RecvQueueSize = n },
		"MaxSendTasks":   func(c *comch.Config, n int) { c.MaxSendTasks = n },
		"Backlog":        func(c *comch.Config, n int) { c.Backlog = n },
	} {
		for _, n := range []int{-1, 1 << 30} {
			if field == "Backlog" && n > 0 {
				continue
			}
			var cfg comch.Config
			set(&cfg, n)
			_, err := comch.Listen(t.Context(), l.dpu, l.rep, l.name, cfg)
			wantErr(t, err, doca.ErrInvalidValue, field, fmt.Sprint(n))
			_, err = comch.Dial(t.Context(), l.host, l.name, cfg)
			wantErr(t, err, doca.ErrInvalidValue, field, fmt.Sprint(n))
		}
	}
	srv := l.listen(t, comch.Config{})
	if got, want := srv.Limits(), (comch.Limits{MaxMessageSize: int(caps.MaxMessageSize), RecvQueueSize: comch.DefaultRecvQueueSize,
		MaxSendTasks: comch.DefaultMaxSendTasks, Backlog: comch.DefaultBacklog}); got != want {
		t.Errorf("Limits() = %+v, want %+v", got, want)
	}
	check(t, srv.Close())
	cfg := comch.Config{MaxMessageSize: 100, RecvQueueSize: 7, MaxSendTasks: 3, Backlog: 2}
	srv = l.listen(t, cfg)
	if got, want := srv.Limits(), (comch.Limits{MaxMessageSize: 100, RecvQueueSize: 7, MaxSendTasks: 3, Backlog: 2}); got != want {
		t.Errorf("Limits() = %+v, want %+v", got, want)
	}
	client, server := l.pair(t, srv, cfg)
	send(t, client, strings.Repeat("x", 100))
	recv(t, server, strings.Repeat("x", 100))
	wantErr(t, server.Send(t.Context(), make([]byte, 101)), doca.ErrTooBig, "101", "100")
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	for _, c := range []struct {
		info           doca.DeviceInfo
		server, client bool
	}{{l.dpu.Info(), true, false}, {l.host.Info(), false, true}} {
		caps := must(comch.CapabilitiesOf(c.info))(t)
		if caps.Server != c.server || caps.Client != c.client {
			t.Errorf("%v: server %v, client %v", c.info, caps.Server, caps.Client)
		}
		for name, n := range map[string]uint32{
			"MaxNameLen": caps.MaxNameLen, "MaxMessageSize": caps.MaxMessageSize, "MaxRecvQueueSize": caps.MaxRecvQueueSize,
			"MaxSendTasks": caps.MaxSendTasks, "MaxClients": caps.MaxClients,
			"MaxConsumers": caps.Consumer.MaxConsumers, "consumers' MaxTasks": caps.Consumer.MaxTasks,
			"consumers' MaxBufferSize": caps.Consumer.MaxBufferSize, "consumers' MaxListLen": caps.Consumer.MaxListLen,
			"MaxProducers": caps.Producer.MaxProducers, "producers' MaxTasks": caps.Producer.MaxTasks,
			"producers' MaxBufferSize": caps.Producer.MaxBufferSize, "producers' MaxListLen": caps.Producer.MaxListLen,
		} {
			if n == 0 {
				t.Errorf("%v: %s is 0", c.info, name)
			}
		}
		check(t, comch.Supported(c.info))
		if err := comch.ServerSupported(c.info); (err == nil) != c.server {
			t.Errorf("ServerSupported: %v", err)
		}
		if err := comch.ClientSupported(c.info); (err == nil) != c.client {
			t.Errorf("ClientSupported: %v", err)
		}
	}
	_, err := comch.CapabilitiesOf(doca.DeviceInfo{PCIAddr: "0000:ff:1f.7"})
	wantErr(t, err, doca.ErrNotFound)
	wantErr(t, comch.Supported(doca.DeviceInfo{PCIAddr: "0000:ff:1f.7"}), doca.ErrNotFound)
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

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
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

func TestDialErrors(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	var all sync.WaitGroup
	all.Go(func() {
		_, err := comch.Dial(t.Context(), l.host, l.name+"-wrong", comch.Config{})
		wantErr(t, err, doca.ErrNotConnected, "-wrong", "dial")
	})
	all.Go(func() {
		_, err := comch.Dial(soon(t), l.host, l.name+"-none", comch.Config{})
		wantErr(t, err, context.DeadlineExceeded, "-none", "dial")
	})
	all.Go(func() {
		_, err := comch.Dial(canceled(t), l.host, l.name+"-none", comch.Config{})
		wantErr(t, err, context.Canceled)
	})
	all.Wait()
	// Both sides must agree on the size of messages.
	srv := l.listen(t, comch.Config{MaxMessageSize: 100})
	ctx, cancel := context.WithCancel(t.Context())
	all.Go(func() { srv.Engine().Run(ctx) })
	_, err := comch.Dial(long(t), l.host, l.name, comch.Config{MaxMessageSize: 101})
	wantErr(t, err, doca.ErrNotConnected, "MaxMessageSize")
	cancel()
	all.Wait()
	_, err = srv.Accept(soon(t))
	wantErr(t, err, context.DeadlineExceeded)
}

// The client may come first.
func TestDialBeforeListen(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	dialed := make(chan *comch.Conn)
	go func() {
		c, err := comch.Dial(long(t), l.host, l.name, comch.Config{})
		if err != nil {
			t.Error(err)
		}
		dialed <- c
	}()
	time.Sleep(30 * time.Millisecond)
	srv := l.listen(t, comch.Config{})
	server := must(srv.Accept(long(t)))(t)
	client := <-dialed
	send(t, client, "at last")
	recv(t, server, "at last")
}

// The device's Close ends a Dial that is under way.
func TestCloseWhileDialing(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	dialed := make(chan error)
	go func() {
		_, err := comch.Dial(long(t), l.host, l.name, comch.Config{})
		dialed <- err
	}()
	time.Sleep(10 * time.Millisecond)
	check(t, l.host.Close())
	wantErr(t, <-dialed, doca.ErrBadState)
}
