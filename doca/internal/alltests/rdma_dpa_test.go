package alltests

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/rdmatest"
	"github.com/go-doca/go-doca/doca/rdma"
)

// rdmaOnDPA is a connection between an RDMA context on a DPA, with a thread that echoes, and one of this process.
type rdmaOnDPA struct {
	dev        *doca.Device
	mem        *doca.Memory
	inv        *doca.Inventory
	dpa        *dpa.DPA
	args       *dpa.Memory
	thread     *dpa.Thread
	completion *dpa.Completion
	onDPA      *rdma.DPARDMA
	dpaConn    *rdma.DPAConn
	pe         *doca.ProgressEngine
	rdma       *rdma.RDMA
	conn       *rdma.Conn
}

func openRDMAOnDPA(p *play) *rdmaOnDPA {
	r := &rdmaOnDPA{}
	r.dev = opened(doca.OpenDevice(doctest.DPU0))(p)
	r.mem = opened(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{r.dev}}))(p)
	r.inv = opened(doca.NewInventory(1))(p) // closed after the contexts, which have the buffer
	r.dpa = opened(dpa.New(r.dev, dpa.Config{App: rdmatest.App()}))(p)
	end := rdmatest.End{Mmap: got(r.dpa.MmapHandle(r.mem))(p), Addr: uint64(r.mem.Address()), Slots: 4, SlotLen: 8}
	r.args = opened(dpa.Place(r.dpa, end))(p)
	r.thread = opened(r.dpa.NewThread(dpa.ThreadConfig{Func: rdmatest.FuncEcho(), Arg: uint64(r.args.Addr())}))(p)
	r.completion = opened(r.dpa.NewCompletion(dpa.CompletionConfig{Thread: r.thread}))(p)
	r.onDPA = opened(rdma.NewOnDPA(r.dpa, rdma.DPAConfig{Completion: r.completion}))(p)
	end.RDMA, end.Comp = got(r.onDPA.Handle())(p), got(r.completion.Handle())(p)
	p.check(dpa.Put(r.args, 0, end))
	p.check(r.thread.Run())
	r.pe = opened(doca.NewProgressEngine(doca.EngineConfig{}))(p)
	r.rdma = opened(rdma.New(r.dev, r.pe, rdma.Config{}))(p)
	dpaConn, toCPU, err := r.onDPA.Export()
	r.dpaConn = opened(dpaConn, err)(p)
	conn, toDPA, err := r.rdma.Export()
	r.conn = connected(conn, err)(p)
	p.check(r.dpaConn.Connect(toDPA))
	p.check(r.conn.Connect(toCPU))
	got(rdmatest.CallPostReceives(p.ctx, r.dpa, r.args.Addr(), 4))(p)
	return r
}

// useRDMAOnDPA uses all that openRDMAOnDPA has made.
func useRDMAOnDPA(p *play) {
	r := openRDMAOnDPA(p)
	buf := kept(r.inv.Buffer(r.mem, 1024, 8))(p)
	for i := range uint32(6) {
		copy(r.mem.Bytes()[2048:], "message")
		got(r.rdma.Post(buf))(p)
		p.check(r.conn.SendImm(p.ctx, i, r.mem, 2048, 8))
		answer := got(r.rdma.Recv(p.ctx))(p)
		p.want("the answer", "message\x00", string(answer.Data))
		p.want("its immediate data", i, answer.Imm)
	}
	p.check(r.dpaConn.Close())
	p.check(r.onDPA.Close())
	p.check(r.dpa.Close())
}

// ofRDMAOnDPA has a message in flight.
func ofRDMAOnDPA(t testing.TB, target func(*rdmaOnDPA) closer) stage {
	t.Helper()
	p := &play{ctx: limit(t), cancel: func() {}}
	var r *rdmaOnDPA
	p.run(func(p *play) {
		r = openRDMAOnDPA(p)
		got(r.conn.SendAsync(p.ctx, r.mem, 2048, 8))(p)
	})
	if len(p.errs) > 0 {
		t.Fatal(p.errs)
	}
	return stage{target: target(r), rest: []closer{r.rdma, r.pe, r.dpa, r.inv, r.mem, r.dev}, kept: []any{r}}
}
