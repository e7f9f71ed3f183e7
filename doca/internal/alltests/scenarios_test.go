package alltests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/mmapadvise"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
)

// play is one run of a scenario: what it has opened, and the errors of its calls.
type play struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	opened []closer
	kept   []any
	errs   []error
}

// failed ends the scenario: nobody waits any more for the side that has failed.
func (p *play) failed(err error) {
	p.mu.Lock()
	p.errs = append(p.errs, err)
	p.mu.Unlock()
	p.cancel()
}

// over ends the goroutine of one side of a scenario; both recovers.
type over struct{}

func (p *play) check(err error) {
	if err != nil {
		p.failed(err)
		panic(over{})
	}
}

// got returns the value, or ends the side.
func got[T any](v T, err error) func(*play) T {
	return func(p *play) T {
		p.check(err)
		return v
	}
}

// opened is got for an object that is closed in the end.
func opened[T closer](v T, err error) func(*play) T {
	return func(p *play) T {
		p.check(err)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.opened = append(p.opened, v)
		return v
	}
}

// connected is got for a connection. It is closed after its context: before, Close waits for operations that the other side,
// which may have failed, does not answer.
func connected(c *rdma.Conn, err error) func(*play) *rdma.Conn {
	return func(p *play) *rdma.Conn {
		p.check(err)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.opened = slices.Insert(p.opened, 0, closer(c))
		return c
	}
}

// kept is got for a value whose handle must not be lost.
func kept[T any](v T, err error) func(*play) T {
	return func(p *play) T {
		p.check(err)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.kept = append(p.kept, v)
		return v
	}
}

// want ends the side if two values differ.
func (p *play) want(what string, want, have any) {
	if want != have {
		p.check(wrongResult(fmt.Sprintf("%s is %v, want %v", what, have, want)))
	}
}

// wrongResult is what no fault excuses.
type wrongResult string

func (e wrongResult) Error() string { return string(e) }

// both runs the sides of a scenario at once.
func (p *play) both(sides ...func()) {
	var group sync.WaitGroup
	for _, side := range sides {
		group.Go(func() {
			defer func() {
				if r := recover(); r != nil && r != any(over{}) {
					panic(r)
				}
			}()
			side()
		})
	}
	group.Wait()
	if p.ctx.Err() != nil {
		panic(over{})
	}
}

const everything = doca.AccessLocalReadWrite | doca.AccessPCIReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite | doca.AccessRDMAAtomic

// ground is a device with an engine, a memory and an inventory.
type ground struct {
	dev *doca.Device
	pe  *doca.ProgressEngine
	mem *doca.Memory
	inv *doca.Inventory
}

func (p *play) ground(addr string) *ground {
	g := &ground{dev: opened(doca.OpenDevice(addr))(p), pe: opened(doca.NewProgressEngine(doca.EngineConfig{}))(p)}
	g.mem = opened(doca.NewMemory(64<<10, doca.MemoryConfig{Devices: []*doca.Device{g.dev}, Access: everything}))(p)
	g.inv = opened(doca.NewInventory(32))(p)
	for i := range g.mem.Bytes() {
		g.mem.Bytes()[i] = byte(i * 7)
	}
	return g
}

func (p *play) buffer(g *ground, off, n int) *doca.Buffer {
	return kept(g.inv.Buffer(g.mem, off, n))(p)
}

// scenarios open objects of a package, use all that it has, and close some of them.
var scenarios = map[string]func(p *play){
	"dma": func(p *play) {
		g := p.ground(doctest.DPU0)
		d := opened(dma.New(g.dev, g.pe, dma.Config{MaxTasks: 2}))(p)
		src, dst := p.buffer(g, 0, 64), p.buffer(g, 1024, 64)
		p.check(src.SetData(0, 64))
		p.want("the copy", 64, got(d.Copy(p.ctx, dst, src))(p))
		p.want("the data", string(src.Data()), string(dst.Data()))
		p.check(d.CopyRange(p.ctx, g.mem, 2048, g.mem, 0, 64))
		f := got(d.CopyRangeAsync(p.ctx, g.mem, 3000, g.mem, 0, 64))(p)
		got(f.Wait(p.ctx))(p)
		list := kept(g.inv.List(doca.Range{Memory: g.mem, Offset: 100, Len: 10}, doca.Range{Memory: g.mem, Offset: 200, Len: 10}))(p)
		p.want("the list's copy", 20, got(d.Copy(p.ctx, dst, list))(p))
		b := opened(d.NewBatch(4))(p)
		for i := range 4 {
			p.check(b.AddRange(g.mem, 4096+64*i, g.mem, 64*i, 64))
		}
		p.check(b.Run(p.ctx))
		p.want("the batch's copy", string(g.mem.Bytes()[:256]), string(g.mem.Bytes()[4096:][:256]))
		var out bytes.Buffer
		p.want("what went through", int64(5000), got(d.CopyThrough(p.ctx, &out, g.mem, bytes.NewReader(make([]byte, 5000))))(p))
		p.check(d.Stop(p.ctx))
		p.check(d.Start(p.ctx))
		p.check(d.CopyRange(p.ctx, g.mem, 2048, g.mem, 0, 64))
		p.check(list.Close())
		p.check(d.Close())
	},
	"export": func(p *play) {
		dpu, host := p.ground(doctest.DPU0), p.ground(doctest.Host0)
		d := opened(dma.New(dpu.dev, dpu.pe, dma.Config{MaxTasks: 2}))(p)
		imported := opened(doca.ImportMemory(dpu.dev, got(host.mem.ExportPCI(host.dev))(p)))(p)
		p.check(d.CopyRange(p.ctx, imported, 0, dpu.mem, 64, 64))
		p.want("the copy", string(dpu.mem.Bytes()[64:128]), string(host.mem.Bytes()[:64]))
		m := opened(mmapadvise.New(dpu.dev, dpu.pe, mmapadvise.Config{}))(p)
		p.check(m.InvalidateCache(p.ctx, kept(dpu.inv.Source(dpu.mem, 0, 64))(p)))
		rep := opened(dpu.dev.OpenRepresentor(doctest.Host0))(p)
		p.check(rep.Close())
		p.check(imported.Close())
	},
	"sync event": func(p *play) {
		dpu, host := p.ground(doctest.DPU0), p.ground(doctest.Host0)
		ev := opened(syncevent.New(dpu.dev, syncevent.Config{Publishers: syncevent.CPU | syncevent.RemotePCI | syncevent.RemoteNet,
			Subscribers: syncevent.CPU | syncevent.RemotePCI, Memory: dpu.mem, Offset: 4096}))(p)
		p.check(ev.Set(p.ctx, 5))
		imported := opened(syncevent.Import(host.dev, got(ev.ExportPCI(dpu.dev))(p), syncevent.Config{}))(p)
		p.want("the value before", uint64(5), got(imported.Add(p.ctx, 3))(p))
		p.want("the value", uint64(8), got(ev.Get(p.ctx))(p))
		p.want("the value", uint64(8), got(imported.WaitGreater(p.ctx, 7, syncevent.AllBits))(p))
		opened(syncevent.ImportNet(dpu.dev, got(ev.ExportNet())(p)))(p)
		p.check(imported.Close())
	},
	"sync event tasks": func(p *play) {
		dpu, host := p.ground(doctest.DPU0), p.ground(doctest.Host0)
		ev := opened(syncevent.NewTaskEvent(dpu.dev, dpu.pe, syncevent.Config{Publishers: syncevent.CPU | syncevent.RemotePCI,
			Subscribers: syncevent.CPU | syncevent.RemotePCI, MaxTasks: 2}))(p)
		imported := opened(syncevent.ImportTaskEvent(host.dev, host.pe, got(ev.ExportPCI(dpu.dev))(p), syncevent.Config{MaxTasks: 2}))(p)
		for i := range uint64(3) {
			wait := got(ev.WaitEqualAsync(p.ctx, i+1, 0xff))(p)
			differs := got(imported.WaitNotEqualAsync(p.ctx, i, 0xff))(p)
			p.want("the value before", i, got(imported.Add(p.ctx, 1))(p))
			_, err := wait.Wait(p.ctx)
			p.check(err)
			_, err = differs.Wait(p.ctx)
			p.check(err)
		}
		p.check(ev.Set(p.ctx, 1000))
		p.want("the value", uint64(1000), got(imported.WaitGreater(p.ctx, 999, syncevent.AllBits))(p))
		p.check(imported.Close())
	},
	"rdma by details": func(p *play) {
		var conns [2]*rdma.Conn
		var details [2][]byte
		var sides [2]*network
		for i := range sides {
			sides[i] = p.network()
			c, d, err := sides[i].a.Export()
			p.check(err)
			conns[i] = connected(c, nil)(p)
			details[i] = d
		}
		for i := range sides {
			p.check(conns[i].Connect(details[1-i]))
		}
		p.talk(sides, conns)
	},
	"rdma by address": func(p *play) {
		sides := [2]*network{p.network(), p.network()}
		var conns [2]*rdma.Conn
		l := opened(sides[1].a.Listen(uint16(18000 + lastPort.Add(1)%1000)))(p)
		gids := got(rdma.GIDs(sides[1].dev.Info()))(p)
		addr := rdma.Addr{Type: rdma.AddrGID, Address: gids[len(gids)-1].String(), Port: l.Port()}
		p.both(
			func() { conns[0] = connected(sides[0].a.Dial(p.ctx, addr))(p) },
			func() {
				q := got(l.Request(p.ctx))(p)
				conns[1] = connected(q.Accept(p.ctx, nil))(p)
			},
		)
		p.check(l.Close())
		p.talk(sides, conns)
	},
	"comch": func(p *play) {
		dpu, host := p.ground(doctest.DPU0), p.ground(doctest.Host0)
		rep := opened(dpu.dev.OpenRepresentor(doctest.Host0))(p)
		name := fmt.Sprintf("sweep-%d-%d", os.Getpid(), names.Add(1))
		cfg := comch.Config{Farewell: true, Names: true}
		srv := opened(comch.Listen(p.ctx, dpu.dev, rep, name, cfg))(p)
		var server, client *comch.Conn
		p.both(
			func() { server = opened(srv.Accept(p.ctx))(p) },
			func() { client = opened(comch.Dial(p.ctx, host.dev, name, cfg))(p) },
		)
		p.both(
			func() {
				for range 3 {
					p.check(server.Send(p.ctx, got(server.Recv(p.ctx))(p)))
					p.check(server.Flush(p.ctx)) // says whether the message was sent
				}
			},
			func() {
				for _, text := range []string{"a", "b", "c"} {
					p.check(client.Send(p.ctx, []byte(text)))
					p.check(client.Flush(p.ctx))
					p.want("the answer", text, string(got(client.Recv(p.ctx))(p)))
				}
			},
		)
		p.both(
			func() { // receives
				c := opened(server.NewConsumer(dpu.mem, comch.ConsumerConfig{MaxTasks: 4}))(p)
				p.check(c.Post(p.buffer(dpu, 0, 4096)))
				p.check(c.Post(p.buffer(dpu, 4096, 4096)))
				for range 4 {
					r := got(c.Recv(p.ctx))(p)
					p.want("the data", string(host.mem.Bytes()[:1000]), string(r.Data))
					p.check(c.Post(r.Buffer))
				}
				p.check(c.Close())
			},
			func() {
				id := got(client.WaitConsumer(p.ctx))(p)
				pr := opened(client.NewProducer(comch.ProducerConfig{MaxTasks: 2}))(p)
				buf := kept(host.inv.Source(host.mem, 0, 1000))(p)
				for range 4 {
					p.check(pr.Send(p.ctx, buf, []byte("imm"), id))
				}
				p.check(pr.Close())
			},
		)
		p.check(client.Close())
	},
	"dma batches":   useDMABatches,
	"comch batches": useComchBatches,
	"dpa":           useDPA,
	"msgq":          useMsgQs,
	"rdma on a dpa": useRDMAOnDPA,
	"comchnet": func(p *play) {
		dpu, host := opened(doca.OpenDevice(doctest.DPU0))(p), opened(doca.OpenDevice(doctest.Host0))(p)
		rep := opened(dpu.OpenRepresentor(doctest.Host0))(p)
		name := fmt.Sprintf("sweep-%d-%d", os.Getpid(), names.Add(1))
		l := opened(comchnet.Listen(p.ctx, dpu, rep, name, comch.Config{}))(p)
		stop := context.AfterFunc(p.ctx, func() { l.Close() }) // Accept has no ctx
		defer stop()
		text := bytes.Repeat([]byte("text"), 50000)
		p.both(
			func() {
				conn, err := l.Accept()
				c := opened(conn, err)(p)
				defer context.AfterFunc(p.ctx, func() { c.Close() })()
				var all []byte
				for len(all) < len(text) {
					chunk := make([]byte, 64<<10)
					all = append(all, chunk[:got(c.Read(chunk))(p)]...)
				}
				p.want("the stream", string(text), string(all))
				got(c.Write([]byte("thanks")))(p)
			},
			func() {
				conn, err := comchnet.Dial(p.ctx, host, name, comch.Config{})
				c := opened(conn, err)(p)
				defer context.AfterFunc(p.ctx, func() { c.Close() })()
				got(c.Write(text))(p)
				got(c.Read(make([]byte, 10)))(p)
			},
		)
	},
}

// network opens an RDMA context.
func (p *play) network() *network {
	g := p.ground(doctest.DPU0)
	r := opened(rdma.New(g.dev, g.pe, rdma.Config{MaxTasks: 2, MaxReceives: 4, MaxConnections: 2}))(p)
	return &network{dev: g.dev, mem: g.mem, inv: g.inv, pe: g.pe, a: r}
}

// talk uses a connection in all ways.
func (p *play) talk(sides [2]*network, conns [2]*rdma.Conn) {
	a, b := conns[0], conns[1]
	mem := sides[0].mem
	peer := opened(doca.ImportMemory(sides[0].dev, got(sides[1].mem.ExportRDMA(sides[1].dev))(p)))(p)
	event := opened(syncevent.New(sides[1].dev, syncevent.Config{Publishers: syncevent.RemoteNet}))(p)
	remote := opened(syncevent.ImportNet(sides[0].dev, got(event.ExportNet())(p)))(p)
	post := func(i int) {
		buf := kept(sides[1].inv.Buffer(sides[1].mem, 32<<10+i*1024, 1024))(p)
		got(sides[1].a.Post(buf))(p)
	}
	for i := range 3 {
		post(i)
	}
	// The handshake may have lost one of them, if it could not be posted again. Without a receive, the write below would wait for ever.
	posted := make(chan struct{})
	p.both(func() { p.check(a.Handshake(p.ctx)) }, func() { p.check(b.Handshake(p.ctx)) })
	p.both(
		func() {
			p.check(a.Write(p.ctx, peer, 0, mem, 100, 64))
			p.want("what was written", string(mem.Bytes()[100:164]), string(sides[1].mem.Bytes()[:64]))
			p.check(a.Read(p.ctx, mem, 8192, peer, 64, 64))
			p.want("what was read", string(sides[1].mem.Bytes()[64:128]), string(mem.Bytes()[8192:][:64]))
			p.check(a.Send(p.ctx, mem, 0, 100))
			p.check(a.SendImm(p.ctx, 7, mem, 0, 100))
			select {
			case <-posted:
			case <-p.ctx.Done():
			}
			p.check(a.WriteImm(p.ctx, 8, peer, 128, mem, 0, 64))
			old := got(a.FetchAdd(p.ctx, peer, 4096, mem, 4096, 5))(p)
			p.want("the word", old+5, got(a.CompareAndSwap(p.ctx, peer, 4096, mem, 4096, old+5, 1))(p))
			p.check(a.EventSet(p.ctx, remote, mem, 5000, 7))
			p.want("the event", uint64(7), got(a.EventAdd(p.ctx, remote, mem, 5000, 2))(p))
			p.want("the event", uint64(9), got(a.EventGet(p.ctx, remote, mem, 5000))(p))
			p.want("the event of the peer", uint64(9), got(event.Get(p.ctx))(p))
			src := kept(sides[0].inv.Source(mem, 0, 32))(p)
			p.check(a.WriteBuffer(p.ctx, peer, 512, src))
			batch := opened(a.NewBatch(4))(p)
			for i := range 4 {
				p.check(batch.Write(peer, 1024+64*i, mem, 64*i, 64))
			}
			p.check(batch.Run(p.ctx))
		},
		func() {
			for range 2 {
				got(sides[1].a.Recv(p.ctx))(p)
			}
			post(3)
			close(posted)
			got(sides[1].a.Recv(p.ctx))(p)
		},
	)
	p.check(a.Close())
	p.check(b.Close())
	p.check(sides[0].a.Stop(p.ctx))
	p.check(sides[0].a.Start(p.ctx))
}

// run plays a scenario.
func (p *play) run(scenario func(*play)) {
	defer func() {
		if r := recover(); r != nil && r != any(over{}) {
			panic(r)
		}
	}()
	scenario(p)
}

// isConsequence reports whether an error is that of a side whose other side has failed.
func isConsequence(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, comch.ErrPeerGone) || errors.Is(err, rdma.ErrPeerGone) ||
		errors.Is(err, rdma.ErrRejected) || errors.Is(err, doca.ErrBadState) || errors.Is(err, net.ErrClosed)
}
