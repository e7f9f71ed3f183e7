package bind_test

import (
	"context"
	"testing"

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
