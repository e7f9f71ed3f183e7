package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// The test's own binary is the program, too.
func TestMain(m *testing.M) {
	os.Setenv("DOCA_PROVIDER", "emulator")
	if os.Getenv("RDMA_KV_TEST") != "" {
		main()
		os.Exit(0)
	}
	end := selfexec.Apart()
	code := m.Run()
	end()
	if open := doca.OpenObjects(); len(open) > 0 {
		fmt.Fprintln(os.Stderr, "left open:", open)
		code = 1
	}
	os.Exit(code)
}

var lastPort atomic.Int32

// freePort returns a port that no other server has, and that the system gives to no connection, as text.
func freePort() string { return fmt.Sprint(22000 + os.Getpid()%8000 + int(lastPort.Add(1))) }

// process is one of the programs.
type process struct {
	*exec.Cmd
	port string
	out  *output
}

// output is what a process has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func program(t *testing.T, args ...string) *process {
	p := &process{Cmd: selfexec.Command(t, args...), out: new(output)}
	p.Env = append(os.Environ(), "RDMA_KV_TEST=1")
	p.Stdout, p.Stderr = p.out, p.out
	return p
}

// server starts a server and waits until clients can dial it.
func startServer(t *testing.T, port string, args ...string) *process {
	p := program(t, append([]string{"serve", "-l", port}, args...)...)
	p.port = port
	require.NoError(t, p.Start())
	t.Cleanup(p.kill)
	require.Eventually(t, func() bool {
		c, err := dial(t.Context(), "03:00.0", p.address(), 1)
		return err == nil && assert.NoError(t, c.close())
	}, 20*time.Second, 5*time.Millisecond, p.out)
	return p
}

func (p *process) address() string { return "127.0.0.1:" + p.port }

// kill ends the process, unless it has ended.
func (p *process) kill() {
	p.Process.Kill()
	p.Wait()
}

// client returns a client of a server, until the end of the test.
func newClient(t *testing.T, p *process, most int) *client {
	c, err := dial(t.Context(), "03:00.0", p.address(), most)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.close()) })
	return c
}

// client runs the program as a client and returns what it has printed.
func (p *process) client(t *testing.T, command string, args ...string) (string, error) {
	c := program(t, append([]string{command, "-a", p.address()}, args...)...)
	err := c.Run()
	return strings.TrimSuffix(c.out.String(), "\n"), err
}

// -h says how the program is called, and is no error; a flag that there is not is one.
func TestUsage(t *testing.T) {
	help := program(t, "-h")
	require.NoError(t, help.Run(), help.out)
	assert.Contains(t, help.out.String(), "usage: rdma_kv serve")
	wrong := program(t, "-nonsense")
	require.Error(t, wrong.Run())
	assert.Contains(t, wrong.out.String(), "flag provided but not defined: -nonsense")
}

// What the command does, with a server in another process that ends on SIGINT.
func TestCommands(t *testing.T) {
	server := startServer(t, freePort())
	for _, c := range []struct {
		args []string
		want string
		fail bool
	}{
		{[]string{"get", "greeting"}, "no such key", true},
		{[]string{"put", "greeting", "Hello, world"}, "", false},
		{[]string{"get", "greeting"}, "Hello, world", false},
		{[]string{"put", "greeting", ""}, "", false},
		{[]string{"get", "greeting"}, "", false},
		{[]string{"delete", "greeting"}, "", false},
		{[]string{"delete", "greeting"}, "no such key", true},
		{[]string{"get", "greeting"}, "no such key", true},
		{[]string{"get", ""}, "the key is empty", true},
		{[]string{"put", "", "x"}, "the key is empty", true},
		{[]string{"put", "key", strings.Repeat("x", 1024-16-3+1)}, "too long", true},
		{[]string{"put", "key", strings.Repeat("x", 1024-16-3)}, "", false},
		{[]string{"get", "key"}, strings.Repeat("x", 1024-16-3), false},
		{[]string{"get"}, "usage: rdma_kv serve", true},
		{[]string{"put", "key"}, "usage: rdma_kv serve", true},
	} {
		out, err := server.client(t, c.args[0], c.args[1:]...)
		if c.fail {
			assert.Error(t, err, "%q", c.args)
			assert.Contains(t, out, c.want, "%q", c.args)
		} else {
			assert.NoError(t, err, "%q: %s", c.args, out)
			assert.Equal(t, c.want, out, "%q", c.args)
		}
	}
	require.NoError(t, server.Process.Signal(syscall.SIGINT))
	assert.NoError(t, server.Wait(), server.out)
	assert.NotContains(t, server.out.String(), "leak")
	out, err := server.client(t, "get", "key")
	assert.Error(t, err)
	assert.Contains(t, out, "nobody listens")
}

func TestFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nothing":      {nil, "usage:"},
		"no command":   {[]string{"look"}, "usage:"},
		"no such flag": {[]string{"get", "-x"}, "flag provided but not defined"},
		"slots":        {[]string{"serve", "-slot", "100"}, "a multiple of 8"},
		"buckets":      {[]string{"serve", "-buckets", "1"}, "2 to 16777216 buckets"},
		"port":         {[]string{"serve", "-l", "65536"}, "no port"},
		"address":      {[]string{"get", "-a", "localhost", "key"}, "localhost"},
		"device":       {[]string{"get", "-p", "99:00.0", "key"}, "99:00.0"},
		"bench":        {[]string{"bench", "-n", "0"}, "at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := program(t, c.args...)
			assert.Error(t, p.Run())
			assert.Contains(t, p.out.String(), c.want)
		})
	}
}

func TestBench(t *testing.T) {
	tcp := "127.0.0.1:" + freePort()
	server := startServer(t, freePort(), "-tcp", tcp)
	out, err := server.client(t, "bench", "-tcp", tcp, "-n", "50", "-size", "500", "-turns", "3", "-time", "5ms")
	require.NoError(t, err, out)
	for _, way := range []string{"one-sided reads ", "16 keys at once", "messages", "TCP"} {
		assert.Contains(t, out, way)
	}
	require.NoError(t, server.Process.Signal(syscall.SIGTERM))
	assert.NoError(t, server.Wait(), server.out)
}

// A client learns that its server was killed, and another client of the same program uses the next server.
func TestServerKilled(t *testing.T) {
	ctx := t.Context()
	port := freePort()
	for round := range 2 {
		server := startServer(t, port)
		c := newClient(t, server, 1)
		_, err := c.get(ctx, []byte("key"))
		require.ErrorIs(t, err, errNotFound)
		_, err = c.put(ctx, []byte("key"), fmt.Append(nil, round))
		require.NoError(t, err)
		if round == 0 {
			server.kill()
			_, err = c.get(ctx, []byte("key"))
			require.ErrorIs(t, err, rdma.ErrPeerGone)
			_, err = c.put(ctx, []byte("key"), nil)
			require.ErrorIs(t, err, rdma.ErrPeerGone)
			continue
		}
		time.AfterFunc(20*time.Millisecond, func() { server.Process.Kill() })
		for err == nil {
			_, err = c.get(ctx, []byte("key"))
		}
		require.ErrorIs(t, err, rdma.ErrPeerGone)
	}
}

// Clients that are killed, or break the rules, do no harm to others.
func TestClientsGone(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // for some hundred processes
	defer cancel()
	server := startServer(t, freePort())
	for range maxClients/8 + 1 { // more than the server can have at once
		var all sync.WaitGroup
		for range 8 {
			p := program(t, "bench", "-a", server.address(), "-n", "10", "-time", "1h")
			require.NoError(t, p.Start())
			t.Cleanup(p.kill)
			all.Go(func() {
				assert.Eventually(t, func() bool { return strings.Contains(p.out.String(), "now they are read") }, 20*time.Second, time.Millisecond, p.out)
				p.kill()
			})
		}
		all.Wait()
		if t.Failed() {
			return
		}
	}
	t.Run("a message that is too long", func(t *testing.T) {
		bad := newClient(t, server, 1)
		_, err := bad.rdma.Post(bad.in)
		require.NoError(t, err)
		assert.Error(t, bad.conn.Send(ctx, bad.mem, 0, maxSlotSize))
	})
	t.Run("a message that is no request", func(t *testing.T) {
		var bad *client
		require.Eventually(t, func() bool { // the server has had to start again
			var err error
			bad, err = dial(ctx, "03:00.0", server.address(), 1)
			return err == nil
		}, 20*time.Second, 5*time.Millisecond)
		defer bad.close()
		_, _, err := bad.ask(ctx, 99, []byte("key"), nil)
		assert.ErrorIs(t, err, doca.ErrInvalidValue)
		_, err = bad.rdma.Post(bad.in)
		require.NoError(t, err)
		require.NoError(t, bad.conn.Send(ctx, bad.mem, 0, 1))
		msg, err := bad.rdma.Recv(ctx)
		require.NoError(t, err)
		assert.Equal(t, byte(statusWrong), msg.Data[0])
	})
	c := newClient(t, server, 1)
	_, err := c.put(ctx, []byte("key"), []byte("value"))
	require.NoError(t, err)
	got, err := c.get(ctx, []byte("key"))
	require.NoError(t, err)
	assert.Equal(t, "value", string(got.value))
	require.True(t, errors.Is(c.delete(ctx, []byte("x")), errNotFound))
}
