package comchnet

import (
	"math/bits"
	"runtime"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/comch"
)

const (
	// bulkLeast is the size of the smallest buffers that are of use, and the length of the shortest write that waits for one.
	// What is shorter goes as messages if no buffer is free: a peer that does not read has room for more of it there.
	bulkLeast = 8 << 10

	// bulkAfter is how many bytes a stream sends in writes that are longer than a message before it asks for buffers. To make
	// them takes as long as some 2 MiB in messages, and a stream that carries little needs none.
	bulkAfter = 1 << 20

	// bulkBuffers and bulkSize are the number and the size of the buffers of a direction. They fit
	// together into the cache of a core.
	bulkBuffers = 8
	bulkSize    = 64 << 10

	// bulkImmLen is the length of the immediate data of a buffer.
	bulkImmLen = 4
)

// bulkSizes returns the size of the buffers that a device can receive into, and of those that it can
// send. 0 means that it cannot. Sizes are powers of two.
func bulkSizes(c *comch.Capabilities) (receive, send int) {
	size := func(most uint32) int {
		if most < bulkLeast {
			return 0
		}
		return 1 << (bits.Len32(min(bulkSize, most)) - 1)
	}
	if k := c.Consumer; k.Supported && k.MaxConsumers > 0 && k.MaxTasks >= bulkBuffers && k.MaxImmDataLen >= bulkImmLen {
		receive = size(k.MaxBufferSize)
	}
	if k := c.Producer; k.Supported && k.MaxProducers > 0 && k.MaxTasks >= bulkBuffers {
		send = size(k.MaxBufferSize)
	}
	return receive, send
}

// bulkMemory is the buffers of one direction. A slice of their memory may outlive the registration, for a read may still use
// the last data when the connection, or the device beneath it, is closed.
type bulkMemory struct {
	bytes []byte
	unmap func() // gives bytes back, after close
	size  int    // of a buffer
	mem   *doca.Memory
	inv   *doca.Inventory
	bufs  []*doca.Buffer
}

func newBulkMemory(conn *comch.Conn, size int, access doca.Access) (m *bulkMemory, err error) {
	m = &bulkMemory{size: size, unmap: func() {}}
	if err := m.allocate(access); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			m.discard()
		}
	}()
	if m.mem, err = doca.RegisterMemory(m.bytes, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}, Access: access}); err != nil {
		return m, err
	}
	createdFor(conn, m.mem)
	if m.inv, err = doca.NewInventory(bulkBuffers); err != nil {
		return m, err
	}
	createdFor(conn, m.inv)
	for i := range bulkBuffers {
		buf, err := m.inv.Buffer(m.mem, i*size, size)
		if err != nil {
			return m, err
		}
		createdFor(conn, buf)
		m.bufs = append(m.bufs, buf)
	}
	return m, nil
}

// allocate makes the memory. What a peer writes to is mapped, for the emulator writes to that as fast as memcpy. The rest is of the
// Go heap.
func (m *bulkMemory) allocate(access doca.Access) error {
	n := bulkBuffers * m.size
	if access&doca.AccessPCIReadWrite == 0 {
		m.bytes = make([]byte, n)
		return nil
	}
	data, free, err := bind.MapPages(n, access)
	if err != nil {
		return err
	}
	m.bytes, m.unmap = data[:n:n], sync.OnceFunc(func() { _ = free() }) // if it fails, the memory stays mapped
	return nil
}

// createdFor attributes objects to a connection as soon as they exist, since no line of the program has created them.
func createdFor(conn *comch.Conn, objects ...bind.Owner) {
	bind.CreatedFor(conn, objects...) // all of them exist, so it cannot fail
}

// region returns the memory of buffer i.
func (m *bulkMemory) region(i int) []byte { return m.bytes[i*m.size : (i+1)*m.size] }

// discard frees the buffers, whose bytes nobody has got.
func (m *bulkMemory) discard() error {
	err := m.close()
	if err == nil {
		m.unmap()
	}
	return err
}

// unmapLater gives bytes back when nothing has m any more.
func (m *bulkMemory) unmapLater() { runtime.AddCleanup(m, func(unmap func()) { unmap() }, m.unmap) }

// close frees the buffers. No consumer and no producer uses them any more.
func (m *bulkMemory) close() error {
	var err error
	if m.mem != nil {
		err = m.mem.Close() // and the buffers
	}
	if m.inv != nil && err == nil {
		err = m.inv.Close()
	}
	return err
}
