package rdma_test

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/emulator"
)

// The helpers that all packages share.
var (
	check   = doctest.Check
	wantErr = doctest.WantErr
)

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

// TestMain runs the tests, or in a process of theirs one of the roles.
func TestMain(m *testing.M) {
	if role := os.Getenv("RDMA_TEST_ROLE"); role != "" {
		os.Setenv("DOCA_PROVIDER", emulator.Name)
		if err := roles[role](); err != nil {
			println(role+":", err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	doctest.Main(m)
}

// soonish is a context that ends before the test hangs.
func soonish(t testing.TB) context.Context { return doctest.Deadline(t, 20*time.Second) }

// soon is a context that ends 20 ms after the wait for it has begun.
func soon(t testing.TB) context.Context { return doctest.Soon(t, 20*time.Millisecond) }

// access is what the memories of the tests allow.
const access = doca.AccessLocalReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite | doca.AccessRDMAAtomic

// memSize is the size of a side's memory.
const memSize = 1 << 20

// side is one side of a connection.
type side struct {
	dev  *doca.Device
	pe   *doca.ProgressEngine
	rdma *rdma.RDMA
	mem  *doca.Memory // exported to the peer
	inv  *doca.Inventory

	conn *rdma.Conn
	peer *doca.Memory // the peer's memory
	kept []*doca.Buffer
}

// newSide opens a side until the end of the test.
func newSide(t testing.TB, cfg rdma.Config) *side {
	t.Helper()
	s := &side{}
	s.dev = must(doca.OpenDevice(doctest.DPU0))(t)
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{s.dev, s.pe, s.inv} {
			if err := c.Close(); err != nil {
				t.Errorf("Close of %v: %v", c, err)
			}
		}
		runtime.KeepAlive(s)
	})
	s.pe = must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	s.rdma = must(rdma.New(s.dev, s.pe, cfg))(t)
	s.mem = must(doca.NewMemory(memSize, doca.MemoryConfig{Devices: []*doca.Device{s.dev}, Access: access}))(t)
	s.inv = must(doca.NewInventory(256))(t)
	return s
}

// exported returns the descriptor of the side's memory.
func (s *side) exported(t testing.TB) []byte {
	t.Helper()
	return must(s.mem.ExportRDMA(s.dev))(t)
}

// buffer returns a buffer of the side's memory.
func (s *side) buffer(t testing.TB, off, n int) *doca.Buffer {
	t.Helper()
	b := must(s.inv.Buffer(s.mem, off, n))(t)
	s.kept = append(s.kept, b)
	return b
}

// export makes a connection.
func (s *side) export(t testing.TB) (*rdma.Conn, []byte) {
	t.Helper()
	c, details, err := s.rdma.Export()
	check(t, err)
	return c, details
}

// newPair returns two sides with a connection between them, each with the other's memory.
func newPair(t testing.TB, cfg rdma.Config) (a, b *side) {
	t.Helper()
	a, b = newSide(t, cfg), newSide(t, cfg)
	connect(t, a, b)
	a.peer = must(doca.ImportMemory(a.dev, b.exported(t)))(t)
	b.peer = must(doca.ImportMemory(b.dev, a.exported(t)))(t)
	return a, b
}

// connect connects two sides.
func connect(t testing.TB, a, b *side) {
	t.Helper()
	var toA, toB []byte
	a.conn, toB = a.export(t)
	b.conn, toA = b.export(t)
	check(t, a.conn.Connect(toA))
	check(t, b.conn.Connect(toB))
}

// fill writes a pattern to a range of the side's memory.
func (s *side) fill(off, n, seed int) []byte {
	data := s.mem.Bytes()[off:][:n]
	for i := range data {
		data[i] = byte(i*7 + seed)
	}
	return data
}

// doneContext is a context that has ended.
func doneContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
