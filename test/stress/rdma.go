package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// rdmaForms are the ways to connect, as the child sees them.
var rdmaForms = []string{"details", "listen", "dial"}

// rdmaEnds are what happens to the child.
var rdmaEnds = []string{"kill", "stop and kill", "stop and continue"}

// rdmaSize is the size of a side's memory.
const rdmaSize = 256 << 10

// rdmaFaults makes RDMA connections with a process that is killed or stopped at a random moment: while it exports, connects,
// shakes hands, sends, writes, reads or closes. Then it makes many connections with one process that lives.
func rdmaFaults(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("rdma", flag.ExitOnError)
	rounds := fs.Int("rounds", 500, "number of rounds with a process that is killed or stopped")
	connections := fs.Int("connections", 1000, "number of connections, of each form, with one that lives")
	seed := fs.Uint64("seed", 1, "seed of the random moments")
	fs.Parse(args)

	os.Setenv("DOCA_EMU_RDMA_TIMEOUT", "300") // how long a stopped peer may leave a request unanswered
	r := rand.New(rand.NewPCG(*seed, 0))
	var before usage
	made := 0
	for round := range *rounds {
		if round == min(20, *rounds/2) {
			before = used()
		}
		form, end := rdmaForms[round%len(rdmaForms)], rdmaEnds[round/len(rdmaForms)%len(rdmaEnds)]
		delay := time.Duration(r.Int64N(int64(40 * time.Millisecond)))
		n, err := rdmaRound(ctx, form, end, delay, 1<<30)
		if err != nil {
			return fmt.Errorf("round %d, %s, %s after %v: %w", round, form, end, delay, err)
		}
		made += n
	}
	for _, form := range rdmaForms {
		n, err := rdmaRound(ctx, form, "", time.Duration(*connections)*time.Second, *connections)
		if err == nil && n != *connections {
			err = fmt.Errorf("%d connections", n)
		}
		if err != nil {
			return fmt.Errorf("%d connections, %s: %w", *connections, form, err)
		}
		made += n
	}
	after := used()
	for wait := time.Now(); after.more(before) && time.Since(wait) < patience; after = used() {
		time.Sleep(10 * time.Millisecond)
	}
	if after.more(before) {
		return fmt.Errorf("left behind: %v, before: %v", after, before)
	}
	fmt.Printf("%d rounds, %d connections: every survivor noticed, closed and connected again; %v, before: %v\n", *rounds, made, after, before)
	return nil
}

// rdmaRound starts the other process, makes connections with it until it ends or there are enough, and returns how many.
func rdmaRound(ctx context.Context, form, end string, delay time.Duration, most int) (int, error) {
	cmd := child(context.Background(), "child-rdma", "-form", form)
	if end != "" {
		cmd.Stderr = nil // what it says about the end of its peer does not matter
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil { // it is about to connect
		return 0, err
	}
	timer := time.AfterFunc(delay, func() { endProcess(cmd, end) })
	defer timer.Stop()
	side, err := newRDMASide()
	if err != nil {
		return 0, err
	}
	n := 0
	for err == nil && n < most {
		round, cancel := context.WithTimeout(ctx, patience)
		var ended bool
		ended, err = side.meet(round, form, lines, in)
		if err == nil && round.Err() != nil {
			err = fmt.Errorf("the survivor has not noticed within %v", patience)
		}
		cancel()
		if ended {
			break
		}
		n++
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err == nil && most == n {
		in.Close()
		err = cmd.Wait()
	}
	return n, errors.Join(err, side.close(limited))
}

// endProcess does to the other process what the round wants.
func endProcess(cmd *exec.Cmd, end string) {
	switch end {
	case "stop and kill":
		cmd.Process.Signal(syscall.SIGSTOP)
		time.Sleep(50 * time.Millisecond)
	case "stop and continue":
		cmd.Process.Signal(syscall.SIGSTOP)
		time.Sleep(50 * time.Millisecond)
		cmd.Process.Signal(syscall.SIGCONT)
		time.Sleep(20 * time.Millisecond)
	}
	cmd.Process.Kill()
}

// rdmaSide is one side's objects.
type rdmaSide struct {
	dev  *doca.Device
	pe   *doca.ProgressEngine
	rdma *rdma.RDMA
	mem  *doca.Memory
	inv  *doca.Inventory
	desc []byte
}

func newRDMASide() (*rdmaSide, error) {
	dev, err := doca.OpenDevice(*dpuAddr)
	if err != nil {
		return nil, err
	}
	s := &rdmaSide{dev: dev}
	if s.pe, err = doca.NewProgressEngine(doca.EngineConfig{}); err == nil {
		s.rdma, err = rdma.New(dev, s.pe, rdma.Config{MaxConnections: 2})
	}
	if err == nil {
		s.mem, err = doca.NewMemory(rdmaSize, doca.MemoryConfig{Devices: []*doca.Device{dev},
			Access: doca.AccessLocalReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite})
	}
	if err == nil {
		s.inv, err = doca.NewInventory(8)
	}
	if err == nil {
		s.desc, err = s.mem.ExportRDMA(dev)
	}
	return s, err
}

func (s *rdmaSide) close(ctx context.Context) error {
	return errors.Join(s.rdma.Shutdown(ctx), s.pe.Shutdown(ctx), s.inv.Close(), s.dev.Shutdown(ctx))
}

// opposite is the form of the other side.
func opposite(form string) string {
	switch form {
	case "listen":
		return "dial"
	case "dial":
		return "listen"
	}
	return form
}

// meet makes one connection with the child, uses it until it ends, and closes it. It reports whether the child has ended.
func (s *rdmaSide) meet(ctx context.Context, form string, in *bufio.Reader, out io.Writer) (ended bool, err error) {
	conn, peer, err := s.connect(ctx, opposite(form), in, out)
	if err == nil {
		if err = s.use(ctx, conn, peer); isEnd(err) {
			err = nil
		}
		err = errors.Join(err, conn.Shutdown(ctx))
	} else if isEnd(err) {
		ended, err = true, nil
	}
	if s.rdma.State() != doca.StateRunning { // a task has failed
		err = errors.Join(err, s.rdma.WaitIdle(ctx), s.rdma.Start(ctx), conn.Shutdown(ctx))
	}
	if peer != nil {
		err = errors.Join(err, peer.Close())
	}
	return ended, err
}

// isEnd reports whether an error may come of a peer that was killed while it connected.
func isEnd(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.EPIPE, rdma.ErrPeerGone, rdma.ErrRejected, doca.ErrConnectionAborted,
		doca.ErrIOFailed, doca.ErrInvalidValue, context.DeadlineExceeded} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// connect makes a connection, and exchanges what it needs in lines of text.
func (s *rdmaSide) connect(ctx context.Context, form string, in *bufio.Reader, out io.Writer) (conn *rdma.Conn, peer *doca.Memory, err error) {
	var details, hisDetails, hisDesc []byte
	var l *rdma.Listener
	port := 15000 + os.Getpid()%10000
	switch form {
	case "details":
		if conn, details, err = s.rdma.Export(); err != nil {
			return nil, nil, err
		}
	case "listen":
		if l, err = s.rdma.Listen(uint16(port)); err != nil {
			return nil, nil, err
		}
		defer l.Close()
		details = []byte(strconv.Itoa(port))
	case "dial":
		details = []byte{0}
	}
	fail := func(err error) (*rdma.Conn, *doca.Memory, error) {
		if conn != nil {
			err = errors.Join(err, conn.Shutdown(ctx))
		}
		return nil, nil, err
	}
	if _, err = fmt.Fprintf(out, "%x %x\n", details, s.desc); err != nil {
		return fail(err)
	}
	if _, err = fmt.Fscanf(in, "%x %x\n", &hisDetails, &hisDesc); err != nil {
		return fail(err)
	}
	limited, cancel := context.WithTimeout(ctx, time.Second) // the peer may have gone
	defer cancel()
	switch form {
	case "details":
		err = conn.Connect(hisDetails)
	case "listen":
		conn, err = l.Accept(limited)
	case "dial":
		at, _ := strconv.Atoi(string(hisDetails))
		conn, err = s.rdma.Dial(limited, rdma.Addr{Type: rdma.AddrIPv4, Address: "127.0.0.1", Port: uint16(at)})
	}
	if err != nil {
		return fail(err)
	}
	if peer, err = doca.ImportMemory(s.dev, hisDesc); err != nil {
		return fail(err)
	}
	return conn, peer, nil
}

// use shakes hands, sends, writes and reads a few times, or until there is an error.
func (s *rdmaSide) use(ctx context.Context, conn *rdma.Conn, peer *doca.Memory) error {
	buf, err := s.inv.Buffer(s.mem, 0, 4096)
	if err != nil {
		return err
	}
	defer buf.Close()
	if _, err := s.rdma.Post(buf); err != nil {
		return err
	}
	if err := conn.Handshake(ctx); err != nil {
		return err
	}
	for i := range 4 {
		if err := conn.Write(ctx, peer, 8192, s.mem, 8192, rdmaSize-8192); err != nil {
			return err
		}
		if err := conn.Send(ctx, s.mem, 8192, 1000+i); err != nil {
			return err
		}
		got, err := s.rdma.Recv(ctx)
		if err != nil {
			return err
		}
		if len(got.Data) != 1000+i {
			return fmt.Errorf("%d bytes, want %d", len(got.Data), 1000+i)
		}
		if i < 3 {
			if _, err := s.rdma.Post(got.Buffer); err != nil {
				return err
			}
		}
		if err := conn.Read(ctx, s.mem, 8192, peer, 8192, rdmaSize-8192); err != nil {
			return err
		}
	}
	return nil
}

// childRDMA is the process that is killed. It makes one connection after another, until its input ends.
func childRDMA(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("child-rdma", flag.ExitOnError)
	form := fs.String("form", "", "")
	fs.Parse(args)

	fmt.Println("ready")
	s, err := newRDMASide()
	if err != nil {
		return err
	}
	in := bufio.NewReader(os.Stdin)
	for {
		if _, err := in.Peek(1); err == io.EOF && *form == "dial" {
			break
		}
		if ended, err := s.meet(ctx, opposite(*form), in, os.Stdout); err != nil || ended {
			return errors.Join(err, s.close(ctx))
		}
	}
	return s.close(ctx)
}
