package dpa

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// Memory is memory of the DPA, for its kernels and threads. The host copies to and from it. The DPA owns it, and closes it after
// threads. Any goroutine may use it; nothing keeps device code from using the same bytes.
type Memory struct {
	*child
	o    *object[dpadev.Uintptr]
	d    *DPA
	size int
}

var (
	_ io.ReaderAt = (*Memory)(nil)
	_ io.WriterAt = (*Memory)(nil)
)

// Alloc allocates size bytes of memory on the DPA. What is in it is not defined. Errors: ErrInvalidValue if size is less than 1; [ErrFatal]; a
// [*doca.StateError] if the DPA is closed; and those of DOCA, such as ErrDriver or ErrNoMemory if there is no room. Calls doca_dpa_mem_alloc.
func (d *DPA) Alloc(size int) (*Memory, error) {
	if d == nil || d.c == nil {
		return nil, noDPA("create memory")
	}
	if size < 1 {
		return nil, wrong("create memory", d.c.name, "the size is %d", size)
	}
	c := d.c
	free := func(addr dpadev.Uintptr) error { return gen.MemFree(c.raw, addr) }
	child, o, err := newObject(d, place{kind: "dpa memory", late: true}, func(raw *common.DPA) (dpadev.Uintptr, error) { return gen.MemAlloc(raw, uint64(size)) }, free)
	if err != nil {
		return nil, err
	}
	return &Memory{child: child, o: o, d: d, size: size}, nil
}

// Addr returns the address of the memory for device code; 0 after Close. The host cannot follow it.
func (m *Memory) Addr() dpadev.Uintptr {
	if m == nil || m.o == nil {
		return 0
	}
	m.o.c.mu.Lock()
	defer m.o.c.mu.Unlock()
	return m.o.raw
}

// Len returns the size in bytes; 0 for a memory that is nil.
func (m *Memory) Len() int {
	if m == nil {
		return 0
	}
	return m.size
}

// WriteAt copies p to the memory, from off on. It waits until the bytes are there. If they do not fit, it writes nothing. Errors:
// ErrInvalidValue if they do not fit; [ErrFatal]; a [*doca.StateError] if the memory is closed. Calls doca_dpa_h2d_memcpy.
func (m *Memory) WriteAt(p []byte, off int64) (int, error) {
	err := m.copy("write", off, len(p), func(raw *common.DPA, addr dpadev.Uintptr) error {
		return gen.H2DMemcpy(raw, addr, p)
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// ReadAt copies from the memory, from off on, to p. If there are less than len(p) bytes, it reads those and returns io.EOF. Errors:
// ErrInvalidValue if off is outside the memory; [ErrFatal]; a [*doca.StateError] if the memory is closed. Calls doca_dpa_d2h_memcpy.
func (m *Memory) ReadAt(p []byte, off int64) (int, error) {
	var end error
	if rest := int64(m.Len()) - off; off >= 0 && rest >= 0 && int64(len(p)) > rest {
		p, end = p[:rest], io.EOF
	}
	err := m.copy("read", off, len(p), func(raw *common.DPA, addr dpadev.Uintptr) error {
		return gen.D2HMemcpy(raw, p, addr)
	})
	if err != nil {
		return 0, err
	}
	return len(p), end
}

// Fill sets the n bytes from off on to value. Errors are those of [Memory.WriteAt]. Calls doca_dpa_memset.
func (m *Memory) Fill(off, n int, value byte) error {
	return m.copy("fill", int64(off), n, func(raw *common.DPA, addr dpadev.Uintptr) error {
		return gen.Memset(raw, addr, int32(value), uint64(n))
	})
}

// copy checks a range, and calls DOCA for it unless it is empty.
func (m *Memory) copy(op string, off int64, n int, f func(raw *common.DPA, addr dpadev.Uintptr) error) error {
	if m == nil || m.o == nil {
		return noMemory(op)
	}
	defer runtime.KeepAlive(m)
	if off < 0 || n < 0 || off > int64(m.size) || int64(n) > int64(m.size)-off {
		return wrong(op, m.o.name, "no %d bytes at offset %d: it has %d", n, off, m.size)
	}
	return m.o.use(op, func(addr dpadev.Uintptr) error {
		if n == 0 {
			return nil
		}
		return f(m.o.c.raw, addr+dpadev.Uintptr(off))
	})
}

// Map makes a memory of package doca of it, for what the device does with DPA memory: device code passes its [DPA.MmapHandle] to copies
// and to RDMA operations, and peers reach it with its ExportRDMA. The program cannot see it, so Bytes returns nil; Address and Len return
// the range. m owns it. Errors: ErrInvalidValue if the access has flags that exclude each other; [ErrFatal]; a [*doca.StateError] if m is closed.
// Calls doca_mmap_create, doca_mmap_set_dpa_memrange, doca_mmap_set_permissions and doca_mmap_start.
func (m *Memory) Map(access doca.Access) (*doca.Memory, error) {
	if m == nil || m.o == nil {
		return nil, noMemory("map")
	}
	addr := uint64(m.Addr())
	if addr == 0 {
		return nil, closed("map", m.o.name)
	}
	return bind.NewDPAMemory(m, m.d.dev, addr, m.size, access, func(mmap *common.Mmap) error {
		return m.o.use("map", func(addr dpadev.Uintptr) error {
			return common.MmapSetDPAMemrange(mmap, m.o.c.raw, uint64(addr), uint64(m.size))
		})
	})
}

// MmapHandle returns the handle of a memory for device code. The memory is registered with the DPA's device, or is one that
// [Memory.Map] has made. The handle is valid until the memory is closed. Errors: ErrInvalidValue if mem is nil; ErrNotFound if it is not registered with
// the device; [ErrFatal]; a [*doca.StateError] if mem or the DPA is closed. Calls doca_mmap_dev_get_dpa_handle.
func (d *DPA) MmapHandle(mem *doca.Memory) (h common.DPADevMmap, err error) {
	const op = "get DPA handle"
	if d == nil || d.c == nil {
		return 0, noDPA(op)
	}
	defer runtime.KeepAlive(d)
	err = d.c.do(op, fmt.Sprint(mem), func(*common.DPA) error {
		return bind.UseMemory(mem, d.dev, op, func(mmap *common.Mmap, dev *common.Dev) (err error) {
			h, err = common.MmapDevGetDPAHandle(mmap, dev)
			return err
		})
	})
	return h, err
}

// Close frees the memory, with what was made of it. Device code must not use it any more. Closing a closed one is no error. Calls
// doca_dpa_mem_free.
func (m *Memory) Close() error { return m.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx for what was made of it.
func (m *Memory) Shutdown(ctx context.Context) error {
	if m == nil || m.o == nil {
		return noMemory("close")
	}
	return m.child.Shutdown(ctx)
}

// String returns a name for messages and logs.
func (m *Memory) String() string {
	if m == nil || m.o == nil {
		return "no dpa memory"
	}
	return m.o.name
}
