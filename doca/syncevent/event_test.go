package syncevent_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/syncevent"
)

func TestValues(t *testing.T) {
	t.Parallel()
	ev, ctx := newEvent(t, open(t, doctest.DPU0), syncevent.Config{}), t.Context()
	assert.Zero(t, must(ev.Get(ctx))(t))
	require.NoError(t, ev.Set(ctx, syncevent.AllBits))
	assert.Equal(t, syncevent.AllBits, must(ev.Add(ctx, 3))(t))
	assert.Equal(t, uint64(2), must(ev.Get(ctx))(t), "it wraps around")

	_, err := ev.Get(doctest.Deadline(t, 0))
	require.Error(t, err)
	require.ErrorIs(t, err, doctest.Deadline(t, 0).Err())
}

func TestConfig(t *testing.T) {
	t.Parallel()
	dev := open(t, doctest.DPU0)
	mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dev}}))(t)
	closeAfter(t, mem)
	for name, cfg := range map[string]syncevent.Config{
		"unknown publisher":        {Publishers: 16},
		"no DPA":                   {Publishers: syncevent.DPA},
		"subscriber behind a net":  {Subscribers: syncevent.RemoteNet},
		"tasks below zero":         {MaxTasks: -1},
		"too many tasks":           {MaxTasks: 1<<20 + 1},
		"more tasks than DOCA can": {MaxTasks: 1<<32 + 1}, // 1 in DOCA's 32 bits
		"all tasks":                {MaxTasks: math.MaxInt},
		"offset behind the memory": {Memory: mem, Offset: 57},
		"offset below zero":        {Memory: mem, Offset: -8},
		"crooked offset":           {Memory: mem, Offset: 4},
		"memory of nothing":        {Memory: &doca.Memory{}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := syncevent.New(dev, cfg)
			require.ErrorIs(t, err, doca.ErrInvalidValue)
			_, err = syncevent.NewTaskEvent(dev, nil, cfg)
			require.ErrorIs(t, err, doca.ErrInvalidValue)
		})
	}
	for _, none := range []*doca.Device{nil, {}} {
		_, err := syncevent.New(none, syncevent.Config{})
		require.ErrorIs(t, err, doca.ErrInvalidValue)
		_, err = syncevent.NewTaskEvent(none, nil, syncevent.Config{})
		require.ErrorIs(t, err, doca.ErrInvalidValue)
		_, err = syncevent.Import(none, []byte{1}, syncevent.Config{})
		require.ErrorIs(t, err, doca.ErrInvalidValue)
		_, err = syncevent.ImportNet(none, []byte{1})
		require.ErrorIs(t, err, doca.ErrInvalidValue)
	}
}

func TestLocationsString(t *testing.T) {
	t.Parallel()
	for l, want := range map[syncevent.Locations]string{
		0: "none", syncevent.CPU: "CPU", syncevent.CPU | syncevent.RemoteNet: "CPU|RemoteNet", syncevent.RemotePCI | 16: "RemotePCI|Locations(16)",
		syncevent.CPU | syncevent.DPA: "CPU|DPA",
	} {
		assert.Equal(t, want, l.String())
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	dev := open(t, doctest.DPU0)
	mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dev}}))(t)
	binary.NativeEndian.PutUint64(mem.Bytes()[8:], 7)
	cfg := shared
	cfg.Memory, cfg.Offset = mem, 8
	ev := must(syncevent.New(dev, cfg))(t)
	assert.Equal(t, uint64(7), must(ev.Add(t.Context(), 1))(t))
	assert.Equal(t, uint64(8), binary.NativeEndian.Uint64(mem.Bytes()[8:]))
	imported := must(syncevent.Import(dev, must(ev.ExportPCI(dev))(t), syncevent.Config{}))(t)
	require.NoError(t, imported.Set(t.Context(), 9))
	assert.Equal(t, uint64(9), binary.NativeEndian.Uint64(mem.Bytes()[8:]))

	require.NoError(t, mem.Close(), "closes the event, too")
	_, err := ev.Get(t.Context())
	require.ErrorIs(t, err, doca.ErrClosed)
	_, err = imported.Get(t.Context())
	require.ErrorIs(t, err, doca.ErrIOFailed)
	require.ErrorContains(t, err, "import a new one")
	require.NoError(t, imported.Close())
	_, err = syncevent.New(dev, cfg)
	require.ErrorIs(t, err, doca.ErrClosed)
}

func TestExportAndImport(t *testing.T) {
	t.Parallel()
	dpu, host, ctx := open(t, doctest.DPU0), open(t, doctest.Host0), t.Context()
	ev := newEvent(t, dpu, shared)
	desc := must(ev.ExportPCI(dpu))(t)
	assert.LessOrEqual(t, len(desc), 512)
	assert.Equal(t, desc, must(ev.ExportPCI(dpu))(t), "the same again")
	imported := must(syncevent.Import(host, desc, syncevent.Config{}))(t)
	closeAfter(t, imported)
	require.NoError(t, imported.Set(ctx, 5))
	assert.Equal(t, uint64(5), must(ev.Get(ctx))(t))

	t.Run("refused", func(t *testing.T) {
		local := newEvent(t, dpu, syncevent.Config{})
		_, err := local.ExportPCI(dpu)
		require.ErrorIs(t, err, doca.ErrInvalidValue, "no location")
		require.ErrorContains(t, err, "Publishers or Subscribers of its Config must have RemotePCI")
		_, err = local.ExportNet()
		require.ErrorIs(t, err, doca.ErrInvalidValue, "no location")
		require.ErrorContains(t, err, "Publishers of its Config must have RemoteNet")
		_, err = imported.ExportPCI(host)
		require.ErrorIs(t, err, doca.ErrInvalidValue, "imported")
		_, err = ev.ExportPCI(nil)
		require.ErrorIs(t, err, doca.ErrInvalidValue)
		_, err = syncevent.Import(host, nil, syncevent.Config{})
		require.ErrorIs(t, err, doca.ErrInvalidValue)
		_, err = syncevent.Import(host, desc, shared)
		require.ErrorIs(t, err, doca.ErrInvalidValue)
		_, err = syncevent.Import(host, desc[:len(desc)-1], syncevent.Config{})
		require.ErrorIs(t, err, doca.ErrInvalidValue)
		require.ErrorContains(t, err, "the descriptor is damaged, or its export has ended")
		_, err = syncevent.ImportTaskEvent(host, engine(t), desc[:len(desc)-1], syncevent.Config{})
		require.ErrorContains(t, err, "the descriptor is damaged, or its export has ended")
		_, err = syncevent.ImportNet(host, desc)
		require.ErrorContains(t, err, "the descriptor is damaged, or it is not one of ExportNet")
		_, err = syncevent.Import(open(t, "0000:b1:00.1"), desc, syncevent.Config{})
		require.ErrorIs(t, err, doca.ErrNotPermitted, "the other port")
		require.ErrorContains(t, err, "use the device at the other end of the exporter's")
	})
	t.Run("with tasks", func(t *testing.T) {
		tasks := must(syncevent.ImportTaskEvent(host, engine(t), desc, syncevent.Config{}))(t)
		closeAfter(t, tasks)
		assert.Equal(t, uint64(5), must(tasks.Add(ctx, 2))(t))
		assert.Equal(t, uint64(7), must(ev.Get(ctx))(t))
	})
	t.Run("across the network", func(t *testing.T) {
		net := must(ev.ExportNet())(t)
		remote := must(syncevent.ImportNet(host, net))(t)
		link := new(bind.Link)
		raw, err := syncevent.HoldRemote(link, remote)
		require.NoError(t, err)
		assert.NotNil(t, raw)
		require.ErrorIs(t, remote.Shutdown(soon(t)), doca.ErrInvalidValue, "the link has no engine to wait for")
		_, err = syncevent.HoldRemote(link, remote)
		require.ErrorIs(t, err, doca.ErrClosed)
		syncevent.ReleaseRemote(link, remote)
		syncevent.ReleaseRemote(link, remote) // one too many changes nothing
		require.NoError(t, remote.Close())
		require.NoError(t, remote.Close())
		_, err = syncevent.HoldRemote(link, remote)
		require.ErrorIs(t, err, doca.ErrClosed)
		_, err = syncevent.ImportNet(host, desc)
		require.ErrorIs(t, err, doca.ErrInvalidValue, "that of the other export")
		_, err = syncevent.ImportNet(host, nil)
		require.ErrorIs(t, err, doca.ErrInvalidValue)
	})
	require.NoError(t, ev.Close())
	_, err := imported.Get(ctx)
	require.ErrorIs(t, err, doca.ErrIOFailed)
}

// A descriptor of which any byte differs, or that is cut, is refused; and so is that of something else.
func TestDamagedDescriptor(t *testing.T) {
	t.Parallel()
	dev, host := open(t, doctest.DPU0), open(t, doctest.Host0)
	ev := newEvent(t, dev, shared)
	mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite}))(t)
	good := must(ev.ExportPCI(dev))(t)
	net := must(ev.ExportNet())(t)
	refused := func(descriptor []byte, format string, args ...any) {
		imported, err := syncevent.Import(host, descriptor, syncevent.Config{})
		if !assert.Error(t, err, fmt.Sprintf(format, args...)) {
			assert.NoError(t, imported.Close())
		}
	}
	for i := range good {
		for _, bits := range []byte{1, 0x80, 0xff} {
			bad := slices.Clone(good)
			bad[i] ^= bits
			refused(bad, "byte %d", i)
		}
		refused(good[:i], "%d bytes", i)
	}
	refused(append(slices.Clone(good), 1), "a byte more")
	refused(net, "that of the network")
	refused(must(mem.ExportPCI(dev))(t), "that of a memory")
	refused(make([]byte, 1<<20), "a megabyte")
	refusedNet := func(descriptor []byte, format string, args ...any) {
		remote, err := syncevent.ImportNet(host, descriptor)
		if !assert.Error(t, err, fmt.Sprintf(format, args...)) {
			assert.NoError(t, remote.Close())
		}
	}
	for i := range net {
		for _, bits := range []byte{1, 0x80, 0xff} {
			bad := slices.Clone(net)
			bad[i] ^= bits
			refusedNet(bad, "byte %d of that of the network", i)
		}
		refusedNet(net[:i], "%d bytes of that of the network", i)
	}
	_, err := syncevent.ImportNet(host, good)
	assert.Error(t, err)
	for _, descriptor := range [][]byte{good, net} {
		_, err := doca.ImportMemory(host, descriptor)
		assert.Error(t, err)
	}
	imported := must(syncevent.Import(host, good, syncevent.Config{}))(t)
	require.NoError(t, imported.Set(t.Context(), 9))
	require.Equal(t, uint64(9), must(ev.Get(t.Context()))(t))
	require.NoError(t, imported.Close())
	require.NoError(t, mem.Close())
}

// Hundreds of events with waits come and go.
func TestManyEvents(t *testing.T) {
	dev, host := open(t, doctest.DPU0), open(t, doctest.Host0)
	ctx, cancel := context.WithCancel(t.Context())
	var waits sync.WaitGroup
	var events, imports []*syncevent.Event
	for range 300 {
		ev := newEvent(t, dev, shared)
		imported := must(syncevent.Import(host, must(ev.ExportPCI(dev))(t), syncevent.Config{}))(t)
		waits.Go(func() {
			_, err := imported.WaitGreater(ctx, 0, syncevent.AllBits)
			assert.ErrorIs(t, err, context.Canceled)
		})
		events, imports = append(events, ev), append(imports, imported)
	}
	cancel()
	waits.Wait()
	for i, at := range rand.Perm(len(events)) {
		first, then := events[at], imports[at]
		if i%2 == 0 {
			first, then = then, first
		}
		require.NoError(t, first.Close())
		require.NoError(t, then.Close())
	}
}

// Where DOCA has no memory, or no more files can be opened, the error says so.
func TestNoMemory(t *testing.T) {
	dev := open(t, doctest.DPU0)
	doctest.Faults(t, "fail-call=doca_sync_event_start:1:NO_MEMORY")
	_, err := syncevent.New(dev, shared)
	doctest.WantErr(t, err, doca.ErrNoMemory, "there is no memory left")
}

func TestClose(t *testing.T) {
	t.Parallel()
	dev := must(doca.OpenDevice(doctest.DPU0))(t)
	ev := must(syncevent.New(dev, shared))(t)
	waiting := make(chan error)
	go func() {
		_, err := ev.WaitGreater(soonish(t), 1, syncevent.AllBits)
		waiting <- err
	}()
	require.NoError(t, dev.Close(), "closes the event, too")
	require.ErrorIs(t, <-waiting, doca.ErrClosed)
	require.NoError(t, ev.Close())
	for name, call := range map[string]func() error{
		"Set":       func() error { return ev.Set(t.Context(), 1) },
		"Add":       func() error { _, err := ev.Add(t.Context(), 1); return err },
		"ExportPCI": func() error { _, err := ev.ExportPCI(dev); return err },
		"ExportNet": func() error { _, err := ev.ExportNet(); return err },
	} {
		var state *doca.StateError
		require.ErrorAs(t, call(), &state, name)
		assert.Equal(t, doca.StateClosed, state.State)
	}
	_, err := syncevent.New(dev, shared)
	require.ErrorIs(t, err, doca.ErrClosed)
}

func TestLeak(t *testing.T) {
	reports := make(chan doca.Object, 8)
	doca.SetLeakReporter(func(o doca.Object) { reports <- o })
	t.Cleanup(func() { doca.SetLeakReporter(nil) })
	dev := must(doca.OpenDevice(doctest.DPU0))(t)
	func() { must(syncevent.New(dev, shared))(t) }()
	assert.Contains(t, doctest.CollectLeak(t, reports).Name, "sync event#")
	require.NoError(t, dev.Close())
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	info := open(t, doctest.Host0).Info()
	assert.Equal(t, syncevent.Capabilities{
		ExportPCI: true, ImportPCI: true, ExportNet: true, ImportNet: true, DPA: true,
		GetTask: true, SetTask: true, AddTask: true, WaitEqualTask: true, WaitNotEqualTask: true,
	}, must(syncevent.CapabilitiesOf(info))(t))
	require.NoError(t, syncevent.Supported(info))
	_, err := syncevent.CapabilitiesOf(doca.DeviceInfo{})
	require.ErrorIs(t, err, doca.ErrNotFound)
}

// A Shutdown whose context has ended closes what needs no waiting.
func TestShutdownWithoutWaiting(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	dev := open(t, doctest.DPU0)
	for range 20 {
		require.NoError(t, newEvent(t, dev, syncevent.Config{}).Shutdown(ended))
	}
}
