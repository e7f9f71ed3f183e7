package rdma_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const portVariable = "RDMA_TEST_PORT"

// serveAddress is the other process: it listens, and sends the descriptor of its memory to each that dials.
func serveAddress() error {
	port, err := strconv.ParseUint(os.Getenv(portVariable), 10, 16)
	if err != nil {
		return err
	}
	e, err := newEndpoint()
	if err != nil {
		return err
	}
	defer e.Close()
	copy(e.mem.Bytes()[4096:], "hello")
	l, err := e.rdma.Listen(uint16(port))
	if err != nil {
		return err
	}
	fmt.Println("listening")
	return e.serve(context.Background(), l)
}

// listenAt starts a process that listens.
func listenAt(t *testing.T, port uint16) *process {
	p := &process{Cmd: selfexec.Command(t)}
	p.Env = append(os.Environ(), "RDMA_TEST_ROLE=listen", fmt.Sprintf("%s=%d", portVariable, port))
	p.Stderr = os.Stderr
	p.out = bufio.NewReader(must(p.StdoutPipe())(t))
	check(t, p.Start())
	t.Cleanup(func() {
		if p.ProcessState == nil {
			p.kill()
		}
	})
	assert.Equal(t, "listening\n", must(p.out.ReadString('\n'))(t))
	return p
}

// A program dials a process by address, and does so again after that was killed and started anew.
func TestProcessByAddress(t *testing.T) {
	for name, format := range map[string]string{"IPv4": "127.0.0.1:%d", "IPv6": "[::1]:%d"} {
		t.Run(name, func(t *testing.T) {
			port := port()
			addr := must(rdma.ParseAddr(fmt.Sprintf(format, port)))(t)
			s := newSide(t, rdma.Config{})
			_, err := s.rdma.Dial(soonish(t), addr)
			wantErr(t, err, rdma.ErrRejected, "nobody listens")
			for range 3 {
				p := listenAt(t, port)
				conn := must(s.rdma.Dial(soonish(t), addr))(t)
				must(s.rdma.Post(s.buffer(t, 0, 4096)))(t)
				peer := must(doca.ImportMemory(s.dev, must(s.rdma.Recv(soonish(t)))(t).Data))(t)
				require.NoError(t, conn.Read(soonish(t), s.mem, 8192, peer, 4096, 5))
				assert.Equal(t, "hello", string(s.mem.Bytes()[8192:][:5]))
				p.kill()
				<-conn.Done()
				wantErr(t, conn.Err(), rdma.ErrPeerGone)
				wantErr(t, conn.Read(soonish(t), s.mem, 8192, peer, 4096, 5), rdma.ErrPeerGone)
				check(t, conn.Close())
				check(t, peer.Close())
				require.Equal(t, doca.StateRunning, s.rdma.State(), "there was nothing in flight")
				_, err := s.rdma.Dial(soonish(t), addr)
				wantErr(t, err, rdma.ErrRejected)
			}
		})
	}
}
