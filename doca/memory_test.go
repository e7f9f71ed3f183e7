package doca_test

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

func on(devs ...*doca.Device) doca.MemoryConfig { return doca.MemoryConfig{Devices: devs} }

func TestNewMemory(t *testing.T) {
	t.Parallel()
	dev := must(doca.OpenDevice(dpu0))(t)
	defer dev.Close()
	mem := must(doca.NewMemory(5000, on(dev)))(t)
	b := mem.Bytes()
	if len(b) != 5000 || cap(b) != 5000 || mem.Len() != 5000 {
		t.Errorf("len %d, cap %d", len(b), cap(b))
	}
	if uintptr(unsafe.Pointer(&b[0]))%uintptr(os.Getpagesize()) != 0 {
		t.Error("it does not begin at a page")
	}
	for i := range b {
		if b[i] != 0 {
			t.Fatal("it is not zeroed")
		}
		b[i] = 0xff
	}
	check(t, mem.Close())
	check(t, mem.Close())
	if mem.Bytes() != nil || mem.Len() != 0 {
		t.Error("closed memory has bytes")
	}
	_, err := bind.RawMemory(mem)
	wantErr(t, err, doca.ErrClosed, "5000 bytes")
}

func TestMemoryErrors(t *testing.T) {
	t.Parallel()
	dev := must(doca.OpenDevice(dpu0))(t)
	_, err := doca.NewMemory(0, on(dev))
	wantErr(t, err, doca.ErrInvalidValue)
	_, err = doca.NewMemory(-1, on(dev))
	wantErr(t, err, doca.ErrInvalidValue)
	_, err = doca.NewMemory(int(^uint(0)>>1), on(dev))
	wantErr(t, err, doca.ErrTooBig)
	_, err = doca.NewMemory(1<<60, on(dev))
	wantErr(t, err, doca.ErrNoMemory)
	_, err = doca.NewMemory(1, doca.MemoryConfig{})
	wantErr(t, err, doca.ErrInvalidValue, "Devices")
	_, err = doca.RegisterMemory(nil, on(dev))
	wantErr(t, err, doca.ErrInvalidValue)
	_, err = doca.NewMemory(1, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessPCIReadOnly | doca.AccessPCIReadWrite})
	wantErr(t, err, doca.ErrInvalidValue, "AccessPCIReadOnly and AccessPCIReadWrite exclude each other")
	check(t, dev.Close())
	_, err = doca.NewMemory(1, on(dev))
	wantErr(t, err, doca.ErrClosed)
}

func TestMemoryOnTwoDevices(t *testing.T) {
	t.Parallel()
	a := must(doca.OpenDevice("03:00.0"))(t)
	defer a.Close()
	b := must(doca.OpenDevice("03:00.1"))(t)
	defer b.Close()
	again := must(doca.OpenDevice("03:00.0"))(t)
	defer again.Close()
	mem := must(doca.NewMemory(64, on(a, b, again, a)))(t)
	check(t, b.Close())
	_, err := bind.RawMemory(mem)
	wantErr(t, err, doca.ErrClosed) // closing one of its devices closes it
}

// Go memory must stay where it is, and alive, until Close; memory from elsewhere is as good.
func TestRegisterMemory(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	mapped, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	check(t, err)
	defer syscall.Munmap(mapped)
	for _, data := range [][]byte{make([]byte, 64), make([]byte, 1<<20)[100:], mapped, global[:]} {
		mem := must(doca.RegisterMemory(data, on(r.Dev)))(t)
		dst := must(r.Inv.Buffer(mem, len(data)-64, 64))(t)
		runtime.GC()
		n, err := r.DMA.Copy(t.Context(), dst, r.Src)
		if err != nil || n != 64 {
			t.Fatalf("Copy = %d, %v", n, err)
		}
		if string(data[len(data)-64:]) != string(r.Src.Data()) {
			t.Error("the copy did not arrive in the caller's slice")
		}
		check(t, mem.Close())
	}
}

var global [128]byte

// Whatever fails while a memory is made, nothing of it is left.
func TestMemoryFaults(t *testing.T) {
	dev := must(doca.OpenDevice(dpu0))(t)
	defer dev.Close()
	for _, f := range []string{"doca_mmap_create", "doca_mmap_add_dev", "doca_mmap_set_memrange", "doca_mmap_set_permissions", "doca_mmap_start"} {
		faults(t, "fail-call="+f+":1")
		_, err := doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessPCIReadWrite | doca.AccessLocalReadWrite})
		wantErr(t, err, doca.ErrDriver, f)
	}
	mem := must(doca.NewMemory(64, on(dev)))(t)
	faults(t, "fail-call=doca_mmap_destroy:1")
	err := dev.Close()
	wantErr(t, err, doca.ErrDriver, "doca_mmap_destroy")
	_, err = bind.RawMemory(mem)
	wantErr(t, err, doca.ErrClosed)
	check(t, dev.Close()) // tries again
}

// Memory that is not mapped as cfg says is refused, for a device that used it would end the program.
func TestRegisterUnmappedMemory(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	page := os.Getpagesize()
	data := must(syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE))(t)
	defer syscall.Munmap(data)
	check(t, syscall.Mprotect(data[page:2*page], syscall.PROT_READ))
	readOnly := doca.MemoryConfig{Devices: []*doca.Device{r.Dev}, Access: doca.AccessLocalReadOnly}
	for _, part := range [][]byte{data, data[page : page+1], data[:page+1], data[2*page-1:]} {
		_, err := doca.RegisterMemory(part, on(r.Dev))
		wantErr(t, err, doca.ErrInvalidValue, "the program may not write to it", "map it with PROT_WRITE, or give AccessLocalReadOnly")
		check(t, must(doca.RegisterMemory(part, readOnly))(t).Close())
	}
	for _, part := range [][]byte{data[:page], data[2*page:]} {
		check(t, must(doca.RegisterMemory(part, on(r.Dev)))(t).Close())
	}
	check(t, syscall.Mprotect(data[page:2*page], syscall.PROT_NONE))
	_, err := doca.RegisterMemory(data, readOnly)
	wantErr(t, err, doca.ErrInvalidValue, "the program may not read it")
}
