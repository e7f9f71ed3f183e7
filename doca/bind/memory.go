package bind

import (
	"fmt"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/generated/common"
)

// UseMemory calls f with DOCA's objects of a memory and of one of the devices that it is registered with, neither of which is closed
// during the call. op names the operation in errors. It returns ErrInvalidValue if mem or dev is nil or a zero value, ErrNotFound if
// the memory is not registered with the device, a [*doca.StateError] if the memory is closed, and the error of f. f must not use
// the memory otherwise.
func UseMemory(mem *doca.Memory, dev *doca.Device, op string, f func(*common.Mmap, *common.Dev) error) error {
	if dev == nil || core.Of(dev) == nil {
		return none(op, "device", "make one with doca.OpenDevice")
	}
	if f == nil {
		return core.Fail(op, "memory", doca.ErrInvalidValue, "the function is nil")
	}
	return core.Or(mem, core.NoMemory).Use(op, core.Of(dev), f)
}

// NewDPAMemory makes a memory of a range of DPA memory, for packages that bind DPA contexts. parent owns it: it has the range, and
// closes the memory before itself. dev is the device of the DPA, which reaches the memory; this process does not. set gives DOCA the range.
// It returns ErrInvalidValue if an argument is nil or a zero value, a [*doca.StateError] if an owner is closed, and the errors of
// set and of DOCA. Calls doca_mmap_create, doca_mmap_set_permissions and doca_mmap_start.
func NewDPAMemory(parent Owner, dev *doca.Device, addr uint64, size int, access doca.Access, set func(*common.Mmap) error) (*doca.Memory, error) {
	const op = "create memory"
	switch {
	case core.Of(dev) == nil:
		return nil, none(op, "device", "make one with doca.OpenDevice")
	case parent == nil || core.IsNothing(parent):
		return nil, core.Fail(op, "", doca.ErrInvalidValue, "it needs a parent")
	case set == nil:
		return nil, core.Fail(op, "", doca.ErrInvalidValue, "the function is nil")
	}
	var bits *uint32 // nil: DOCA's default
	if access != 0 {
		bits = new(uint32(access &^ doca.AccessLocalReadOnly))
	}
	in, err := core.NewDPAMemory(parent, core.Of(dev), uintptr(addr), size, bits, set)
	if err != nil {
		return nil, err
	}
	m := new(doca.Memory)
	core.Adopt(m, in.Node, in)
	core.Keep(m, parent, dev)
	return m, nil
}

// MapPages maps at least size bytes of zeroed memory outside of the Go heap, as [doca.NewMemory] does for that access. It is for a
// package whose programs may use slices of a memory longer than the memory is open: such a package gives the bytes to
// [doca.RegisterMemory], and calls free when nothing uses them any more. It returns ErrInvalidValue if size is less than 1, and
// ErrNoMemory if the system has no memory left.
func MapPages(size int, access doca.Access) (data []byte, free func() error, err error) {
	const op = "map memory"
	page := os.Getpagesize()
	full := (size + page - 1) / page * page
	if size < 1 || full < size {
		return nil, nil, core.Fail(op, fmt.Sprintf("%d bytes", size), doca.ErrInvalidValue, "the size must be positive, and not more than a process can have")
	}
	data, free, err = core.MapPages(full, uint32(access))
	if err != nil {
		return nil, nil, core.Fail(op, fmt.Sprintf("%d bytes", size), fmt.Errorf("%w: %w", doca.ErrNoMemory, err), "ask for less, or close memory that is not needed")
	}
	return data, free, nil
}
