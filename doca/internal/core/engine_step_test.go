package core_test

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/core"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// mostly calls try until it is true, a few times at most: a machine that stops a thread for longer than a step can linger does
// not do so each time.
func mostly(t *testing.T, what string, try func() bool) {
	t.Helper()
	for range 5 {
		if try() {
			return
		}
	}
	t.Error(what)
}

// inOneStep checks that f makes one step of the engine, mostly.
func inOneStep(t *testing.T, pe *doca.ProgressEngine, f func()) {
	t.Helper()
	mostly(t, "it took more than one step", func() bool {
		before := core.Polls(pe)
		f()
		return core.Polls(pe)-before == 1
	})
}

// A step that finds nothing to do lingers for as long as it was told, or until somebody makes it hurry.
func TestStepLingers(t *testing.T) {
	t.Parallel()
	pe := must(common.PECreate())(t)
	ring := must(abi.NewRing())(t)
	steps := must(abi.Alloc[abi.Step](1))(t)
	defer func() {
		check(t, common.PEDestroy(nil, pe))
		ring.Free()
		abi.Free(steps)
	}()
	step := &steps[0]
	step.Ring, step.PE, step.Limit = ring, unsafe.Pointer(pe), 1
	took := func() time.Duration {
		start := time.Now()
		check(t, common.PEProgressStep(step))
		assert.Zero(t, step.Done)
		return time.Since(start)
	}
	took() // it returns
	assert.Zero(t, step.Found())
	step.Linger = 2e6
	assert.GreaterOrEqual(t, took(), 2*time.Millisecond)

	step.Linger = math.MaxUint32 // 4 s
	mostly(t, "somebody makes it hurry", func() bool {
		step.Unhurry()
		go func() {
			time.Sleep(time.Millisecond)
			step.Hurry()
		}()
		return took() < 4*time.Second
	})
	mostly(t, "it still hurries", func() bool { return took() < 4*time.Second })
	step.Unhurry()
	step.Linger = 2e6
	assert.GreaterOrEqual(t, took(), 2*time.Millisecond)
}

// An engine that lingers holds its lock. Whoever needs the lock gets it at once, and the copy goes on.
func TestLingeringEngineGivesWay(t *testing.T) {
	r := newRig(t)
	core.Linger(r.PE, math.MaxUint32)
	mostly(t, "the lock was not free before the end of the lingering", func() bool {
		release := doctest.Hold(t)
		done := make(chan error, 1)
		go func() {
			_, err := r.DMA.Copy(t.Context(), r.Dst, r.Src)
			done <- err
		}()
		for !core.Busy(r.PE) {
			runtime.Gosched()
		}
		start := time.Now()
		must(r.PE.Progress())(t)
		took := time.Since(start)
		select {
		case <-done:
			t.Error("the copy has ended")
		default:
			release()
			check(t, <-done)
		}
		return took < 4*time.Second
	})
}

// A copy that ends while its step lingers ends within the call.
func TestCopyEndsInLingeringStep(t *testing.T) {
	r := newRig(t)
	core.Linger(r.PE, math.MaxUint32)
	faults(t, "delay=20ms")
	r.Copy(t) // makes what the others have
	inOneStep(t, r.PE, func() { r.Copy(t) })
}

// A step lingers twice as long for the rest of a batch as for its first copies.
func TestStepLingersForTheRest(t *testing.T) {
	r := newRig(t)
	batch := must(r.DMA.NewBatch(3))(t)
	for i := range 3 {
		check(t, batch.AddRange(r.Mem, 2048+64*i, r.Mem, 64*i, 64))
	}
	check(t, batch.Run(t.Context())) // makes what the others have
	core.Linger(r.PE, 400e6)
	faults(t, "rate=4") // the last one ends after 500 or 750 milliseconds
	inOneStep(t, r.PE, func() { check(t, batch.Run(t.Context())) })
}

// pair is a connection of RDMA whose ends have engines of their own.
type pair struct {
	*doctest.Rig
	end    [2]*rdma.Conn
	ctx    [2]*rdma.RDMA
	pe     [2]*doca.ProgressEngine
	mem    *doca.Memory // the source of the first end
	remote *doca.Memory // the second end's, as the first end has it
}

func newPair(t *testing.T) *pair {
	p := &pair{Rig: newRig(t)}
	var details [2][]byte
	for i := range p.end {
		p.pe[i] = must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
		p.ctx[i] = must(rdma.New(p.Dev, p.pe[i], rdma.Config{MaxTasks: 1}))(t)
		var err error
		p.end[i], details[i], err = p.ctx[i].Export()
		check(t, err)
		t.Cleanup(func() { check(t, p.pe[i].Close()) })
	}
	check(t, p.end[0].Connect(details[1]))
	check(t, p.end[1].Connect(details[0]))
	cfg := doca.MemoryConfig{Devices: []*doca.Device{p.Dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMAWrite}
	p.mem = must(doca.NewMemory(8, cfg))(t)
	target := must(doca.NewMemory(8, cfg))(t)
	p.remote = must(doca.ImportMemory(p.Dev, must(target.ExportRDMA(p.Dev))(t)))(t)
	return p
}

// The peer's program has no part in a write: it ends within its call, as a copy does, even if lingering was in vain before.
func TestWriteEndsInLingeringStep(t *testing.T) {
	p := newPair(t)
	faults(t, "delay=20ms")
	write := func() { check(t, p.end[0].Write(t.Context(), p.remote, 0, p.mem, 0, 8)) }
	core.Linger(p.pe[0], 1)
	write()
	core.Linger(p.pe[0], math.MaxUint32)
	inOneStep(t, p.pe[0], write)
}

// A message for which no buffer is posted waits for the peer: its step does not linger.
func TestWaitingMessageDoesNotLinger(t *testing.T) {
	t.Parallel()
	dpu, host := must(doca.OpenDevice(dpu0))(t), must(doca.OpenDevice(host0))(t)
	t.Cleanup(func() { check(t, dpu.Close()); check(t, host.Close()) })
	server := must(comch.Listen(t.Context(), dpu, must(dpu.OpenRepresentor(host0))(t), t.Name(), comch.Config{}))(t)
	accepted := make(chan *comch.Conn, 1)
	go func() {
		conn, _ := server.Accept(t.Context())
		accepted <- conn
	}()
	client := must(comch.Dial(t.Context(), host, t.Name(), comch.Config{}))(t)
	consumer := must((<-accepted).NewConsumer(must(doca.NewMemory(64, doca.MemoryConfig{
		Devices: []*doca.Device{dpu}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite,
	}))(t), comch.ConsumerConfig{}))(t)
	must(client.WaitConsumer(t.Context()))(t)
	producer := must(client.NewProducer(comch.ProducerConfig{}))(t)
	core.Linger(producer.Engine(), math.MaxUint32) // 4 s
	before := core.Polls(producer.Engine())
	steps := func() uint64 { return core.Polls(producer.Engine()) - before }
	start := time.Now()
	send := func(ctx context.Context) error { return producer.Send(ctx, nil, []byte{1}, consumer.ID()) }
	wantErr(t, doctest.During(send, func() bool { return steps() > 10 || time.Since(start) > 20*time.Second }), context.Canceled)
	assert.Greater(t, steps(), uint64(10))
}

// One processor is enough for goroutines that wait for copies on one engine, and for one beside them: none that waits keeps it.
func TestWaitersShareOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := newRig(t)
	faults(t, "delay=1.4us,rate=4e6")
	const copiers, turns, size = 4, 50, 64
	mem := must(doca.NewMemory(2*copiers*size, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	defer mem.Close()
	copier := must(dma.New(r.Dev, r.PE, dma.Config{MaxTasks: copiers}))(t)
	var beside atomic.Int64
	var all sync.WaitGroup
	for k := range copiers {
		all.Go(func() {
			for i := 0; i < turns || beside.Load() < turns; i++ {
				mem.Bytes()[k*size] = byte(i)
				if !assert.NoError(t, copier.CopyRange(t.Context(), mem, (copiers+k)*size, mem, k*size, size)) {
					return
				}
				if !assert.Equal(t, byte(i), mem.Bytes()[(copiers+k)*size]) {
					return
				}
			}
		})
	}
	all.Go(func() {
		for range turns {
			beside.Add(1)
			runtime.Gosched()
		}
	})
	all.Wait()
}

// A step that does what takes long, such as large copies in software, leaves the lock to those who wait for it before all is done.
func TestStepOfLargeCopiesIsShort(t *testing.T) {
	t.Parallel()
	const size, copies = 2 << 20, 16
	r := newRig(t)
	d := must(dma.New(r.Dev, r.PE, dma.Config{MaxTasks: copies}))(t)
	mem := must(doca.NewMemory((copies+1)*size, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}}))(t)
	batch := must(d.NewBatch(copies))(t)
	for k := range copies {
		check(t, batch.AddRange(mem, (k+1)*size, mem, 0, size))
	}
	check(t, batch.Submit(t.Context()))
	n := must(core.HurriedStep(r.PE))(t)
	assert.Positive(t, n)
	assert.Less(t, n, copies, "the step has made all copies")
	check(t, batch.Wait(t.Context()))
	check(t, d.Close())
	check(t, mem.Close())
}
