package bind_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

func TestLeakOfChild(t *testing.T) {
	reports := make(chan doca.Object, 1)
	doca.SetLeakReporter(func(o doca.Object) { reports <- o })
	defer doca.SetLeakReporter(nil)
	r := newRig(t)
	closed := false
	func() {
		must(bind.NewChild(bind.ChildConfig{Kind: "part", Detail: "of all", Parent: r.DMA, Close: func(context.Context) error {
			closed = true
			return nil
		}}))(t)
	}()
	o := doctest.CollectLeak(t, reports)
	assert.Contains(t, o.Name, "part#")
	assert.Contains(t, o.Name, "(of all)")
	assert.Contains(t, o.Site, "child_test.go:")
	check(t, r.DMA.Close())
	assert.True(t, closed)
	_, err := bind.NewChild(bind.ChildConfig{Kind: "part", Parent: r.DMA, Close: func(context.Context) error { return nil }})
	wantErr(t, err, doca.ErrClosed, "create part")
	_, err = bind.NewChild(bind.ChildConfig{Kind: "part", Close: func(context.Context) error { return nil }})
	wantErr(t, err, doca.ErrInvalidValue, "create part", "parent")
}

// A child of several owners is closed with the first of them that is. Owners hear of a close before those below them, and before anything is closed; an error
// leaves all as it is.
func TestOwnersAndBefore(t *testing.T) {
	r := newRig(t)
	var calls []string
	var refuse error
	config := func(name string, parent bind.Owner, owners ...bind.Owner) bind.ChildConfig {
		return bind.ChildConfig{Kind: name, Parent: parent, Owners: owners, AfterContexts: true,
			Before: func(context.Context) error { calls = append(calls, "before "+name); return refuse },
			Close:  func(context.Context) error { calls = append(calls, "close "+name); return nil }}
	}
	first := must(bind.NewChild(config("first", r.Dev)))(t)
	second := must(bind.NewChild(config("second", r.Dev)))(t)
	below := must(bind.NewChild(config("below", first, second, first)))(t)
	refuse = doca.ErrAgain
	wantErr(t, second.Close(), doca.ErrAgain)
	assert.Equal(t, []string{"before second"}, calls)
	refuse, calls = nil, nil
	check(t, second.Close())
	assert.Equal(t, []string{"before second", "before below", "close below", "close second"}, calls)
	check(t, below.Close())
	check(t, first.Close())
	assert.Equal(t, []string{"before first", "close first"}, calls[4:])
	_, err := bind.NewChild(config("late", r.Dev, second))
	wantErr(t, err, doca.ErrClosed)
}

// A child gets an owner after it was made, which closes it from then on, unless it is taken back.
func TestAddOwner(t *testing.T) {
	r := newRig(t)
	child := func(name string, owners ...bind.Owner) *bind.Child {
		return must(bind.NewChild(bind.ChildConfig{Kind: name, Parent: r.Dev, Owners: owners, Close: func(context.Context) error { return nil }}))(t)
	}
	is := func(want bool, c *bind.Child) {
		t.Helper()
		_, err := bind.AddOwner("look", c, r.DMA)
		assert.Equal(t, want, errors.Is(err, doca.ErrClosed), "%v: %v", c, err)
	}
	part, other, owner := child("part"), child("other"), child("owner")
	must(bind.AddOwner("own", part, owner))(t)
	again := must(bind.AddOwner("own", part, owner))(t)
	again() // it was an owner before
	leave := must(bind.AddOwner("own", other, owner))(t)
	leave()
	_, err := bind.AddOwner("own", owner, child("below", part))
	wantErr(t, err, doca.ErrInvalidValue, "own on owner#", "cannot own it")
	_, err = bind.AddOwner("own", owner, owner)
	wantErr(t, err, doca.ErrInvalidValue, "cannot own it")
	for _, none := range []bind.Owner{nil, (*bind.Child)(nil), new(bind.Child)} {
		_, err = bind.AddOwner("own", owner, none)
		wantErr(t, err, doca.ErrInvalidValue, "own", "nil or a zero value")
	}
	for _, none := range []*bind.Child{nil, new(bind.Child)} {
		_, err = bind.AddOwner("own", none, owner)
		wantErr(t, err, doca.ErrInvalidValue, "own", "nil or a zero value")
	}
	check(t, owner.Close())
	leave()
	is(true, part)
	is(false, other)
	_, err = bind.AddOwner("own", other, owner)
	wantErr(t, err, doca.ErrClosed, "own")
	leave = must(bind.AddOwner("own", other, child("last")))(t)
	check(t, other.Close())
	leave()
}

// The handle of an added owner is kept alive, and no longer when it was taken back.
func TestAddOwnerKeepsAlive(t *testing.T) {
	r := newRig(t)
	child := func() *bind.Child {
		return must(bind.NewChild(bind.ChildConfig{Kind: "kept", Parent: r.Dev, Close: func(context.Context) error { return nil }}))(t)
	}
	part := child()
	owner := func(stays bool) weak.Pointer[bind.Child] {
		o := child()
		leave := must(bind.AddOwner("own", part, o))(t)
		if !stays {
			leave()
			check(t, o.Close())
		}
		return weak.Make(o)
	}
	stays, left := owner(true), owner(false)
	assert.Eventually(t, func() bool { runtime.GC(); return left.Value() == nil }, 20*time.Second, time.Millisecond)
	o := stays.Value()
	assert.NotNil(t, o)
	check(t, part.Close())
	check(t, o.Close())
}
