package dpa_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// waker is a thread that completions of copies wake.
type waker struct {
	d          *dpa.DPA
	arg        *dpa.Memory
	thread     *dpa.Thread
	completion *dpa.Completion
	async      *dpa.AsyncOps
	event      *syncevent.Event // counts the wake-ups
	mem        *dpa.Memory
	mapped     *doca.Memory
}

func newWaker(t testing.TB, d *dpa.DPA, cfg dpa.ThreadConfig) *waker {
	t.Helper()
	w := &waker{d: d, arg: must(dpa.Place(d, dpatest.ThreadArg{}))(t), event: toHost(t, d), mem: must(d.Alloc(1024))(t)}
	cfg.Func, cfg.Arg = dpatest.FuncOnWake(), uint64(w.arg.Addr())
	w.thread = must(d.NewThread(cfg))(t)
	w.completion = must(d.NewCompletion(dpa.CompletionConfig{Thread: w.thread, QueueSize: 8}))(t)
	w.async = must(d.NewAsyncOps(dpa.AsyncOpsConfig{Completion: w.completion, UserData: dpa.MaxUserData}))(t)
	w.mapped = must(w.mem.Map(0))(t)
	w.put(t, dpatest.ThreadArg{Completion: must(w.completion.Handle())(t), Event: must(w.event.DPAHandle(d))(t)})
	return w
}

func (w *waker) put(t testing.TB, arg dpatest.ThreadArg) {
	t.Helper()
	require.NoError(t, dpa.Put(w.arg, 0, arg))
}

func (w *waker) get(t testing.TB) dpatest.ThreadArg {
	t.Helper()
	return must(dpa.Get[dpatest.ThreadArg](w.arg, 0))(t)
}

// copy makes a completion.
func (w *waker) copy(t testing.TB) {
	t.Helper()
	h := must(w.d.MmapHandle(w.mapped))(t)
	launched(t, must(dpatest.LaunchCopy(w.d, dpa.LaunchOptions{}, must(w.async.Handle())(t), h, uint64(w.mem.Addr()), h, uint64(w.mem.Addr())+512, 16))(t), nil)
}

// woken waits until the thread has run n times.
func (w *waker) woken(t testing.TB, n uint64) dpatest.ThreadArg {
	t.Helper()
	must(w.event.WaitGreater(soonish(t), n-1, syncevent.AllBits))(t)
	return w.get(t)
}

func TestThread(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	storage, _ := numbers(t, d, 1)
	w := newWaker(t, d, dpa.ThreadConfig{LocalStorage: storage, EU: dpa.OnEU(5)})
	require.NoError(t, w.thread.Run())
	for i := range uint64(5) {
		w.copy(t)
		arg := w.woken(t, i+1)
		assert.Equal(t, i+1, arg.Completions)
		assert.Equal(t, uint64(dpa.MaxUserData), arg.UserData)
		assert.Equal(t, uint64(dpadev.CompSend), arg.Type)
		assert.Equal(t, uint64(storage.Addr()), arg.Storage)
	}
	assert.Equal(t, 8, must(w.completion.QueueSize())(t))
	assert.NotEqual(t, must(newWaker(t, d, dpa.ThreadConfig{}).thread.ID())(t), must(w.thread.ID())(t))
	require.NoError(t, d.Err())
	require.NoError(t, w.thread.Close(), "with what wakes it")
	require.ErrorIs(t, second(w.completion.Handle()), doca.ErrClosed)
	require.ErrorIs(t, second(w.async.Handle()), doca.ErrClosed)
	require.ErrorIs(t, w.thread.Run(), doca.ErrClosed)
	require.NoError(t, d.Err(), "nothing has used what is gone")
}

// A completion that comes before Run wakes the thread then.
func TestRunLater(t *testing.T) {
	t.Parallel()
	w := newWaker(t, newDPA(t), dpa.ThreadConfig{})
	w.copy(t)
	time.Sleep(5 * time.Millisecond)
	assert.Zero(t, w.get(t).Wakes)
	require.NoError(t, w.thread.Run())
	assert.Equal(t, uint64(1), w.woken(t, 1).Completions)
}

func TestThreadGroup(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	var threads []*dpa.Thread
	var wakers []*waker
	for range 3 {
		w := newWaker(t, d, dpa.ThreadConfig{})
		wakers, threads = append(wakers, w), append(threads, w.thread)
	}
	group := closed(t, must(d.NewThreadGroup(threads...))(t))
	for i, w := range wakers {
		require.NoError(t, w.thread.Run())
		w.copy(t)
		arg := w.woken(t, 1)
		assert.Equal(t, []uint32{uint32(i), 3}, []uint32{arg.Rank, arg.NumThreads})
	}
	for name, err := range map[string]error{
		"no threads":         second(d.NewThreadGroup()),
		"nil":                second(d.NewThreadGroup(nil)),
		"a zero value":       second(d.NewThreadGroup(threads[0], &dpa.Thread{})),
		"one that was there": second(d.NewThreadGroup(threads[0], threads[0])),
	} {
		require.ErrorIs(t, err, doca.ErrInvalidValue, name)
	}
	require.NoError(t, threads[1].Close(), "it takes the group along")
	require.NoError(t, group.Close())
	assert.NotEmpty(t, must(wakers[0].completion.Handle())(t), "the others remain")
}

// A thread wakes another one.
func TestNotification(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	first, other := newWaker(t, d, dpa.ThreadConfig{}), newWaker(t, d, dpa.ThreadConfig{})
	n := closed(t, must(d.NewNotificationCompletion(other.thread))(t))
	arg := first.get(t)
	arg.Other = must(n.Handle())(t)
	first.put(t, arg)
	require.NoError(t, first.thread.Run())
	require.NoError(t, other.thread.Run())
	first.copy(t)
	got := other.woken(t, 1)
	assert.Equal(t, []uint64{1, 0}, []uint64{got.Wakes, got.Completions})
	require.NoError(t, n.Close())
	require.ErrorIs(t, second(n.Handle()), doca.ErrClosed)
}

// foreign is a function of no application.
func foreign(t testing.TB) dpa.Func {
	t.Helper()
	symbol := must(abi.Alloc[uint64](1))(t)
	t.Cleanup(func() { abi.Free(symbol) })
	return dpa.FuncOf("foreign", unsafe.Pointer(&symbol[0]))
}

func TestThreadConfig(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	for name, cfg := range map[string]dpa.ThreadConfig{
		"no function":        {},
		"zero storage":       {Func: dpatest.FuncOnWake(), LocalStorage: &dpa.Memory{}},
		"no such unit":       {Func: dpatest.FuncOnWake(), EU: dpa.OnEU(1 << 20)},
		"a foreign function": {Func: foreign(t)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := d.NewThread(cfg)
			require.ErrorIs(t, err, doca.ErrInvalidValue)
		})
	}
	thread := closed(t, must(d.NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake()}))(t))
	require.ErrorIs(t, thread.Run(), doca.ErrBadState, "nothing wakes it")
	require.NoError(t, d.Err(), "that is no fatal error")
	assert.Equal(t, "on_wake", dpatest.FuncOnWake().String())
	assert.Equal(t, "no function", dpa.Func{}.String())
	completion := closed(t, must(d.NewCompletion(dpa.CompletionConfig{Thread: thread}))(t))
	assert.Equal(t, dpa.DefaultQueueSize, must(completion.QueueSize())(t))
	for name, err := range map[string]error{
		"queue below 0":         second(d.NewCompletion(dpa.CompletionConfig{QueueSize: -1})),
		"queue of 2^31":         second(d.NewCompletion(dpa.CompletionConfig{QueueSize: 1 << 31})),
		"zero thread":           second(d.NewCompletion(dpa.CompletionConfig{Thread: &dpa.Thread{}})),
		"no completion":         second(d.NewAsyncOps(dpa.AsyncOpsConfig{})),
		"zero completion":       second(d.NewAsyncOps(dpa.AsyncOpsConfig{Completion: &dpa.Completion{}})),
		"user data of 2^24":     second(d.NewAsyncOps(dpa.AsyncOpsConfig{Completion: completion, UserData: 1 << 24})),
		"operations below 0":    second(d.NewAsyncOps(dpa.AsyncOpsConfig{Completion: completion, QueueSize: -1})),
		"nobody to be notified": second(d.NewNotificationCompletion(nil)),
		"zero to be notified":   second(d.NewNotificationCompletion(&dpa.Thread{})),
	} {
		require.ErrorIs(t, err, doca.ErrInvalidValue, name)
	}
}
