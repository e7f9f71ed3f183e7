package doca_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// An exporter is another process: it exports 3 MiB of pattern 'a' and does what it is told, a
// word on a line each.
const exportedSize = 3 << 20

func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) + byte(i>>8)*3 + seed
	}
	return b
}

func runExporter(access string) error {
	dev, err := doca.OpenDevice(host0)
	if err != nil {
		return err
	}
	defer dev.Close()
	cfg := doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: map[string]doca.Access{
		"ro": doca.AccessPCIReadOnly, "rw": doca.AccessPCIReadWrite, "heap": doca.AccessPCIReadWrite, "at": doca.AccessPCIReadWrite,
		"rdma": doca.AccessRDMARead}[access]}
	var mem *doca.Memory
	switch access {
	case "heap":
		mem, err = doca.RegisterMemory(make([]byte, exportedSize), cfg)
	case "at":
		mem, err = doca.RegisterMemory(mapAt(os.Getenv("DOCA_TEST_ADDRESS")), cfg)
	default:
		mem, err = doca.NewMemory(exportedSize, cfg)
	}
	if err != nil {
		return err
	}
	copy(mem.Bytes(), pattern(exportedSize, 'a'))
	export := mem.ExportPCI
	if access == "rdma" {
		export = mem.ExportRDMA
	}
	desc, err := export(dev)
	if err != nil {
		return err
	}
	fmt.Printf("%x\n", desc)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); fmt.Println("done") {
		switch in.Text() {
		case "check b":
			if !bytes.Equal(mem.Bytes(), pattern(exportedSize, 'b')) {
				return errors.New("the memory has not got what was written")
			}
		case "check a":
			if !bytes.Equal(mem.Bytes(), pattern(exportedSize, 'a')) {
				return errors.New("the memory has changed")
			}
		case "close":
			if err := mem.Close(); err != nil {
				return err
			}
		}
	}
	return mem.Close()
}

// mapAt maps memory at an address that nothing is at.
func mapAt(address string) []byte {
	at, err := strconv.ParseUint(address, 0, 64)
	if err != nil {
		panic(err)
	}
	const fixedNoReplace = 0x100000
	got, _, errno := syscall.Syscall6(syscall.SYS_MMAP, uintptr(at), exportedSize, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|fixedNoReplace, ^uintptr(0), 0)
	if errno != 0 || got != uintptr(at) {
		panic(fmt.Sprintf("mmap at %#x: %#x, %v", at, got, errno))
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&got)), exportedSize)
}

type exporter struct {
	*exec.Cmd
	in   *os.File
	out  *bufio.Scanner
	desc []byte
}

func startExporter(t testing.TB, access string, env ...string) *exporter {
	t.Helper()
	e := &exporter{Cmd: selfexec.Command(t)}
	e.Env = append(append(os.Environ(), "DOCA_TEST_EXPORTER="+access), env...)
	e.Stderr = os.Stderr
	read, write, err := os.Pipe()
	check(t, err)
	e.Stdin, e.in = read, write
	e.out = bufio.NewScanner(must(e.StdoutPipe())(t))
	check(t, e.Start())
	check(t, read.Close())
	t.Cleanup(func() {
		e.in.Close()
		if e.ProcessState == nil {
			e.Process.Kill()
			e.Wait()
		}
	})
	if !e.out.Scan() {
		t.Fatal("the exporter says nothing")
	}
	e.desc = must(hex.DecodeString(e.out.Text()))(t)
	if len(e.desc) == 0 || len(e.desc) > 512 {
		t.Fatalf("a descriptor of %d bytes", len(e.desc))
	}
	return e
}

func (e *exporter) tell(t testing.TB, order string) {
	t.Helper()
	must(fmt.Fprintln(e.in, order))(t)
	if !e.out.Scan() || e.out.Text() != "done" {
		t.Fatalf("%s: the exporter says %q", order, e.out.Text())
	}
}

func (e *exporter) end(t testing.TB) {
	t.Helper()
	check(t, e.in.Close())
	check(t, e.Wait())
}

// copyAll copies all of one memory to another.
func copyAll(t testing.TB, r *doctest.Rig, dst, src *doca.Memory) error {
	t.Helper()
	inv := must(doca.NewInventory(2))(t)
	defer inv.Close()
	from := must(inv.Buffer(src, 0, src.Len()))(t)
	to := must(inv.Buffer(dst, 0, dst.Len()))(t)
	check(t, from.SetData(0, src.Len()))
	n, err := r.DMA.Copy(t.Context(), to, from)
	if err == nil && n != src.Len() {
		t.Errorf("%d bytes were copied", n)
	}
	if err != nil {
		check(t, r.DMA.Start(t.Context()))
	}
	return err
}

func TestImportMemory(t *testing.T) {
	t.Parallel()
	for _, access := range []string{"ro", "rw"} {
		e := startExporter(t, access)
		r := newRig(t)
		local := must(doca.NewMemory(exportedSize, on(r.Dev)))(t)
		mem := must(doca.ImportMemory(r.Dev, e.desc))(t)
		if mem.Len() != exportedSize || mem.Bytes() != nil || mem.Address() == 0 {
			t.Errorf("%d bytes at %x, %d of them here", mem.Len(), mem.Address(), len(mem.Bytes()))
		}
		check(t, copyAll(t, r, local, mem)) // in two tasks: it is larger than one may be
		if !bytes.Equal(local.Bytes(), pattern(exportedSize, 'a')) {
			t.Error("it is not what the exporter has")
		}
		copy(local.Bytes(), pattern(exportedSize, 'b'))
		err := copyAll(t, r, mem, local)
		if access == "rw" {
			check(t, err)
			e.tell(t, "check b")
		} else {
			wantErr(t, err, doca.ErrIOFailed)
			e.tell(t, "check a")
		}

		buf := must(r.Inv.Buffer(mem, 100, 50))(t)
		if buf.Bytes() != nil || buf.Data() != nil || buf.Len() != 50 {
			t.Error("a buffer on it has bytes")
		}
		_, err = r.Inv.Buffer(mem, exportedSize-10, 11)
		wantErr(t, err, doca.ErrInvalidValue, "not within")
		_, err = mem.ExportPCI(r.Dev)
		wantErr(t, err, doca.ErrNotPermitted, "of this process")

		e.tell(t, "close")
		wantErr(t, copyAll(t, r, local, mem), doca.ErrIOFailed)
		_, err = doca.ImportMemory(r.Dev, e.desc)
		wantErr(t, err, doca.ErrInvalidValue, "doca_mmap_create_from_export", "its export has ended")
		check(t, mem.Close())
		check(t, mem.Close())
		if mem.Len() != 0 {
			t.Error("a closed memory has a size")
		}
		e.end(t)
	}
}

// An exporter that is killed in the middle of it all.
func TestExporterKilled(t *testing.T) {
	t.Parallel()
	e := startExporter(t, "rw")
	r := newRig(t)
	local := must(doca.NewMemory(exportedSize, on(r.Dev)))(t)
	mem := must(doca.ImportMemory(r.Dev, e.desc))(t)
	check(t, copyAll(t, r, local, mem))
	killed := make(chan error)
	go func() {
		killed <- e.Process.Signal(syscall.SIGKILL)
		e.Wait()
		close(killed)
	}()
	check(t, <-killed)
	for {
		if err := copyAll(t, r, local, mem); err != nil {
			wantErr(t, err, doca.ErrIOFailed)
			break
		}
	}
	<-killed
	gone := "the process that exported " + mem.String() + " has ended, or has closed it, which stops the context: close the memory, call Start, and import"
	wantErr(t, copyAll(t, r, mem, local), doca.ErrIOFailed, gone)
	wantErr(t, copyAll(t, r, local, mem), doca.ErrIOFailed, gone)
	r.Copy(t) // the context is as good as new after Start

	batch := must(r.DMA.NewBatch(1))(t)
	defer batch.Close()
	src := must(r.Inv.Buffer(mem, 0, 64))(t)
	check(t, src.SetData(0, 64))
	check(t, batch.Add(r.Dst, src))
	wantErr(t, batch.Run(t.Context()), doca.ErrIOFailed, gone)
	check(t, r.DMA.Start(t.Context()))
	check(t, batch.Reset())

	check(t, mem.Close())
	_, err := doca.ImportMemory(r.Dev, e.desc)
	wantErr(t, err, doca.ErrInvalidValue, "the descriptor is damaged, or its export has ended")

	again := startExporter(t, "rw") // what the message says to do
	mem = must(doca.ImportMemory(r.Dev, again.desc))(t)
	check(t, copyAll(t, r, local, mem))
	assert.Equal(t, pattern(exportedSize, 'a'), local.Bytes())
	again.end(t)
}

// Whatever tells of a copy that fails because the exporter was killed says so, whether it waits or not, and also when the
// memory is closed.
func TestExporterKilledAsync(t *testing.T) {
	t.Parallel()
	const gone = " has ended, or has closed it, which stops the context"
	for name, f := range map[string]func(t *testing.T, r *doctest.Rig, mem *doca.Memory) (errs func() []error){
		"CopyAsync": func(t *testing.T, r *doctest.Rig, mem *doca.Memory) func() []error {
			src := must(r.Inv.Buffer(mem, 0, 64))(t)
			check(t, src.SetData(0, 64))
			f := must(r.DMA.CopyAsync(t.Context(), r.Dst, src))(t)
			<-f.Done()
			return func() []error {
				_, err := f.Wait(t.Context())
				return []error{f.Err(), err}
			}
		},
		"CopyRangeAsync": func(t *testing.T, r *doctest.Rig, mem *doca.Memory) func() []error {
			f := must(r.DMA.CopyRangeAsync(t.Context(), r.Mem, 0, mem, 0, 64))(t)
			for errors.Is(f.Err(), doca.ErrInProgress) {
				must(r.PE.Progress())(t)
			}
			return func() []error { return []error{f.Err()} }
		},
		"Batch": func(t *testing.T, r *doctest.Rig, mem *doca.Memory) func() []error {
			b := must(r.DMA.NewBatch(2))(t)
			t.Cleanup(func() { b.Close() })
			check(t, b.AddRange(r.Mem, 0, mem, 0, 64))
			check(t, b.AddRange(r.Mem, 64, mem, 64, 64))
			check(t, b.Submit(t.Context()))
			for errors.Is(b.Err(1), doca.ErrInProgress) {
				must(r.PE.Progress())(t)
			}
			return func() []error { return []error{b.Err(0), b.Err(1), b.Wait(t.Context())} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := startExporter(t, "rw")
			r := newRig(t)
			mem := must(doca.ImportMemory(r.Dev, e.desc))(t)
			check(t, e.Process.Kill())
			e.Wait()
			errs := f(t, r, mem)
			for _, err := range errs() {
				wantErr(t, err, doca.ErrIOFailed, mem.String()+gone)
			}
			check(t, mem.Close())
			for _, err := range errs() {
				wantErr(t, err, doca.ErrIOFailed, mem.String()+gone)
			}
		})
	}
}

// So does a copy of a context whose device was opened apart from that of the memory.
func TestExporterKilledOtherHandle(t *testing.T) {
	t.Parallel()
	e := startExporter(t, "rw")
	r := newRig(t)
	again := must(doca.OpenDevice(dpu0))(t)
	defer again.Close()
	mem := must(doca.ImportMemory(again, e.desc))(t)
	check(t, r.DMA.CopyRange(t.Context(), r.Mem, 0, mem, 0, 64))
	check(t, e.Process.Kill())
	e.Wait()
	wantErr(t, r.DMA.CopyRange(t.Context(), r.Mem, 0, mem, 0, 64), doca.ErrIOFailed, mem.String()+" has ended, or has closed it")
}

// An exporter that is killed before its memory is imported, or before the first copy.
func TestExporterKilledBefore(t *testing.T) {
	t.Parallel()
	e := startExporter(t, "rw")
	r := newRig(t)
	local := must(doca.NewMemory(exportedSize, on(r.Dev)))(t)
	mem := must(doca.ImportMemory(r.Dev, e.desc))(t)
	check(t, e.Process.Kill())
	e.Wait()
	wantErr(t, copyAll(t, r, mem, local), doca.ErrIOFailed, mem.String()+" has ended, or has closed it")
	check(t, mem.Close())
	_, err := doca.ImportMemory(r.Dev, e.desc)
	wantErr(t, err, doca.ErrInvalidValue, "its export has ended")
	r.Copy(t)
}

// A failure that has nothing to do with memory of others says nothing of it.
func TestFailureBesideAnImport(t *testing.T) {
	e := startExporter(t, "rw")
	r := newRig(t)
	must(doca.ImportMemory(r.Dev, e.desc))(t)
	faults(t, "fail-task=1")
	_, err := r.DMA.Copy(t.Context(), r.Dst, r.Src)
	wantErr(t, err, doca.ErrIOFailed, "call Start to use it again", "close everything on the device and open the device again")
	assert.NotContains(t, err.Error(), "has ended")
	check(t, r.DMA.Start(t.Context()))
	e.end(t)
}

// An import is one of its device, which closes it.
func TestImportedMemoryCloses(t *testing.T) {
	t.Parallel()
	e := startExporter(t, "ro")
	dev := must(doca.OpenDevice(dpu0))(t)
	mem := must(doca.ImportMemory(dev, e.desc))(t)
	check(t, dev.Close())
	_, err := bind.RawMemory(mem)
	wantErr(t, err, doca.ErrClosed)
	_, err = doca.ImportMemory(dev, e.desc)
	wantErr(t, err, doca.ErrClosed)
	e.end(t)
}

func TestImportErrors(t *testing.T) {
	t.Parallel()
	e := startExporter(t, "ro")
	dev := must(doca.OpenDevice(dpu0))(t)
	defer dev.Close()
	other := must(doca.OpenDevice("03:00.1"))(t)
	defer other.Close()
	_, err := doca.ImportMemory(nil, e.desc)
	wantErr(t, err, doca.ErrInvalidValue, "the device is nil")
	_, err = doca.ImportMemory(dev, nil)
	wantErr(t, err, doca.ErrInvalidValue, "empty")
	_, err = doca.ImportMemory(other, e.desc)
	wantErr(t, err, doca.ErrNotPermitted, "the other end")
	for n := range e.desc {
		_, err = doca.ImportMemory(dev, e.desc[:n])
		wantErr(t, err, doca.ErrInvalidValue)
		bad := bytes.Clone(e.desc)
		bad[n] ^= 0x10
		_, err = doca.ImportMemory(dev, bad)
		if n >= 8 && n < 12 { // its version
			wantErr(t, err, doca.ErrUnsupportedVersion, "another version")
		} else {
			wantErr(t, err, doca.ErrInvalidValue)
		}
	}
	check(t, must(doca.ImportMemory(dev, append(bytes.Clone(e.desc), make([]byte, 512-len(e.desc))...)))(t).Close())
	e.end(t)
}

// Memory of another Go program's heap is imported like any other.
func TestImportOfHeap(t *testing.T) {
	t.Parallel()
	importAndCollect(t, startExporter(t, "heap"))
}

// Addresses that are of this program's heap too, in a part of it that is not in use, are no pointers to
// the garbage collector, which would end the program.
func TestImportWhereTheHeapIs(t *testing.T) {
	t.Parallel()
	// What is free after this; the end of it, as the exporter's heap may begin where this one does.
	at := uintptr(unsafe.Pointer(unsafe.SliceData(make([]byte, 128<<20)))) + 96<<20
	debug.FreeOSMemory()
	e := startExporter(t, "at", fmt.Sprintf("DOCA_TEST_ADDRESS=%#x", at))
	mem := importAndCollect(t, e)
	if mem.Address() != at {
		t.Errorf("the memory is at %#x, not at %#x", mem.Address(), at)
	}
}

// importAndCollect copies to and from imported memory while the garbage collector runs.
func importAndCollect(t *testing.T, e *exporter) *doca.Memory {
	t.Helper()
	r := newRig(t)
	local := must(doca.NewMemory(exportedSize, on(r.Dev)))(t)
	mem := must(doca.ImportMemory(r.Dev, e.desc))(t)
	buf := must(r.Inv.Buffer(mem, 100, 50))(t)
	raw := must(bind.RawBuffer(buf))(t)
	runtime.GC()
	check(t, copyAll(t, r, local, mem))
	if !bytes.Equal(local.Bytes(), pattern(exportedSize, 'a')) {
		t.Error("it is not what the exporter has")
	}
	copy(local.Bytes(), pattern(exportedSize, 'b'))
	head := must(common.BufGetHead(raw))(t)
	data := must(common.BufGetData(raw))(t)
	start, size, err := common.MmapGetMemrange(must(bind.RawMemory(mem))(t))
	check(t, err)
	runtime.GC()
	if head != mem.Address()+100 || data != head || start != mem.Address() || size != exportedSize {
		t.Errorf("a buffer at %#x with data at %#x of a map of %d bytes at %#x", head, data, size, start)
	}
	check(t, copyAll(t, r, mem, local))
	runtime.GC()
	e.tell(t, "check b")
	check(t, mem.Close())
	e.end(t)
	return mem
}

func TestExportErrors(t *testing.T) {
	t.Parallel()
	dev := must(doca.OpenDevice(host0))(t)
	defer dev.Close()
	other := must(doca.OpenDevice(dpu0))(t)
	defer other.Close()
	mem := must(doca.NewMemory(64, on(dev)))(t)
	_, err := mem.ExportPCI(dev)
	wantErr(t, err, doca.ErrNotPermitted, "AccessPCIReadOnly")
	_, err = mem.ExportRDMA(dev)
	wantErr(t, err, doca.ErrNotPermitted, "AccessRDMARead")
	_, err = mem.ExportPCI(nil)
	wantErr(t, err, doca.ErrInvalidValue)
	_, err = mem.ExportPCI(other)
	wantErr(t, err, doca.ErrNotFound, other.String())
	check(t, mem.Close())
	_, err = mem.ExportPCI(dev)
	wantErr(t, err, doca.ErrClosed)

	mem = must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessPCIReadOnly}))(t)
	a, b := must(mem.ExportPCI(dev))(t), must(mem.ExportPCI(dev))(t)
	if !bytes.Equal(a, b) {
		t.Error("two descriptors of one export")
	}
	check(t, mem.Close())
}

// RDMA: any device may import, DMA may not use it, and an import is exported again.
func TestExportRDMA(t *testing.T) {
	t.Parallel()
	e := startExporter(t, "rdma")
	r := newRig(t)
	other := must(doca.OpenDevice("03:00.1"))(t)
	defer other.Close()
	check(t, must(doca.ImportMemory(other, e.desc))(t).Close())
	mem := must(doca.ImportMemory(r.Dev, e.desc))(t)
	local := must(doca.NewMemory(exportedSize, on(r.Dev)))(t)
	wantErr(t, copyAll(t, r, local, mem), doca.ErrIOFailed)
	again := must(doca.ImportMemory(other, must(mem.ExportRDMA(r.Dev))(t)))(t)
	if again.Len() != exportedSize || again.Address() != mem.Address() {
		t.Error("the second import is of something else")
	}
	check(t, mem.Close())
	check(t, again.Close())
	e.end(t)
}

func TestImportFaults(t *testing.T) {
	e := startExporter(t, "ro")
	dev := must(doca.OpenDevice(dpu0))(t)
	defer dev.Close()
	for _, f := range []string{"doca_mmap_create_from_export", "doca_mmap_get_memrange"} {
		faults(t, "fail-call="+f+":1")
		_, err := doca.ImportMemory(dev, e.desc)
		wantErr(t, err, doca.ErrDriver, f)
	}
	mem := must(doca.ImportMemory(dev, e.desc))(t)
	faults(t, "fail-call=doca_mmap_destroy:1")
	wantErr(t, mem.Close(), doca.ErrDriver, "doca_mmap_destroy")
	check(t, mem.Close())
	e.end(t)
}

// Importing leaves neither descriptors nor anything else.
func TestImportsLeaveNothing(t *testing.T) {
	e := startExporter(t, "ro")
	dev := must(doca.OpenDevice(dpu0))(t)
	defer dev.Close()
	fds := func() int { return len(must(os.ReadDir("/proc/self/fd"))(t)) }
	before := fds()
	for range 50 {
		check(t, must(doca.ImportMemory(dev, e.desc))(t).Close())
	}
	if after := fds(); after > before {
		t.Errorf("%d descriptors, before it were %d", after, before)
	}
	e.end(t)
}
