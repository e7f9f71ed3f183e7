package dataplane

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/examples/storage/iomsg"
	"github.com/go-doca/go-doca/internal/selfexec"
)

func TestMain(m *testing.M) {
	os.Setenv("DOCA_PROVIDER", emulator.Name)
	end := selfexec.Apart()
	code := m.Run()
	end()
	os.Exit(code)
}

const (
	blockSize = 4096
	blocks    = 64
	slots     = 16
)

// chain is the three workers of a core in one process. The test drives them in turns.
type chain struct {
	lane   *Lane
	relay  *Relay
	target *Target
	region *doca.Memory
	store  []byte
	ended  []Completion
}

// newChain makes a chain that serves store, which may be empty but for its size.
func newChain(t testing.TB, store Store) *chain {
	t.Helper()
	c := &chain{}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	host, dpu := open(t, "b1:00.0"), open(t, "03:00.0")
	rep, err := dpu.OpenRepresentor("b1:00.0")
	require.NoError(t, err)
	server, err := comch.Listen(ctx, dpu, rep, t.Name(), comch.Config{})
	require.NoError(t, err)
	var hostConn, dpuConn *comch.Conn
	var wg sync.WaitGroup
	wg.Go(func() {
		dpuConn, err = server.Accept(ctx)
	})
	hostConn, dialErr := comch.Dial(ctx, host, t.Name(), comch.Config{})
	wg.Wait()
	require.NoError(t, errors.Join(err, dialErr))

	c.region, err = doca.NewMemory(blocks*blockSize, doca.MemoryConfig{Devices: []*doca.Device{host}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite})
	require.NoError(t, err)
	export, err := c.region.ExportPCI(host)
	require.NoError(t, err)
	passed, err := doca.ImportMemory(dpu, export)
	require.NoError(t, err)
	export, err = passed.ExportRDMA(dpu)
	require.NoError(t, err)
	remote := open(t, "03:00.1")
	far, err := doca.ImportMemory(remote, export)
	require.NoError(t, err)
	if store.Backend == nil {
		store.Memory, err = doca.NewMemory(blocks*blockSize, doca.MemoryConfig{Devices: []*doca.Device{remote}, Access: doca.AccessLocalReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite})
		require.NoError(t, err)
		c.store = store.Memory.Bytes()
	}
	store.Size = blocks * blockSize

	c.lane, err = NewLane(host, hostConn, 0, slots)
	require.NoError(t, err)
	c.relay, err = NewRelay(dpu, dpuConn, 2*slots)
	require.NoError(t, err)
	c.target, err = NewTarget(remote, far, store, 2*slots)
	require.NoError(t, err)
	for _, role := range []control.Role{control.RoleData, control.RoleControl} {
		a, err := c.relay.Export(role)
		require.NoError(t, err)
		b, err := c.target.Export(role)
		require.NoError(t, err)
		require.NoError(t, c.relay.Connect(role, b))
		require.NoError(t, c.target.Connect(role, a))
	}
	to, err := hostConn.WaitConsumer(ctx)
	require.NoError(t, err)
	c.lane.SetPeer(to)
	to, err = dpuConn.WaitConsumer(ctx)
	require.NoError(t, err)
	require.NoError(t, c.relay.Prepare(to))
	require.NoError(t, c.target.Prepare())
	t.Cleanup(func() {
		assert.NoError(t, c.lane.Close())
		assert.NoError(t, c.relay.Close())
		assert.NoError(t, c.target.Close())
	})
	return c
}

func open(t testing.TB, pci string) *doca.Device {
	t.Helper()
	dev, err := doca.OpenDevice(pci)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dev.Close()) })
	return dev
}

// until drives all three until n requests have ended.
func (c *chain) until(t testing.TB, n int) []Completion {
	c.ended = c.ended[:0]
	for end := time.Now().Add(20 * time.Second); len(c.ended) < n; {
		ended, err := c.lane.Poll()
		err = errors.Join(err, c.relay.turn(), c.target.turn())
		if err != nil || time.Now().After(end) {
			t.Fatalf("%d of %d requests have ended: %v", len(c.ended), n, err)
		}
		c.ended = append(c.ended, ended...)
	}
	return c.ended
}

// ask starts a request for the block of a slot.
func (c *chain) ask(slot int, kind iomsg.Type, block int) {
	c.lane.Message(slot).SetRequest(kind, uint64(slot*blockSize), uint64(block*blockSize), blockSize)
	c.lane.Start(slot)
}

func (c *chain) block(slot int) []byte { return c.region.Bytes()[slot*blockSize:][:blockSize] }

func fill(b []byte, seed int) {
	for i := range b {
		b[i] = byte(i*7 + seed)
	}
}

func TestChain(t *testing.T) {
	c := newChain(t, Store{})
	for slot := range slots {
		fill(c.block(slot), slot)
		c.ask(slot, iomsg.Write, 2*slot)
	}
	for _, e := range c.until(t, slots) {
		assert.Zero(t, e.Code)
	}
	for slot := range slots {
		want := make([]byte, blockSize)
		fill(want, slot)
		assert.Equal(t, want, c.store[2*slot*blockSize:][:blockSize], "block %d", 2*slot)
		fill(c.store[2*slot*blockSize:][:blockSize], 100+slot)
		c.ask(slot, iomsg.Read, 2*slot)
	}
	for _, e := range c.until(t, slots) {
		assert.Zero(t, e.Code)
	}
	for slot := range slots {
		assert.Equal(t, c.store[2*slot*blockSize:][:blockSize], c.block(slot))
	}
}

// A request that cannot be carried out fails alone: what comes after it works.
func TestRefusals(t *testing.T) {
	c := newChain(t, Store{})
	for name, r := range map[string]struct {
		kind               iomsg.Type
		requester, storage uint64
		n                  uint32
		want               doca.Error
	}{
		"end of the storage":     {iomsg.Read, 0, blocks * blockSize, 1, doca.ErrIOFailed},
		"over the end":           {iomsg.Write, 0, blocks*blockSize - 1, 2, doca.ErrIOFailed},
		"far beyond":             {iomsg.Read, 0, 1<<64 - 1, 2, doca.ErrIOFailed},
		"beyond the host memory": {iomsg.Read, blocks*blockSize - 1, 0, 2, doca.ErrIOFailed},
		"no bytes":               {iomsg.Read, 0, 0, 0, doca.ErrInvalidValue},
		"no such type":           {77, 0, 0, 8, doca.ErrInvalidValue},
		"a result":               {iomsg.Result, 0, 0, 8, doca.ErrInvalidValue},
	} {
		t.Run(name, func(t *testing.T) {
			c.ask(1, iomsg.Read, 1)
			c.lane.Message(0).SetRequest(r.kind, r.requester, r.storage, r.n)
			c.lane.Start(0)
			for _, e := range c.until(t, 2) {
				want := doca.Error(0)
				if e.Slot == 0 {
					want = r.want
				}
				assert.Equal(t, want, e.Code, "slot %d", e.Slot)
			}
		})
	}
}

// slowFile is a backend that fails for one block.
type slowFile struct {
	data []byte
	bad  int64
}

var errBad = errors.New("bad block")

func (f *slowFile) ReadAt(b []byte, off int64) (int, error) {
	if off == f.bad {
		return 0, errBad
	}
	return copy(b, f.data[off:]), nil
}

func (f *slowFile) WriteAt(b []byte, off int64) (int, error) {
	if off == f.bad {
		return 0, errBad
	}
	return copy(f.data[off:], b), nil
}

func TestBackend(t *testing.T) {
	f := &slowFile{data: make([]byte, blocks*blockSize), bad: 3 * blockSize}
	c := newChain(t, Store{Backend: f, MaxIO: blockSize})
	for slot := range slots {
		fill(c.block(slot), slot)
		c.ask(slot, iomsg.Write, slot)
	}
	check := func() {
		for _, e := range c.until(t, slots) {
			if e.Slot == 3 {
				assert.Equal(t, doca.ErrIOFailed, e.Code)
			} else {
				assert.Zero(t, e.Code, "slot %d", e.Slot)
			}
		}
	}
	check()
	for slot := range slots {
		clear(c.block(slot))
		c.ask(slot, iomsg.Read, slot)
	}
	check()
	for slot := range slots {
		if slot != 3 {
			assert.Equal(t, f.data[slot*blockSize:][:blockSize], c.block(slot))
			assert.Equal(t, byte(7+slot), c.block(slot)[1])
		}
	}
	c.lane.Message(0).SetRequest(iomsg.Read, 0, 0, blockSize+1)
	c.lane.Start(0)
	assert.Equal(t, doca.ErrIOFailed, c.until(t, 1)[0].Code, "more than MaxIO")
}

// If blocks cannot move, no IO is acknowledged as done, and the worker goes on answering.
func TestDataConnectionEnds(t *testing.T) {
	c := newChain(t, Store{})
	require.NoError(t, c.relay.conns[control.RoleData].Close())
	for range 3 {
		for slot := range slots {
			c.ask(slot, iomsg.Write+iomsg.Type(slot%2)-1, slot)
		}
		for _, e := range c.until(t, slots) {
			assert.Equal(t, doca.ErrIOFailed, e.Code)
		}
	}
	require.Error(t, c.target.DataErr())
	assert.ErrorIs(t, c.target.DataErr(), rdma.ErrPeerGone)
}

// The data plane allocates nothing for an IO, in any of the three.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	c := newChain(t, Store{})
	c.ended = make([]Completion, 0, 2*slots)
	round := func() {
		for slot := range slots {
			c.ask(slot, iomsg.Read+iomsg.Type(slot%2), slot)
		}
		c.until(t, slots)
	}
	for range 100 { // every group has been in use
		round()
	}
	assert.Zero(t, testing.AllocsPerRun(1000, round))
}

// BenchmarkChain measures what an IO of 4 KiB costs in all three workers together, in turns on one thread.
func BenchmarkChain(b *testing.B) {
	c := newChain(b, Store{})
	for i := 0; b.Loop(); i++ {
		for slot := range slots {
			c.ask(slot, iomsg.Read+iomsg.Type(slot%2), slot)
		}
		c.until(b, slots)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*slots), "ns/IO")
}
