package bind_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// ranged is a binding with ranges, and an item that may have two buffers.
type ranged struct {
	binding
	ctx      *doca.Context
	ranges   bind.Ranges
	recalled int
	view     [2]common.BufView
	held     [2]bind.Held
}

func newRanged(t *testing.T, r *doctest.Rig) *ranged {
	t.Helper()
	b := new(ranged)
	cfg := b.config(r)
	create, destroy := cfg.Create, cfg.Destroy
	cfg.Create = func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) {
		b.ranges.Init(link, func() { b.recalled++ })
		return create(dev, link)
	}
	cfg.Destroy = func(ring *abi.Ring) error {
		if err := b.ranges.Close(); err != nil {
			return err
		}
		return destroy(ring)
	}
	b.ctx = must(bind.NewContext(cfg))(t)
	t.Cleanup(func() { check(t, errors.Join(b.ctx.Close(), b.ctx.Close())) })
	return b
}

func (b *ranged) locked(f func()) {
	b.link.LockAlways()
	defer b.link.Unlock()
	f()
}

func segment(t *testing.T, mem *doca.Memory, off, n int) (s bind.Segment) {
	t.Helper()
	check(t, s.Aim(mem, off, n, "test"))
	return s
}

// An item keeps its buffer, which covers the memory, as long as its ranges are on one memory.
func TestRanges(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := newRanged(t, r)
	other := must(doca.NewMemory(100, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	b.locked(func() {
		v, h := &b.view[0], &b.held[0]
		check(t, b.ranges.Read(v, h, segment(t, r.Mem, 100, 20), "test"))
		assert.Equal(t, r.Mem.Address()+100, v.Data)
		assert.EqualValues(t, 20, v.Len)
		buf := v.Buf
		assert.Equal(t, r.Mem.Address(), uintptr(must(common.BufGetHead(buf))(t)))
		assert.EqualValues(t, r.Mem.Len(), must(common.BufGetLen(buf))(t))
		check(t, b.ranges.Write(v, h, segment(t, r.Mem, 4000, 96), "test"))
		assert.Same(t, buf, v.Buf)
		assert.Equal(t, r.Mem.Address()+4000, v.Data)
		assert.Zero(t, v.Len)
		check(t, b.ranges.Write(&b.view[1], &b.held[1], segment(t, r.Mem, 0, 0), "test"))
		assert.NotSame(t, buf, b.view[1].Buf, "two items with one buffer")
		check(t, b.ranges.Read(v, h, segment(t, other, 0, 100), "test"))
		assert.Equal(t, other.Address(), v.Data)
		b.ranges.Release(v, h)
		b.ranges.Release(v, h) // it has none any more
		check(t, b.ranges.Part(v, h, segment(t, r.Mem, 8, 8), "test", false))
		assert.Same(t, buf, v.Buf, "a buffer that was released is used again")
		assert.EqualValues(t, 8, v.Len)
		b.ranges.Release(v, h)
		b.ranges.Release(&b.view[1], &b.held[1])
		assert.False(t, b.ranges.Wanted())
	})
	check(t, other.Close())
	assert.Zero(t, b.recalled, "nothing was held")
}

func TestRangesRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := newRanged(t, r)
	readOnly := must(doca.NewMemory(100, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}, Access: doca.AccessLocalReadOnly}))(t)
	second := must(doca.OpenDevice("03:00.1"))(t)
	defer second.Close()
	far := must(doca.NewMemory(100, doca.MemoryConfig{Devices: []*doca.Device{second}}))(t)
	gone := must(doca.NewMemory(100, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	ofGone := segment(t, gone, 0, 10)
	check(t, gone.Close())
	var s bind.Segment
	wantErr(t, s.Aim(nil, 0, 1, "send"), doca.ErrInvalidValue, "send")
	wantErr(t, s.Aim(r.Mem, 4000, 97, "send"), doca.ErrInvalidValue, "send on memory#", "97 bytes at 4000")
	wantErr(t, s.Aim(gone, 0, 1, "send"), doca.ErrClosed)
	b.locked(func() {
		v, h := &b.view[0], &b.held[0]
		wantErr(t, b.ranges.Read(v, h, segment(t, r.Mem, 0, 0), "send"), doca.ErrInvalidValue, "empty")
		check(t, b.ranges.Read(v, h, segment(t, r.Mem, 0, 1), "send"))
		before := *v
		wantErr(t, b.ranges.Read(v, h, segment(t, r.Mem, 0, 0), "send"), doca.ErrInvalidValue, "empty")
		wantErr(t, b.ranges.Write(v, h, segment(t, readOnly, 0, 1), "send"), doca.ErrNotPermitted, "AccessLocalReadWrite")
		wantErr(t, b.ranges.Read(v, h, segment(t, far, 0, 1), "send"), doca.ErrInvalidValue, "MemoryConfig.Devices")
		wantErr(t, b.ranges.Read(v, h, ofGone, "send"), doca.ErrClosed)
		assert.Equal(t, before, *v, "after an error the item has what it had")
		check(t, b.ranges.Read(v, h, segment(t, readOnly, 0, 1), "send"))
		b.ranges.Release(v, h)
	})
}

// A memory that is to be closed asks for its buffers, and waits for those that are in use.
func TestRangesRecall(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := newRanged(t, r)
	v, h, more := &b.view[0], &b.held[0], segment(t, r.Mem, 8, 8)
	b.locked(func() { check(t, b.ranges.Read(v, h, segment(t, r.Mem, 0, 1), "test")) })
	check(t, r.Src.Close())
	check(t, r.Dst.Close())
	wantErr(t, r.Mem.Shutdown(doctest.Soon(t, 10*time.Millisecond)), context.DeadlineExceeded, "an operation still uses the memory")
	b.locked(func() {
		assert.Equal(t, 1, b.recalled)
		assert.True(t, b.ranges.Wanted())
		check(t, b.ranges.Part(&b.view[1], &b.held[1], more, "test", true)) // it goes on
	})
	closed := make(chan error)
	go func() { closed <- r.Mem.Close() }()
	b.locked(func() { b.ranges.Release(v, h) })
	select {
	case err := <-closed:
		t.Fatal("the memory is closed while an item has a buffer on it", err)
	case <-time.After(10 * time.Millisecond):
	}
	b.locked(func() { b.ranges.Release(&b.view[1], &b.held[1]) })
	check(t, <-closed)
	b.locked(func() { assert.False(t, b.ranges.Wanted()) })
}

func TestClaimDataLen(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	link := newBinding(t, r).link
	list := must(r.Inv.List(doca.Range{Memory: r.Mem, Offset: 0, Len: 5}, doca.Range{Memory: r.Mem, Offset: 9, Len: 7}))(t)
	empty := must(r.Inv.Buffer(r.Mem, 0, 5))(t)
	link.LockAlways()
	defer link.Unlock()
	var claim bind.Claim
	claim.Init(link, false)
	for _, b := range []*doca.Buffer{r.Src, list, empty} {
		check(t, claim.Read(b))
	}
	_, err := claim.Begin("test")
	require.NoError(t, err)
	assert.Equal(t, []int{64, 12, 0}, []int{claim.DataLen(0), claim.DataLen(1), claim.DataLen(2)})
	claim.Cancel()
}
