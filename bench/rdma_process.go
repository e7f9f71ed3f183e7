package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// target is the environment variable that makes this program the target of writes.
const target = "BENCH_RDMA_TARGET"

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

func startWriter(r *rig, kind string, count, size int) *writer {
	self, err := os.Executable()
	r.ok(err)
	w := &writer{child: exec.Command(self), loop: &goRDMALoop{rig: r, count: count, size: size, dev: r.device()}}
	file, err := os.CreateTemp("/dev/shm", "go-doca-bench")
	r.ok(err)
	r.ok(os.Remove(file.Name()))
	r.ok(file.Truncate(int64(count * size)))
	w.file, err = syscall.Mmap(int(file.Fd()), 0, count*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	r.ok(err)
	r.later(func() error { return syscall.Munmap(w.file) })
	w.child.ExtraFiles = []*os.File{file}
	w.child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", target, kind, count*size))
	w.child.Stderr = os.Stderr
	w.in, err = w.child.StdinPipe()
	r.ok(err)
	out, err := w.child.StdoutPipe()
	r.ok(err)
	r.ok(w.child.Start())
	r.ok(file.Close())
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	r.check(lines.Scan(), "the target says nothing")
	var blobs [2][]byte
	for i, text := range strings.Fields(lines.Text()) {
		blobs[i], err = hex.DecodeString(text)
		r.ok(err)
	}

	l := w.loop
	writes, err := rdma.New(l.dev, r.engine(true), rdma.Config{MaxTasks: depth})
	r.ok(err)
	conn, details, err := writes.Export()
	r.ok(err)
	l.conn = conn
	_, err = fmt.Fprintf(w.in, "%x\n", details)
	r.ok(err)
	r.ok(conn.Connect(blobs[0]))
	r.check(lines.Scan() && lines.Text() == "connected", "the target is not connected")
	l.src, err = doca.NewMemory(count*size, doca.MemoryConfig{Devices: []*doca.Device{l.dev}})
	r.ok(err)
	for i := range l.src.Bytes() {
		l.src.Bytes()[i] = pattern(i)
	}
	l.remote, err = doca.ImportMemory(l.dev, blobs[1])
	r.ok(err)
	r.later(func() error { return w.end(r) })
	return w
}

// end has the target check what it has.
func (w *writer) end(r *rig) error {
	if err := w.in.Close(); err != nil {
		return err
	}
	if err := w.child.Wait(); err != nil {
		return fmt.Errorf("the target: %w", err)
	}
	r.check(bytes.Equal(w.file, w.loop.src.Bytes()), "memcpy: the file differs from the source")
	return nil
}
