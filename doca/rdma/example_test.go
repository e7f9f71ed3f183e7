package rdma_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	_ "github.com/go-doca/go-doca/emulator" // optional: used where no SDK is installed
)

// node is one side of the example.
type node struct {
	rdma    *rdma.RDMA
	conn    *rdma.Conn
	mem     *doca.Memory
	details []byte // of the connection, for the peer
	desc    []byte // of the memory, for the peer
}

// newNode makes what a side needs.
func newNode(dev *doca.Device, pe *doca.ProgressEngine) (*node, error) {
	n := &node{}
	var err error
	if n.rdma, err = rdma.New(dev, pe, rdma.Config{}); err != nil {
		return nil, err
	}
	n.mem, err = doca.NewMemory(4096, doca.MemoryConfig{
		Devices: []*doca.Device{dev},
		Access:  doca.AccessLocalReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite,
	})
	if err != nil {
		return nil, err
	}
	if n.conn, n.details, err = n.rdma.Export(); err != nil {
		return nil, err
	}
	n.desc, err = n.mem.ExportRDMA(dev)
	return n, err
}

// One side writes to the memory of the other. Both are in this process; usually each is in its own, and
// the details and descriptors go between them by a socket, a file or a Comch message.
func Example() {
	if err := writeHello(); err != nil {
		log.Fatal(err)
	}
	// Output: hello
}

func writeHello() error {
	ctx := context.Background()
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		return err
	}
	defer dev.Close() // closes everything made on it, too
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer pe.Close()
	a, err := newNode(dev, pe)
	if err != nil {
		return err
	}
	b, err := newNode(dev, pe)
	if err != nil {
		return err
	}
	if err := a.conn.Connect(b.details); err != nil {
		return err
	}
	if err := b.conn.Connect(a.details); err != nil {
		return err
	}
	peer, err := doca.ImportMemory(dev, b.desc)
	if err != nil {
		return err
	}
	n := copy(a.mem.Bytes(), "hello")
	if err := a.conn.Write(ctx, peer, 0, a.mem, 0, n); err != nil {
		return err
	}
	fmt.Printf("%s\n", b.mem.Bytes()[:n])
	return nil
}
