package bind_test

import (
	"context"
	"math"
	"runtime"
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

// routeItem is an item of a batch, as far as routes need it.
type routeItem struct{ src, dst common.BufView }

// routed is a binding with routes, and items of a batch.
type routed struct {
	*ranged
	routes bind.Routes
	items  []routeItem
}

// newRouted returns the binding, and further memories: n of them.
func newRouted(t *testing.T, r *doctest.Rig, limit, n int) (*routed, []*doca.Memory) {
	mems := make([]*doca.Memory, n)
	for i := range mems {
		m := must(doca.NewMemory(100, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
		t.Cleanup(func() { check(t, m.Close()) }) // after the routes have released its buffers
		mems[i] = m
	}
	b := &routed{ranged: newRanged(t, r)}
	b.routes.Init(&b.ranges, limit)
	items, err := abi.Alloc[routeItem](64)
	require.NoError(t, err)
	t.Cleanup(func() { b.locked(func() { b.routes.Release(0) }); abi.Free(items) })
	b.items = items
	return b, mems
}

// hold gives the items from first up to end their buffers.
func (b *routed) hold(first, end int) (int, error) {
	items := b.items[first:end]
	return b.routes.Hold(first, bind.ViewsOf(items, &items[0].src, &items[0].dst), "test")
}

// find returns a route.
func (b *routed) find(t *testing.T, dst, src *doca.Memory, item int) (r bind.Route) {
	t.Helper()
	require.True(t, b.routes.Find(&r, dst, src, item))
	return r
}

// fits reports whether a range fits, whatever memories other tests close meanwhile.
func fits(r *bind.Route, dst, src *doca.Memory, dstOff, srcOff, n int) bool {
	for !r.Fits(dstOff, srcOff, n) {
		if !r.Renew(dst, src) {
			return false
		}
	}
	return true
}

func headOf(t *testing.T, v *common.BufView) uintptr {
	return uintptr(must(common.BufGetHead(v.Buf))(t))
}

// The items of a route get buffers on its memories, each one of its own, and have them until the routes are others.
func TestRoutes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b, mems := newRouted(t, r, 8, 1)
	other := mems[0]
	there := b.find(t, other, r.Mem, 0)
	back := b.find(t, r.Mem, other, 3)
	b.find(t, other, r.Mem, 5)
	inside := b.find(t, r.Mem, r.Mem, 6)
	ends := [][2]*doca.Memory{{other, r.Mem}, {other, r.Mem}, {other, r.Mem}, {r.Mem, other}, {r.Mem, other}, {other, r.Mem}, {r.Mem, r.Mem}, {r.Mem, r.Mem}}
	seen := map[*common.Buf]bool{}
	look := func() {
		clear(seen)
		for i, e := range ends {
			assert.Equal(t, e[0].Address(), headOf(t, &b.items[i].dst), "item %d", i)
			assert.Equal(t, e[1].Address(), headOf(t, &b.items[i].src), "item %d", i)
			seen[b.items[i].dst.Buf], seen[b.items[i].src.Buf] = true, true
		}
		assert.Len(t, seen, 2*len(ends), "each has a buffer of its own")
	}
	b.locked(func() {
		_, err := b.routes.Check("test")
		check(t, err)
		assert.False(t, b.routes.Aimed(8), "nothing was held")
		b.routes.Rewind()
		n, err := b.hold(0, 4)
		check(t, err)
		assert.Equal(t, 4, n)
		assert.False(t, b.routes.Aimed(8))
		assert.True(t, b.routes.Aimed(4))
		n, err = b.hold(4, 8) // it begins within a leg
		check(t, err)
		assert.Equal(t, 4, n)
		look()
		assert.True(t, b.routes.Aimed(8))
		b.routes.Rewind()
		_, err = b.hold(0, 8)
		check(t, err)
		first := seen
		seen = map[*common.Buf]bool{}
		look()
		assert.Equal(t, first, seen, "the same buffers again")
	})

	assert.True(t, fits(&there, other, r.Mem, 100, 4000, 0))
	assert.Equal(t, r.Mem.Address()+4000, there.Src(4000))
	assert.Equal(t, other.Address()+100, there.Dst(100))
	assert.True(t, fits(&back, r.Mem, other, 4095, 99, 1))
	assert.True(t, fits(&back, r.Mem, other, 0, 0, 100))
	for _, wrong := range [][2]int{
		{-1, 1}, {0, 101}, {100, 1}, {1, -1}, {101, 0}, {math.MinInt, 1}, {math.MaxInt, math.MaxInt}, {math.MaxInt, 101}, {1, math.MinInt},
		{math.MinInt, math.MaxInt}, {math.MinInt, math.MinInt}, {-1, math.MaxInt},
	} {
		assert.False(t, fits(&back, r.Mem, other, 0, wrong[0], wrong[1]), "%v", wrong)
		assert.False(t, fits(&there, other, r.Mem, wrong[0], 0, wrong[1]), "%v", wrong)
	}
	assert.True(t, inside.Overlap(100, 109, 10))
	assert.True(t, inside.Overlap(109, 100, 10))
	assert.False(t, inside.Overlap(100, 110, 10))
	assert.False(t, inside.Overlap(110, 100, 10))
	assert.False(t, there.Overlap(100, 100, 10), "these memories have no bytes in common")
}

// Fewer items on the same routes have what they need, other ones have not.
func TestRoutesAimed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b, mems := newRouted(t, r, 8, 1)
	other := mems[0]
	type leg struct {
		dst, src *doca.Memory
		from     int
	}
	fill := func(legs ...leg) {
		b.routes.Reset()
		for _, l := range legs {
			b.find(t, l.dst, l.src, l.from)
		}
	}
	b.locked(func() {
		fill(leg{other, r.Mem, 0}, leg{r.Mem, other, 4})
		b.routes.Rewind()
		_, err := b.hold(0, 8)
		check(t, err)
		fill(leg{other, r.Mem, 0}, leg{r.Mem, other, 4})
		assert.True(t, b.routes.Aimed(8))
		assert.True(t, b.routes.Aimed(5))
		assert.False(t, b.routes.Aimed(9), "one item more")
		fill(leg{other, r.Mem, 0})
		assert.True(t, b.routes.Aimed(4))
		assert.False(t, b.routes.Aimed(5), "item 4 is on another route")
		fill(leg{other, r.Mem, 0}, leg{r.Mem, other, 3})
		assert.False(t, b.routes.Aimed(4))
		fill(leg{r.Mem, other, 0})
		assert.False(t, b.routes.Aimed(1))
		fill(leg{other, r.Mem, 0}, leg{r.Mem, other, 4}, leg{other, r.Mem, 8})
		assert.False(t, b.routes.Aimed(8))
		b.routes.Forget()
		assert.True(t, b.routes.Aimed(8), "the last leg was taken back")
		b.routes.Release(0)
		assert.False(t, b.routes.Aimed(1), "the buffers are gone")
	})
}

// What a route needs of its memories is looked at for each run, and of no others.
func TestRoutesRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b, _ := newRouted(t, r, 8, 0)
	cfg := doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}
	readOnly := must(doca.NewMemory(100, doca.MemoryConfig{Devices: cfg.Devices, Access: doca.AccessLocalReadOnly}))(t)
	defer readOnly.Close()
	second := must(doca.OpenDevice("03:00.1"))(t)
	defer second.Close()
	far := must(doca.NewMemory(100, doca.MemoryConfig{Devices: []*doca.Device{second}}))(t)
	gone := must(doca.NewMemory(100, cfg))(t)
	checkRoutes := func() (item int, err error) {
		b.locked(func() { item, err = b.routes.Check("send") })
		return item, err
	}
	for _, wrong := range []struct {
		dst, src *doca.Memory
		want     error
		message  string
	}{
		{readOnly, r.Mem, doca.ErrNotPermitted, "AccessLocalReadWrite"},
		{far, r.Mem, doca.ErrInvalidValue, "MemoryConfig.Devices"},
		{r.Mem, far, doca.ErrInvalidValue, "MemoryConfig.Devices"},
	} {
		b.routes.Reset()
		b.find(t, r.Mem, readOnly, 0)
		b.find(t, wrong.dst, wrong.src, 2)
		b.find(t, r.Mem, readOnly, 5)
		item, err := checkRoutes()
		wantErr(t, err, wrong.want, "send", wrong.message)
		assert.Equal(t, 2, item)
	}
	b.routes.Reset()
	b.find(t, r.Mem, readOnly, 0)
	b.find(t, r.Mem, gone, 1)
	b.find(t, r.Mem, readOnly, 2)
	b.find(t, r.Mem, gone, 3)
	check(t, gone.Close())
	item, err := checkRoutes()
	wantErr(t, err, doca.ErrClosed, "send")
	assert.Equal(t, 1, item)
	b.routes.Forget()
	_, err = checkRoutes()
	wantErr(t, err, doca.ErrClosed, "send") // an item before takes the route, too
	b.routes.Forget()
	b.routes.Forget()
	_, err = checkRoutes()
	check(t, err)
	none := bind.Route{}
	assert.False(t, b.routes.Find(&none, nil, r.Mem, 1))
	assert.False(t, b.routes.Find(&none, r.Mem, new(doca.Memory), 1))
	assert.False(t, b.routes.Find(nil, r.Mem, r.Mem, 1))
	assert.False(t, none.Fits(0, 0, 1))
	assert.False(t, none.Renew(r.Mem, nil))
	assert.False(t, none.Renew(new(doca.Memory), r.Mem))
}

// Memories whose number has passed the limit are forgotten with the round, and what they had is given back.
func TestRoutesLimit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const limit = 4
	b, mems := newRouted(t, r, limit, limit)
	run := func(n int) {
		b.routes.Reset()
		for i, m := range mems[:n] {
			b.find(t, r.Mem, m, i)
		}
		b.locked(func() {
			_, err := b.routes.Check("test")
			check(t, err)
			b.routes.Rewind()
			_, err = b.hold(0, n)
			check(t, err)
			for i, m := range mems[:n] {
				assert.Equal(t, m.Address(), headOf(t, &b.items[i].src))
			}
		})
	}
	run(limit - 1) // and the destination
	run(1)
	wantErr(t, mems[1].Shutdown(doctest.Soon(t, 10*time.Millisecond)), context.DeadlineExceeded)
	assert.Equal(t, 1, b.recalled, "a buffer is kept for the next run")
	b.locked(func() { b.routes.Recall(1) })
	assert.False(t, b.ranges.Wanted())
	check(t, mems[1].Close())
	mems[1] = must(doca.NewMemory(100, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	run(limit)
	assert.False(t, b.routes.Again(), "Reset has to forget memories")
	run(1)
	assert.True(t, b.routes.Again())
	check(t, mems[2].Close())
	assert.Equal(t, 1, b.recalled, "there were too many memories to keep them")
}

// A memory of a route that is to be closed waits until the buffers are released.
func TestRoutesRecall(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b, _ := newRouted(t, r, 8, 0)
	b.find(t, r.Mem, r.Mem, 0)
	b.locked(func() {
		b.routes.Rewind()
		_, err := b.hold(0, 20) // more than the first inventory of a memory has
		check(t, err)
	})
	check(t, r.Src.Close())
	check(t, r.Dst.Close())
	wantErr(t, r.Mem.Shutdown(doctest.Soon(t, 10*time.Millisecond)), context.DeadlineExceeded, "an operation still uses the memory")
	b.locked(func() {
		assert.Equal(t, 1, b.recalled)
		assert.True(t, b.ranges.Wanted())
		b.routes.Recall(0)
		assert.False(t, b.ranges.Wanted())
		b.routes.Release(0) // there is nothing
	})
	check(t, r.Mem.Close())
}

// A route ends with one of its memories, and outlives all others.
func TestRouteOfClosedMemory(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b, mems := newRouted(t, r, 8, 3)
	ours, theirs, last := mems[0], mems[1], mems[2]
	write, read := b.find(t, ours, r.Mem, 0), b.find(t, r.Mem, ours, 1)
	check(t, theirs.Close())
	assert.False(t, write.Fits(0, 0, 1), "Renew has to look first")
	assert.True(t, fits(&write, ours, r.Mem, 0, 0, 1))
	assert.True(t, fits(&read, r.Mem, ours, 0, 0, 1))
	b.locked(func() {
		b.routes.Rewind()
		_, err := b.hold(0, 2)
		check(t, err)
	})
	wantErr(t, ours.Shutdown(doctest.Soon(t, 10*time.Millisecond)), context.DeadlineExceeded)
	assert.False(t, fits(&write, ours, r.Mem, 0, 0, 1), "it is about to close")
	assert.False(t, fits(&read, r.Mem, ours, 0, 0, 1))
	b.locked(func() { b.routes.Release(0) })
	check(t, ours.Close())
	assert.False(t, fits(&write, ours, r.Mem, 0, 0, 1))
	check(t, last.Close())
	assert.False(t, fits(&write, ours, r.Mem, 0, 0, 1))
}

// A route that nobody has found, and items before the first one that takes a route, are errors.
func TestRoutesWithoutFind(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b, _ := newRouted(t, r, 8, 0)
	b.locked(func() {
		_, err := b.hold(0, 1)
		wantErr(t, err, doca.ErrInvalidValue, "a route that Find has returned")
		b.find(t, r.Mem, r.Mem, 3)
		b.routes.Rewind()
		_, err = b.hold(2, 4)
		wantErr(t, err, doca.ErrInvalidValue, "a route that Find has returned")
		_, err = b.hold(3, 4)
		check(t, err)
		_, err = b.routes.Hold(3, bind.Views{}, "test") // no items
		check(t, err)
	})
}

// The items before one keep their buffers when those from it on are released, and a memory that these alone were on is free.
func TestRoutesReleaseSome(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b, mems := newRouted(t, r, 8, 2)
	fill := func() {
		b.routes.Reset()
		b.find(t, r.Mem, mems[0], 0)
		b.find(t, mems[0], r.Mem, 2)
		b.find(t, r.Mem, mems[1], 5)
	}
	fill()
	b.locked(func() {
		b.routes.Rewind()
		_, err := b.hold(0, 8)
		check(t, err)
		before := append([]routeItem(nil), b.items[:8]...)
		b.routes.Release(4)
		assert.True(t, b.routes.Aimed(4))
		assert.False(t, b.routes.Aimed(5))
		seen := map[*common.Buf]bool{}
		for _, item := range before[:4] {
			seen[item.src.Buf], seen[item.dst.Buf] = true, true
		}
		var held [8]bind.Held
		views := make([]common.BufView, 8)
		for i := range views { // the free ones go to others
			m := mems[0]
			if i%2 == 0 {
				m = r.Mem
			}
			check(t, b.ranges.Read(&views[i], &held[i], segment(t, m, 0, 1), "test"))
			assert.False(t, seen[views[i].Buf], "it is the buffer of an item")
		}
		for i := range views {
			b.ranges.Release(&views[i], &held[i])
		}
	})
	check(t, mems[1].Shutdown(doctest.Soon(t, 10*time.Millisecond)))
	wantErr(t, mems[0].Shutdown(doctest.Soon(t, 10*time.Millisecond)), context.DeadlineExceeded, "an operation still uses the memory")
	b.locked(func() { b.routes.Release(0) })
	check(t, mems[0].Close())
}

// Routes do not keep the bytes of closed memories: not those that were used and are taken back, and of others only the last few.
func TestRoutesForgetClosedMemories(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b, _ := newRouted(t, r, 1000, 0)
	collected := make(chan struct{}, 100)
	once := func(run bool) {
		data := make([]byte, 1<<16)
		runtime.AddCleanup(&data[0], func(c chan struct{}) { c <- struct{}{} }, collected)
		m := must(doca.RegisterMemory(data, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
		b.routes.Reset()
		b.find(t, r.Mem, m, 0)
		if !run {
			check(t, m.Close())
			return
		}
		b.locked(func() {
			b.routes.Rewind()
			_, err := b.hold(0, 1)
			check(t, err)
		})
		wantErr(t, m.Shutdown(doctest.Soon(t, time.Millisecond)), context.DeadlineExceeded)
		b.locked(func() { b.routes.Recall(0) })
		check(t, m.Close())
	}
	once(true)
	assert.False(t, b.routes.Again(), "Reset has to forget the memory")
	b.routes.Reset()
	assert.True(t, b.routes.Again())
	assert.Eventually(t, func() bool { runtime.GC(); return len(collected) == 1 }, 20*time.Second, time.Millisecond)
	for range 60 {
		once(false)
	}
	b.routes.Reset()
	assert.Eventually(t, func() bool { runtime.GC(); return len(collected) > 30 }, 20*time.Second, time.Millisecond)
}
