package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

const (
	maxClients  = 64
	maxReceives = 2 * maxClients // a client has one request at a time, and may send the next one before the buffer is posted again
)

// server has the table, and answers requests.
type server struct {
	rdma    *rdma.RDMA
	port    uint16
	welcome []byte
	conns   sync.WaitGroup

	mem   *doca.Memory // has the table
	mu    sync.Mutex   // guards table
	table *table

	in       *doca.Memory
	requests []*doca.Buffer // of in
	answers  *doca.Memory
	place    map[*doca.Buffer]int // of the answer to the request in a buffer
	sent     []answering
}

// answering is an answer on its way. Its place and the request's buffer are free when it has arrived.
type answering struct {
	*rdma.Future
	request *doca.Buffer
}

// serve has a table until ctx ends. Clients reach it at the port, and by TCP at the address tcp unless that is empty.
func serve(ctx context.Context, pci string, port uint16, tcp string, g geometry) (err error) {
	if err := g.check(); err != nil {
		return err
	}
	dev, err := doca.OpenDevice(pci)
	if err != nil {
		return err
	}
	s := &server{port: port, place: map[*doca.Buffer]int{}}
	defer s.conns.Wait()
	defer func() { err = errors.Join(err, dev.Close()) }() // and what is made on it, except the inventory
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	if s.rdma, err = rdma.New(dev, pe, rdma.Config{MaxConnections: maxClients, MaxTasks: maxReceives, MaxReceives: maxReceives}); err != nil {
		return err
	}
	inv, err := doca.NewInventory(maxReceives)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.rdma.Close(), inv.Close()) }()
	if err := s.makeMemory(dev, inv, g); err != nil {
		return err
	}
	if tcp != "" {
		stop, err := s.serveTCP(tcp)
		if err != nil {
			return err
		}
		defer stop()
	}
	log.Printf("serving a table of %d KiB on port %d", g.size()>>10, port)
	for {
		err := s.run(ctx)
		s.rdma.WaitIdle(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if s.rdma.State() != doca.StateIdle {
			return err
		}
		log.Printf("all clients have to connect again: %v", err) // a failed operation has stopped the context
		if err := s.rdma.Start(ctx); err != nil {
			return err
		}
	}
}

// makeMemory makes the table and the buffers.
func (s *server) makeMemory(dev *doca.Device, inv *doca.Inventory, g geometry) (err error) {
	devices := []*doca.Device{dev}
	access := doca.AccessLocalReadWrite | doca.AccessRDMARead
	if s.mem, err = doca.NewMemory(g.size(), doca.MemoryConfig{Devices: devices, Access: access}); err != nil {
		return err
	}
	s.table = newTable(g, s.mem.Bytes())
	descriptor, err := s.mem.ExportRDMA(dev)
	if err != nil {
		return err
	}
	s.welcome = putWelcome(g, descriptor)
	size := g.messageSize()
	if len(s.welcome)+answerHeader > size {
		return fmt.Errorf("a descriptor of %d bytes does not fit into a message", len(descriptor))
	}
	if s.in, err = doca.NewMemory(maxReceives*size, doca.MemoryConfig{Devices: devices}); err != nil {
		return err
	}
	if s.answers, err = doca.NewMemory(maxReceives*size, doca.MemoryConfig{Devices: devices}); err != nil {
		return err
	}
	for i := range maxReceives {
		buf, err := inv.Buffer(s.in, i*size, size)
		if err != nil {
			return err
		}
		s.requests = append(s.requests, buf)
		s.place[buf] = i * size
	}
	return nil
}

// run answers requests until ctx ends or the context stops.
func (s *server) run(ctx context.Context) (err error) {
	l, err := s.rdma.Listen(s.port)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	var accepting sync.WaitGroup
	defer func() {
		stop(nil)
		err = errors.Join(err, l.Close())
		accepting.Wait()
	}()
	accepting.Go(func() { stop(s.accept(ctx, l)) })
	s.sent = s.sent[:0]
	if _, err := s.rdma.Post(s.requests...); err != nil {
		return err
	}
	for {
		request, err := s.rdma.Recv(ctx)
		if err != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		if err := s.answer(ctx, request); err != nil {
			log.Print(err) // that client is gone, or the next Recv says why the context has stopped
		}
	}
}

// accept takes clients, and closes their connections when they have gone.
func (s *server) accept(ctx context.Context, l *rdma.Listener) error {
	for {
		conn, err := l.Accept(ctx)
		if err != nil {
			return err
		}
		s.conns.Go(func() {
			<-conn.Done()
			_ = conn.Close() // nothing can be done about an error
		})
	}
}

// answer answers a request, and posts the buffers again whose answers have arrived.
func (s *server) answer(ctx context.Context, request rdma.Received) error {
	at, size := s.place[request.Buffer], s.table.messageSize()
	s.mu.Lock()
	n := s.table.answer(request.Data, s.welcome, s.answers.Bytes()[at:][:size])
	s.mu.Unlock()
	f, err := request.Conn.SendAsync(ctx, s.answers, at, n)
	if err != nil {
		s.conns.Go(func() { _ = request.Conn.Close() }) // so that the client does not wait
	}
	s.sent = append(s.sent, answering{f, request.Buffer})
	s.sent = slices.DeleteFunc(s.sent, func(a answering) bool {
		if a.Future != nil && errors.Is(a.Err(), doca.ErrInProgress) {
			return false
		}
		_, postErr := s.rdma.Post(a.request)
		err = errors.Join(err, postErr)
		return true
	})
	return err
}
