package doca_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

func TestInventory(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, err := doca.NewInventory(0)
	wantErr(t, err, doca.ErrInvalidValue)
	inv := must(doca.NewInventory(2))(t)
	defer inv.Close()
	for _, bad := range [][2]int{{-1, 1}, {0, 0}, {0, 4097}, {4096, 1}, {4000, 97}, {1, 1<<63 - 1}} {
		_, err := inv.Buffer(r.Mem, bad[0], bad[1])
		wantErr(t, err, doca.ErrInvalidValue, "4096 bytes")
	}
	_, err = inv.Buffer(nil, 0, 1)
	wantErr(t, err, doca.ErrInvalidValue)
	first := must(inv.Buffer(r.Mem, 0, 1))(t)
	must(inv.Buffer(r.Mem, 4095, 1))(t)
	_, err = inv.Buffer(r.Mem, 0, 1)
	wantErr(t, err, doca.ErrNoMemory, "close some")
	check(t, first.Close())
	must(inv.Buffer(r.Mem, 0, 1))(t)
	check(t, inv.Close())
	_, err = inv.Buffer(r.Mem, 0, 1)
	wantErr(t, err, doca.ErrClosed)
	_, err = bind.RawInventory(inv)
	wantErr(t, err, doca.ErrClosed)
	check(t, r.Mem.Close())
	_, err = r.Inv.Buffer(r.Mem, 0, 1)
	wantErr(t, err, doca.ErrClosed)
}

// An inventory belongs to the devices on whose memory it has buffers: the last one closes it.
func TestInventoryBelongsToDevices(t *testing.T) {
	t.Parallel()
	first, second := must(doca.OpenDevice(dpu0))(t), must(doca.OpenDevice(host0))(t)
	inv := must(doca.NewInventory(4))(t)
	for _, dev := range []*doca.Device{first, second, first} {
		mem := must(doca.NewMemory(64, on(dev)))(t)
		must(inv.Buffer(mem, 0, 64))(t)
	}
	check(t, first.Close())
	mem := must(doca.NewMemory(64, on(second)))(t)
	buf := must(inv.Buffer(mem, 0, 64))(t)
	check(t, second.Close())
	wantErr(t, buf.SetData(0, 1), doca.ErrClosed)
	third := must(doca.OpenDevice(dpu0))(t)
	_, err := inv.Buffer(must(doca.NewMemory(64, on(third)))(t), 0, 64)
	wantErr(t, err, doca.ErrClosed)
	check(t, inv.Close())
	check(t, third.Close())
}

// An inventory that could not be closed is closed with the device.
func TestInventoryLeftToTheDevice(t *testing.T) {
	dev := must(doca.OpenDevice(dpu0))(t)
	inv := must(doca.NewInventory(1))(t)
	must(inv.Buffer(must(doca.NewMemory(64, on(dev)))(t), 0, 64))(t)
	faults(t, "fail-call=doca_buf_inventory_destroy:1")
	wantErr(t, inv.Close(), doca.ErrDriver)
	check(t, dev.Close())
	for _, o := range doca.OpenObjects() {
		if o.Name == inv.String() {
			t.Errorf("%s is open", o.Name)
		}
	}
}

// A buffer from Source holds data at once.
func TestSource(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	copy(r.Mem.Bytes()[100:], "source")
	src := must(r.Inv.Source(r.Mem, 100, 6))(t)
	assert.Equal(t, "source", string(src.Data()))
	must(r.DMA.Copy(t.Context(), r.Dst, src))(t)
	assert.Equal(t, "source", string(r.Dst.Data()))
	_, err := r.Inv.Source(r.Mem, 4000, 97)
	wantErr(t, err, doca.ErrInvalidValue, "97 bytes at 4000")
}

// A list made in one call is a source and a destination, of several memories, and its head closes it.
func TestList(t *testing.T) {
	r := newRig(t)
	other := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	copy(r.Mem.Bytes(), "abcdef")
	copy(other.Bytes(), "ABCDEF")
	open := len(doca.OpenObjects())
	src := must(r.Inv.List(doca.Range{r.Mem, 3, 3}, doca.Range{other, 0, 2}, doca.Range{r.Mem, 0, 1}))(t)
	dst := must(r.Inv.List(doca.Range{other, 100, 1}, doca.Range{r.Mem, 100, 9}))(t)
	assert.Equal(t, 3, src.ListLen())
	assert.Equal(t, 6, src.ListDataLen())
	compareList(t, "a new list", src.Elements())
	assert.Equal(t, 6, must(r.DMA.Copy(t.Context(), dst, src))(t))
	assert.Equal(t, "d", string(dst.Data()))
	assert.Equal(t, "efABa", string(dst.Elements()[1].Data()))
	parts := src.Elements()
	faults(t, "fail-call=doca_buf_dec_refcount:1")
	wantErr(t, src.Close(), doca.ErrDriver)
	faults(t, "delay=30ms")
	single := must(r.Inv.Source(r.Mem, 500, 1))(t) // one that is in no list
	f := must(r.DMA.CopyAsync(t.Context(), single, must(r.Inv.List(doca.Range{other, 0, 1}))(t)))(t)
	check(t, src.Close())
	must(f.Wait(t.Context()))(t)
	faults(t, "")
	for _, b := range parts {
		assert.Nil(t, b.Bytes())
		check(t, b.Close())
	}
	check(t, dst.Close())
	check(t, single.Close())
	assert.Len(t, doca.OpenObjects(), open+1, "the source of the single copy")

	// What cannot be made leaves nothing behind.
	for _, c := range []struct {
		ranges []doca.Range
		is     error
	}{
		{nil, doca.ErrInvalidValue},
		{[]doca.Range{{r.Mem, 0, 1}, {r.Mem, 0, 0}}, doca.ErrInvalidValue},
		{[]doca.Range{{r.Mem, 0, 1}, {nil, 0, 1}}, doca.ErrInvalidValue},
		{make20(r.Mem), doca.ErrNoMemory},
	} {
		_, err := r.Inv.List(c.ranges...)
		wantErr(t, err, c.is)
		assert.Len(t, doca.OpenObjects(), open+1)
	}
	for _, call := range []string{"doca_buf_chain_list:1", "doca_buf_chain_list:2", "doca_buf_inventory_buf_get_by_args:2"} {
		faults(t, "fail-call="+call)
		_, err := r.Inv.List(doca.Range{r.Mem, 0, 1}, doca.Range{r.Mem, 1, 1}, doca.Range{r.Mem, 2, 1})
		wantErr(t, err, doca.ErrDriver)
		faults(t, "")
		assert.Len(t, doca.OpenObjects(), open+1)
	}
	check(t, other.Close())
}

// make20 returns more ranges than the rig's inventory has buffers.
func make20(mem *doca.Memory) []doca.Range {
	ranges := make([]doca.Range, 20)
	for i := range ranges {
		ranges[i] = doca.Range{Memory: mem, Offset: i, Len: 1}
	}
	return ranges
}

// A list whose elements lie on several memories loses those of a memory that is closed.
func TestListOnAMemoryThatIsClosed(t *testing.T) {
	t.Parallel()
	for at := range 3 {
		r := newRig(t)
		other := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
		ranges := make20(r.Mem)[:3]
		ranges[at].Memory = other
		list := must(r.Inv.List(ranges...))(t).Elements()
		check(t, other.Close())
		for i, b := range list {
			if i == at {
				assert.Nil(t, b.Bytes())
			} else {
				assert.Equal(t, 2, b.ListLen())
				assert.Equal(t, 1, b.DataLen())
			}
		}
	}
}
