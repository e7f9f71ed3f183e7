package rdma_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// roles are what another process does. Both speak in lines of hexadecimal: the details of the
// connection, and the descriptor of the memory.
var roles = map[string]func() error{
	"target": func() error { return withRole(serveTarget) },
	"writer": func() error { return withRole(serveWriter) },
	"events": func() error { return withRole(serveEvents) },
	"listen": serveAddress,
	"dpa":    serveDPA,
	"slots":  serveSlots,
}

// role is the other process's side.
type role struct {
	dev  *doca.Device
	rdma *rdma.RDMA
	conn *rdma.Conn
	mem  *doca.Memory
	peer *doca.Memory
	inv  *doca.Inventory
}

// withRole makes a side, exchanges what both need, and runs f.
func withRole(f func(r *role) error) error {
	dev, err := doca.OpenDevice(doctest.DPU0)
	if err != nil {
		return err
	}
	defer dev.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer pe.Close()
	r := &role{dev: dev}
	if r.rdma, err = rdma.New(dev, pe, rdma.Config{}); err != nil {
		return err
	}
	if r.mem, err = doca.NewMemory(memSize, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: access}); err != nil {
		return err
	}
	if r.inv, err = doca.NewInventory(16); err != nil {
		return err
	}
	defer r.inv.Close()
	var details []byte
	if r.conn, details, err = r.rdma.Export(); err != nil {
		return err
	}
	desc, err := r.mem.ExportRDMA(dev)
	if err != nil {
		return err
	}
	fmt.Printf("%x %x\n", details, desc)
	in := bufio.NewReader(os.Stdin)
	var hisDetails, hisDesc []byte
	if _, err := fmt.Fscanf(in, "%x %x\n", &hisDetails, &hisDesc); err != nil {
		return err
	}
	if r.peer, err = doca.ImportMemory(dev, hisDesc); err != nil {
		return err
	}
	if err := r.conn.Connect(hisDetails); err != nil {
		return err
	}
	return f(r)
}

// serveTarget echoes messages until the peer is gone.
func serveTarget(r *role) error {
	buf, err := r.inv.Buffer(r.mem, memSize/2, 4096)
	if err != nil {
		return err
	}
	if _, err := r.rdma.Post(buf); err != nil {
		return err
	}
	if err := r.conn.Handshake(context.Background()); err != nil {
		return err
	}
	for {
		got, err := r.rdma.Recv(context.Background())
		if errors.Is(err, rdma.ErrPeerGone) {
			return nil
		}
		if err != nil {
			return err
		}
		n := len(got.Data)
		copy(r.mem.Bytes()[memSize/2+8192:], got.Data)
		if _, err := r.rdma.Post(got.Buffer); err != nil {
			return err
		}
		if err := r.conn.Send(context.Background(), r.mem, memSize/2+8192, n); err != nil && !errors.Is(err, rdma.ErrPeerGone) {
			return err
		}
	}
}

// serveWriter writes until the peer is gone.
func serveWriter(r *role) error {
	for i := 0; ; i++ {
		if i == 1 {
			fmt.Println("writing")
		}
		err := r.conn.Write(context.Background(), r.peer, 0, r.mem, 0, memSize)
		if errors.Is(err, rdma.ErrPeerGone) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// process is a role in another process.
type process struct {
	*exec.Cmd
	out *bufio.Reader
}

// withProcess connects a side to a process.
func withProcess(t testing.TB, name string) (*side, *process) {
	t.Helper()
	s := newSide(t, rdma.Config{})
	p, in := newProcess(t, name)
	s.meet(t, p, in)
	return s, p
}

// newProcess starts a process until the end of the test, and returns its standard input as well.
func newProcess(t testing.TB, name string) (*process, io.Writer) {
	t.Helper()
	p := &process{Cmd: selfexec.Command(t)}
	p.Env = append(os.Environ(), "RDMA_TEST_ROLE="+name)
	p.Stderr = os.Stderr
	in := must(p.StdinPipe())(t)
	p.out = bufio.NewReader(must(p.StdoutPipe())(t))
	check(t, p.Start())
	t.Cleanup(func() {
		if p.ProcessState == nil {
			p.kill()
		}
	})
	return p, in
}

// meet exchanges details and descriptors with a process, and connects.
func (s *side) meet(t testing.TB, p *process, in io.Writer) {
	t.Helper()
	line := strings.Fields(must(p.out.ReadString('\n'))(t))
	require.Len(t, line, 2)
	hisDetails, hisDesc := must(hex.DecodeString(line[0]))(t), must(hex.DecodeString(line[1]))(t)
	var details []byte
	s.conn, details = s.export(t)
	must(fmt.Fprintf(in, "%x %x\n", details, s.exported(t)))(t)
	s.peer = must(doca.ImportMemory(s.dev, hisDesc))(t)
	check(t, s.conn.Connect(hisDetails))
}

func (p *process) kill() {
	p.Process.Kill()
	p.Wait()
}

func TestProcess(t *testing.T) {
	s, p := withProcess(t, "target")
	require.NoError(t, s.conn.Handshake(soonish(t)))
	want := s.fill(0, memSize/2, 3)
	require.NoError(t, s.conn.Write(soonish(t), s.peer, 0, s.mem, 0, memSize/2))
	require.NoError(t, s.conn.Read(soonish(t), s.mem, memSize/2, s.peer, 0, memSize/2))
	assert.Equal(t, want, s.mem.Bytes()[memSize/2:])
	buf := s.buffer(t, memSize-4096, 4096)
	for i := range 100 {
		must(s.rdma.Post(buf))(t)
		require.NoError(t, s.conn.Send(soonish(t), s.mem, i, 100+i))
		got := must(s.rdma.Recv(soonish(t)))(t)
		assert.Equal(t, want[i:][:100+i], got.Data)
	}
	assert.Equal(t, uint64(0), must(s.conn.FetchAdd(soonish(t), s.peer, memSize-8, s.mem, 0, 5))(t))
	assert.Equal(t, uint64(5), must(s.conn.FetchAdd(soonish(t), s.peer, memSize-8, s.mem, 0, 5))(t))
	check(t, s.conn.Close())
	assert.NoError(t, p.Wait(), "the process has seen the end")
}

// Whatever a side does when the peer's process is killed says so, in bounded time, and the context
// connects again.
func TestProcessKilled(t *testing.T) {
	stages := map[string]func(s *side, p *process) error{
		"idle": func(s *side, p *process) error {
			p.kill()
			<-s.conn.Done()
			return s.conn.Write(soonish(t), s.peer, 0, s.mem, 0, 8)
		},
		"receiving": func(s *side, p *process) error {
			time.AfterFunc(10*time.Millisecond, func() { p.Process.Kill() })
			return second(s.rdma.Recv(soonish(t)))
		},
		"writing": func(s *side, p *process) error {
			time.AfterFunc(10*time.Millisecond, func() { p.Process.Kill() })
			for {
				if err := s.conn.Write(soonish(t), s.peer, 0, s.mem, 0, memSize); err != nil {
					return err
				}
			}
		},
		"reading": func(s *side, p *process) error {
			time.AfterFunc(10*time.Millisecond, func() { p.Process.Kill() })
			for {
				if err := s.conn.Read(soonish(t), s.mem, 0, s.peer, 0, memSize); err != nil {
					return err
				}
			}
		},
		"sending": func(s *side, p *process) error {
			time.AfterFunc(10*time.Millisecond, func() { p.Process.Kill() })
			for {
				if err := s.conn.Send(soonish(t), s.mem, 0, 64); err != nil {
					return err
				}
			}
		},
		"batch": func(s *side, p *process) error {
			time.AfterFunc(10*time.Millisecond, func() { p.Process.Kill() })
			b := must(s.conn.NewBatch(64))(t)
			for i := range 64 {
				check(t, b.Write(s.peer, 64*i, s.mem, 64*i, 64))
			}
			for {
				if err := b.Run(soonish(t)); err != nil {
					return err
				}
			}
		},
	}
	for name, stage := range stages {
		t.Run(name, func(t *testing.T) {
			s, p := withProcess(t, "target")
			require.NoError(t, s.conn.Handshake(soonish(t)))
			for i := range 8 {
				must(s.rdma.Post(s.buffer(t, 64*i, 64)))(t)
			}
			err := stage(s, p)
			wantErr(t, err, rdma.ErrPeerGone)
			check(t, s.conn.Close())
			check(t, s.rdma.WaitIdle(soonish(t)))
			if s.rdma.State() == doca.StateIdle {
				check(t, s.rdma.Start(soonish(t)))
			}
			other := newSide(t, rdma.Config{})
			connect(t, s, other)
			s.peer = must(doca.ImportMemory(s.dev, other.exported(t)))(t)
			assert.NoError(t, s.conn.Write(soonish(t), s.peer, 0, s.mem, 0, 8))
		})
	}
}

// A writer ends when its target stops, and with it its process.
func TestProcessWriter(t *testing.T) {
	s, p := withProcess(t, "writer")
	assert.Equal(t, "writing\n", must(p.out.ReadString('\n'))(t))
	check(t, s.rdma.Close())
	assert.NoError(t, p.Wait())
}
