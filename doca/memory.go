package doca

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// MemoryConfig says which devices may use a memory, and how.
type MemoryConfig struct {
	Devices []*Device // at least one; nil and closed devices are errors
	Access  Access    // 0 is AccessLocalReadWrite

	// ExportToken is in all exports of the memory, in place of a token that DOCA makes: whoever has it
	// reaches the memory. Take it from crypto/rand, as long as [DeviceInfo.MaxExportToken] of each device
	// allows, and log it nowhere. Empty: DOCA makes one. Before DOCA 3.2, and with a device that takes no
	// tokens, a token is ErrNotSupported.
	ExportToken []byte
}

// Memory is a DOCA memory map: a range of memory that devices can reach. The memory belongs
// to this process ([NewMemory], [RegisterMemory]) or to another process ([ImportMemory]). A
// Memory owns the buffers made on it; each of its devices owns the Memory. It may be used
// from any goroutine.
//
// After Close has returned nil, no device of any process writes to the memory. On the
// emulator, a process that imported the memory may be stopped (SIGSTOP) in the middle of a
// write. Close then returns ErrInUse after five seconds, and the memory stays registered
// and mapped; DOCA's log names the process (see [LogSDKTo]). Call Close again when that
// process runs again or has been killed. Shutdown ends with its ctx also in these seconds.
type Memory struct {
	object
	memoryInner
	keeps                                            // the handles of its devices
	last  atomic.Pointer[weak.Pointer[bufferOwners]] // of the last buffer on it
}

type (
	memoryInner = core.Inner[core.Memory]
	keeps       = core.Keeps
)

// NewMemory allocates size bytes of zeroed memory outside the Go heap, aligned to a page,
// and registers it with the devices. From 2 MiB on it has huge pages if the system has transparent ones, but not
// on the emulator if other processes may access it. Close frees it. NewMemory returns ErrInvalidValue if
// size is less than 1, if cfg names no device or has flags that exclude each other, ErrTooBig if no process can
// have so much, and ErrNoMemory if the system has no memory left. On the emulator, memory of 64 KiB or more that other processes
// may access takes a file descriptor, if there is one. Calls doca_mmap_create, doca_mmap_set_memrange and doca_mmap_start.
func NewMemory(size int, cfg MemoryConfig) (*Memory, error) {
	if size <= 0 {
		return nil, fail("create memory", fmt.Sprintf("%d bytes", size), ErrInvalidValue, "the size must be positive")
	}
	page := os.Getpagesize()
	full := (size + page - 1) / page * page
	if full < size {
		return nil, fail("create memory", fmt.Sprintf("%d bytes", size), ErrTooBig, "no process can have so much memory")
	}
	data, free, err := core.MapPages(full, uint32(cfg.Access))
	if err != nil {
		return nil, fail("create memory", fmt.Sprintf("%d bytes", size), fmt.Errorf("%w: %w", ErrNoMemory, err),
			"the size is more than the system can give: ask for less, or close memory that is not needed")
	}
	return newMemory(data[:size:size], cfg, free)
}

// RegisterMemory registers memory of the caller with the devices. It pins memory of the Go
// heap until Close. Other memory, such as that from mmap(2), must stay mapped until Close.
// RegisterMemory returns ErrInvalidValue if data is empty or not mapped, also if cfg lets devices
// write where the program may not, and if cfg is wrong as for
// [NewMemory]. Calls doca_mmap_create, doca_mmap_set_memrange and doca_mmap_start.
func RegisterMemory(data []byte, cfg MemoryConfig) (*Memory, error) {
	if len(data) == 0 {
		return nil, fail("register memory", "", ErrInvalidValue, "the slice is empty")
	}
	if wrong := unmapped(data, cfg.Access); wrong != "" {
		return nil, fail("register memory", fmt.Sprintf("%d bytes", len(data)), ErrInvalidValue, wrong)
	}
	pin := new(runtime.Pinner)
	pin.Pin(unsafe.SliceData(data))
	return newMemory(data, cfg, func() error { pin.Unpin(); return nil })
}

func newMemory(data []byte, cfg MemoryConfig, free func() error) (*Memory, error) {
	var devs []*core.Device
	for i, d := range cfg.Devices {
		in := core.Of(d)
		if in == nil {
			return nil, errors.Join(fail("create memory", "", ErrInvalidValue,
				fmt.Sprintf("MemoryConfig.Devices[%d] is nil or a zero value: open it with OpenDevice", i)), free())
		}
		devs = append(devs, in)
	}
	if wrong := cfg.Access.check(); wrong != "" {
		return nil, errors.Join(fail("create memory", cfg.Access.String(), ErrInvalidValue, wrong), free())
	}
	in, err := core.NewMemory(data, devs, cfg.Access.mask(), cfg.ExportToken, free)
	if err != nil {
		return nil, err
	}
	m := new(Memory)
	core.Adopt(m, in.Node, in)
	owners := make([]core.Owner, len(cfg.Devices))
	for i, d := range cfg.Devices {
		owners[i] = d
	}
	core.Keep(m, owners...)
	return m, nil
}

// Bytes returns the memory. Do not use the slice after Close, nor any part that a device
// writes to at the moment. Bytes returns nil if the memory is closed, or imported: then
// only devices can reach it.
func (m *Memory) Bytes() []byte { return core.Or(m, core.NoMemory).Bytes() }

// Len returns the size in bytes, or 0 if the memory is closed.
func (m *Memory) Len() int { return core.Or(m, core.NoMemory).Len() }

// Address returns where the memory begins. For an imported memory this is an address in the
// exporter's process.
func (m *Memory) Address() uintptr { return core.Or(m, core.NoMemory).Address() }

// Key returns the key by which a device of the memory knows it, as verbs and code on a GPU use it. It
// returns ErrInvalidValue if the memory is not registered with the device, ErrNotSupported before DOCA
// 3.2, and a [*StateError] if the memory is closed. Any goroutine may call it. Calls
// doca_mmap_get_mkey.
func (m *Memory) Key(dev *Device) (uint32, error) {
	key, err := core.Or(m, core.NoMemory).Key(core.Of(dev))
	runtime.KeepAlive(dev)
	runtime.KeepAlive(m)
	return key, err
}

// SetAccess says what the exporter of an imported memory allows: the Access that it has registered the
// memory with. DOCA does not tell, so let the exporter send it along with the descriptor. Nor does DOCA
// tell how the memory was exported: pass the PCI flags alone for what ExportPCI has exported, and the RDMA
// flags alone for ExportRDMA. From then on, operations that write to memory that is read-only for importers
// are refused with ErrNotPermitted before they start, in place of failing on the device, which stops the
// context. SetAccess gives no permission. It returns ErrNotPermitted for memory of this process, and a
// [*StateError] if the memory is closed.
func (m *Memory) SetAccess(a Access) error {
	return core.Or(m, core.NoMemory).SetAccess(uint32(a))
}

// Close closes the memory and everything that it owns, in the order that DOCA demands. It
// waits without limit for tasks in flight; use Shutdown to set a limit. Closing a closed
// object is no error. If Close returns an error, the object takes no new work and
// is not closed: call Close again. Close may be called from any goroutine.
func (m *Memory) Close() error { return m.Shutdown(context.Background()) }

// Shutdown is like Close, but waits no longer than ctx. If ctx ends first, Shutdown returns
// an error that wraps ctx.Err(). What is left takes no new work, and a later Close or
// Shutdown finishes the job.
func (m *Memory) Shutdown(ctx context.Context) error { return core.CloseOr(ctx, m, core.NoMemory.Node) }

// String returns a name for messages and logs: the kind of the object, a number that is
// unique in the process, and details.
func (m *Memory) String() string { return core.NameOr(m, core.NoMemory.Node) }

// LogValue returns the name of String, for package slog.
func (m *Memory) LogValue() slog.Value { return slog.StringValue(m.String()) }
