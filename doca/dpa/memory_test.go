package dpa_test

import (
	"bytes"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	m := closed(t, must(d.Alloc(100))(t))
	assert.Equal(t, 100, m.Len())
	assert.NotZero(t, m.Addr())
	require.NoError(t, m.Fill(0, 100, 0xab))
	assert.Equal(t, 5, must(m.WriteAt([]byte("hello"), 95))(t))
	got := make([]byte, 10)
	assert.Equal(t, 10, must(m.ReadAt(got, 90))(t))
	assert.Equal(t, "\xab\xab\xab\xab\xabhello", string(got))
	n, err := m.ReadAt(got, 97)
	assert.Equal(t, 3, n)
	assert.Equal(t, io.EOF, err)
	assert.Equal(t, "llo", string(got[:3]))
	assert.Equal(t, "hello", string(must(io.ReadAll(io.NewSectionReader(m, 95, 1000)))(t)))
	for name, err := range map[string]error{
		"write behind the end":  second(m.WriteAt([]byte("hello"), 96)),
		"write before":          second(m.WriteAt([]byte("hello"), -1)),
		"read before":           second(m.ReadAt(got, -1)),
		"read behind the end":   second(m.ReadAt(got, 101)),
		"read far behind it":    second(m.ReadAt(got, math.MaxInt64)),
		"fill behind the end":   m.Fill(99, 2, 0),
		"fill of less than 0":   m.Fill(0, -1, 0),
		"fill far behind":       m.Fill(math.MaxInt, math.MaxInt, 0),
		"size 0":                second(d.Alloc(0)),
		"size below 0":          second(d.Alloc(-1)),
		"put behind the end":    dpa.Put(m, 97, int32(1)),
		"get behind the end":    second(dpa.Get[int32](m, 97)),
		"get less than 0":       second(dpa.GetSlice[int32](m, 0, -1)),
		"get too many":          second(dpa.GetSlice[int32](m, 0, math.MaxInt)),
		"put of a pointer":      dpa.Put(m, 0, new(int32)),
		"put of a string":       dpa.Put(m, 0, struct{ a [2]struct{ name string } }{}),
		"put of nothing":        dpa.Put(m, 0, struct{}{}),
		"put of an int":         dpa.Put(m, 0, 1),
		"get of a slice":        second(dpa.Get[[]byte](m, 0)),
		"place of an interface": second(dpa.Place[any](d, nil)),
	} {
		require.ErrorIs(t, err, doca.ErrInvalidValue, name)
	}
	require.NoError(t, m.Fill(100, 0, 0))
	assert.Zero(t, must(m.WriteAt(nil, 100))(t))
	require.NoError(t, m.Close())
	require.ErrorIs(t, second(m.WriteAt([]byte("x"), 0)), doca.ErrClosed)
	assert.Zero(t, m.Addr())
}

func TestValues(t *testing.T) {
	t.Parallel()
	type value struct {
		A uint8
		B [3]int16
		C float64
		D bool
	}
	d := newDPA(t)
	v := value{1, [3]int16{-2, 3, -4}, 5.5, true}
	m := closed(t, must(dpa.Place(d, v))(t))
	assert.Equal(t, v, must(dpa.Get[value](m, 0))(t))
	v.A = 9
	require.NoError(t, dpa.Put(m, 0, v))
	assert.Equal(t, []value{v}, must(dpa.GetSlice[value](m, 0, 1))(t))
	assert.Empty(t, must(dpa.GetSlice[value](m, 0, 0))(t))
	list, _ := numbers(t, d, 5)
	require.NoError(t, dpa.Put(list, 8, uint64(1), 2, 3))
	assert.Equal(t, []uint64{0, 1, 2, 3, 0}, must(dpa.GetSlice[uint64](list, 0, 5))(t))
}

// The device copies between memory of the program and that of the DPA, by handles of both.
func TestMap(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	there := closed(t, must(d.Alloc(4096))(t))
	require.NoError(t, there.Fill(0, 4096, 0))
	here := closed(t, must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{d.Device()}}))(t))
	for i := range here.Bytes() {
		here.Bytes()[i] = byte(i * 7)
	}
	mapped := closed(t, must(there.Map(doca.AccessLocalReadWrite|doca.AccessRDMARead|doca.AccessRDMAWrite))(t))
	assert.Nil(t, mapped.Bytes())
	assert.Equal(t, 4096, mapped.Len())
	assert.Equal(t, uintptr(there.Addr()), mapped.Address())
	assert.NotEmpty(t, must(mapped.ExportRDMA(d.Device()))(t))
	completion := closed(t, must(d.NewCompletion(dpa.CompletionConfig{}))(t))
	async := closed(t, must(d.NewAsyncOps(dpa.AsyncOpsConfig{Completion: completion, UserData: 77, QueueSize: 3}))(t))
	assert.Equal(t, 4, must(async.QueueSize())(t), "rounded up")
	from, to := must(d.MmapHandle(here))(t), must(d.MmapHandle(mapped))(t)
	launched(t, must(dpatest.LaunchCopy(d, dpa.LaunchOptions{}, must(async.Handle())(t), to, uint64(there.Addr())+100, from, uint64(here.Address()), 1000))(t), nil)
	count, _ := numbers(t, d, 2)
	launched(t, must(dpatest.LaunchTake(d, dpa.LaunchOptions{}, must(completion.Handle())(t), 1, count.Addr()))(t), nil)
	assert.Equal(t, []uint64{1, 77}, must(dpa.GetSlice[uint64](count, 0, 2))(t))
	got := make([]byte, 1000)
	must(there.ReadAt(got, 100))(t)
	assert.True(t, bytes.Equal(here.Bytes()[:1000], got))

	other := closed(t, must(doca.OpenDevice("03:00.1"))(t))
	far := closed(t, must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{other}}))(t))
	require.ErrorIs(t, second(d.MmapHandle(far)), doca.ErrNotFound)
	for _, none := range []*doca.Memory{nil, {}} {
		require.ErrorIs(t, second(d.MmapHandle(none)), doca.ErrInvalidValue)
	}
	require.NoError(t, there.Close())
	require.ErrorIs(t, second(d.MmapHandle(mapped)), doca.ErrClosed, "it was closed with its memory")
	require.ErrorIs(t, second(there.Map(0)), doca.ErrClosed)
}

func TestBufArray(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	here := closed(t, must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{d.Device()}}))(t))
	out, _ := numbers(t, d, 2)
	for name, mem := range map[string]*doca.Memory{"of the program": here, "of the DPA": must(must(d.Alloc(4096))(t).Map(0))(t)} {
		array := closed(t, must(d.NewBufArray(dpa.BufArrayConfig{Memory: mem, Elements: 10, Size: 100, Offset: 64}))(t))
		launched(t, must(dpatest.LaunchLookAt(d, dpa.LaunchOptions{}, must(array.Handle())(t), 3, out.Addr()))(t), nil)
		assert.Equal(t, []uint64{uint64(mem.Address()) + 64 + 300, 100}, must(dpa.GetSlice[uint64](out, 0, 2))(t), name)
		require.NoError(t, mem.Close())
		require.ErrorIs(t, second(array.Handle()), doca.ErrClosed)
	}
	fresh := closed(t, must(doca.NewMemory(1000, doca.MemoryConfig{Devices: []*doca.Device{d.Device()}}))(t))
	for name, cfg := range map[string]dpa.BufArrayConfig{
		"no memory":   {Elements: 1, Size: 1},
		"zero memory": {Memory: &doca.Memory{}, Elements: 1, Size: 1},
		"no elements": {Memory: fresh, Size: 1},
		"no size":     {Memory: fresh, Elements: 1},
		"too many":    {Memory: fresh, Elements: 11, Size: 100},
		"too far":     {Memory: fresh, Elements: 10, Size: 100, Offset: 1},
		"below 0":     {Memory: fresh, Elements: 1, Size: 1, Offset: -1},
		"overflow":    {Memory: fresh, Elements: math.MaxInt, Size: math.MaxInt, Offset: 1},
	} {
		require.ErrorIs(t, second(d.NewBufArray(cfg)), doca.ErrInvalidValue, name)
	}
}

func TestHashTable(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	table := closed(t, must(d.NewHashTable(5))(t))
	out, _ := numbers(t, d, 3)
	launched(t, must(dpatest.LaunchTable(d, dpa.LaunchOptions{}, must(table.Handle())(t), 7, 1<<40, out.Addr()))(t), nil)
	assert.Equal(t, []uint64{1 << 40, 1, 0}, must(dpa.GetSlice[uint64](out, 0, 3))(t))
	for _, n := range []int{0, -1, math.MaxInt} {
		require.ErrorIs(t, second(d.NewHashTable(n)), doca.ErrInvalidValue)
	}
	require.NoError(t, table.Close())
	doctest.WantErr(t, second(table.Handle()), doca.ErrClosed, "dpa hash table#")
}
