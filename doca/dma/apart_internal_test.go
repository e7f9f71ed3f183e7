package dma

import (
	"context"
	"testing"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written is memory that each copy of a context writes to, as addresses.
type written struct {
	name       string
	start, end uintptr
}

func writtenSlice[T any](name string, s []T) written {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	return written{name, start, start + uintptr(len(s))*unsafe.Sizeof(*new(T))}
}

func writtenTo(name string, start unsafe.Pointer, size, pad uintptr) written {
	return written{name, uintptr(start), uintptr(start) + size - pad}
}

// TestContextsAreApart: what copies of one context write to has no line of the cache in common with what those of another one write to,
// and no pair of lines, which some processors fetch together. Otherwise two goroutines on two cores slow each other down, though they share nothing: by 2 to 3 times for single copies.
func TestContextsAreApart(t *testing.T) {
	t.Parallel()
	const contexts, most, size = 6, 8, 64
	const lines = 128 // bytes of a pair
	ctx := context.Background()
	var all [contexts][]written
	for i := range all {
		dev, err := doca.OpenDevice("03:00.0")
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, dev.Close()) })
		pe, err := doca.NewProgressEngine(doca.EngineConfig{})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, pe.Close()) })
		d, err := New(dev, pe, Config{MaxTasks: most})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, d.Close()) })
		mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, mem.Close()) })
		inv, err := doca.NewInventory(2)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, inv.Close()) })
		src, err := inv.Source(mem, 0, size)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, src.Close()) })
		dst, err := inv.Buffer(mem, size, size)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, dst.Close()) })
		b, err := d.NewBatch(1)
		require.NoError(t, err)
		// A handle that nobody holds is collected, and the next context's may lie in its place: each is held to the end.
		t.Cleanup(func() { assert.NoError(t, b.Close()) })
		require.NoError(t, b.Add(dst, src))
		for range 2 {
			require.NoError(t, b.Run(ctx))
			require.NoError(t, d.CopyRange(ctx, mem, 0, mem, size, size))
			_, err = d.Copy(ctx, dst, src)
			require.NoError(t, err)
		}
		c, in := d.c, b.b
		pad := unsafe.Sizeof(abi.Apart{})
		all[i] = []written{
			writtenTo("context", unsafe.Pointer(c), unsafe.Sizeof(*c), pad),
			writtenTo("batch", unsafe.Pointer(in), unsafe.Sizeof(*in), pad),
			writtenTo("handle of a batch", unsafe.Pointer(b), unsafe.Sizeof(*b), pad),
			writtenTo("copy", unsafe.Pointer(c.ops[0]), unsafe.Sizeof(*c.ops[0]), pad),
			writtenSlice("copies", c.ops), writtenSlice("idle batches", c.idle), writtenSlice("free tasks", c.free[:most]),
			writtenSlice("tasks", c.slots), writtenSlice("tasks in C", c.inC),
			writtenSlice("singles", c.singles), writtenSlice("singles in C", c.chunks[0]),
			writtenSlice("batch in C", in.inC), writtenSlice("items", in.items), writtenSlice("tasks of a batch", in.tasks),
			writtenSlice("groups", in.groups), writtenSlice("buffers", b.bufs),
		}
	}
	for i, mine := range all {
		for _, others := range all[i+1:] {
			for _, m := range mine {
				require.Less(t, m.start, m.end, "%s: it is to be used in this test", m.name)
				for _, o := range others {
					apart := (m.end-1)/lines < o.start/lines || (o.end-1)/lines < m.start/lines
					assert.True(t, apart, "%s at %x to %x and %s of another context at %x to %x", m.name, m.start, m.end, o.name, o.start, o.end)
				}
			}
		}
	}
}
