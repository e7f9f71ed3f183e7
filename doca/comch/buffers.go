package comch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// DefaultBuffers is the default of ConsumerConfig.Buffers and ProducerConfig.Buffers.
const DefaultBuffers = 32

// maxOwnMemory limits the buffers of one consumer or producer together, in bytes.
const maxOwnMemory = 1 << 30

// ownBuffers is memory that a consumer or producer has made for itself, cut into buffers. It lies between the
// connection and the consumer or producer in the ownership tree, so it is closed after that. The memory is of the
// Go heap: slices of it stay valid after it is closed.
type ownBuffers struct {
	*bind.Child
	data []byte
	mem  *doca.Memory
	inv  *doca.Inventory
	list []*doca.Buffer
}

// newBuffers makes n buffers of a size; 0 means DefaultBuffers. Each needs one of tasks tasks; 0 means no limit.
// config names the config that asks for them.
func (c *Conn) newBuffers(kind, config string, n, size, tasks int, access doca.Access) (*ownBuffers, error) {
	caps, err := CapabilitiesOf(c.dev.Info())
	if err != nil {
		return nil, err
	}
	if n == 0 {
		n = DefaultBuffers
		if tasks > 0 {
			n = min(n, tasks)
		}
	}
	mostSize := int(min(caps.Consumer.MaxBufferSize, maxOwnMemory))
	if size < 1 || size > mostSize {
		return nil, fmt.Errorf("%w: %s.BufferSize is %d, it can be 1 to %d", doca.ErrInvalidValue, config, size, mostSize)
	}
	most := maxOwnMemory / size
	if tasks > 0 {
		most = min(most, tasks)
	}
	if n < 1 || n > most {
		return nil, fmt.Errorf("%w: %s.Buffers is %d, it can be 1 to %d with this BufferSize and MaxTasks", doca.ErrInvalidValue, config, n, most)
	}
	b := &ownBuffers{}
	err = b.make(c.dev, n, size, access)
	if err == nil {
		b.Child, err = bind.NewChild(bind.ChildConfig{
			Kind:   "buffers",
			Detail: fmt.Sprintf("%d of %d bytes, of a %s", n, size, kind),
			Parent: c.owner(),
			Close:  b.free,
		})
	}
	if err != nil {
		return nil, errors.Join(err, b.free(context.Background()))
	}
	return b, nil
}

func (b *ownBuffers) make(dev *doca.Device, n, size int, access doca.Access) (err error) {
	b.data = make([]byte, n*size)
	adviseHuge(b.data, syscall.MADV_HUGEPAGE)
	b.mem, err = doca.RegisterMemory(b.data, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: access})
	if err != nil {
		return err
	}
	if b.inv, err = doca.NewInventory(n); err != nil {
		return err
	}
	for i := range n {
		buf, err := b.inv.Buffer(b.mem, i*size, size)
		if err != nil {
			return err
		}
		b.list = append(b.list, buf)
	}
	return nil
}

// free closes the memory with its buffers, and the inventory. It continues after an error.
func (b *ownBuffers) free(ctx context.Context) error {
	var err error
	if b.mem != nil {
		err = b.mem.Shutdown(ctx)
	}
	if err == nil {
		adviseHuge(b.data, syscall.MADV_NOHUGEPAGE) // as the rest of the heap, which uses the memory for other things
		b.data = nil
	}
	if err == nil && b.inv != nil {
		err = b.inv.Shutdown(ctx)
	}
	return err
}

// hugePage is the size of a huge page, where pages have 4 KiB.
const hugePage = 2 << 20

// adviseHuge gives the system advice on the huge pages within data. A device has less to look up in these, and the emulator, which
// writes to another process by way of the kernel, needs half the time.
//
// The memory is the heap's, for the program may keep what it has received. No advice takes another one back, so none is given unless memory
// without advice has no huge pages: there MADV_NOHUGEPAGE leaves memory like all other.
func adviseHuge(data []byte, advice int) {
	if !hugeByAdvice() {
		return
	}
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) & (hugePage - 1)
	if n := (len(data) - skip) &^ (hugePage - 1); n > 0 {
		_ = syscall.Madvise(data[skip:skip+n], advice) // it is only advice
	}
}

// hugeByAdvice reports whether the system gives huge pages where it is advised to, and nowhere else.
var hugeByAdvice = sync.OnceValue(func() bool {
	const dir = "/sys/kernel/mm/transparent_hugepage/"
	own, _ := os.ReadFile(dir + "hugepages-2048kB/enabled") // of this size alone; not on every system
	all, _ := os.ReadFile(dir + "enabled")
	return isHugeByAdvice(string(own), string(all))
})

func isHugeByAdvice(own, all string) bool {
	const advised = "[madvise]"
	return strings.Contains(own, advised) || (own == "" || strings.Contains(own, "[inherit]")) && strings.Contains(all, advised)
}

// close closes the buffers, if there are any.
func (b *ownBuffers) close() error {
	if b == nil {
		return nil
	}
	return b.Close()
}

// closeWith closes the context of a consumer or producer, and its buffers if it has any.
func (b *ownBuffers) closeWith(ctx context.Context, of *doca.Context) error {
	if b == nil {
		return of.Shutdown(ctx)
	}
	return b.Shutdown(ctx)
}
