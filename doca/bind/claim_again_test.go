package bind_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
)

// again reports whether a run begins without a look at the buffers, and cancels it.
func (c *claimed) again() bool {
	c.link.LockAlways()
	defer c.link.Unlock()
	began := c.claim.Again()
	if began {
		c.claim.Cancel()
	}
	return began
}

// run runs the claim as it is.
func (c *claimed) run(t *testing.T) {
	t.Helper()
	c.begin(t)
	c.aim(0)
	c.end(4)
}

// A run begins without a look at the buffers only if nothing has happened to them since the last one.
func TestClaimBeginsAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := newClaimed(t, r, 8)
	assert.False(t, c.again(), "it has no buffers")
	c.pairs(t, 0, 4, 1, 5)
	assert.False(t, c.again(), "it was not on them yet")
	c.run(t)
	assert.True(t, c.again())
	assert.True(t, c.again(), "a run that was cancelled changes nothing")
	var other bind.Claim
	other.Init(c.link, true)
	claims := func(add func(*doca.Buffer) error, b int) func() {
		return func() {
			check(t, add(c.bufs[b]))
			c.link.LockAlways()
			must(other.Begin("test"))(t)
			other.Submitted(true)
			other.End(nil)
			c.link.Unlock()
			other.Reset()
		}
	}
	for name, happens := range map[string]func(){
		"data of a source":      func() { check(t, c.bufs[1].SetData(1, 2)) },
		"data of a destination": func() { check(t, c.bufs[5].SetData(1, 2)) },
		"a region":              func() { check(t, c.bufs[0].Reset(0, 64)) },
		"a list":                func() { check(t, c.bufs[0].Chain(c.bufs[3])); check(t, c.bufs[0].Unchain(c.bufs[3])) },
		"the same pairs":        func() { c.pairs(t, 0, 4, 1, 5) },
		"other pairs":           func() { c.pairs(t, 1, 5, 0, 4) },
		"it is written to":      claims(other.Write, 0),
		"a destination is read": claims(other.Read, 4),
		"a run fails":           func() { c.begin(t); c.end(1) },
	} {
		c.run(t)
		assert.True(t, c.again(), name)
		happens()
		assert.False(t, c.again(), name)
		c.run(t)
		c.pairs(t, 0, 4, 1, 5)
	}
	c.run(t)
	claims(other.Read, 0)()
	assert.True(t, c.again(), "others may read what it reads")
	c.link.LockAlways()
	assert.True(t, c.claim.Again())
	c.claim.Submitted(true)
	c.link.Unlock()
	for _, b := range []int{0, 4} {
		wantErr(t, c.bufs[b].SetData(1, 2), doca.ErrInUse)
		wantErr(t, c.bufs[b].Reset(0, 64), doca.ErrInUse)
	}
	check(t, other.Read(c.bufs[4]))
	c.link.LockAlways()
	_, err := other.Begin("test")
	c.link.Unlock()
	wantErr(t, err, doca.ErrInUse)
	c.link.LockAlways()
	c.claim.End(nil)
	c.link.Unlock()
	check(t, c.bufs[0].Close())
	assert.False(t, c.again(), "a buffer is closed")
}

// Claims of two engines that write to the same buffer are never on it at the same time, however they begin.
func TestClaimsAgainBesideEachOther(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := newClaimed(t, r, 4)
	far := *r
	far.PE = must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	t.Cleanup(func() { check(t, far.PE.Close()) })
	b := newClaimed(t, &far, 0)
	b.items = make([]item, 2)
	for _, c := range []*claimed{a, b} {
		check(t, c.claim.Pairs([]*doca.Buffer{a.bufs[0], a.bufs[2]}))
	}
	var on, both, agains atomic.Int32
	run := func(c *claimed) bool {
		c.link.LockAlways()
		defer c.link.Unlock()
		if c.claim.Again() {
			if c == a {
				agains.Add(1)
			}
		} else {
			if _, err := c.claim.Begin("test"); err != nil {
				return false
			}
			c.aim(0)
		}
		if on.Add(1) != 1 {
			both.Add(1)
		}
		for range 1000 { // in which the other one must not begin
			on.Load()
		}
		c.claim.Submitted(true)
		on.Add(-1)
		c.claim.End(nil)
		return true
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		seen := int32(0)
		for turns := 0; turns < 50; {
			if !run(b) {
				continue
			}
			if now := agains.Load(); now != seen { // a has begun again meanwhile
				seen = now
				turns++
			}
			runtime.Gosched()
		}
	}()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		for range 8 {
			run(a)
			for range 300 { // in which the other one may begin
				on.Load()
			}
		}
	}
	assert.Zero(t, both.Load(), "times that both were on the buffers")
}

// A run uses the data that was set before it, however it begins.
func TestClaimAgainBesideSetData(t *testing.T) {
	t.Parallel()
	for _, locked := range []bool{false, true} { // how SetData does it
		c := newClaimed(t, newRig(t), 4)
		if locked {
			check(t, c.bufs[0].Reset(0, 64))
		}
		c.pairs(t, 0, 2, 1, 3)
		const most = 10000
		lens := make([]atomic.Int32, most+2) // the data that each call sets, also one that is under way
		var calls atomic.Int32               // that have set data
		lens[0].Store(64)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range most {
				k := calls.Load() + 1
				lens[k].Store(int32(1 + i%64))
				if c.bufs[0].SetData(0, 1+i%64) == nil {
					calls.Store(k)
				}
				for range i % 256 { // so that runs begin again meanwhile
					calls.Load()
				}
			}
		}()
		used, agains, wrong := int32(0), 0, 0
		run := func() {
			c.link.LockAlways()
			defer c.link.Unlock()
			if c.claim.Again() {
				agains++
			} else {
				must(c.claim.Begin("test"))(t)
				assert.Equal(t, 2, c.aim(0))
				used = int32(c.claim.WriteLen(1))
			}
			for range 50 { // in which no call can set data
				calls.Load()
			}
			k := calls.Load() // or one more, of which the count is not known yet
			if used != lens[k].Load() && used != lens[k+1].Load() {
				wrong++
			}
			c.claim.Submitted(true)
			c.claim.End(nil)
		}
		for ended := false; !ended; {
			select {
			case <-done:
				ended = true
			default:
			}
			for range 3 {
				run()
			}
		}
		assert.Zero(t, wrong, "runs with other data")
		assert.Equal(t, lens[calls.Load()].Load(), used, "the last run has what was set last")
		assert.NotZero(t, agains)
	}
}
