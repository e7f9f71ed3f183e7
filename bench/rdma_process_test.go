package bench

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// target is the environment variable that makes this program the target of writes, in a process of its own.
const target = "BENCH_RDMA_TARGET"

func TestMain(m *testing.M) {
	if how := os.Getenv(target); how != "" {
		if err := serveWrites(how); err != nil {
			log.Fatal(err)
		}
		return
	}
	os.Exit(m.Run())
}

func pattern(i int) byte { return byte(i*31 + i/251) }

// serveWrites lets its parent write to its memory, and makes no progress. It also maps the parent's file, which the
// parent writes to with memcpy.
func serveWrites(how string) error {
	var kind string
	var size int
	if _, err := fmt.Sscan(how, &kind, &size); err != nil {
		return err
	}
	file, err := syscall.Mmap(3, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	clear(file)
	devices, err := doca.Devices()
	if err != nil {
		return err
	}
	dev, err := doca.OpenDevice(devices[0].PCIAddr)
	if err != nil {
		return err
	}
	defer dev.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer pe.Close()
	r, err := rdma.New(dev, pe, rdma.Config{})
	if err != nil {
		return err
	}
	conn, details, err := r.Export()
	if err != nil {
		return err
	}
	cfg := doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMAWrite}
	mem, err := (*doca.Memory)(nil), error(nil)
	if kind == "heap" {
		mem, err = doca.RegisterMemory(make([]byte, size), cfg)
	} else {
		mem, err = doca.NewMemory(size, cfg)
	}
	if err != nil {
		return err
	}
	clear(mem.Bytes())
	desc, err := mem.ExportRDMA(dev)
	if err != nil {
		return err
	}
	fmt.Printf("%x %x\n", details, desc)
	in := bufio.NewScanner(os.Stdin)
	if !in.Scan() {
		return io.ErrUnexpectedEOF
	}
	peer, err := hex.DecodeString(in.Text())
	if err != nil {
		return err
	}
	if err := conn.Connect(peer); err != nil {
		return err
	}
	fmt.Println("connected")
	in.Scan() // until the parent has written
	for i, b := range mem.Bytes() {
		if b != pattern(i) {
			return fmt.Errorf("byte %d has not arrived", i)
		}
	}
	return nil
}

// writer writes to a target in another process.
type writer struct {
	child *exec.Cmd
	in    io.WriteCloser
	loop  *goRDMALoop
	file  []byte // of the child, too
}

func startWriter(b *testing.B, kind string, count, size int) *writer {
	b.Helper()
	w := &writer{child: selfexec.Command(b), loop: &goRDMALoop{}}
	file, err := os.CreateTemp("/dev/shm", "go-doca-bench")
	ok(b, err)
	ok(b, os.Remove(file.Name()))
	ok(b, file.Truncate(int64(count*size)))
	w.file, err = syscall.Mmap(int(file.Fd()), 0, count*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	ok(b, err)
	b.Cleanup(func() { ok(b, syscall.Munmap(w.file)) })
	w.child.ExtraFiles = []*os.File{file}
	w.child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", target, kind, count*size))
	w.child.Stderr = os.Stderr
	w.in, err = w.child.StdinPipe()
	ok(b, err)
	out, err := w.child.StdoutPipe()
	ok(b, err)
	ok(b, w.child.Start())
	time.AfterFunc(5*time.Minute, func() { _ = w.child.Process.Kill() })
	ok(b, file.Close())
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() {
		b.Fatal("the target says nothing")
	}
	var blobs [2][]byte
	for i, text := range strings.Fields(lines.Text()) {
		blobs[i], err = hex.DecodeString(text)
		ok(b, err)
	}

	l := w.loop
	devices, err := doca.Devices()
	ok(b, err)
	l.dev, err = doca.OpenDevice(devices[0].PCIAddr)
	ok(b, err)
	b.Cleanup(func() { ok(b, l.dev.Close()) })
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	ok(b, err)
	b.Cleanup(func() { ok(b, pe.Close()) })
	r, err := rdma.New(l.dev, pe, rdma.Config{MaxTasks: depth})
	ok(b, err)
	conn, details, err := r.Export()
	ok(b, err)
	l.conn = conn
	_, err = fmt.Fprintf(w.in, "%x\n", details)
	ok(b, err)
	ok(b, conn.Connect(blobs[0]))
	if !lines.Scan() || lines.Text() != "connected" {
		b.Fatal("the target is not connected")
	}
	l.src, err = doca.NewMemory(count*size, doca.MemoryConfig{Devices: []*doca.Device{l.dev}})
	ok(b, err)
	for i := range l.src.Bytes() {
		l.src.Bytes()[i] = pattern(i)
	}
	l.remote, err = doca.ImportMemory(l.dev, blobs[1])
	ok(b, err)
	return w
}

// end has the target check what it has.
func (w *writer) end(b *testing.B) {
	b.Helper()
	ok(b, w.in.Close())
	ok(b, w.child.Wait())
	if !bytes.Equal(w.file, w.loop.src.Bytes()) {
		b.Fatal("memcpy: the file differs from the source")
	}
}

// BenchmarkRDMAWriteProcesses compares writes to the memory of another process with memcpy to memory that both have
// mapped. The target's memory is that of NewMemory, which the writer can map, or of the Go heap.
func BenchmarkRDMAWriteProcesses(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		for _, kind := range []string{"memory", "heap"} {
			b.Run(fmt.Sprintf("%dx%d/%s", depth, size, kind), func(b *testing.B) {
				w := startWriter(b, kind, depth, size)
				compare(b, depth, "memcpy", w.loop.run(b, depth, size, false), func(rounds int) {
					copyRounds(w.file, w.loop.src.Bytes(), depth, size, rounds)
				})
				w.end(b)
			})
		}
	}
}
