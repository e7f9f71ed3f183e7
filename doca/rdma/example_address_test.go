package rdma_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// One side listens and sends the descriptor of its memory to each that dials, who reads the memory. Both are in this
// process; usually they are two.
func ExampleRDMA_Dial() {
	if err := readHello(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output: hello
}

// endpoint is a context, and a memory with a buffer for messages at its start.
type endpoint struct {
	dev  *doca.Device
	pe   *doca.ProgressEngine
	rdma *rdma.RDMA
	mem  *doca.Memory
	inv  *doca.Inventory
}

func newEndpoint() (e *endpoint, err error) {
	e = new(endpoint)
	if e.dev, err = doca.OpenDevice("03:00.0"); err != nil {
		return nil, err
	}
	if e.pe, err = doca.NewProgressEngine(doca.EngineConfig{}); err != nil {
		return nil, err
	}
	if e.rdma, err = rdma.New(e.dev, e.pe, rdma.Config{MaxConnections: 16}); err != nil {
		return nil, err
	}
	access := doca.AccessLocalReadWrite | doca.AccessRDMARead
	if e.mem, err = doca.NewMemory(8192, doca.MemoryConfig{Devices: []*doca.Device{e.dev}, Access: access}); err != nil {
		return nil, err
	}
	e.inv, err = doca.NewInventory(1)
	return e, err
}

func (e *endpoint) Close() error {
	return errors.Join(
		e.dev.Close(), // the context and the memory, too
		e.pe.Close(),
		e.inv.Close(),
	)
}

// serve accepts connections until ctx ends.
func (e *endpoint) serve(ctx context.Context, l *rdma.Listener) error {
	for {
		conn, err := l.Accept(ctx)
		if err != nil {
			return err
		}
		desc, err := e.mem.ExportRDMA(e.dev)
		if err != nil {
			return err
		}
		if err := conn.Send(ctx, e.mem, 0, copy(e.mem.Bytes(), desc)); err != nil {
			return err
		}
		go func() {
			<-conn.Done() // the client has closed it, or is gone
			_ = conn.Close()
		}()
	}
}

func readHello(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server, err := newEndpoint()
	if err != nil {
		return err
	}
	defer server.Close()
	copy(server.mem.Bytes()[4096:], "hello")
	l, err := server.rdma.Listen(13579)
	if err != nil {
		return err
	}
	go server.serve(ctx, l)

	client, err := newEndpoint()
	if err != nil {
		return err
	}
	defer client.Close()
	addr, err := rdma.ParseAddr("127.0.0.1:13579") // as all that follows, on the other machine
	if err != nil {
		return err
	}
	conn, err := client.rdma.Dial(ctx, addr)
	if err != nil {
		return err
	}
	buf, err := client.inv.Buffer(client.mem, 0, 4096)
	if err != nil {
		return err
	}
	if _, err := client.rdma.Post(buf); err != nil {
		return err
	}
	msg, err := client.rdma.Recv(ctx)
	if err != nil {
		return err
	}
	peer, err := doca.ImportMemory(client.dev, msg.Data)
	if err != nil {
		return err
	}
	if err := conn.Read(ctx, client.mem, 4096, peer, 4096, 5); err != nil {
		return err
	}
	fmt.Printf("%s\n", client.mem.Bytes()[4096:][:5])
	return nil
}
