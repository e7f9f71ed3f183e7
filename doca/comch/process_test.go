package comch_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// roles are what another process does. It writes a line when it is ready.
var roles = map[string]func(name string) error{
	"server": func(name string) error {
		dev, err := doca.OpenDevice(dpu0)
		if err != nil {
			return err
		}
		defer dev.Close()
		rep, err := dev.OpenRepresentor(host0)
		if err != nil {
			return err
		}
		srv, err := comch.Listen(context.Background(), dev, rep, name, processConfig())
		if err != nil {
			return err
		}
		fmt.Println("ready")
		c, err := srv.Accept(context.Background())
		if err != nil {
			return err
		}
		return echo(c)
	},
	"client": func(name string) error {
		dev, err := doca.OpenDevice(host0)
		if err != nil {
			return err
		}
		defer dev.Close()
		c, err := comch.Dial(context.Background(), dev, name, processConfig())
		if err != nil {
			return err
		}
		fmt.Println("ready")
		return echo(c)
	},
}

// processConfig is the configuration of a role's connections.
func processConfig() comch.Config {
	return comch.Config{Farewell: os.Getenv("COMCH_TEST_FAREWELL") != ""}
}

// echo sends back what comes, until the peer is gone or asks for the end.
func echo(c *comch.Conn) error {
	if err := withConsumer(c); err != nil {
		return err
	}
	if n, err := strconv.Atoi(os.Getenv("COMCH_TEST_SEND")); err == nil {
		if err := stream(context.Background(), c, uint32(n), func() {}); err != nil {
			return err
		}
		if err := c.Send(context.Background(), []byte("all sent")); err != nil {
			return err
		}
	}
	for {
		msg, err := c.Recv(context.Background())
		if errors.Is(err, comch.ErrPeerGone) {
			return c.Close()
		}
		if err != nil {
			return err
		}
		if string(msg) == "close" {
			return c.Close()
		}
		if err := c.Send(context.Background(), msg); err != nil {
			return err
		}
	}
}

// process is a role in another process.
type process struct {
	*exec.Cmd
	out *bufio.Reader
}

func start(t testing.TB, role, name string, env ...string) *process {
	t.Helper()
	p := &process{Cmd: selfexec.Command(t)}
	p.Env = append(append(os.Environ(), "COMCH_TEST_ROLE="+role, "COMCH_TEST_NAME="+name), env...)
	p.Stderr = os.Stderr
	p.out = bufio.NewReader(must(p.StdoutPipe())(t))
	check(t, p.Start())
	t.Cleanup(func() {
		if p.ProcessState == nil {
			p.kill()
		}
	})
	return p
}

// ready waits for the role's line.
func (p *process) ready(t testing.TB) {
	t.Helper()
	if line := must(p.out.ReadString('\n'))(t); line != "ready\n" {
		t.Fatalf("the process says %q", line)
	}
}

func (p *process) kill() {
	p.Process.Kill()
	p.Wait()
}

func (l *link) withServer(t testing.TB) (*comch.Conn, *process) {
	t.Helper()
	p := start(t, "server", l.name)
	p.ready(t)
	return l.dial(t, comch.Config{}), p
}

func (l *link) withClient(t testing.TB, srv *comch.Server) (*comch.Conn, *process) {
	t.Helper()
	p := start(t, "client", l.name)
	c := must(srv.Accept(long(t)))(t)
	l.keep(c)
	p.ready(t)
	return c, p
}

// ask has a message come back from another process.
func ask(t testing.TB, c *comch.Conn, msg string) {
	t.Helper()
	send(t, c, msg)
	recv(t, c, msg)
}

func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	server := start(t, "server", l.name)
	c := l.dial(t, comch.Config{}) // the server may not be ready yet
	for i := range 200 {
		ask(t, c, fmt.Sprint("message ", i))
	}
	check(t, c.Close())
	check(t, server.Wait())

	srv := l.listen(t, comch.Config{})
	c, client := l.withClient(t, srv)
	for i := range 200 {
		ask(t, c, fmt.Sprint("message ", i))
	}
	check(t, c.Close())
	check(t, client.Wait())
}

// A server that is killed ends the connections of its clients; its name is free then.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	for range 3 {
		c, p := l.withServer(t)
		ask(t, c, "hello")
		p.kill()
		wantEndAs(t, c, comch.EndUnknown)
		check(t, c.Close())
	}
}

// A client that is killed ends its connection and no other.
func TestClientKilled(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	client, server := l.pair(t, srv, comch.Config{})
	for range 3 {
		c, p := l.withClient(t, srv)
		ask(t, c, "hello")
		p.kill()
		wantEndAs(t, c, comch.EndBroken)
		check(t, c.Close())
		send(t, client, "still here")
		recv(t, server, "still here")
	}
}

// A process that was killed while the other side sends and receives leaves nothing behind.
func TestFaultsLeaveNothing(t *testing.T) {
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	round := func() {
		c, p := l.withClient(t, srv)
		writing := make(chan struct{})
		go func() {
			defer close(writing)
			for c.Send(context.Background(), make([]byte, 1000)) == nil {
			}
		}()
		must(c.Recv(long(t)))(t)
		p.kill()
		for { // the answers that are there: a full backlog would keep the end from being seen
			if _, err := c.Recv(long(t)); err != nil {
				break
			}
		}
		<-writing
		check(t, c.Close())

		other := &link{host: l.host, name: l.name + "-other"}
		c, p = other.withServer(t)
		ask(t, c, "hello")
		p.kill()
		<-c.Done()
		check(t, c.Close())
	}
	round()
	var goroutines, fds, again, open int
	whileDriven(t, srv, func() { goroutines, fds = settled(200*time.Millisecond, 0, 0) })
	for range 8 {
		round()
	}
	whileDriven(t, srv, func() { again, open = settled(20*time.Second, goroutines, fds) })
	if again > goroutines || open > fds {
		t.Errorf("%d goroutines and %d descriptors, before it were %d and %d", again, open, goroutines, fds)
	}
}

// whileDriven calls f while a goroutine drives the server's engine. So the engine has all the descriptors that it needs to
// sleep, and none of clients that connect and leave, as processes of other tests do to find out which servers are alive.
func whileDriven(t *testing.T, srv *comch.Server, f func()) {
	t.Helper()
	handle := must(srv.Engine().NotificationHandle())(t)
	ctx, cancel := context.WithCancel(t.Context())
	accepted := make(chan error)
	go func() {
		_, err := srv.Accept(ctx)
		accepted <- err
	}()
	assert.Eventually(t, func() bool { return isPolled(t, handle) }, 20*time.Second, time.Millisecond)
	f()
	cancel()
	wantErr(t, <-accepted, context.Canceled)
}

// isPolled reports whether an epoll descriptor of this process waits for fd.
func isPolled(t *testing.T, fd int) bool {
	t.Helper()
	infos := must(filepath.Glob("/proc/self/fdinfo/*"))(t)
	target := regexp.MustCompile(fmt.Sprintf(`(?m)^tfd:\s+%d `, fd))
	return slices.ContainsFunc(infos, func(info string) bool {
		text, err := os.ReadFile(info)
		return err == nil && target.Match(text) // err: it was closed meanwhile
	})
}

// settled counts goroutines and descriptors, after a while if there are more than wanted: those that
// are about to end.
func settled(limit time.Duration, wantGoroutines, wantFDs int) (goroutines, fds int) {
	for end := time.Now().Add(limit); ; {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			panic(err)
		}
		goroutines, fds = runtime.NumGoroutine(), len(list)
		if goroutines <= wantGoroutines && fds <= wantFDs || time.Now().After(end) {
			return goroutines, fds
		}
		time.Sleep(2 * time.Millisecond)
	}
}
