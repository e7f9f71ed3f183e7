package alltests

import (
	"fmt"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// useDMABatches runs batches of buffers and ranges again and again: as they are, with other data, with other copies, with fewer
// tasks than copies, and with reports that DOCA may hold back.
func useDMABatches(p *play) {
	const n, size, far = 4, 64, 2<<20 + 4096
	g := p.ground(doctest.DPU0)
	mem := opened(doca.NewMemory(5<<20, doca.MemoryConfig{Devices: []*doca.Device{g.dev}}))(p)
	for i, cfg := range []dma.Config{{MaxTasks: 2}, {MaxTasks: 8, OptimizeReports: true}} {
		d := opened(dma.New(g.dev, g.pe, cfg))(p)
		b := opened(d.NewBatch(2 * n))(p)
		var srcs, dsts []*doca.Buffer
		for k := range n {
			at := (2*n*i + 2*k) * size
			srcs, dsts = append(srcs, kept(g.inv.Source(g.mem, at, size))(p)), append(dsts, p.buffer(g, at+size, size))
			p.check(b.Add(dsts[k], srcs[k]))
			p.check(b.AddRange(mem, at, g.mem, at, size))
		}
		verify := func() {
			for k, dst := range dsts {
				p.want("the buffer's copy", string(srcs[k].Data()), string(dst.Data()))
				at := (2*n*i + 2*k) * size
				p.want("the range's copy", string(g.mem.Bytes()[at:][:size]), string(mem.Bytes()[at:][:size]))
			}
		}
		for range 3 {
			p.check(b.Run(p.ctx))
			verify()
		}
		p.check(srcs[0].SetData(3, 10))
		p.check(b.Submit(p.ctx))
		p.check(b.Wait(p.ctx))
		verify()
		p.check(b.Reset())
		p.check(b.Add(dsts[1], srcs[0]))
		p.check(b.Run(p.ctx))
		p.want("the buffer's copy", string(srcs[0].Data()), string(dsts[1].Data()))
		p.check(d.CopyRange(p.ctx, mem, far, mem, 0, 2<<20+100)) // in parts
		p.want("the copy in parts", string(mem.Bytes()[:2<<20+100]), string(mem.Bytes()[far:][:2<<20+100]))
		p.check(b.Close())
	}
}

// useComchBatches posts, sends and receives many buffers at once.
func useComchBatches(p *play) {
	const n, size = 4, 4096
	dpu, host := p.ground(doctest.DPU0), p.ground(doctest.Host0)
	rep := opened(dpu.dev.OpenRepresentor(doctest.Host0))(p)
	name := fmt.Sprintf("sweep-%d-%d", os.Getpid(), names.Add(1))
	srv := opened(comch.Listen(p.ctx, dpu.dev, rep, name, comch.Config{}))(p)
	var server, client *comch.Conn
	p.both(
		func() { server = opened(srv.Accept(p.ctx))(p) },
		func() { client = opened(comch.Dial(p.ctx, host.dev, name, comch.Config{}))(p) },
	)
	p.both(
		func() {
			c := opened(server.NewConsumer(dpu.mem, comch.ConsumerConfig{MaxTasks: n}))(p)
			var bufs []*doca.Buffer
			for k := range n {
				bufs = append(bufs, p.buffer(dpu, k*size, size))
			}
			out := make([]comch.Received, n)
			for range 3 {
				p.want("the number of posts", n, got(c.PostBatch(bufs))(p))
				bufs = bufs[:0]
				for len(bufs) < n {
					for _, r := range out[:got(c.RecvBatch(p.ctx, out[:n-len(bufs)]))(p)] {
						p.want("the data", string(host.mem.Bytes()[len(bufs)*size:][:1000]), string(r.Data))
						bufs = append(bufs, r.Buffer)
					}
				}
			}
			p.check(c.Close())
		},
		func() {
			id := got(client.WaitConsumer(p.ctx))(p)
			pr := opened(client.NewProducer(comch.ProducerConfig{MaxTasks: 2}))(p)
			var msgs []comch.Message
			for k := range n {
				msgs = append(msgs, comch.Message{Buffer: kept(host.inv.Source(host.mem, k*size, 1000))(p), Consumer: id})
			}
			for range 2 {
				p.want("the number of messages", n, got(pr.SendBatch(p.ctx, msgs))(p))
			}
			var f comch.Future
			p.check(pr.StartBatch(msgs, &f))
			p.check(f.Wait(p.ctx))
			p.check(pr.Close())
		},
	)
	p.check(client.Close())
}
