package comch_test

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// How the process of a peer ends, on either side, with farewells and without: each call says so, and
// nobody takes a killed peer for one that has closed.
func TestEndsOfAProcess(t *testing.T) {
	t.Parallel()
	ends := map[string]func(t *testing.T, c *comch.Conn, p *process){
		"close": func(t *testing.T, c *comch.Conn, p *process) {
			send(t, c, "close")
			require.NoError(t, p.Wait())
		},
		"kill": func(_ *testing.T, _ *comch.Conn, p *process) { p.kill() },
		"stop, then kill": func(t *testing.T, c *comch.Conn, p *process) {
			selfexec.Stop(t, p.Process)
			_, err := c.Recv(soon(t))
			assert.ErrorIs(t, err, context.DeadlineExceeded, "a peer that is stopped is not gone")
			assert.NotErrorIs(t, err, comch.ErrPeerGone)
			assert.NoError(t, c.Err())
			p.kill()
		},
		"stop, then go on": func(t *testing.T, c *comch.Conn, p *process) {
			selfexec.Stop(t, p.Process)
			send(t, c, "close")
			_, err := c.Recv(soon(t))
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			require.NoError(t, p.Process.Signal(syscall.SIGCONT))
			require.NoError(t, p.Wait())
		},
	}
	for name, end := range ends {
		for _, side := range []string{"client", "server"} { // of this process
			for _, farewell := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/farewell=%t", name, side, farewell), func(t *testing.T) {
					t.Parallel()
					l := newLink(t)
					cfg := comch.Config{Farewell: farewell}
					var env []string
					if farewell {
						env = []string{"COMCH_TEST_FAREWELL=1"}
					}
					want := comch.EndBroken
					switch orderly := name == "close" || name == "stop, then go on"; {
					case side == "client" && !farewell:
						want = comch.EndUnknown
					case orderly:
						want = comch.EndOrderly
					}
					c, p := l.withProcess(t, side, cfg, env...)
					ask(t, c, "hello")
					end(t, c, p)
					wantEndAs(t, c, want)
					require.NoError(t, c.Close())
				})
			}
		}
	}
}

// withProcess connects this side to the other one in another process.
func (l *link) withProcess(t *testing.T, side string, cfg comch.Config, env ...string) (*comch.Conn, *process) {
	t.Helper()
	if side == "client" {
		p := start(t, "server", l.name, env...)
		p.ready(t)
		return l.dial(t, cfg), p
	}
	srv := l.listen(t, cfg)
	p := start(t, "client", l.name, env...)
	c := must(srv.Accept(long(t)))(t)
	l.keep(c)
	p.ready(t)
	return c, p
}

// A producer and a consumer whose peer's process is killed say so, whatever they wait for.
func TestKilledWhileWaiting(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			c, p := l.withProcess(t, side, comch.Config{}, "COMCH_TEST_CONSUMER=1")
			want := comch.EndBroken
			if side == "client" {
				want = comch.EndUnknown
			}
			mem := memory(t, c, 64)
			consumer := must(c.NewConsumer(mem, comch.ConsumerConfig{}))(t)
			require.NoError(t, consumer.Post(nil))
			producer := must(c.NewProducer(comch.ProducerConfig{}))(t)
			id := must(c.WaitConsumer(long(t)))(t)
			ended := map[string]chan error{"Recv": make(chan error, 1), "Send": make(chan error, 1), "message": make(chan error, 1)}
			go func() { _, err := consumer.Recv(long(t)); ended["Recv"] <- err }()
			go func() { ended["Send"] <- producer.Send(long(t), nil, []byte("x"), id) }()
			go func() { _, err := c.Recv(long(t)); ended["message"] <- err }()
			<-soon(t).Done()
			p.kill()
			for what, err := range ended {
				wantGone(t, what, <-err, want, what != "Send")
			}
			wantGone(t, "Post", consumer.Post(nil), want, false)
			wantGone(t, "TrySend", producer.TrySend(long(t), nil, []byte("x"), id), want, false)
			wantEndAs(t, c, want)
			require.NoError(t, c.Close())
		})
	}
}

// withConsumer gives a role's connection a consumer that posts nothing, if the test wants one.
func withConsumer(c *comch.Conn) error {
	if os.Getenv("COMCH_TEST_CONSUMER") == "" {
		return nil
	}
	mem, err := doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{c.Device()}, Access: doca.AccessPCIReadWrite})
	if err != nil {
		return err
	}
	_, err = c.NewConsumer(mem, comch.ConsumerConfig{})
	return err
}
