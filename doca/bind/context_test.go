package bind_test

import (
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
	"github.com/go-doca/go-doca/generated/dma"
)

// binding is the least that binds a library: a DOCA DMA context without tasks.
type binding struct {
	link *bind.Link
	raw  *dma.DMA
}

func (b *binding) config(r *doctest.Rig) bind.ContextConfig {
	return bind.ContextConfig{
		Kind:   "bound",
		Device: r.Dev,
		Engine: r.PE,
		Create: func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) {
			b.link = link
			var err error
			if b.raw, err = dma.Create(dev); err != nil {
				return nil, err
			}
			return dma.AsCtx(b.raw)
		},
		Destroy: func(ring *abi.Ring) error {
			if b.raw == nil { // Create has made nothing
				return nil
			}
			return dma.Destroy(ring, b.raw)
		},
		Handle: func([]abi.Record) {},
	}
}

// startable is like config, but the context can be started: it has a task.
func (b *binding) startable(r *doctest.Rig) bind.ContextConfig {
	cfg := b.config(r)
	create := cfg.Create
	cfg.Create = func(dev *common.Dev, link *bind.Link) (*common.Ctx, error) {
		ctx, err := create(dev, link)
		if err == nil {
			err = dma.TaskMemcpySetConf(b.raw, 1)
		}
		return ctx, err
	}
	return cfg
}

func newBinding(t *testing.T, r *doctest.Rig) *binding {
	b := new(binding)
	c := must(bind.NewContext(b.config(r)))(t)
	t.Cleanup(func() { check(t, c.Close()) })
	return b
}

func TestNewContextErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, change := range map[string]func(*bind.ContextConfig){
		"no device":         func(c *bind.ContextConfig) { c.Device = nil },
		"zero device":       func(c *bind.ContextConfig) { c.Device = &doca.Device{} },
		"no engine":         func(c *bind.ContextConfig) { c.Engine = nil },
		"zero engine":       func(c *bind.ContextConfig) { c.Engine = &doca.ProgressEngine{} },
		"nothing but names": func(c *bind.ContextConfig) { *c = bind.ContextConfig{Kind: "bound"} },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := new(binding).config(r)
			change(&cfg)
			_, err := bind.NewContext(cfg)
			wantErr(t, err, doca.ErrInvalidValue, "create bound", "device", "engine")
		})
	}
}

// An engine of its own comes and goes with the context.
func TestOwnEngine(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := new(binding)
	cfg := b.config(r)
	cfg.Engine, cfg.OwnEngine = nil, true
	c := must(bind.NewContext(cfg))(t)
	assert.Same(t, r.Dev, c.Device())
	_, err := c.Engine().Progress()
	check(t, err)
	check(t, c.Close())
	_, err = c.Engine().Progress()
	wantErr(t, err, doca.ErrClosed, "engine#")
}

// What a caller of the binding passes on is checked here: it need not look.
func TestNoBuffer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	link := newBinding(t, r).link
	for name, none := range map[string]*doca.Buffer{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			var claim bind.Claim
			claim.Init(link, false)
			wantErr(t, claim.Read(none), doca.ErrInvalidValue, "source", "bound#")
			wantErr(t, claim.Write(none), doca.ErrInvalidValue, "destination")
			check(t, claim.Read(r.Src))
			assert.True(t, claim.Has(0, r.Src))
			assert.False(t, claim.Has(0, none))
			var posting bind.Posting
			posting.Init(link, r.Mem)
			link.LockAlways()
			defer link.Unlock()
			defer posting.Unlock()
			_, err := posting.Post(none, "post")
			wantErr(t, err, doca.ErrInvalidValue, "post", "bound#")
			_, err = posting.Post(r.Dst, "post")
			check(t, err)
			assert.Len(t, posting.Filled(r.Dst, 8), 8)

			var place bind.Place
			posting.Reach(&place)
			assert.False(t, posting.Again(&place, none))
			_, err = posting.PostAt(&place, none, "post")
			wantErr(t, err, doca.ErrInvalidValue, "post", "bound#")
			assert.False(t, posting.Fill(&place, 1))
			posting.FilledAt(&place, 1)
			assert.Empty(t, place.Data(1))
		})
	}
}

// The place of a leak is the program's, not that of a package between it and DOCA.
func TestLeakOfContext(t *testing.T) {
	reports := make(chan doca.Object, 1)
	doca.SetLeakReporter(func(o doca.Object) { reports <- o })
	defer doca.SetLeakReporter(nil)
	r := newRig(t)
	func() { must(bind.NewContext(new(binding).config(r)))(t) }()
	o := doctest.CollectLeak(t, reports)
	assert.Contains(t, o.Name, "bound#")
	assert.Contains(t, o.Site, "context_test.go:")
	assert.Contains(t, o.Stack, "TestLeakOfContext")
	check(t, r.PE.Close()) // the owner still closes it
}

// A record that is for no context that the engine knows fails the contexts that it may be for. If
// there is none, the engine reports it.
func TestRecordWithoutContext(t *testing.T) {
	t.Parallel()
	owns := func(yes bool) func(*abi.Record) bool { return func(*abi.Record) bool { return yes } }
	for name, c := range map[string]struct {
		owns  [2]func(*abi.Record) bool // of the contexts that run
		fails [2]bool
	}{
		"nobody can tell":   {[2]func(*abi.Record) bool{nil, nil}, [2]bool{true, true}},
		"one knows":         {[2]func(*abi.Record) bool{owns(true), nil}, [2]bool{true, false}},
		"one knows better":  {[2]func(*abi.Record) bool{owns(false), nil}, [2]bool{false, true}},
		"it is for neither": {[2]func(*abi.Record) bool{owns(false), owns(false)}, [2]bool{false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t) // without other contexts
			var links [2]*bind.Link
			var contexts [2]*doca.Context
			var failed [2]error
			for i := range contexts {
				b := new(binding)
				cfg := b.startable(r)
				cfg.Engine, cfg.Owns = pe, c.owns[i]
				cfg.Failed = func(err error) { failed[i] = err }
				contexts[i] = must(bind.NewContext(cfg))(t)
				links[i] = b.link
				require.NoError(t, contexts[i].Start(t.Context()))
			}
			wrong := new(binding)
			wrongCfg := wrong.startable(r)
			wrongCfg.Engine = pe
			stray := must(bind.NewContext(wrongCfg))(t)
			require.NoError(t, common.CtxSetUserData(wrong.link.Raw(), abi.NoContext))
			require.NoError(t, stray.Start(t.Context())) // its event has the wrong number

			_, err := pe.Progress()
			if c.fails == [2]bool{} {
				require.ErrorIs(t, err, doca.ErrUnexpected)
				_, err = pe.Progress()
			}
			require.NoError(t, err)
			for i, link := range links {
				link.LockAlways()
				err := link.Check(bind.OpSubmit, "use")
				link.Unlock()
				if c.fails[i] {
					require.ErrorIs(t, failed[i], doca.ErrUnexpected)
					require.ErrorIs(t, err, doca.ErrBadState)
					require.ErrorIs(t, err, doca.ErrUnexpected, "the cause")
				} else {
					require.NoError(t, failed[i])
					require.NoError(t, err)
				}
			}
			require.NoError(t, pe.Close())
			runtime.KeepAlive([]*doca.Context{contexts[0], contexts[1], stray})
		})
	}
}

// A stop that DOCA does not carry out ends with an error after the context's limit, and the next
// Close stops it.
func TestStopLimit(t *testing.T) {
	r := newRig(t)
	cfg := new(binding).startable(r)
	cfg.StopLimit = 20 * time.Millisecond
	c := must(bind.NewContext(cfg))(t)
	require.NoError(t, c.Start(t.Context()))
	doctest.Faults(t, "fail-call=doca_ctx_stop:1:AGAIN,fail-call=doca_ctx_stop:2:IN_PROGRESS")
	for range 2 {
		err := c.Close()
		require.ErrorIs(t, err, doca.ErrTimeOut)
		require.ErrorContains(t, err, "call Close again")
	}
	require.NoError(t, c.Close())
}

// After the engine is closed, whose ring is freed then, there is no call of DOCA.
func TestCallAfterClose(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	b := new(binding)
	must(bind.NewContext(b.config(r)))(t)
	called := 0
	call := func() error {
		b.link.LockAlways()
		defer b.link.Unlock()
		return b.link.Call(func(ring *abi.Ring) error { called++; return nil })
	}
	check(t, call())
	check(t, r.PE.Close())
	wantErr(t, call(), doca.ErrClosed, "call DOCA", "bound#")
	assert.Equal(t, 1, called)
}
