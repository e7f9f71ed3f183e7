package bind_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/common"
)

// A place knows the buffer that was posted there last. The short ways do what the long ones do, or nothing.
func TestPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := newBinding(t, r)
	var posting bind.Posting
	posting.Init(b.link, r.Mem)
	first, second := must(r.Inv.Buffer(r.Mem, 64, 16))(t), must(r.Inv.Buffer(r.Mem, 128, 16))(t)
	run := func(f func()) { // with the locks
		b.link.LockAlways()
		defer b.link.Unlock()
		defer posting.Unlock()
		f()
	}
	var place bind.Place
	start, raw := r.Mem.Address()+64, must(bind.RawBuffer(first))(t)
	run(func() {
		assert.False(t, posting.Again(&place, first), "it was not there before")
		view := must(posting.PostAt(&place, first, "post"))(t)
		assert.Equal(t, common.BufView{Buf: raw, Data: start}, view)
		assert.False(t, posting.Again(&place, first), "it is posted")
		_, err := posting.PostAt(&place, second, "post")
		check(t, err)
		posting.Returned(second)
		assert.False(t, posting.Again(&place, first), "it is posted at another place")
		posting.Returned(first)
		_, err = posting.PostAt(&place, first, "post")
		check(t, err)
	})
	run(func() {
		assert.False(t, posting.Fill(&place, 3), "nothing is locked")
		posting.FilledAt(&place, 3)
		assert.Equal(t, r.Mem.Bytes()[64:67:80], place.Data(3))
		assert.Len(t, place.Data(17), 16)
		assert.Len(t, place.Data(-1), 16)
	})
	assert.Equal(t, 3, first.DataLen())
	run(func() {
		assert.False(t, posting.Again(&place, first), "nothing is locked")
		posting.Reach(&place)
		assert.False(t, posting.Again(&place, second), "another one was there")
		assert.True(t, posting.Again(&place, first))
		assert.False(t, posting.Fill(&place, 17), "it has not so much room")
		assert.False(t, posting.Fill(&place, -1))
		assert.True(t, posting.Fill(&place, 5))
	})
	assert.Equal(t, 5, first.DataLen())
	for name, change := range map[string]func(){
		"SetData": func() { check(t, first.SetData(1, 2)) },
		"Reset":   func() { check(t, first.Reset(256, 32)) },
	} {
		change()
		run(func() {
			posting.Reach(&place)
			assert.False(t, posting.Again(&place, first), name)
			_, err := posting.PostAt(&place, first, "post")
			check(t, err)
			assert.True(t, posting.Fill(&place, 1))
		})
	}
	assert.Equal(t, 1, first.DataLen())
	check(t, first.Close())
	run(func() {
		posting.Reach(&place)
		assert.False(t, posting.Again(&place, first))
		_, err := posting.PostAt(&place, first, "post")
		wantErr(t, err, doca.ErrClosed)
	})
}
