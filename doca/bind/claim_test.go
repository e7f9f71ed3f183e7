package bind_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/generated/common"
)

// item is that of a task with two buffers.
type item struct {
	more     uint64
	src, dst common.BufView
}

// claimed is a binding with a claim, and buffers of 64 bytes. The first half of them are full.
type claimed struct {
	binding
	claim bind.Claim
	bufs  []*doca.Buffer
	raw   []*common.Buf
	items []item

	oneGo bool           // BeginPairs is called in place of Pairs and Begin
	next  []*doca.Buffer // for that
	aimed bool           // by it
}

// bothWays runs a test for a claim that gets its buffers by Pairs, and for one that gets them by BeginPairs.
func bothWays(t *testing.T, n int, f func(t *testing.T, r *doctest.Rig, c *claimed)) {
	t.Parallel()
	for name, oneGo := range map[string]bool{"Pairs": false, "BeginPairs": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.Inv = must(doca.NewInventory(32))(t) // for more buffers; the device closes it
			c := newClaimed(t, r, n)
			c.oneGo = oneGo
			f(t, r, c)
		})
	}
}

func newClaimed(t *testing.T, r *doctest.Rig, n int) *claimed {
	t.Helper()
	c := &claimed{items: make([]item, n/2)}
	ctx := must(bind.NewContext(c.config(r)))(t)
	t.Cleanup(func() { check(t, ctx.Close()) })
	c.claim.Init(c.link, true)
	for i := range n {
		b := must(r.Inv.Buffer(r.Mem, i*64, 64))(t)
		if i < n/2 {
			check(t, b.SetData(0, 64))
		}
		c.bufs, c.raw = append(c.bufs, b), append(c.raw, must(bind.RawBuffer(b))(t))
	}
	return c
}

func (c *claimed) pairs(t *testing.T, bufs ...int) {
	t.Helper()
	var list []*doca.Buffer
	for _, i := range bufs {
		list = append(list, c.bufs[i])
	}
	c.take(t, list)
}

// take makes buffers those of the next run.
func (c *claimed) take(t *testing.T, list []*doca.Buffer) {
	t.Helper()
	if c.oneGo {
		c.next = list
	} else {
		check(t, c.claim.Pairs(list))
	}
}

func (c *claimed) aim(pair int) int {
	if c.aimed {
		return c.claim.Len()/2 - pair
	}
	items := c.items[pair:]
	return c.claim.Aim(pair, bind.ViewsOf(items, &items[0].src, &items[0].dst), 64)
}

// begin claims the buffers, and returns whether they are as before.
func (c *claimed) begin(t *testing.T) bool {
	t.Helper()
	c.link.LockAlways()
	return must(c.tryBegin())(t)
}

func (c *claimed) tryBegin() (same bool, err error) {
	if c.aimed = false; c.next == nil {
		return c.claim.Begin("test")
	}
	items := c.items[:len(c.next)/2]
	same, c.aimed, err = c.claim.BeginPairs("test", c.next, bind.ViewsOf(items, &items[0].src, &items[0].dst), 64)
	c.next = nil
	return same, err
}

// end ends a run, of which the pairs from the given one on have failed.
func (c *claimed) end(failed int) {
	c.claim.Submitted(true)
	if failed < c.claim.Len()/2 {
		c.claim.End(func(i int) bool { return i/2 >= failed })
	} else {
		c.claim.End(nil)
	}
	c.link.Unlock()
}

// The items of pairs get their buffers, and what has to be said about their data.
func TestAim(t *testing.T) { bothWays(t, 8, testAim) }

func testAim(t *testing.T, r *doctest.Rig, c *claimed) {
	start := c.bufs[0].Memory().Address()
	check(t, c.bufs[1].SetData(3, 5))
	c.pairs(t, 0, 4, 1, 5, 2, 6, 3, 7)
	assert.False(t, c.begin(t))
	for _, none := range []int{-1, 4, 5, math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt} {
		assert.Zero(t, c.claim.Aim(none, bind.ViewsOf(c.items[:1], &c.items[0].src, &c.items[0].dst), 64), "there is no pair %d", none)
	}
	assert.Equal(t, 4, c.aim(0))
	for i, n := range []int{64, 5, 64, 64} {
		src, dst := c.items[i].src, c.items[i].dst
		assert.Same(t, c.raw[i], src.Buf)
		assert.Equal(t, common.BufView{Buf: c.raw[4+i], Data: start + uintptr(4+i)*64}, dst)
		assert.Equal(t, n, c.claim.WriteLen(2*i+1))
		assert.Zero(t, c.items[i].more)
	}
	assert.Equal(t, common.BufView{Buf: c.raw[1], Data: start + 64 + 3, Len: 5}, c.items[1].src)
	c.end(4)
	for i, n := range []int{64, 5, 64, 64, 64, 5, 64, 64} {
		assert.Equal(t, n, c.bufs[i].DataLen(), "buffer %d", i)
	}
	assert.True(t, c.begin(t)) // nothing is new
	c.end(4)
	assert.Equal(t, 5, c.bufs[5].DataLen())

	c.pairs(t, 0, 4, 1, 5, 2, 6, 3, 7) // the same again: the items may have been changed
	assert.False(t, c.begin(t))
	assert.False(t, c.claim.Moved())
	assert.Equal(t, 4, c.aim(0))
	assert.Zero(t, c.items[1].src.Data, "DOCA knows the data segment")
	c.end(4)
	check(t, c.bufs[1].SetData(1, 2))
	assert.False(t, c.begin(t))
	assert.True(t, c.claim.Moved())
	assert.Equal(t, 4, c.aim(0))
	assert.EqualValues(t, 2, c.items[1].src.Len)
	c.claim.Submitted(true)
	assert.Equal(t, 5, c.bufs[5].DataLen(), "what a run has not filled yet")
	wantErr(t, c.bufs[5].SetData(0, 1), doca.ErrInUse)
	c.claim.End(nil)
	c.link.Unlock()
	assert.Equal(t, 2, c.bufs[5].DataLen())
}

// Aim stops at a pair that has to be measured, wherever it is, and goes on behind it.
func TestAimStops(t *testing.T) { bothWays(t, 8, testAimStops) }

func testAimStops(t *testing.T, r *doctest.Rig, c *claimed) {
	large := must(r.Inv.Source(r.Mem, 2048, 65))(t)
	small, room := must(r.Inv.Buffer(r.Mem, 1024, 8))(t), must(r.Inv.Buffer(r.Mem, 3072, 128))(t)
	before, behind := must(r.Inv.Buffer(r.Mem, 2*64-63, 64))(t), must(r.Inv.Buffer(r.Mem, 3*64-1, 64))(t)
	head, tail := must(r.Inv.Source(r.Mem, 3328, 64))(t), must(r.Inv.Source(r.Mem, 3584, 8))(t)
	check(t, head.Chain(tail))
	for name, odd := range map[string][2]*doca.Buffer{
		"no data": {small, c.bufs[6]}, "too much": {large, room}, "no room": {c.bufs[2], small}, "first byte": {c.bufs[2], before},
		"last byte": {c.bufs[2], behind}, "list that is read": {head, c.bufs[6]}, "list that is written": {c.bufs[2], head},
	} {
		for range 2 { // the first time the claim is not on the buffers yet
			for at := range 3 {
				bufs := []*doca.Buffer{c.bufs[0], c.bufs[4], c.bufs[1], c.bufs[5]}
				bufs = append(bufs[:2*at:2*at], append([]*doca.Buffer{odd[0], odd[1]}, bufs[2*at:]...)...)
				c.take(t, bufs)
				assert.False(t, c.begin(t))
				assert.False(t, c.aimed)
				assert.Equal(t, at, c.aim(0), name)
				if at < 2 {
					assert.Equal(t, 2-at, c.aim(at+1), name)
				}
				c.claim.Cancel()
				c.link.Unlock()
			}
		}
	}
}

// What a run fills shows when it has ended: after one that was cancelled the data are those from before, and after one
// that has failed there are none.
func TestFilled(t *testing.T) { bothWays(t, 8, testFilled) }

func testFilled(t *testing.T, r *doctest.Rig, c *claimed) {
	for _, again := range []bool{false, true} { // other buffers for each run, which takes the claim off those that it has
		other := []int{1, 5, 0, 4}
		run := func(n int) {
			check(t, c.bufs[0].SetData(0, n))
			check(t, c.bufs[1].SetData(0, n))
			if again {
				other[0], other[1], other[2], other[3] = other[2], other[3], other[0], other[1]
				c.pairs(t, other...)
			}
			assert.False(t, c.begin(t))
			assert.Equal(t, 2, c.aim(0))
		}
		lens := func() []int { return []int{c.bufs[4].DataLen(), c.bufs[5].DataLen()} }
		c.pairs(t, other...)
		for n := 10; n < 40; n += 10 {
			run(n)
			c.end(2)
			assert.Equal(t, []int{n, n}, lens())
			run(n + 1)
			c.end(2) // nobody looks at what it has filled, before
			check(t, c.bufs[0].SetData(0, n+2))
			c.begin(t)
			c.claim.Cancel() // before Aim
			c.link.Unlock()
			assert.Equal(t, []int{n + 1, n + 1}, lens())
			run(n + 2)
			c.end(2)
			run(n + 3)
			c.claim.Cancel()
			c.link.Unlock()
			assert.Equal(t, []int{n + 2, n + 2}, lens())
			assert.False(t, c.begin(t), "DOCA may not know what it was told for the run that was cancelled")
			c.aim(0)
			c.end(2)
			assert.Equal(t, []int{n + 3, n + 3}, lens())
			run(n + 4)
			c.end(1)
			assert.ElementsMatch(t, []int{n + 4, 0}, lens())
			run(n + 5)
			c.end(2)
			check(t, c.bufs[4].SetData(1, 2)) // of a destination
			assert.Equal(t, []int{2, n + 5}, lens())
			run(n + 6)
			c.end(2)
			assert.Equal(t, []int{n + 6, n + 6}, lens())
		}
	}
}

// What holds for a buffer that a claim has never seen holds for one that it was on before.
func TestClaimAgain(t *testing.T) { bothWays(t, 8, testClaimAgain) }

func testClaimAgain(t *testing.T, r *doctest.Rig, c *claimed) {
	refused := func(want error, bufs ...int) {
		t.Helper()
		c.pairs(t, bufs...)
		c.link.LockAlways()
		_, err := c.tryBegin()
		if err == nil {
			c.claim.Cancel()
		}
		c.link.Unlock()
		wantErr(t, err, want)
	}
	run := func(bufs ...int) {
		t.Helper()
		c.pairs(t, bufs...)
		c.begin(t)
		assert.Equal(t, len(bufs)/2, c.aim(0))
		c.end(4)
	}
	for range 2 {
		run(0, 4, 1, 5, 2, 6, 3, 7)
		run(0, 5, 0, 4, 0, 6)
		refused(doca.ErrInUse, 0, 4, 1, 4)
		refused(doca.ErrInUse, 0, 4, 4, 5)
		refused(doca.ErrInUse, 4, 5, 0, 4)
		refused(doca.ErrInUse, 0, 4, 1, 1)
		check(t, c.bufs[1].SetData(32, 8))
		refused(doca.ErrInUse, 0, 4, 1, 1) // although these bytes stay
		check(t, c.bufs[1].SetData(0, 64))
		check(t, c.bufs[0].SetData(3, 33))
		run(0, 4, 1, 5)
		run(4, 0, 5, 1) // in other roles
		assert.Equal(t, 33, c.bufs[0].DataLen())
		run(0, 4, 1, 5)
		check(t, c.bufs[0].SetData(0, 64))
	}
	var other bind.Claim
	other.Init(c.link, true)
	during := func(read, write int, f func()) {
		t.Helper()
		check(t, other.Pairs([]*doca.Buffer{c.bufs[read], c.bufs[write]}))
		c.link.LockAlways()
		must(other.Begin("test"))(t)
		other.Submitted(true)
		c.link.Unlock()
		f()
		c.link.LockAlways()
		other.End(nil)
		c.link.Unlock()
	}
	for range 2 {
		run(0, 4, 1, 5, 2, 6)
		during(0, 7, func() {
			run(0, 4, 1, 5) // it is only read
			refused(doca.ErrInUse, 1, 4, 5, 0)
			refused(doca.ErrInUse, 1, 4, 5, 7)
			refused(doca.ErrInUse, 1, 4, 7, 5)
			run(0, 4, 0, 5)
			refused(doca.ErrInUse, 1, 0)
		})
		run(1, 0, 7, 5)
		run(0, 4)
	}
	run(0, 4, 2, 6)
	during(2, 7, func() {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		wantErr(t, c.bufs[2].Shutdown(ctx), context.Canceled) // from now on it takes no new work
		refused(doca.ErrClosed, 0, 4, 2, 6)
	})
	check(t, c.bufs[2].Close())
	c.bufs[2] = must(r.Inv.Source(r.Mem, 2*64, 64))(t)
	run(0, 4, 2, 6)
	check(t, c.bufs[2].Chain(c.bufs[3]))
	refused(doca.ErrNotPermitted, 0, 4, 3, 5)
	check(t, c.bufs[2].Unchain(c.bufs[3]))
	run(0, 4, 3, 5)
	check(t, c.bufs[3].Close())
	refused(doca.ErrClosed, 0, 4, 3, 5)
	wantErr(t, c.claim.Pairs([]*doca.Buffer{c.bufs[0], nil}), doca.ErrInvalidValue, "destination is nil")
	wantErr(t, c.claim.Pairs([]*doca.Buffer{{}, c.bufs[4]}), doca.ErrInvalidValue, "source is nil")
	assert.Zero(t, c.claim.Len())
	run(0, 4, 1, 5)
}

// A memory that devices may only read stays so for a claim that has read it.
func TestClaimReadOnly(t *testing.T) { bothWays(t, 4, testClaimReadOnly) }

func testClaimReadOnly(t *testing.T, r *doctest.Rig, c *claimed) {
	mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}, Access: doca.AccessLocalReadOnly}))(t)
	b := must(r.Inv.Source(mem, 0, 64))(t)
	for range 2 {
		c.take(t, []*doca.Buffer{b, c.bufs[2]})
		c.begin(t)
		c.aim(0)
		c.end(1)
		c.take(t, []*doca.Buffer{c.bufs[0], b})
		c.link.LockAlways()
		_, err := c.tryBegin()
		c.link.Unlock()
		wantErr(t, err, doca.ErrNotPermitted, "read-only")
	}
}

// Lists are what they are for a claim that was on them before: their elements get data, and tell DOCA of theirs.
func TestClaimOfLists(t *testing.T) { bothWays(t, 8, testClaimOfLists) }

func testClaimOfLists(t *testing.T, r *doctest.Rig, c *claimed) {
	check(t, c.bufs[0].Chain(c.bufs[1]))
	check(t, c.bufs[4].Chain(c.bufs[5]))
	lists, single := []int{0, 4}, []int{2, 6}
	for n := range 4 {
		bufs := append(lists[:2:2], single...) // in turns before and behind the others
		if n%2 == 1 {
			bufs = append(single[:2:2], lists...)
		}
		c.pairs(t, bufs...)
		if n%2 == 0 {
			check(t, c.bufs[1].SetData(0, 10+n))
		}
		check(t, common.BufSetData(c.raw[5], c.bufs[5].Memory().Address()+5*64, 9)) // as a device does
		c.begin(t)
		assert.EqualValues(t, 10+n&^1, must(common.BufGetDataLen(c.raw[1]))(t))
		assert.Zero(t, must(common.BufGetDataLen(c.raw[5]))(t))
		at := 2 * (n % 2)
		assert.Equal(t, at/2, c.aim(0))
		c.claim.SetLen(at+1, 64+10+n)
		c.aim(at/2 + 1)
		c.end(2)
		assert.Equal(t, 10+n, c.bufs[5].DataLen())
		assert.Equal(t, 64, c.bufs[6].DataLen())
	}
	c.claim.Reset()
	for n := range 2 { // without Aim
		check(t, c.claim.Write(c.bufs[7]))
		c.begin(t)
		c.claim.SetLen(0, 20+n)
		c.end(1)
		assert.Equal(t, 20+n, c.bufs[7].DataLen())
		c.claim.Reset()
	}
}

// Begin locks the inventories of all buffers, and of no others.
func TestClaimInventories(t *testing.T) { bothWays(t, 4, testClaimInventories) }

func testClaimInventories(t *testing.T, r *doctest.Rig, c *claimed) {
	other := must(doca.NewInventory(2))(t)
	t.Cleanup(func() { check(t, other.Close()) })
	src, dst := must(other.Source(r.Mem, 1024, 64))(t), must(other.Buffer(r.Mem, 2048, 64))(t)
	for _, x := range []struct {
		pair  [2]*doca.Buffer
		locks int // of buffer 0 and of src
	}{{[2]*doca.Buffer{c.bufs[0], c.bufs[2]}, 1}, {[2]*doca.Buffer{c.bufs[0], dst}, 3}, {[2]*doca.Buffer{src, dst}, 2},
		{[2]*doca.Buffer{src, c.bufs[2]}, 3}, {[2]*doca.Buffer{c.bufs[0], c.bufs[2]}, 1}} {
		c.take(t, x.pair[:])
		c.begin(t)
		for i, b := range []*doca.Buffer{c.bufs[0], src} {
			looked := make(chan struct{})
			go func() { b.DataLen(); close(looked) }()
			if x.locks>>i&1 == 0 {
				<-looked
				continue
			}
			select {
			case <-looked:
				assert.Fail(t, "the inventory is not locked")
			case <-time.After(10 * time.Millisecond):
			}
		}
		c.aim(0)
		c.end(1)
	}
}

// A claim that has lost its buffers, as that of messages without data, holds none of them, and can have them again.
func TestClaimOfNothing(t *testing.T) {
	t.Parallel()
	r := doctest.NewRig(t)
	c := newClaimed(t, r, 2)
	for range 2 {
		c.claim.Reset()
		check(t, c.claim.Read(c.bufs[0]))
		assert.False(t, c.begin(t))
		c.end(1)
		for again := range 3 {
			if again < 2 { // the same nothing need not be looked at
				c.claim.Reset()
			}
			assert.Equal(t, again == 2, c.begin(t))
			check(t, c.bufs[0].SetData(0, 32))
			c.end(1)
		}
	}
	c.claim.Reset()
	c.begin(t)
	c.claim.Cancel()
	c.link.Unlock()
	check(t, c.bufs[0].Close())
	check(t, c.bufs[1].Close())
}
