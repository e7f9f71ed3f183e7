package comch_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

const (
	dpu0  = "0000:03:00.0"
	host0 = "0000:b1:00.0"
)

// The helpers that all packages share.
var (
	check   = doctest.Check
	wantErr = doctest.WantErr
)

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

// link is both ends of a channel in one process.
type link struct {
	dpu, host *doca.Device
	rep       *doca.Representor
	name      string

	mu   sync.Mutex
	kept []any // handles, until the devices are closed
}

var names atomic.Int32

// newLink opens the devices. Its name is that of no other test.
func newLink(t testing.TB) *link {
	t.Helper()
	l := &link{name: fmt.Sprintf("test-%d-%d", time.Now().UnixNano(), names.Add(1))}
	l.dpu = must(doca.OpenDevice(dpu0))(t)
	l.host = must(doca.OpenDevice(host0))(t)
	l.rep = must(l.dpu.OpenRepresentor(host0))(t)
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{l.host, l.dpu} {
			if err := c.Close(); err != nil {
				t.Errorf("Close of %v: %v", c, err)
			}
		}
		l.keep(nil)
	})
	return l
}

func (l *link) keep(handle any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, handle)
}

func (l *link) listen(t testing.TB, cfg comch.Config) *comch.Server {
	t.Helper()
	srv := must(comch.Listen(t.Context(), l.dpu, l.rep, l.name, cfg))(t)
	l.keep(srv)
	return srv
}

func (l *link) dial(t testing.TB, cfg comch.Config) *comch.Conn {
	t.Helper()
	c := must(comch.Dial(long(t), l.host, l.name, cfg))(t)
	l.keep(c)
	return c
}

// pair returns both ends of a connection to srv.
func (l *link) pair(t testing.TB, srv *comch.Server, cfg comch.Config) (client, server *comch.Conn) {
	t.Helper()
	dialed := make(chan *comch.Conn)
	go func() {
		defer close(dialed)
		c, err := comch.Dial(long(t), l.host, l.name, cfg)
		if err != nil {
			t.Error(err)
			return
		}
		dialed <- c
	}()
	server = must(srv.Accept(long(t)))(t)
	client = <-dialed
	if client == nil {
		t.FailNow()
	}
	l.keep(client)
	l.keep(server)
	return client, server
}

// newPair is one connection of a server of its own.
func newPair(t testing.TB, cfg comch.Config) (client, server *comch.Conn) {
	t.Helper()
	l := newLink(t)
	return l.pair(t, l.listen(t, cfg), cfg)
}

func send(t testing.TB, c *comch.Conn, msg string) {
	t.Helper()
	if err := c.Send(long(t), []byte(msg)); err != nil {
		t.Fatalf("Send %q: %v", msg, err)
	}
}

func recv(t testing.TB, c *comch.Conn, want string) {
	t.Helper()
	got, err := c.Recv(long(t))
	if err != nil || string(got) != want {
		t.Fatalf("Recv = %q, %v; want %q", got, err, want)
	}
}

// long is a context that ends before the test hangs.
func long(t testing.TB) context.Context { return doctest.Deadline(t, 20*time.Second) }

// soon is a context that ends in 20 ms.
func soon(t testing.TB) context.Context { return doctest.Deadline(t, 20*time.Millisecond) }
