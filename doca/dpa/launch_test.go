package dpa_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
)

func TestLaunch(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	m, list := numbers(t, d, 100)
	for i := range 10 {
		launched(t, must(dpatest.LaunchAdd(d, dpa.LaunchOptions{Threads: i + 1}, list, 2))(t), nil)
	}
	for i, v := range must(dpa.GetSlice[uint64](m, 0, 100))(t) {
		require.Equal(t, uint64(20), v, "number %d", i)
	}
	launched(t, must(dpatest.LaunchRanks(d, dpa.LaunchOptions{Threads: 7}, list))(t), nil)
	got := must(dpa.GetSlice[uint64](m, 0, 8))(t)
	assert.Equal(t, []uint64{7, 7, 7, 7, 7, 7, 7, 20}, got)
}

// Many kernels are in flight at once; some are dropped.
func TestManyLaunches(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	var all sync.WaitGroup
	for g := range 4 {
		m, list := numbers(t, d, 1)
		all.Go(func() {
			for i := range 100 {
				l, err := dpatest.LaunchAdd(d, dpa.LaunchOptions{}, list, 1)
				if !assert.NoError(t, err) || g%2 == 0 && !assert.NoError(t, l.Wait(soonish(t))) {
					return
				}
				if g%2 == 1 && i%10 == 9 {
					assert.NoError(t, errors.Join(l.Wait(soonish(t)), l.Wait(t.Context())), "twice")
				}
			}
		})
		defer func() {
			if g%2 == 0 {
				assert.Equal(t, uint64(100), number(t, m, 0))
			}
		}()
	}
	all.Wait()
}

func TestWaitEvent(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	start, end := toDPA(t, d), toHost(t, d)
	m, list := numbers(t, d, 1)
	l := must(dpatest.LaunchAdd(d, dpa.LaunchOptions{Wait: start, WaitThreshold: 4, Completion: end, CompletionCount: 10}, list, 1))(t)
	doctest.WantErr(t, l.Wait(soon(t)), context.DeadlineExceeded, "add on dpa#", "has not ended")
	require.NoError(t, start.Set(t.Context(), 3))
	require.ErrorIs(t, l.Wait(soon(t)), context.DeadlineExceeded)
	assert.Zero(t, number(t, m, 0))
	require.NoError(t, start.Set(t.Context(), 5))
	assert.Equal(t, uint64(10), must(end.WaitGreater(soonish(t), 9, syncevent.AllBits))(t))
	require.NoError(t, l.Wait(t.Context()))
	assert.Equal(t, uint64(1), number(t, m, 0))

	for range 3 {
		launched(t, must(dpatest.LaunchAdd(d, dpa.LaunchOptions{Completion: end, CompletionCount: 5, Add: true}, list, 1))(t), nil)
	}
	assert.Equal(t, uint64(25), must(end.Get(t.Context()))(t))
	launched(t, must(dpatest.LaunchNothing(d, dpa.LaunchOptions{Wait: start, WaitThreshold: 5}))(t), nil)
	both := closed(t, must(syncevent.New(d.Device(), syncevent.Config{Publishers: syncevent.CPU | syncevent.DPA, Subscribers: syncevent.CPU | syncevent.DPA, DPA: d}))(t))
	launched(t, must(dpatest.LaunchNothing(d, dpa.LaunchOptions{Wait: both, Completion: both, CompletionCount: 7}))(t), nil)
	assert.Equal(t, uint64(7), must(both.Get(t.Context()))(t))
}

// A kernel that waits for an event that never comes does not keep the context.
func TestCloseWithKernelThatWaits(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	start := toDPA(t, d)
	l := must(dpatest.LaunchNothing(d, dpa.LaunchOptions{Wait: start, WaitThreshold: 1}))(t)
	ended := make(chan error, 1)
	go func() { ended <- l.Wait(context.Background()) }()
	require.NoError(t, d.Shutdown(soonish(t)))
	require.ErrorIs(t, <-ended, doca.ErrClosed)
}

// Nor does one that has started, if it has a Wait or a Completion: the package does not know the start of the one nor the end of the other.
func TestCloseWithKernelsThatRun(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]func(t *testing.T, d *dpa.DPA) dpa.LaunchOptions{
		"wait": func(t *testing.T, d *dpa.DPA) dpa.LaunchOptions {
			return dpa.LaunchOptions{Wait: toDPA(t, d)} // it has come
		},
		"completion": func(t *testing.T, d *dpa.DPA) dpa.LaunchOptions {
			return dpa.LaunchOptions{Completion: toHost(t, d), CompletionCount: 1}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDPA(t)
			started := closed(t, must(syncevent.New(d.Device(), syncevent.Config{Publishers: syncevent.DPA, Subscribers: syncevent.CPU | syncevent.DPA, DPA: d}))(t))
			arg := must(dpa.Place(d, dpatest.ThreadArg{Event: must(started.DPAHandle(d))(t), Completion: must(must(d.NewCompletion(dpa.CompletionConfig{}))(t).Handle())(t)}))(t)
			l := must(dpatest.LaunchBusy(d, opts(t, d), uint64(arg.Addr())))(t)
			must(started.WaitGreater(soonish(t), 0, syncevent.AllBits))(t)
			require.NoError(t, d.Shutdown(soonish(t)))
			require.ErrorIs(t, l.Wait(soonish(t)), doca.ErrClosed)
		})
	}
}

func TestLaunchOptions(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	plain := closed(t, must(syncevent.New(d.Device(), syncevent.Config{}))(t))
	for name, opts := range map[string]dpa.LaunchOptions{
		"threads below 0":               {Threads: -1},
		"too many threads":              {Threads: must(d.Info())(t).MaxThreadsPerKernel + 1},
		"far too many threads":          {Threads: 1 << 40},
		"threshold without event":       {WaitThreshold: 1},
		"threshold too large":           {Wait: toDPA(t, d), WaitThreshold: 255},
		"count without event":           {CompletionCount: 1},
		"addition without event":        {Add: true},
		"the DPA is no subscriber":      {Wait: toHost(t, d)},
		"the DPA is no publisher":       {Completion: toDPA(t, d)},
		"the DPA is nothing":            {Wait: plain},
		"wait for a zero value":         {Wait: &syncevent.Event{}},
		"completion is a zero value":    {Completion: &syncevent.Event{}},
		"both are different zero value": {Wait: &syncevent.Event{}, Completion: &syncevent.Event{}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dpatest.LaunchNothing(d, opts)
			require.ErrorIs(t, err, doca.ErrInvalidValue)
			op := new(doca.OpError)
			require.ErrorAs(t, err, &op)
			require.NotEmpty(t, op.Advice, "%v", err)
		})
	}
	launched(t, must(dpatest.LaunchNothing(d, dpa.LaunchOptions{}))(t), nil)
	_, err := dpa.LaunchKernel(d, "k", dpa.LaunchOptions{}, func(dpa.RawLaunch) error { return abi.ErrorTooBig })
	doctest.WantErr(t, err, doca.ErrTooBig, "launch on k on dpa#")
	closedEvent := toHost(t, d)
	require.NoError(t, closedEvent.Close())
	_, err = dpatest.LaunchNothing(d, dpa.LaunchOptions{Completion: closedEvent})
	require.ErrorIs(t, err, doca.ErrClosed)
}

// A kernel that does not return is an error of the one who waits, with the kernel's name. It goes on.
func TestKernelThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	m, _ := numbers(t, d, 1)
	ev := toDPA(t, d)
	l := must(dpatest.LaunchAwaitEvent(d, dpa.LaunchOptions{}, must(ev.DPAHandle(d))(t), 0, m.Addr()))(t)
	doctest.WantErr(t, l.Wait(soon(t)), context.DeadlineExceeded, "wait on await_event on dpa#", "the kernel has not ended")
	doctest.WantErr(t, d.Shutdown(soon(t)), context.DeadlineExceeded, "it waits for the kernel await_event")
	require.ErrorIs(t, second(d.Alloc(8)), doca.ErrClosed)
	require.ErrorIs(t, second(dpatest.LaunchNothing(d, dpa.LaunchOptions{})), doca.ErrClosed)
	require.NoError(t, ev.Set(t.Context(), 1), "nothing was closed that the kernel uses")
	require.NoError(t, l.Wait(soonish(t)))
	require.NoError(t, d.Shutdown(soonish(t)))
}

func TestEvents(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	ev := closed(t, must(syncevent.New(d.Device(), syncevent.Config{Publishers: syncevent.CPU | syncevent.DPA, Subscribers: syncevent.CPU | syncevent.DPA, DPA: d}))(t))
	h := must(ev.DPAHandle(d))(t)
	m, _ := numbers(t, d, 1)
	waits := must(dpatest.LaunchAwaitEvent(d, dpa.LaunchOptions{}, h, 5, m.Addr()))(t)
	launched(t, must(dpatest.LaunchSignalEvent(d, dpa.LaunchOptions{}, h, 4))(t), nil)
	assert.Equal(t, uint64(4), must(ev.Add(t.Context(), 3))(t))
	require.NoError(t, waits.Wait(soonish(t)))
	assert.Equal(t, uint64(7), number(t, m, 0))

	for _, none := range []*dpa.DPA{nil, {}} {
		require.ErrorIs(t, second(ev.DPAHandle(none)), doca.ErrInvalidValue)
		_, err := syncevent.New(d.Device(), syncevent.Config{Publishers: syncevent.DPA, DPA: none})
		require.ErrorIs(t, err, doca.ErrInvalidValue)
	}
	plain := closed(t, must(syncevent.New(d.Device(), syncevent.Config{}))(t))
	require.ErrorIs(t, second(plain.DPAHandle(d)), doca.ErrInvalidValue)
	pe := closed(t, must(doca.NewProgressEngine(doca.EngineConfig{}))(t))
	tasks := closed(t, must(syncevent.NewTaskEvent(d.Device(), pe, syncevent.Config{Publishers: syncevent.CPU | syncevent.DPA, DPA: d}))(t))
	launched(t, must(dpatest.LaunchSignalEvent(d, dpa.LaunchOptions{}, must(tasks.DPAHandle(d))(t), 4))(t), nil)
	assert.Equal(t, uint64(4), must(tasks.Get(soonish(t)))(t))
	require.NoError(t, d.Close())
	require.ErrorIs(t, second(ev.Get(t.Context())), doca.ErrClosed, "events are closed before their DPA")
	require.ErrorIs(t, second(tasks.Get(t.Context())), doca.ErrClosed)
}

// A launch looks at some of the kernels that have not ended, not at all of them: thousands may wait for an event.
func TestLaunchWithManyThatWait(t *testing.T) {
	d := newDPA(t)
	start := toDPA(t, d)
	all := make([]*dpa.Launch, 200)
	for i := range all {
		all[i] = must(dpatest.LaunchNothing(d, dpa.LaunchOptions{Wait: start, WaitThreshold: 1}))(t)
	}
	require.NoError(t, emulator.SetFaults("fail-call=doca_sync_event_get:50"))
	defer func() { require.NoError(t, emulator.SetFaults("")) }()
	all = append(all, must(dpatest.LaunchNothing(d, dpa.LaunchOptions{Wait: start, WaitThreshold: 1}))(t))
	require.NoError(t, emulator.SetFaults(""))
	require.NoError(t, start.Set(t.Context(), 1))
	for _, l := range all {
		require.NoError(t, l.Wait(soonish(t)))
	}
}
