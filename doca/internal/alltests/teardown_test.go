package alltests

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/mmapadvise"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
)

func TestMain(m *testing.M) { doctest.Main(m) }

// closer is what all objects have in common.
type closer interface{ Close() error }

// stage is what a test closes, and in the end the rest.
type stage struct {
	target closer
	rest   []closer // in the order in which they are closed
	kept   []any    // handles that must not be lost
}

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

func limit(t testing.TB) context.Context { return doctest.Deadline(t, 20*time.Second) }

// kinds make one object of each kind, in use as far as that goes.
var kinds = map[string]func(t testing.TB) stage{
	"device":    func(t testing.TB) stage { return ofRig(t, func(r *doctest.Rig) closer { return r.Dev }) },
	"engine":    func(t testing.TB) stage { return ofRig(t, func(r *doctest.Rig) closer { return r.PE }) },
	"dma":       func(t testing.TB) stage { return ofRig(t, func(r *doctest.Rig) closer { return r.DMA }) },
	"memory":    func(t testing.TB) stage { return ofRig(t, func(r *doctest.Rig) closer { return r.Mem }) },
	"inventory": func(t testing.TB) stage { return ofRig(t, func(r *doctest.Rig) closer { return r.Inv }) },
	"buffer":    func(t testing.TB) stage { return ofRig(t, func(r *doctest.Rig) closer { return r.Dst }) },

	"head of a list":   func(t testing.TB) stage { return ofList(t, 0) },
	"middle of a list": func(t testing.TB) stage { return ofList(t, 1) },
	"end of a list":    func(t testing.TB) stage { return ofList(t, 2) },

	"dma with cut copies":    func(t testing.TB) stage { return ofCutCopies(t, func(r *doctest.Rig) closer { return r.DMA }) },
	"memory with cut copies": func(t testing.TB) stage { return ofCutCopies(t, func(r *doctest.Rig) closer { return r.Mem }) },
	"device with cut copies": func(t testing.TB) stage { return ofCutCopies(t, func(r *doctest.Rig) closer { return r.Dev }) },

	"batch": func(t testing.TB) stage {
		return ofRig(t, func(r *doctest.Rig) closer {
			b := must(r.DMA.NewBatch(1))(t)
			doctest.Check(t, b.Add(r.Dst, r.Src))
			doctest.Check(t, b.Run(t.Context()))
			return b
		})
	},
	"stream": func(t testing.TB) stage {
		return ofRig(t, func(r *doctest.Rig) closer {
			s := must(r.DMA.NewStream(dma.StreamConfig{BufferSize: 4096}))(t)
			must(s.CopyIn(t.Context(), s.Destinations(r.Mem, 0, 100), strings.NewReader("some text")))(t)
			return s
		})
	},
	"imported memory": func(t testing.TB) stage {
		r := doctest.OpenRig(t)
		mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite}))(t)
		host := must(doca.OpenDevice(doctest.Host0))(t)
		imported := must(doca.ImportMemory(host, must(mem.ExportPCI(r.Dev))(t)))(t)
		return stage{target: imported, rest: append(all(r), mem, host)}
	},
	"representor": func(t testing.TB) stage {
		dev := must(doca.OpenDevice(doctest.DPU0))(t)
		return stage{target: must(dev.OpenRepresentor(doctest.Host0))(t), rest: []closer{dev}}
	},

	"mmap advise": func(t testing.TB) stage {
		return ofRig(t, func(r *doctest.Rig) closer {
			m := must(mmapadvise.New(r.Dev, r.PE, mmapadvise.Config{}))(t)
			doctest.Check(t, m.InvalidateCache(t.Context(), r.Src))
			return m
		})
	},
	"sync event": func(t testing.TB) stage { return ofEvents(t, func(e *events) closer { return e.event }) },
	"imported sync event": func(t testing.TB) stage {
		return ofEvents(t, func(e *events) closer { return e.imported })
	},
	"remote sync event":     func(t testing.TB) stage { return ofEvents(t, func(e *events) closer { return e.remote }) },
	"sync event with tasks": func(t testing.TB) stage { return ofEvents(t, func(e *events) closer { return e.tasks }) },
	"device with sync events": func(t testing.TB) stage {
		return ofEvents(t, func(e *events) closer { return e.dev })
	},

	"dpa":                       func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.dpa }) },
	"dpa memory":                func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.mem }) },
	"dpa thread":                func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.thread }) },
	"dpa completion":            func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.completion }) },
	"dpa thread group":          func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.group }) },
	"dpa notification":          func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.notification }) },
	"dpa async ops":             func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.async }) },
	"dpa hash table":            func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.table }) },
	"dpa buffer array":          func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.array }) },
	"dpa memory that is mapped": func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.mapped }) },
	"extended dpa":              func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.extended }) },
	"sync event of a dpa":       func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.event }) },
	"msgq to a dpa":             func(t testing.TB) stage { return ofMsgQs(t, func(q *msgqs) closer { return q.to }) },
	"msgq from a dpa":           func(t testing.TB) stage { return ofMsgQs(t, func(q *msgqs) closer { return q.from }) },
	"consumer completion":       func(t testing.TB) stage { return ofMsgQs(t, func(q *msgqs) closer { return q.arrivals }) },
	"dpa consumer":              func(t testing.TB) stage { return ofMsgQs(t, func(q *msgqs) closer { return q.onDPA }) },
	"dpa producer":              func(t testing.TB) stage { return ofMsgQs(t, func(q *msgqs) closer { return q.fromDPA }) },
	"producer of a msgq":        func(t testing.TB) stage { return ofMsgQs(t, func(q *msgqs) closer { return q.producer }) },
	"consumer of a msgq":        func(t testing.TB) stage { return ofMsgQs(t, func(q *msgqs) closer { return q.consumer }) },
	"dpa with msgqs":            func(t testing.TB) stage { return ofMsgQs(t, func(q *msgqs) closer { return q.dpa }) },
	"device with a dpa":         func(t testing.TB) stage { return ofDPA(t, func(d *onDPA) closer { return d.dev }) },

	"rdma":                   func(t testing.TB) stage { return ofNetwork(t, func(n *network) closer { return n.a }) },
	"rdma of the receiver":   func(t testing.TB) stage { return ofNetwork(t, func(n *network) closer { return n.b }) },
	"rdma connection":        func(t testing.TB) stage { return ofNetwork(t, func(n *network) closer { return n.conns[0] }) },
	"rdma connection's peer": func(t testing.TB) stage { return ofNetwork(t, func(n *network) closer { return n.conns[1] }) },
	"rdma listener":          func(t testing.TB) stage { return ofNetwork(t, func(n *network) closer { return n.listener }) },
	"rdma's remote event":    func(t testing.TB) stage { return ofNetwork(t, func(n *network) closer { return n.remote }) },
	"rdma's engine":          func(t testing.TB) stage { return ofNetwork(t, func(n *network) closer { return n.pe }) },
	"rdma's device":          func(t testing.TB) stage { return ofNetwork(t, func(n *network) closer { return n.dev }) },

	"rdma on a dpa":             func(t testing.TB) stage { return ofRDMAOnDPA(t, func(r *rdmaOnDPA) closer { return r.onDPA }) },
	"rdma connection on a dpa":  func(t testing.TB) stage { return ofRDMAOnDPA(t, func(r *rdmaOnDPA) closer { return r.dpaConn }) },
	"dpa with rdma":             func(t testing.TB) stage { return ofRDMAOnDPA(t, func(r *rdmaOnDPA) closer { return r.dpa }) },
	"dpa completion of rdma":    func(t testing.TB) stage { return ofRDMAOnDPA(t, func(r *rdmaOnDPA) closer { return r.completion }) },
	"device with rdma on a dpa": func(t testing.TB) stage { return ofRDMAOnDPA(t, func(r *rdmaOnDPA) closer { return r.dev }) },

	"server":                func(t testing.TB) stage { c := connect(t); return c.stage(c.srv) },
	"client connection":     func(t testing.TB) stage { c := connect(t); return c.stage(c.client) },
	"server connection":     func(t testing.TB) stage { c := connect(t); return c.stage(c.server) },
	"consumer":              func(t testing.TB) stage { c := connect(t); return c.stage(c.lane(t).consumer) },
	"producer":              func(t testing.TB) stage { c := connect(t); return c.stage(c.lane(t).producer) },
	"posted inventory":      func(t testing.TB) stage { c := connect(t); return c.stage(inOrder{c.lane(t).consumer, c.inv}) },
	"consumer with buffers": func(t testing.TB) stage { c := connect(t); return c.stage(c.own(t).consumer) },
	"producer with buffers": func(t testing.TB) stage { c := connect(t); return c.stage(c.own(t).producer) },
	"client of a producer with buffers": func(t testing.TB) stage {
		c := connect(t)
		c.own(t)
		return c.stage(c.client)
	},
	"server with it all": func(t testing.TB) stage {
		c := connect(t)
		c.lane(t)
		return c.stage(c.srv)
	},
	"client with it all": func(t testing.TB) stage {
		c := connect(t)
		c.lane(t)
		return c.stage(c.client)
	},
	"device with it all": func(t testing.TB) stage {
		c := connect(t)
		c.lane(t)
		return c.stage(c.dpu)
	},
	"connection that nobody accepts": func(t testing.TB) stage {
		c := devices(t)
		c.srv = must(comch.Listen(limit(t), c.dpu, c.rep, c.name, comch.Config{}))(t)
		go c.srv.Accept(t.Context()) // drives the server
		c.client = must(comch.Dial(limit(t), c.host, c.name, comch.Config{}))(t)
		return c.stage(c.srv)
	},

	"listener": func(t testing.TB) stage {
		c := devices(t)
		l := must(comchnet.Listen(limit(t), c.dpu, c.rep, c.name, comch.Config{}))(t)
		return c.stage(l)
	},
	"listener with a connection": func(t testing.TB) stage {
		c := devices(t)
		l := must(comchnet.Listen(limit(t), c.dpu, c.rep, c.name, comch.Config{}))(t)
		dialed := must(comchnet.Dial(limit(t), c.host, c.name, comch.Config{}))(t)
		accepted := must(l.Accept())(t)
		return c.stage(inOrder{accepted, l}, dialed)
	},
	"accepted stream": func(t testing.TB) stage {
		c := devices(t)
		l := must(comchnet.Listen(limit(t), c.dpu, c.rep, c.name, comch.Config{}))(t)
		dialed := must(comchnet.Dial(limit(t), c.host, c.name, comch.Config{}))(t)
		accepted := must(l.Accept())(t)
		doctest.Check(t, l.Close())
		return c.stage(accepted, dialed)
	},
	"dialed stream": func(t testing.TB) stage {
		c := devices(t)
		l := must(comchnet.Listen(limit(t), c.dpu, c.rep, c.name, comch.Config{}))(t)
		dialed := must(comchnet.Dial(limit(t), c.host, c.name, comch.Config{}))(t)
		return c.stage(dialed, l)
	},
}

// events is one of each kind of sync events.
type events struct {
	dev             *doca.Device
	mem             *doca.Memory
	pe              *doca.ProgressEngine
	event, imported *syncevent.Event
	remote          *syncevent.Remote
	tasks           *syncevent.TaskEvent
}

func ofEvents(t testing.TB, target func(*events) closer) stage {
	e := new(events)
	e.dev = must(doca.OpenDevice(doctest.DPU0))(t)
	e.mem = must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{e.dev}}))(t)
	e.pe = must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	e.event = must(syncevent.New(e.dev, syncevent.Config{Publishers: syncevent.RemotePCI | syncevent.RemoteNet, Memory: e.mem}))(t)
	e.imported = must(syncevent.Import(e.dev, must(e.event.ExportPCI(e.dev))(t), syncevent.Config{}))(t)
	e.remote = must(syncevent.ImportNet(e.dev, must(e.event.ExportNet())(t)))(t)
	e.tasks = must(syncevent.NewTaskEvent(e.dev, e.pe, syncevent.Config{}))(t)
	must(e.tasks.WaitEqualAsync(t.Context(), 1, 0xff))(t)
	return stage{target: target(e), rest: []closer{e.imported, e.event, e.remote, e.tasks, e.pe, e.mem, e.dev}, kept: []any{e}}
}

// network is both ends of an RDMA connection, with a receive posted, a message and an addition to a sync event in flight, and a
// listener.
type network struct {
	dev      *doca.Device
	mem      *doca.Memory
	inv      *doca.Inventory
	pe       *doca.ProgressEngine
	a, b     *rdma.RDMA
	conns    [2]*rdma.Conn
	listener *rdma.Listener
	event    *syncevent.Event
	remote   *syncevent.Remote
	kept     []any
}

var lastPort atomic.Int32

func ofNetwork(t testing.TB, target func(*network) closer) stage {
	n := new(network)
	n.dev = must(doca.OpenDevice(doctest.DPU0))(t)
	n.pe = must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	n.mem = must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{n.dev}}))(t)
	n.inv = must(doca.NewInventory(4))(t)
	n.a, n.b = must(rdma.New(n.dev, n.pe, rdma.Config{}))(t), must(rdma.New(n.dev, n.pe, rdma.Config{}))(t)
	var details [2][]byte
	var err error
	n.conns[0], details[0], err = n.a.Export()
	require.NoError(t, err)
	n.conns[1], details[1], err = n.b.Export()
	require.NoError(t, err)
	require.NoError(t, n.conns[0].Connect(details[1]))
	require.NoError(t, n.conns[1].Connect(details[0]))
	n.listener = must(n.a.Listen(uint16(18000 + lastPort.Add(1))))(t)
	buf := must(n.inv.Buffer(n.mem, 0, 64))(t)
	must(n.b.Post(buf))(t)
	n.event = must(syncevent.New(n.dev, syncevent.Config{Publishers: syncevent.RemoteNet}))(t)
	n.remote = must(syncevent.ImportNet(n.dev, must(n.event.ExportNet())(t)))(t)
	n.kept = append(n.kept, buf, must(n.conns[0].SendAsync(t.Context(), n.mem, 128, 8))(t),
		must(n.conns[0].EventAddAsync(t.Context(), n.remote, n.mem, 256, 1))(t))
	return stage{target: target(n), rest: []closer{n.listener, n.remote, n.event, n.conns[0], n.conns[1], n.a, n.b, n.pe, n.inv, n.mem, n.dev}, kept: []any{n}}
}

// inOrder closes several objects one after the other.
type inOrder []closer

func (o inOrder) Close() error {
	var errs []error
	for _, c := range o {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func all(r *doctest.Rig) []closer {
	var out []closer
	for _, c := range r.Closers() {
		out = append(out, c)
	}
	return out
}

func ofRig(t testing.TB, target func(r *doctest.Rig) closer) stage {
	r := doctest.OpenRig(t)
	r.Copy(t)
	return stage{target: target(r), rest: all(r), kept: []any{r}}
}

func ofList(t testing.TB, at int) stage {
	r := doctest.OpenRig(t)
	var list []*doca.Buffer
	for i := range 3 {
		list = append(list, must(r.Inv.Buffer(r.Mem, 2048+i*10, 10))(t))
	}
	doctest.Check(t, list[0].Chain(list[1]))
	doctest.Check(t, list[0].Chain(list[2]))
	return stage{target: list[at], rest: append([]closer{whole{t, list, at}}, all(r)...), kept: []any{r, list}}
}

// whole checks that the list is whole without the element that was closed, or closed with its head.
type whole struct {
	t    testing.TB
	list []*doca.Buffer
	gone int
}

func (w whole) Close() error {
	for i, b := range w.list {
		switch {
		case w.gone == 0:
			assert.Nil(w.t, b.Bytes(), "element %d of a list that was closed", i)
		case i != w.gone:
			assert.Equal(w.t, 2, b.ListLen(), "the list without element %d", w.gone)
		}
	}
	return nil
}

func ofCutCopies(t testing.TB, target func(r *doctest.Rig) closer) stage {
	t.Setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "10")
	r := doctest.OpenRig(t)
	r.Copy(t)
	return stage{target: target(r), rest: all(r), kept: []any{r}}
}

// channel is both ends of a connection, and what they are made of.
type channel struct {
	name           string
	dpu, host      *doca.Device
	rep            *doca.Representor
	srv            *comch.Server
	client, server *comch.Conn
	mem            [2]*doca.Memory
	inv            *doca.Inventory
	consumer       *comch.Consumer
	producer       *comch.Producer
	kept           []any
}

var names atomic.Int32

func devices(t testing.TB) *channel {
	c := &channel{name: fmt.Sprintf("teardown-%d-%d", os.Getpid(), names.Add(1))}
	c.dpu = must(doca.OpenDevice(doctest.DPU0))(t)
	c.host = must(doca.OpenDevice(doctest.Host0))(t)
	c.rep = must(c.dpu.OpenRepresentor(doctest.Host0))(t)
	return c
}

func connect(t testing.TB) *channel {
	c := devices(t)
	c.srv = must(comch.Listen(limit(t), c.dpu, c.rep, c.name, comch.Config{}))(t)
	dialed := make(chan error, 1)
	go func() {
		var err error
		c.client, err = comch.Dial(limit(t), c.host, c.name, comch.Config{})
		dialed <- err
	}()
	c.server = must(c.srv.Accept(limit(t)))(t)
	doctest.Check(t, <-dialed)
	return c
}

// lane makes a consumer of the server's side with posted buffers, and a producer.
func (c *channel) lane(t testing.TB) *channel {
	for i, dev := range []*doca.Device{c.dpu, c.host} {
		c.mem[i] = must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite}))(t)
	}
	c.inv = must(doca.NewInventory(16))(t)
	c.consumer = must(c.server.NewConsumer(c.mem[0], comch.ConsumerConfig{}))(t)
	c.producer = must(c.client.NewProducer(comch.ProducerConfig{}))(t)
	for i := range 4 {
		b := must(c.inv.Buffer(c.mem[0], i*64, 64))(t)
		doctest.Check(t, c.consumer.Post(b))
		c.kept = append(c.kept, b)
	}
	return c
}

// own makes a consumer and a producer with buffers of their own, and has a message sent.
func (c *channel) own(t testing.TB) *channel {
	c.consumer = must(c.server.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 64, Buffers: 4}))(t)
	c.producer = must(c.client.NewProducer(comch.ProducerConfig{BufferSize: 64, Buffers: 4}))(t)
	doctest.Check(t, c.producer.SendBytes(limit(t), []byte("x"), nil, must(c.client.WaitConsumer(limit(t)))(t)))
	return c
}

func (c *channel) stage(target closer, rest ...closer) stage {
	if c.client != nil {
		rest = append(rest, c.client)
	}
	if c.srv != nil {
		rest = append(rest, c.srv)
	}
	if c.inv != nil {
		rest = append(rest, c.inv)
	}
	return stage{target: target, rest: append(rest, c.host, c.dpu), kept: []any{c}}
}

// inCallbacks are functions that the generated callbacks call, and no teardown.
var inCallbacks = map[string]bool{
	"doca_ctx_get_user_data":                      true,
	"doca_comch_server_get_server_ctx":            true,
	"doca_comch_server_as_ctx":                    true,
	"doca_comch_client_as_ctx":                    true,
	"doca_comch_client_get_client_ctx":            true,
	"doca_comch_client_get_connection":            true,
	"doca_comch_connection_get_user_data":         true,
	"doca_comch_server_get_server_ctx_connection": true,
}

// functions returns the names of DOCA's functions that a fault can fail.
func functions(t testing.TB) []string {
	t.Helper()
	text := must(os.ReadFile("../../../headers/3.0/api.txt"))(t)
	seen := map[string]bool{}
	var out []string
	for _, word := range strings.FieldsFunc(string(text), func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if !strings.HasPrefix(word, "doca_") || seen[word] || inCallbacks[word] {
			continue
		}
		seen[word] = true
		if emulator.SetFaults("fail-call="+word+":1") == nil {
			out = append(out, word)
		}
	}
	emulator.ClearFaults()
	require.Greater(t, len(out), 100, "functions that can fail")
	return out
}

// failed returns the functions whose failures an error wraps.
func failed(err error) []string {
	var out []string
	if call, ok := err.(*abi.CallError); ok {
		out = append(out, strings.Split(call.Func, ", ")...) // one of them
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		out = append(out, failed(e.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			out = append(out, failed(err)...)
		}
	}
	return out
}

// close closes the target while the nth calls of some functions fail, until it is closed, and
// then the rest. It returns the functions that have failed.
func (s stage) close(t testing.TB, names []string, n int) []string {
	t.Helper()
	doctest.WithoutSpares(t) // doca_pe_destroy is to fail, too
	var spec []string
	for _, f := range names {
		spec = append(spec, fmt.Sprintf("fail-call=%s:%d", f, n))
	}
	defer emulator.ClearFaults()
	doctest.Check(t, emulator.SetFaults(strings.Join(spec, ",")))
	var found []string
	for try := 0; ; try++ {
		err := inTime(t, s.target)
		if err == nil {
			break
		}
		these := failed(err)
		require.NotEmpty(t, these, "the error is not that of a fault: %v", err)
		found = append(found, these...)
		require.LessOrEqual(t, try, len(names), "%v", err)
	}
	emulator.ClearFaults()
	assert.NoError(t, s.target.Close(), "Close once more")
	for _, c := range s.rest {
		assert.NoError(t, c.Close(), "Close of %v", c)
	}
	if len(s.kept) > 0 {
		_ = s.kept[0]
	}
	return found
}

// inTime closes an object, or ends the test.
func inTime(t testing.TB, c closer) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- c.Close() }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("Close of %v hangs", c)
		return nil
	}
}

// Each DOCA call of a teardown fails once. Close returns the error, and the next Close closes
// the object.
func TestEachCallOfATeardownFails(t *testing.T) {
	candidates := functions(t)
	const atOnce = 60 // the emulator takes 64 faults
	for name, open := range kinds {
		t.Run(name, func(t *testing.T) {
			nothing := doca.OpenObjects()
			run := func(names []string, n int) []string {
				found := open(t).close(t, names, n)
				require.Equal(t, nothing, doca.OpenObjects(), "failed: %v", found)
				return found
			}
			calls := map[string]bool{}
			for at := 0; at < len(candidates); at += atOnce {
				for _, f := range run(candidates[at:min(at+atOnce, len(candidates))], 1) {
					calls[f] = true
				}
			}
			for f := range calls { // one by one
				for n := 1; len(run([]string{f}, n)) > 0; n++ {
				}
			}
			t.Logf("the teardown calls %v", calls)
		})
	}
}
