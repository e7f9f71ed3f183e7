// Package buffers makes the buffers that the examples copy, send and receive with.
package buffers

import (
	"errors"
	"fmt"

	"github.com/go-doca/go-doca/doca"
)

const cacheLine = 64

// Set is a memory cut into buffers of one size, each of which begins at a cache line.
type Set struct {
	Memory *doca.Memory
	List   []*doca.Buffer
	inv    *doca.Inventory
}

// New makes n buffers of size bytes each, on a new memory that the device can reach.
func New(dev *doca.Device, n, size int, access doca.Access) (*Set, error) {
	stride := (size + cacheLine - 1) / cacheLine * cacheLine
	mem, err := doca.NewMemory(n*stride, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: access})
	if err != nil {
		return nil, err
	}
	inv, err := doca.NewInventory(n)
	if err != nil {
		return nil, errors.Join(err, mem.Close())
	}
	s := &Set{Memory: mem, inv: inv}
	for i := range n {
		buf, err := inv.Buffer(mem, i*stride, size)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.List = append(s.List, buf)
	}
	return s, nil
}

// Close closes the buffers and their memory. It waits for operations that still use them.
func (s *Set) Close() error {
	var err error
	for _, buf := range s.List {
		err = errors.Join(err, buf.Close())
	}
	return errors.Join(err, s.inv.Close(), s.Memory.Close())
}

// Chain cuts the size bytes of a memory that begin at offset into n buffers and chains them.
// The first buffer takes the remainder. The list can be a source or a destination. It is closed
// with the inventory or the memory.
func Chain(inv *doca.Inventory, mem *doca.Memory, offset, size, n int) (*doca.Buffer, error) {
	if n > size {
		return nil, fmt.Errorf("%d buffers for %d bytes: ask for fewer with -ns and -nd", n, size)
	}
	ranges := make([]doca.Range, n)
	for i, part := 0, size/n+size%n; i < n; i, part = i+1, size/n {
		ranges[i] = doca.Range{Memory: mem, Offset: offset, Len: part}
		offset += part
	}
	return inv.List(ranges...)
}
