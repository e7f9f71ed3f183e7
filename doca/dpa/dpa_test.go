package dpa_test

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/emulator"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	dev := open(t)
	good := config(t)
	handler := newRecords()
	for name, change := range map[string]func(*dpa.Config){
		"no application":           func(c *dpa.Config) { c.App = nil },
		"handler and file":         func(c *dpa.Config) { c.Log = handler },
		"handler and trace file":   func(c *dpa.Config) { c.Trace, c.TraceFile = handler, c.LogFile },
		"level that a DPA has not": func(c *dpa.Config) { c.LogLevel = doca.LogCritical },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := good
			change(&cfg)
			_, err := dpa.New(dev, cfg)
			require.ErrorIs(t, err, doca.ErrInvalidValue)
		})
	}
	for _, none := range []*doca.Device{nil, {}} {
		_, err := dpa.New(none, good)
		require.ErrorIs(t, err, doca.ErrInvalidValue)
	}
	cfg := good
	cfg.LogFile += "/no/such/directory"
	_, err := dpa.New(dev, cfg)
	require.ErrorIs(t, err, doca.ErrOperatingSystem)
	require.NoError(t, dpa.Supported(dev.Info()))
}

func TestInfo(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	info := must(d.Info())(t)
	assert.Equal(t, "dpatest_app", info.AppName)
	assert.Equal(t, info.EUs, info.Cores*info.EUsPerCore)
	assert.Positive(t, info.MaxThreadsPerKernel)
	assert.Positive(t, info.KernelMaxRunTime)
	assert.NotZero(t, must(d.Handle())(t))
	assert.NotZero(t, must(d.UARID())(t))
	require.NoError(t, d.Err())
	assert.Contains(t, d.String(), "dpa#")
}

// Everything is closed with the context, in the order that DOCA demands.
func TestCloseOfAll(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"dpa", "device"} {
		t.Run(last, func(t *testing.T) {
			dev := must(doca.OpenDevice(doctest.DPU0))(t)
			d := must(dpa.New(dev, config(t)))(t)
			all := everything(t, d)
			if last == "dpa" {
				require.NoError(t, d.Close())
			}
			require.NoError(t, dev.Close())
			require.NoError(t, d.Close(), "twice")
			for _, c := range all {
				require.NoError(t, c.Close(), "%v", c)
			}
			require.ErrorIs(t, d.Err(), doca.ErrClosed)
			_, err := d.Alloc(8)
			require.ErrorIs(t, err, doca.ErrClosed)
			_, err = dpatest.LaunchNothing(d, dpa.LaunchOptions{})
			require.ErrorIs(t, err, doca.ErrClosed)
			_, err = dpatest.CallSum(t.Context(), d, dpatest.Numbers{})
			require.ErrorIs(t, err, doca.ErrClosed)
		})
	}
}

// everything makes one of each kind, and a thread that runs.
func everything(t testing.TB, d *dpa.DPA) (all []doctest.Closer) {
	t.Helper()
	storage, _ := numbers(t, d, 4)
	event := toHost(t, d)
	arg := closed(t, must(dpa.Place(d, dpatest.ThreadArg{}))(t))
	thread := closed(t, must(d.NewThread(dpa.ThreadConfig{Func: dpatest.FuncBusy(), Arg: uint64(arg.Addr()), LocalStorage: storage, EU: dpa.OnEU(3)}))(t))
	other := closed(t, must(d.NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake(), Arg: uint64(arg.Addr())}))(t))
	group := closed(t, must(d.NewThreadGroup(thread, other))(t))
	completion := closed(t, must(d.NewCompletion(dpa.CompletionConfig{Thread: thread}))(t))
	notify := closed(t, must(d.NewNotificationCompletion(other))(t))
	async := closed(t, must(d.NewAsyncOps(dpa.AsyncOpsConfig{Completion: completion}))(t))
	table := closed(t, must(d.NewHashTable(10))(t))
	mapped := closed(t, must(storage.Map(0))(t))
	array := closed(t, must(d.NewBufArray(dpa.BufArrayConfig{Memory: mapped, Elements: 2, Size: 16}))(t))
	extended := closed(t, must(d.Extend(d.Device()))(t))
	require.NoError(t, dpa.Put(arg, 0, dpatest.ThreadArg{Completion: must(completion.Handle())(t), Event: must(event.DPAHandle(d))(t)}))
	require.NoError(t, thread.Run())
	launched(t, must(dpatest.LaunchCopy(d, dpa.LaunchOptions{}, must(async.Handle())(t), must(d.MmapHandle(mapped))(t), uint64(storage.Addr()),
		must(d.MmapHandle(mapped))(t), uint64(storage.Addr())+8, 8))(t), nil)
	must(event.WaitGreater(soonish(t), 0, ^uint64(0)))(t) // the thread runs
	return []doctest.Closer{storage, event, arg, thread, other, group, completion, notify, async, table, mapped, array, extended}
}

// Objects are closed in any order.
func TestCloseInAnyOrder(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	for first := range len(everything(t, newDPA(t))) {
		d := must(dpa.New(d.Device(), config(t)))(t)
		all := everything(t, d)
		for i := range all {
			require.NoError(t, all[(first+i)%len(all)].Close(), "%v", all[(first+i)%len(all)])
		}
		require.NoError(t, d.Close())
	}
}

func TestExtend(t *testing.T) {
	t.Parallel()
	d := newDPA(t)
	other := closed(t, must(doca.OpenDevice("03:00.1"))(t))
	e := closed(t, must(d.Extend(other))(t))
	assert.Same(t, other, e.Device())
	assert.NotEqual(t, must(d.Handle())(t), must(e.Handle())(t))
	launched(t, must(dpatest.LaunchSelectDevice(d, dpa.LaunchOptions{}, must(e.Handle())(t)))(t), nil)
	_, err := e.Extend(other)
	require.ErrorIs(t, err, doca.ErrBadState, "of an extended context")
	m, list := numbers(t, e, 3)
	launched(t, must(dpatest.LaunchAdd(d, dpa.LaunchOptions{}, list, 7))(t), nil)
	assert.Equal(t, uint64(7), number(t, m, 2))
	for _, none := range []*doca.Device{nil, {}} {
		_, err := d.Extend(none)
		require.ErrorIs(t, err, doca.ErrInvalidValue)
	}
	require.NoError(t, d.Close())
	require.ErrorIs(t, second(e.Handle()), doca.ErrClosed)
	require.NoError(t, e.Close())
}

// Objects of one context do not go with those of another.
func TestForeignObjects(t *testing.T) {
	t.Parallel()
	a, b := newDPA(t), newDPA(t)
	thread := closed(t, must(a.NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake()}))(t))
	completion := closed(t, must(a.NewCompletion(dpa.CompletionConfig{}))(t))
	storage, _ := numbers(t, a, 1)
	for name, err := range map[string]error{
		"thread of a completion":  second(b.NewCompletion(dpa.CompletionConfig{Thread: thread})),
		"thread of a group":       second(b.NewThreadGroup(thread)),
		"thread to be notified":   second(b.NewNotificationCompletion(thread)),
		"completion of async ops": second(b.NewAsyncOps(dpa.AsyncOpsConfig{Completion: completion})),
		"storage of a thread":     second(b.NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake(), LocalStorage: storage})),
	} {
		require.ErrorIs(t, err, doca.ErrInvalidValue, name)
		require.ErrorContains(t, err, "of the same DPA", name)
	}
}

// Calls of DOCA that fail are errors, and leave nothing behind.
func TestFailures(t *testing.T) {
	for _, call := range []string{"doca_dpa_create", "doca_dpa_set_app", "doca_dpa_set_log_level", "doca_dpa_log_file_set_path", "doca_dpa_start"} {
		dev := must(doca.OpenDevice(doctest.DPU0))(t)
		require.NoError(t, emulator.SetFaults("fail-call="+call+":1:DOCA_ERROR_NO_MEMORY"))
		cfg := config(t)
		cfg.LogLevel = doca.LogDebug
		_, err := dpa.New(dev, cfg)
		emulator.ClearFaults()
		require.ErrorIs(t, err, doca.ErrNoMemory, call)
		require.NoError(t, dev.Close(), call)
	}
	dev := must(doca.OpenDevice(doctest.DPU0))(t)
	d := must(dpa.New(dev, config(t)))(t)
	require.NoError(t, emulator.SetFaults("fail-call=doca_dpa_destroy:1:DOCA_ERROR_DRIVER"))
	defer emulator.ClearFaults()
	require.ErrorIs(t, d.Close(), doca.ErrDriver)
	require.NoError(t, d.Close())
	require.NoError(t, dev.Close())
}

// The handlers and files of a context that could not be made are gone.
func TestNoFilesAreLeft(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	dev := open(t)
	cfg := dpa.Config{App: dpatest.App(), Log: newRecords(), TraceFile: "/no/such/directory/x"}
	_, err := dpa.New(dev, cfg)
	require.ErrorIs(t, err, doca.ErrOperatingSystem)
	d := must(dpa.New(dev, dpa.Config{App: dpatest.App(), Log: newRecords(), Trace: newRecords()}))(t)
	require.NoError(t, d.Close())
	assert.Empty(t, must(os.ReadDir(dir))(t))
	assert.True(t, errors.Is(d.Err(), doca.ErrClosed))
}
