package bind_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// BeginPairs aims buffers that the claim was on, if nothing has to be looked at, and those alone.
func TestBeginPairs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := newClaimed(t, r, 8)
	c.oneGo = true
	run := func(aimed bool, bufs ...int) {
		t.Helper()
		c.pairs(t, bufs...)
		assert.False(t, c.begin(t))
		assert.Equal(t, aimed, c.aimed)
		c.aim(0)
		for i := range len(bufs) / 2 {
			assert.Same(t, c.raw[bufs[2*i]], c.items[i].src.Buf)
			assert.Same(t, c.raw[bufs[2*i+1]], c.items[i].dst.Buf)
			assert.NotZero(t, c.items[i].dst.Data)
		}
		c.end(4)
	}
	same := func() {
		t.Helper()
		assert.True(t, c.begin(t), "nothing is new")
		c.end(4)
	}
	run(false, 0, 4, 1, 5, 2, 6)
	run(true, 1, 5, 2, 6, 0, 4)
	run(true, 0, 5, 1, 4)
	run(true, 0, 4)
	run(false, 0, 4, 3, 7)
	run(true, 0, 4)
	same()
	run(true, 0, 4, 1, 5, 2, 6, 3, 7)
	run(true, 0, 4, 0, 5, 0, 6, 0, 7)
	check(t, c.bufs[0].SetData(2, 9))
	run(true, 0, 4, 1, 5)
	same()
	assert.EqualValues(t, 9, c.items[0].src.Len)
	assert.Equal(t, 9, c.bufs[4].DataLen())
	check(t, c.bufs[4].SetData(0, 3)) // a destination
	run(false, 0, 4, 1, 5)
	run(true, 0, 4, 1, 5)
	run(false, 4, 0, 5, 1) // in other roles it is what a run has filled
	check(t, c.bufs[0].Reset(0, 64))
	run(false, 0, 4, 1, 5)
	run(true, 0, 4, 1, 5)
	other := &claimed{binding: c.binding, bufs: c.bufs, raw: c.raw, items: make([]item, 4), oneGo: true}
	other.claim.Init(c.link, true)
	for turn := range 3 { // two claims of one context take turns
		other.pairs(t, 0, 5, 1, 4)
		other.begin(t)
		assert.True(t, other.aimed)
		other.aim(0)
		other.claim.Submitted(true)
		if turn == 1 { // while one of them is used, the other one gets what is left, and no more
			c.pairs(t, 2, 6)
			must(c.tryBegin())(t)
			c.aim(0)
			c.claim.Submitted(true)
			c.claim.End(nil)
			c.pairs(t, 2, 6, 0, 5)
			_, err := c.tryBegin()
			wantErr(t, err, doca.ErrInUse)
		}
		other.claim.End(nil)
		c.link.Unlock()
		assert.True(t, other.begin(t), "it stays on the buffers")
		other.end(2)
		run(turn != 1, 0, 4, 1, 5)
		assert.False(t, other.begin(t), "the other one was on them")
		other.aim(0)
		other.end(2)
		run(false, 0, 4, 1, 5) // both were on the sources
		run(true, 0, 4, 1, 5)
	}
	same()
	c.pairs(t, 0, 4, 1, 5)
	c.begin(t)
	assert.True(t, c.aimed)
	c.claim.Cancel()
	c.link.Unlock()
	assert.False(t, c.begin(t), "DOCA may not know what it was told for the run that was cancelled")
	c.aim(0)
	c.end(2)
	check(t, c.bufs[0].SetData(0, 63))
	assert.False(t, c.begin(t))
	assert.True(t, c.claim.Moved())
	c.aim(0)
	c.end(2)
	c.pairs(t, 0, 4, 1, 5)
	c.begin(t)
	assert.True(t, c.aimed)
	assert.False(t, c.claim.Moved())
	c.end(1) // the second one has failed
	assert.Equal(t, []int{63, 0}, []int{c.bufs[4].DataLen(), c.bufs[5].DataLen()})
	run(true, 0, 4, 1, 5)
	assert.Equal(t, 64, c.bufs[5].DataLen())

	inv := must(doca.NewInventory(2))(t) // the device closes it
	src, dst := must(inv.Source(r.Mem, 3072, 64))(t), must(inv.Buffer(r.Mem, 3328, 64))(t)
	for _, bufs := range [][]*doca.Buffer{{c.bufs[0], c.bufs[4], src, c.bufs[5]}, {c.bufs[0], c.bufs[4], c.bufs[1], dst}} {
		for range 3 { // in one go it takes two inventories for sources and destinations, not one in the midst of the others
			c.take(t, bufs)
			c.begin(t)
			assert.False(t, c.aimed)
			assert.Equal(t, 2, c.aim(0))
			c.end(2)
		}
		c.pairs(t, 0, 4, 1, 5)
		c.begin(t)
		assert.False(t, c.aimed)
		c.aim(0)
		c.end(2)
		run(true, 0, 4, 1, 5)
		c.take(t, bufs) // nothing but its inventory is new
		c.begin(t)
		assert.False(t, c.aimed)
		looked := make(chan struct{})
		go func() { src.DataLen(); close(looked) }()
		select {
		case <-looked:
			assert.Fail(t, "the inventory is not locked")
		case <-time.After(10 * time.Millisecond):
		}
		c.aim(0)
		c.end(2)
		<-looked
	}
	for range 2 {
		c.take(t, []*doca.Buffer{src, c.bufs[4]})
		c.begin(t)
		c.aim(0)
		c.end(1)
	}
	assert.True(t, c.aimed, "one inventory for sources, and one for destinations")

	var none bind.Claim
	_, aimed, err := none.BeginPairs("test", c.bufs[:2], bind.Views{}, 64)
	assert.False(t, aimed)
	wantErr(t, err, doca.ErrInvalidValue)
	c.link.LockAlways()
	defer c.link.Unlock()
	for _, bufs := range [][]*doca.Buffer{{nil, c.bufs[4]}, {c.bufs[0], {}}, {c.bufs[0], c.bufs[4], nil, c.bufs[5]}} {
		_, aimed, err = c.claim.BeginPairs("test", bufs, bind.ViewsOf(c.items, &c.items[0].src, &c.items[0].dst), 64)
		assert.False(t, aimed)
		wantErr(t, err, doca.ErrInvalidValue)
	}
}

// BeginPairs takes over for a new claim what another one of its context was on, from up to two inventories.
func TestBeginPairsAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := newClaimed(t, r, 8)
	c.oneGo = true
	c.pairs(t, 0, 4, 1, 5)
	c.begin(t)
	c.aim(0)
	c.end(2)
	c.link.LockAlways()
	defer c.link.Unlock()
	fresh := func(keep bool) *claimed {
		x := &claimed{binding: c.binding, bufs: c.bufs, raw: c.raw, items: make([]item, 4), oneGo: true}
		x.claim.Init(c.link, keep)
		return x
	}
	run := func(x *claimed, aimed bool, list ...*doca.Buffer) {
		t.Helper()
		x.take(t, list)
		assert.False(t, must(x.tryBegin())(t))
		assert.Equal(t, aimed, x.aimed)
		assert.Equal(t, len(list)/2, x.aim(0))
		x.claim.Submitted(true)
		for i := range len(list) / 2 {
			assert.Same(t, must(bind.RawBuffer(list[2*i]))(t), x.items[i].src.Buf)
			assert.Same(t, must(bind.RawBuffer(list[2*i+1]))(t), x.items[i].dst.Buf)
		}
		assert.Error(t, list[0].SetData(0, 5), "the run uses it")
		x.claim.End(nil)
	}
	for _, keep := range []bool{true, false} {
		x := fresh(keep)
		run(x, true, c.bufs[0], c.bufs[4], c.bufs[1], c.bufs[5])
		assert.Equal(t, keep, x.claim.Kept())
		run(x, true, c.bufs[1], c.bufs[4])
	}
	run(fresh(true), false, c.bufs[0], c.bufs[4], c.bufs[2], c.bufs[6]) // nobody was on the second pair
	x := fresh(true)
	run(x, true, c.bufs[2], c.bufs[6])
	assert.True(t, x.claim.Kept())
	run(fresh(true), true, c.bufs[2], c.bufs[6])
	assert.False(t, x.claim.Kept(), "another claim has taken its place")

	inv := must(doca.NewInventory(3))(t) // the device closes it
	src, dst := must(inv.Source(r.Mem, 3072, 64))(t), must(inv.Buffer(r.Mem, 3328, 64))(t)
	run(fresh(true), false, src, dst)
	run(fresh(true), true, src, dst)
	run(fresh(true), true, src, c.bufs[4])
	run(fresh(true), true, c.bufs[0], dst)
	run(fresh(true), false, c.bufs[0], c.bufs[4], src, c.bufs[5])
	run(fresh(true), false, c.bufs[0], c.bufs[4], c.bufs[1], dst)

	for _, b := range []*doca.Buffer{src, c.bufs[4]} { // both inventories are locked
		x := fresh(true)
		x.take(t, []*doca.Buffer{src, c.bufs[4]})
		must(x.tryBegin())(t)
		assert.True(t, x.aimed)
		looked := make(chan struct{})
		go func() { b.DataLen(); close(looked) }()
		select {
		case <-looked:
			assert.Fail(t, "the inventory is not locked")
		case <-time.After(10 * time.Millisecond):
		}
		x.claim.Submitted(true)
		x.claim.End(nil)
		<-looked
	}

	for _, keep := range []bool{true, false} { // one that has had buffers one by one
		x := fresh(keep)
		check(t, x.claim.Write(c.bufs[4]))
		check(t, x.claim.Read(c.bufs[0]))
		must(x.claim.Begin("test"))(t)
		x.claim.Submitted(true)
		x.claim.End(nil)
		x.claim.Reset()
		x.take(t, []*doca.Buffer{c.bufs[0], c.bufs[4]})
		must(x.tryBegin())(t)
		assert.Equal(t, !keep, x.aimed)
		x.aim(0)
		x.claim.Submitted(true)
		x.claim.End(func(int) bool { return true })
		assert.Equal(t, 64, c.bufs[0].DataLen(), "a source")
		assert.Zero(t, c.bufs[4].DataLen(), "a destination that was not filled")
	}
}

// BeginPairs looks closer at buffers that another context was on: its device may not reach them.
func TestBeginPairsOfOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := newClaimed(t, r, 2)
	there := *r
	there.Dev = must(doca.OpenDevice(doctest.Host0))(t)
	t.Cleanup(func() { check(t, there.Dev.Close()) })
	there.Mem = must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{there.Dev}}))(t)
	o := newClaimed(t, &there, 2)
	for _, x := range []*claimed{c, o, c, o} {
		x.oneGo = true
		x.pairs(t, 0, 1)
		x.begin(t)
		x.aim(0)
		x.end(1)
	}
	assert.True(t, o.aimed)
	o.take(t, []*doca.Buffer{c.bufs[0], o.bufs[1]})
	o.link.LockAlways()
	defer o.link.Unlock()
	_, err := o.tryBegin()
	wantErr(t, err, doca.ErrInvalidValue, "not registered with the device")
}

// BeginPairs does not use a buffer whose Close was asked for, even if that has given up since: while it used the buffer itself,
// while another claim of its context did, or while the memory was closed and another buffer on it was in use.
func TestBeginPairsClosing(t *testing.T) {
	t.Parallel()
	for _, end := range []int{0, 1} { // the source or the destination
		for _, how := range []string{"own", "other", "memory"} {
			t.Run(fmt.Sprint(how, end), func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				c := newClaimed(t, r, 6)
				user := c
				if how == "other" {
					user = &claimed{binding: c.binding, bufs: c.bufs, raw: c.raw, items: make([]item, 2)}
					user.claim.Init(c.link, true)
				}
				c.oneGo, user.oneGo = true, true
				used := []int{0, 3}
				for _, x := range []*claimed{c, user, c, user, c} { // until they pass the buffers on in one go
					x.pairs(t, 0, 3, 1, 4)
					x.begin(t)
					x.aim(0)
					x.end(2)
				}
				assert.True(t, c.aimed)
				if how == "memory" {
					used = []int{1, 4}
				}
				user.pairs(t, used...)
				user.begin(t)
				assert.True(t, user.aimed)
				user.claim.Submitted(true)
				c.link.Unlock()
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				if how == "memory" {
					wantErr(t, r.Mem.Shutdown(ctx), context.Canceled)
				} else {
					wantErr(t, c.bufs[3*end].Shutdown(ctx), context.Canceled)
				}
				c.link.LockAlways()
				defer c.link.Unlock()
				user.claim.End(nil)
				c.pairs(t, 0, 3)
				_, err := c.tryBegin()
				if err == nil {
					c.claim.Cancel()
				}
				wantErr(t, err, doca.ErrClosed)
			})
		}
	}
}
