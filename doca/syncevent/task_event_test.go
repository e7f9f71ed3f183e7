package syncevent_test

import (
	"context"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/emulator"
)

func TestTaskValues(t *testing.T) {
	t.Parallel()
	ev, ctx := newTaskEvent(t, syncevent.Config{}), soonish(t)
	assert.Equal(t, syncevent.DefaultMaxTasks, ev.MaxTasks())
	require.NoError(t, ev.Set(ctx, 1000))
	for i := range uint64(50) { // tasks are used again
		assert.Equal(t, 1000+3*i, must(ev.Add(ctx, 3))(t))
	}
	assert.Equal(t, uint64(1150), must(ev.Get(ctx))(t))

	future := must(ev.AddAsync(ctx, 1))(t)
	assert.Equal(t, uint64(1150), must(future.Wait(ctx))(t))
	future = must(ev.GetAsync(ctx))(t)
	<-future.Done()
	require.NoError(t, future.Err())
	assert.Equal(t, uint64(1151), must(future.Wait(ctx))(t))
	future = must(ev.SetAsync(ctx, 8))(t)
	assert.Zero(t, must(future.Wait(ctx))(t))
	assert.Equal(t, uint64(8), must(ev.Get(ctx))(t))
}

func TestTaskWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wait func(*syncevent.TaskEvent, context.Context) (uint64, error)
		set  uint64
	}{
		"equal": {func(e *syncevent.TaskEvent, ctx context.Context) (uint64, error) { return e.WaitEqual(ctx, 7, 0xff) }, 7},
		"equal, polled": {func(e *syncevent.TaskEvent, ctx context.Context) (uint64, error) {
			return e.WaitEqual(ctx, 1000, syncevent.AllBits)
		}, 1000},
		"differs": {func(e *syncevent.TaskEvent, ctx context.Context) (uint64, error) {
			return e.WaitNotEqual(ctx, 0, syncevent.AllBits)
		}, 9},
		"differs, polled": {func(e *syncevent.TaskEvent, ctx context.Context) (uint64, error) { return e.WaitNotEqual(ctx, 0, 0xf) }, 1},
		"greater": {func(e *syncevent.TaskEvent, ctx context.Context) (uint64, error) {
			return e.WaitGreater(ctx, 500, syncevent.AllBits)
		}, 501},
		"equal, by a future": {func(e *syncevent.TaskEvent, ctx context.Context) (uint64, error) {
			return waited(ctx, e, e.WaitEqualAsync, 7)
		}, 7},
		"differs, by another": {func(e *syncevent.TaskEvent, ctx context.Context) (uint64, error) {
			return waited(ctx, e, e.WaitNotEqualAsync, 0)
		}, 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ev, ctx := newTaskEvent(t, syncevent.Config{}), soonish(t)
			go func() {
				time.Sleep(5 * time.Millisecond)
				assert.NoError(t, ev.Set(ctx, c.set))
			}()
			got, err := c.wait(ev, ctx)
			require.NoError(t, err)
			assert.Equal(t, c.set, got)
		})
	}
}

func waited(ctx context.Context, e *syncevent.TaskEvent, start func(context.Context, uint64, uint64) (*syncevent.Future, error), value uint64) (uint64, error) {
	f, err := start(ctx, value, syncevent.AllBits)
	if err != nil {
		return 0, err
	}
	if _, err := f.Wait(ctx); err != nil {
		return 0, err
	}
	return e.Get(ctx)
}

// A change by somebody else, without tasks, ends a wait task of an engine that sleeps.
func TestTaskWaitForAnother(t *testing.T) {
	t.Parallel()
	dpu, host, ctx := open(t, doctest.DPU0), open(t, doctest.Host0), soonish(t)
	ev := newEvent(t, host, shared)
	tasks := must(syncevent.ImportTaskEvent(dpu, engine(t), must(ev.ExportPCI(host))(t), syncevent.Config{}))(t)
	closeAfter(t, tasks)
	go func() {
		time.Sleep(20 * time.Millisecond)
		assert.NoError(t, ev.Set(ctx, 3))
	}()
	assert.Equal(t, uint64(3), must(tasks.WaitEqual(ctx, 3, syncevent.AllBits))(t))

	// The exporter goes: the wait fails, and the context stops.
	go func() {
		time.Sleep(5 * time.Millisecond)
		assert.NoError(t, ev.Close())
	}()
	_, err := tasks.WaitEqual(ctx, 4, syncevent.AllBits)
	require.ErrorIs(t, err, doca.ErrIOFailed)
	assert.Equal(t, doca.StateIdle, tasks.State())
	_, err = tasks.Get(ctx)
	require.ErrorIs(t, err, doca.ErrBadState)
	require.ErrorIs(t, err, doca.ErrIOFailed, "the cause")
}

func TestWaitTaskArguments(t *testing.T) {
	t.Parallel()
	ev := newTaskEvent(t, syncevent.Config{})
	for _, c := range [][2]uint64{{255, 0xff}, {1, 0x7f}, {1, 0xffffff}, {1, 0xffff00}} {
		_, err := ev.WaitEqualAsync(t.Context(), c[0], c[1])
		require.ErrorIs(t, err, doca.ErrInvalidValue)
		_, err = ev.WaitNotEqualAsync(t.Context(), c[0], c[1])
		require.ErrorIs(t, err, doca.ErrInvalidValue)
	}
	assert.Equal(t, doca.StateRunning, ev.State())
}

// A wait that was given up keeps its task, which the next wait for the same takes over.
func TestAbandonedWait(t *testing.T) {
	t.Parallel()
	ev, ctx := newTaskEvent(t, syncevent.Config{MaxTasks: 1}), soonish(t)
	for range 5 {
		_, err := ev.WaitEqual(soon(t), 7, 0xff)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	_, err := ev.WaitEqual(soon(t), 8, 0xff)
	require.ErrorIs(t, err, context.DeadlineExceeded, "no task is free")
	future := must(ev.WaitEqualAsync(ctx, 7, 0xff))(t)
	require.ErrorIs(t, future.Err(), doca.ErrInProgress)
	_, err = ev.WaitEqualAsync(soon(t), 7, 0xff)
	require.ErrorIs(t, err, context.DeadlineExceeded, "it belongs to the future")
	require.NoError(t, ev.Set(ctx, 7))
	must(future.Wait(ctx))(t)
	require.NoError(t, ev.Set(ctx, 8))
	must(ev.WaitEqual(ctx, 8, 0xff))(t)
}

// Waits that were given up, or last, keep all the wait tasks. Others wait without one.
func TestWaitWithoutTask(t *testing.T) {
	t.Parallel()
	ev := newTaskEvent(t, syncevent.Config{MaxTasks: 1})
	_, err := ev.WaitEqual(soon(t), 10, syncevent.AllBits)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = ev.WaitNotEqual(soon(t), 0, syncevent.AllBits)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, uint64(0), must(ev.WaitEqual(soonish(t), 0, syncevent.AllBits))(t))
	require.Equal(t, uint64(0), must(ev.WaitNotEqual(soonish(t), 1, syncevent.AllBits))(t))
	_, err = ev.WaitEqualAsync(soon(t), 0, syncevent.AllBits)
	require.ErrorIs(t, err, context.DeadlineExceeded, "it needs a task")
	_, err = ev.WaitEqual(soon(t), 11, syncevent.AllBits)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	waited := make(chan uint64, 1)
	go func() {
		value, err := ev.WaitEqual(soonish(t), 11, syncevent.AllBits)
		assert.NoError(t, err)
		waited <- value
	}()
	require.NoError(t, ev.Set(soonish(t), 11))
	require.Equal(t, uint64(11), <-waited)
	require.NoError(t, ev.Set(soonish(t), 10))
	require.Equal(t, uint64(10), must(ev.WaitEqual(soonish(t), 10, syncevent.AllBits))(t), "with the task")
}

func TestStopEndsWaits(t *testing.T) {
	t.Parallel()
	ev, ctx := newTaskEvent(t, shared), soonish(t)
	future := must(ev.WaitEqualAsync(ctx, 7, 0xff))(t)
	waiting := make(chan error, 1)
	go func() {
		_, err := ev.WaitNotEqual(ctx, 0, 0xff)
		waiting <- err
	}()
	time.Sleep(5 * time.Millisecond)
	require.NoError(t, ev.Stop(ctx))
	for _, err := range []error{future.Err(), <-waiting} {
		var state *doca.StateError
		require.ErrorAs(t, err, &state)
		require.NotErrorIs(t, err, doca.ErrIOFailed)
	}
	_, err := ev.ExportPCI(ev.Device())
	require.ErrorIs(t, err, doca.ErrBadState)
	require.NoError(t, ev.Start(ctx))
	assert.Zero(t, must(ev.Get(ctx))(t))
	must(ev.ExportPCI(ev.Device()))(t)
	must(ev.ExportNet())(t)
	_, err = ev.ExportPCI(nil)
	require.ErrorIs(t, err, doca.ErrInvalidValue)
}

// A task that fails stops the context; Start makes it usable again.
func TestTaskFails(t *testing.T) {
	t.Parallel()
	ev, ctx := newTaskEvent(t, syncevent.Config{}), soonish(t)
	other := must(ev.WaitEqualAsync(ctx, 7, 0xff))(t)
	raw := must(bind.RawContext(ev.Context))(t)
	end := must(emulator.Faults{On: emulator.Target{Object: unsafe.Pointer(raw)}, FailTasks: []emulator.TaskFault{{N: 1}}}.Add())(t)
	defer end()
	_, err := ev.Add(ctx, 1)
	require.ErrorIs(t, err, doca.ErrIOFailed)
	require.ErrorContains(t, err, "call Start")
	require.ErrorIs(t, other.Err(), doca.ErrIOFailed)
	_, err = ev.Get(ctx)
	require.ErrorIs(t, err, doca.ErrBadState)
	require.NoError(t, ev.Start(ctx))
	assert.Zero(t, must(ev.Get(ctx))(t))
}

func TestCloseInAnyOrder(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]func(dev *doca.Device, pe *doca.ProgressEngine, mem *doca.Memory, ev *syncevent.TaskEvent) []interface{ Close() error }{
		"event first": func(d *doca.Device, p *doca.ProgressEngine, m *doca.Memory, e *syncevent.TaskEvent) []interface{ Close() error } {
			return []interface{ Close() error }{e, m, p, d}
		},
		"memory first": func(d *doca.Device, p *doca.ProgressEngine, m *doca.Memory, e *syncevent.TaskEvent) []interface{ Close() error } {
			return []interface{ Close() error }{m, e, p, d}
		},
		"engine first": func(d *doca.Device, p *doca.ProgressEngine, m *doca.Memory, e *syncevent.TaskEvent) []interface{ Close() error } {
			return []interface{ Close() error }{p, d, m, e}
		},
		"device first": func(d *doca.Device, p *doca.ProgressEngine, m *doca.Memory, e *syncevent.TaskEvent) []interface{ Close() error } {
			return []interface{ Close() error }{d, e, p, m}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dev := must(doca.OpenDevice(doctest.DPU0))(t)
			pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
			mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dev}}))(t)
			ev := must(syncevent.NewTaskEvent(dev, pe, syncevent.Config{Memory: mem}))(t)
			future := must(ev.WaitEqualAsync(t.Context(), 1, 0xff))(t)
			for _, c := range order(dev, pe, mem, ev) {
				require.NoError(t, c.Close())
			}
			_, err := future.Wait(soonish(t))
			require.ErrorIs(t, err, doca.ErrBadState)
			_, err = ev.Get(t.Context())
			require.ErrorIs(t, err, doca.ErrClosed)
		})
	}
}
